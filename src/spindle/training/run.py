"""Training the whole pipeline from a treebank.

The stages that need gold arcs only (tagger, labeler, unaries, functions) come first and the dependency parser
last, so that after each of its epochs the development trees can be parsed as they will be, and the epoch with
the best F1 is the one that is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from spindle.drawing import learning_curve
from spindle.errors import ModelError, ParserError
from spindle.evaluation import Score
from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.parsers import Backend, Example, FitSettings, name_of
from spindle.pipeline.card import Card, Corpus
from spindle.pipeline.conventions import Conventions, Punctuation, learn_conventions
from spindle.pipeline.parser import Parser, load
from spindle.pipeline.sentence import Sentence
from spindle.pipeline.stages import FunctionClassifier, Labeler, Tagger, UnaryClassifier, find_stage
from spindle.reduction import Encoding, Mode, Reduced
from spindle.text import TokenizationStyle, learn_tokenization_style
from spindle.training.checkpoint import Checkpoint, tokens_from_part, tokens_to_part
from spindle.training.dev_monitor import DevMonitor, best_epoch, figures
from spindle.training.listener import Listener, NullListener, TrainingLog
from spindle.training.options import TrainOptions
from spindle.training.treebank import RARELY, PreparedTreebank, example, prepare, reduce, retagged
from spindle.trees import Token, Tree

FOLDS = 10
TOLERANCE = 0.2
"""How much F1 a compressed_variants parser may lose."""
SAMPLE = 1000
"""How many trees are looked at to guess which head rules fit the labels."""


class SourceWeight(NamedTuple):
    """So many trees of a treebank are from one place, and count so much."""

    trees: int
    weight: float = 1.0


@dataclass(frozen=True)
class Treebank:
    """Trees, and the files they are from, for the model's card.

    Where several treebanks are put together, `shares` tells them apart; the parser will do as the first does.
    If they are `alike`, it is not told which treebank a tree is from, and does as seems best.
    """

    trees: tuple[Tree, ...] = ()
    files: tuple[str, ...] = ()
    shares: tuple[SourceWeight, ...] = ()
    alike: bool = False

    @property
    def origins(self) -> list[tuple[int, float]]:
        """Of every tree: the number of the treebank it is from, and its weight."""
        shares = self.shares or (SourceWeight(len(self.trees)),)
        return [
            (0 if self.alike else number, weight)
            for number, (trees, weight) in enumerate(shares)
            for _ in range(trees)
        ]

    @property
    def model(self) -> tuple[Tree, ...]:
        """The trees of the first treebank."""
        return self.trees[: self.shares[0].trees] if self.shares else self.trees

    @property
    def corpus(self) -> Corpus:
        """What the model's card says of it."""
        words = sum(not token.is_empty for tree in self.trees for token in tree.tokens)
        return Corpus(self.files, len(self.trees), words)


def train_parser(
    train: Treebank,
    dev: Treebank,
    options: TrainOptions,
    *,
    output: Path | None = None,
    resume: bool = False,
    listener: Listener | None = None,
) -> Parser:
    """Train a parser and, if there is an `output`, write its model file, a log and a learning curve.

    An interrupted training leaves a checkpoint beside the output; with `resume` it goes on from there, and
    ends with the same model.
    """
    options.check()
    if any(weight != 1 for _, weight in train.shares) and not options.backend.uses_example_weights:
        raise ParserError(f"{name_of(options.backend)} knows no weights of treebanks")
    return run_training(
        lambda checkpoint, log: Training(train, dev, options, checkpoint, log),
        fingerprint(train, dev, options),
        None if isinstance(options.parser, str) else options.parser,
        output=output,
        resume=resume,
        listener=listener,
    )


def run_training(
    prepare: Callable[[Checkpoint, TrainingLog], Training],
    fingerprint: str,
    backend: type[Backend] | None = None,
    *,
    output: Path | None,
    resume: bool,
    listener: Listener | None,
) -> Parser:
    """Run a training, a new one or one that was interrupted, and write all that there is to write."""
    if resume and output is not None and not sidecar(output, "checkpoint").exists() and output.exists():
        finished = load(output, backend)
        if finished.card.fingerprint == fingerprint:
            (listener or NullListener()).say(f"{output} is finished already")
            return finished
    path = None if output is None else sidecar(output, "checkpoint")
    checkpoint = Checkpoint.open(path, fingerprint, resume)
    goes_on = bool(checkpoint.parts)
    log = TrainingLog(listener or NullListener(), sidecar(output, "log.jsonl") if output else None, goes_on)
    if goes_on:
        log.say(f"resumed: {', '.join(checkpoint.parts)} done, {len(checkpoint.epochs)} epochs of the parser")
    elif path is not None and path.exists():
        log.say(
            f"{path.name}: an interrupted training is there; it is started anew, as --resume was not given"
        )
    elif resume:
        log.say("there is no interrupted training to resume; it is started anew")
    parser = prepare(checkpoint, log).run()
    if output is not None:
        parser.save(output)
        curve = sidecar(output, "curve.svg")
        curve.write_text(learning_curve(checkpoint.epochs), encoding="utf-8")
        checkpoint.remove()
    log.finish(dict(parser.card.scores))
    return parser


def sidecar(output: Path, kind: str) -> Path:
    """The path of a file that is written beside the model."""
    return output.with_name(f"{output.name}.{kind}")


def fingerprint(train: Treebank, dev: Treebank, options: TrainOptions) -> str:
    """Tells one training from another; what cannot change the model is not in it."""
    digest = hashlib.sha256(repr(sorted(options.to_dict().items())).encode())
    if len(train.shares) > 1:
        digest.update(repr(train.shares).encode())
    for tree in (*train.trees, None, *dev.trees):
        columns = tree and (tree.tokens, tree.labels, tree.functions, tree.parents, tree.leaf_parents)
        digest.update(repr(columns).encode())
    return digest.hexdigest()


class Training:
    """One run: what was asked, what is decided on the way, and what is done."""

    def __init__(
        self,
        train: Treebank,
        dev: Treebank,
        options: TrainOptions,
        checkpoint: Checkpoint,
        log: TrainingLog,
    ) -> None:
        self.train, self.options = train, options
        # a sentence of nothing but traces cannot be parsed
        self.dev = replace(dev, trees=tuple(tree for tree in dev.trees if _has_words(tree)))
        self.checkpoint, self.log = checkpoint, log
        self.backend = options.backend
        self.chosen: dict[str, Any] = {}

    def run(self) -> Parser:
        """Decide, train every stage that is missing, then the parser."""
        material = self._prepare()
        self.mode = self._choose_mode(material)
        self.encoding = self._choose_encoding()
        heads = self._choose_heads(material)
        self.settings = self._fit_settings()
        predicted = self.backend.will_predict(self.settings)
        self.chosen |= {"from_parser": sorted(predicted), "one_shot": self.settings.one_shot}

        finder = HeadFinder(load_rules(heads))
        self.log.stage("reduction")
        pairs = list(reduce(material.trees, finder, self.mode))
        headed, reduced = [tree for tree, _ in pairs], [tree for _, tree in pairs]
        self._tell_unknown_labels(finder)
        tagger, tokens = self._train_tagger(material, predicted)
        seen = [retagged(tree, words) for tree, words in zip(reduced, tokens, strict=True)]
        origins = self.train.origins
        examples = [
            example(tree, self.encoding, *origins[number])
            for number, tree in zip(material.numbers, seen, strict=True)
        ]
        stages: dict[str, Any] = {
            "tagger": tagger,
            "labeler": None if "labels" in predicted else self._train_labeler(examples),
            "unaries": None if "chains" in predicted else self._train_unaries(seen),
            "functions": self._train_functions(headed, tokens),
        }
        card = self._card(_label_sets(material, reduced, examples))
        habits = self._habits(tokens)

        def assemble(backend: Backend) -> Parser:
            return Parser(backend, self.encoding, self.mode, material.conventions, habits, card, **stages)

        return self._train_parser(assemble, examples, finder)

    def _card(self, label_sets: Mapping[str, tuple[str, ...]]) -> Card:
        return Card(
            self.train.corpus,
            self.dev.corpus,
            self.options.licence,
            self.options.to_dict(),
            self.chosen,
            label_sets,
            fingerprint=self.checkpoint.fingerprint,
        )

    def _habits(self, tokens: Sequence[Sequence[Token]]) -> TokenizationStyle:
        return learn_tokenization_style([[token.form for token in words] for words in tokens])

    # ── choices ──────────────────────────────────────────────────────────────────────────────────────

    def _conventions(self) -> Conventions:
        """Those of the first treebank."""
        if not any(map(_has_words, self.train.trees)):
            raise ParserError("there are no trees to learn from")
        punct = self.options.punct
        return learn_conventions(self.train.model, None if punct == "auto" else Punctuation(punct))

    def _prepare(self) -> PreparedTreebank:
        material = prepare(self.train.trees, self._conventions())
        conventions, dropped = material.conventions, material.dropped
        self.chosen |= {"punct": str(conventions.punctuation), "wrapper": conventions.wrapper}
        if dropped["traces"]:
            self.log.say(f"{dropped['traces']:,} traces and other empty elements were stripped")
        if dropped["sentences without words"]:
            self.log.say(f"{dropped['sentences without words']:,} sentences without words were left out")
        if conventions.punctuation is Punctuation.RESTORE:
            self.log.say("punctuation is moved into the tree for training and raised to the root on output")
        return material

    def _choose_mode(self, material: PreparedTreebank) -> Mode:
        share = material.discontinuous
        if self.options.mode is not None:
            mode = Mode(self.options.mode)
        elif share < RARELY or not self.backend.is_nonprojective:
            mode = Mode.CONTINUOUS
        else:
            mode = Mode.DISCONTINUOUS
        self.chosen["mode"] = str(mode)
        self.log.say(f"mode: {mode} ({share:.1%} of the trees are discontinuous)")
        return mode

    def _choose_encoding(self) -> Encoding:
        """The paper's choice: delta for continuous trees, direct for others."""
        default = Encoding.DELTA if self.mode is Mode.CONTINUOUS else Encoding.DIRECT
        encoding = Encoding(self.options.encoding or default)
        self.chosen["encoding"] = str(encoding)
        return encoding

    def _choose_heads(self, material: PreparedTreebank) -> str:
        from spindle.training.head_trial import try_heads

        heads = self.options.heads
        if heads == "try":
            heads = try_heads(self.train, self.dev, material, self.options, self.log)
        elif heads is None:
            heads, reason = guess_rules(material.trees[:SAMPLE])
            self.log.say(f"head rules: {heads} ({reason})")
        self.chosen["heads"] = heads
        return heads

    def _fit_settings(self) -> FitSettings:
        options = self.options
        one_shot = self.backend.one_shot if options.one_shot is None else options.one_shot
        own = options.backend_options()
        return FitSettings(
            mode=self.mode,
            encoding=self.encoding,
            one_shot=one_shot,
            seed=options.seed,
            threads=options.threads,
            shrink=options.shrink,
            options=own,
        )

    def _tell_unknown_labels(self, finder: HeadFinder) -> None:
        if finder.unknown:
            labels = ", ".join(label or "(empty)" for label, _ in finder.unknown.most_common(8))
            self.log.say(f"no head rule for {finder.unknown.total():,} nodes, the default was used: {labels}")

    # ── stages ───────────────────────────────────────────────────────────────────────────────────────

    def _train_tagger(
        self, material: PreparedTreebank, predicted: frozenset[str]
    ) -> tuple[Tagger | None, Sequence[tuple[Token, ...]]]:
        """The tagger, if one is needed, and the training sentences as later stages will see them."""
        gold = material.tokens
        if "tags" in predicted:
            if self.options.tags is not None:
                raise ParserError(f"{name_of(self.backend)} tags by itself, so --tags does not apply to it")
            return None, gold
        if not any(token.tag for sentence in gold for token in sentence):
            self.log.say("the treebank has no tags, so none are used")
            return None, gold
        wanted = self.options.tags or "jackknife"
        self.chosen["tags"] = wanted
        if wanted == "gold":
            return None, gold
        tagger: Tagger = self._stage("tagger", gold)
        if "tags" not in self.checkpoint.parts:
            if wanted == "predicted":
                tagged = tagger.tag(gold, self.options.threads)
            else:
                self.log.stage("jackknifing")
                tagged = find_stage("tagger").jackknife(gold, folds=FOLDS, **self._common())
            self.checkpoint.keep("tags", tokens_to_part(tagged))
        return tagger, tokens_from_part(self.checkpoint.parts["tags"], gold)

    def _train_labeler(self, examples: Sequence[Example]) -> Labeler:
        columns = ([one.tokens for one in examples], [one.heads for one in examples])
        labeler: Labeler = self._stage("labeler", *columns, [one.labels for one in examples])
        return labeler

    def _train_unaries(self, trees: Sequence[Reduced]) -> UnaryClassifier | None:
        if not self.options.unaries or not any(tree.chains for tree in trees):
            return None
        unaries: UnaryClassifier = self._stage(
            "unaries", [tree.dtree for tree in trees], [tree.chains for tree in trees]
        )
        return unaries

    def _train_functions(
        self, trees: Sequence[Tree], tokens: Sequence[Sequence[Token]]
    ) -> FunctionClassifier | None:
        if self.options.functions == "strip":
            if stripped := sum(map(bool, chain.from_iterable(tree.functions for tree in trees))):
                self.log.say(
                    f"functions were stripped from {stripped:,} nodes; --functions predict keeps them"
                )
            return None
        if not any(any(tree.functions) for tree in trees):
            self.log.say("the treebank has no functions to predict")
            return None
        seen = [
            tree.replace(tokens=tuple(map(_with_function, words, tree.tokens)))
            for tree, words in zip(trees, tokens, strict=True)
        ]
        functions: FunctionClassifier = self._stage("functions", seen)
        return functions

    def _stage(self, name: str, *material: Any) -> Any:
        """The stage as it was left in the checkpoint, or newly trained."""
        self.log.stage(name)
        stage = find_stage(name)
        bits = stage.BITS - self.options.shrink
        return self.checkpoint.stage(
            name, stage.from_part, lambda: stage.train(*material, bits=bits, **self._common())
        )

    def _common(self) -> dict[str, Any]:
        """What every stage is told."""
        return {
            "seed": self.options.seed,
            "threads": self.options.threads,
            "progress": self.log.progress,
        }

    # ── the parser ───────────────────────────────────────────────────────────────────────────────────

    def _train_parser(
        self, assemble: Callable[[Backend], Parser], examples: Sequence[Example], finder: HeadFinder
    ) -> Parser:
        backend = self.backend()
        parser = assemble(backend)
        trial = DevMonitor(parser, self.dev.trees, self.options.threads, self.checkpoint, self.log)
        of_dev = self._dev_examples(parser, trial.sentences, finder)
        self._fit(backend, examples, of_dev, trial)
        if "best" in self.checkpoint.parts:
            parser = replace(parser, backend=self.backend.from_part(self.checkpoint.parts["best"]))
        scores: dict[str, Any] = {}
        if self.dev.trees:
            parser, score = self._lightest(parser, trial)
            scores = {**figures(score), "signature": trial.signature(score)}
            if "confidences" in self.backend.predicts:
                parser = replace(parser, calibration=trial.calibration(parser))
        if best := best_epoch(self.checkpoint.epochs):
            scores["epoch"] = best["epoch"]
        return replace(parser, card=replace(parser.card, scores=scores))

    def _fit(
        self, backend: Backend, examples: Sequence[Example], of_dev: Sequence[Example], trial: DevMonitor
    ) -> None:
        self.log.stage("parser")
        backend.fit(examples, of_dev, self.settings, trial, self.checkpoint.parts.get("state"))

    def _lightest(self, parser: Parser, trial: DevMonitor) -> tuple[Parser, Score]:
        """The parser, or a compressed_variants one that does about as well, and its score."""
        score = trial.score(parser)
        for backend in parser.backend.compressed_variants():
            compressed_variants = replace(parser, backend=backend)
            its_score = trial.score(compressed_variants)
            before, after = score.f1 or 0.0, its_score.f1 or 0.0
            is_good = after >= before - TOLERANCE
            self.chosen["compressed_variants"] = is_good
            self.log.say(
                f"made compressed_variants, the parser has F1 {after:.2f} instead of {before:.2f}: "
                + ("it is kept so" if is_good else "that is too little")
            )
            if is_good:
                return compressed_variants, its_score
        return parser, score

    def _dev_examples(
        self, parser: Parser, sentences: Iterable[Sentence], finder: HeadFinder
    ) -> list[Example]:
        if not self.dev.trees:
            return []
        trees = [parser.conventions.prepare(tree) for tree in self.dev.trees]
        reduced = (tree for _, tree in reduce(trees, finder, self.mode))
        return [
            example(
                retagged(tree, sentence.tokens if sentence.is_tagged else tree.dtree.tokens), self.encoding
            )
            for tree, sentence in zip(reduced, sentences, strict=True)
        ]


def _has_words(tree: Tree) -> bool:
    return not all(token.is_empty for token in tree.tokens)


def _with_function(token: Token, gold: Token) -> Token:
    return token._replace(function=gold.function)


def _label_sets(
    material: PreparedTreebank, reduced: Sequence[Reduced], examples: Sequence[Example]
) -> dict[str, tuple[str, ...]]:
    """All labels of each kind."""
    sets: dict[str, set[str]] = {
        "tags": {token.tag for tree in material.trees for token in tree.tokens} - {""},
        "symbols": {symbol for tree in material.trees for symbol in tree.labels},
        "arcs": {label for one in examples for label in one.labels},
        "chains": {" ".join(chain) for tree in reduced for chain in tree.chains.values()},
        "functions": {function for tree in material.trees for function in tree.functions} - {""},
    }
    return {name: tuple(sorted(labels)) for name, labels in sets.items()}


def check_output(output: Path) -> None:
    """Refuse early what would fail after hours of training."""
    if output.is_dir():
        raise ModelError(f"{output}: this is a folder; name the model file to write")
    if not output.parent.is_dir():
        raise ModelError(f"{output}: there is no folder {output.parent}")
