"""Training the whole pipeline from a treebank.

The stages that need only gold arcs (tagger, labeler, unaries, functions) are trained first and the dependency
parser last, so that the development trees can be parsed as they will be after each of its epochs. The epoch
with the best F1 is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spindle.drawing import learning_curve
from spindle.errors import Hint, ModelError, ParserError, Setting
from spindle.evaluation import Score
from spindle.evaluation.scheme_choice import RARE_DISCONTINUITY
from spindle.heads import HeadFinder, HeadRules, format_rules, guess_rules, load_rules
from spindle.outputs import Busy, only_writer, replacing
from spindle.parsers import Backend, Example, FitSettings, name_of
from spindle.parsers.linear import FunctionClassifier, Reranker, Tagger
from spindle.pipeline import Card, Parser, Sentence, load
from spindle.pipeline.conventions import Conventions, Punctuation, learn_conventions
from spindle.pipeline.settings import PipelineSettings
from spindle.pipeline.stages import Stages
from spindle.reduction import Encoding, Mode, Reduced
from spindle.text import BoundaryModel, TokenizationStyle, learn_tokenization_style
from spindle.training.checkpoint import Checkpoint
from spindle.training.dev_monitor import DevMonitor, best_epoch, figures
from spindle.training.head_trial import DEV_SENTENCES, SENTENCES, small_model, try_heads
from spindle.training.listener import Listener, LoggingListener, NullListener, TrainingLog
from spindle.training.options import TRY_HEADS, TagSource, TrainOptions
from spindle.training.raw_text import train_text_model
from spindle.training.reranking import RerankerTraining, with_reranker
from spindle.training.stage_training import StageTrainer, Tokens
from spindle.training.treebank import (
    EMPTY,
    LONG,
    PreparedTreebank,
    Treebank,
    make_example,
    prepare,
    reduce,
    retagged,
)
from spindle.treebanks import Source
from spindle.trees import Tree

MAX_F1_LOSS = 0.2
"""A compressed parser is kept if it loses at most this much F1 on the development trees."""


def train_parser(
    train: Treebank,
    dev: Treebank,
    options: TrainOptions,
    *,
    output: Path | None = None,
    resume: bool = False,
    listener: Listener | None = None,
) -> Parser:
    """Train a parser; with an `output`, write the model file, a log and a learning curve.

    An interrupted training leaves a checkpoint beside the output. With `resume` it continues from there and
    ends with the same model.
    """
    options.check()
    if any(weight != 1 for _, weight in train.sources) and not options.backend.uses_example_weights:
        raise ParserError(f"{name_of(options.backend)} cannot weight treebanks")
    return run_training(
        lambda checkpoint, log: Training(train, dev, options, checkpoint, log),
        fingerprint(train, dev, options),
        None if isinstance(options.parser, str) else options.parser,
        output=output,
        resume=resume,
        listener=listener or LoggingListener(),
    )


def run_training(
    prepare: Callable[[Checkpoint, TrainingLog], Training],
    fingerprint: str,
    backend: type[Backend] | None = None,
    *,
    output: Path | None,
    resume: bool,
    listener: Listener,
) -> Parser:
    """Run a new or an interrupted training, and write the model and the files beside it."""
    if output is None:
        return prepare(Checkpoint(None, fingerprint), TrainingLog(listener, None)).run()
    try:
        with only_writer(output):
            return _run_training(prepare, fingerprint, backend, output, resume, listener)
    except Busy as error:
        raise ModelError(f"{output}: {error.strerror}") from None


def _run_training(
    prepare: Callable[[Checkpoint, TrainingLog], Training],
    fingerprint: str,
    backend: type[Backend] | None,
    output: Path,
    resume: bool,
    listener: Listener,
) -> Parser:
    path = sidecar(output, "checkpoint")
    if resume and output.exists() and not path.exists():
        finished = load(output, backend)
        if finished.settings.fingerprint == fingerprint:
            listener.say(f"{output} is finished already")
            return finished
    checkpoint = Checkpoint.open(path, fingerprint, resume)
    resumed = bool(checkpoint.parts)
    log = TrainingLog(listener, sidecar(output, "log.jsonl"), resumed)
    if resumed:
        log.say(f"resumed: {', '.join(checkpoint.parts)} done, {len(checkpoint.epochs)} epochs of the parser")
    elif path.exists():
        log.say(
            f"{path.name}: this interrupted training is replaced by a new one, because it was not resumed"
        )
    elif resume:
        log.say("there is no interrupted training to resume; a new one starts")
    parser = prepare(checkpoint, log).run()
    parser.save(output)
    with replacing(sidecar(output, "curve.svg")) as file:
        file.write(learning_curve(checkpoint.epochs).encode())
    checkpoint.remove()
    log.finish(dict(parser.card.scores))
    return parser


def sidecar(output: Path, kind: str) -> Path:
    """The path of a file beside the model."""
    return output.with_name(f"{output.name}.{kind}")


def check_output(output: Path) -> None:
    """Raise a `ModelError` for a path that cannot be written, before hours of training."""
    if output.is_dir():
        raise ModelError(f"{output}: this is a folder; name the model file to write")
    if not output.parent.is_dir():
        raise ModelError(f"{output}: there is no folder {output.parent}")


def fingerprint(train: Treebank, dev: Treebank, options: TrainOptions) -> str:
    """A digest of everything that the model depends on: options, head rules and trees."""
    digest = hashlib.sha256(repr(sorted(options.to_dict().items())).encode())
    if options.heads is not None and options.heads != TRY_HEADS:
        digest.update(format_rules(resolve_rules(options.heads)).encode())
    if len(train.sources) > 1:
        digest.update(repr(train.sources).encode())
    for file in options.text:
        digest.update(b"".join(Source(str(file)).chunks()))
    for tree in (*train.trees, None, *dev.trees):
        columns = tree and (tree.tokens, tree.labels, tree.functions, tree.parents, tree.leaf_parents)
        digest.update(repr(columns).encode())
    return digest.hexdigest()


def resolve_rules(heads: str | Path | HeadRules) -> HeadRules:
    """The head rules of a name or a file, which keep no folder in their name."""
    if isinstance(heads, HeadRules):
        return heads
    rules = load_rules(str(heads))
    return replace(rules, name=Path(rules.name).name)


def choose_mode(prepared: PreparedTreebank, backend: type[Backend]) -> Mode:
    """Discontinuous if enough trees are, and if the backend can give crossing arcs."""
    is_continuous = prepared.discontinuous < RARE_DISCONTINUITY
    return Mode.DISCONTINUOUS if backend.is_nonprojective and not is_continuous else Mode.CONTINUOUS


class Training:
    """One training: the choices that the options leave open, the stages, and the parser."""

    def __init__(
        self, train: Treebank, dev: Treebank, options: TrainOptions, checkpoint: Checkpoint, log: TrainingLog
    ) -> None:
        self.train, self.dev, self.options = train, dev.without_empty_sentences(), options
        self.checkpoint, self.log = checkpoint, log
        self.chosen: dict[str, Any] = {}

    def run(self) -> Parser:
        """Choose the open settings, train every stage that the backend does not replace, then the backend."""
        prepared = self._prepare()
        mode = self._choose_mode(prepared)
        encoding = self._choose_encoding(mode)
        rules = self._choose_rules()
        fit_settings = self.options.fit_settings(mode, encoding)
        predicted = self.options.backend.will_predict(fit_settings)
        tag_source = self._choose_tags(prepared, predicted)
        self.chosen |= {"from_parser": sorted(predicted), "one_shot": fit_settings.one_shot}

        self.log.stage("reduction")
        finder = HeadFinder(rules)
        pairs = list(reduce(prepared.trees, finder, mode))
        if message := finder.unknown_message():
            self.log.say(message)
        trainer = StageTrainer(self.options, self.checkpoint, self.log)
        tagger, tokens = self._train_tagger(trainer, prepared, tag_source)
        reduced = [retagged(tree, words) for (_, tree), words in zip(pairs, tokens, strict=True)]
        examples = self._examples(prepared, reduced, encoding)
        stages = Stages(
            tagger,
            None if "labels" in predicted else trainer.labeler(examples),
            None if "chains" in predicted else trainer.unaries(reduced),
            self._train_functions(trainer, [headed for headed, _ in pairs], tokens),
        )
        tokenization = self._tokenization(tokens)
        self.chosen["words"] = tokenization.describe()
        self.log.say(f"words: {self.chosen['words']}")
        settings = PipelineSettings(
            encoding=encoding,
            mode=mode,
            head_rules=rules,
            conventions=prepared.conventions,
            tokenization=tokenization,
            predicted=predicted,
            needs_tags=tag_source is TagSource.GOLD,
            fingerprint=self.checkpoint.fingerprint,
        )
        card = self._card(_label_sets(prepared, reduced, examples))
        parser = Parser(self.options.backend(), settings, stages, card, self._text_model())
        return self._train_backend(parser, examples, reduced, finder, fit_settings)

    # ── choices ──────────────────────────────────────────────────────────────────────────────────────

    def _conventions(self) -> Conventions:
        return learn_conventions(self.train.primary_trees, self.options.punct)

    def _prepare(self) -> PreparedTreebank:
        longest = self.options.max_length
        prepared = prepare(self.train.trees, self._conventions(), longest)
        conventions, dropped = prepared.conventions, prepared.dropped
        self.chosen |= {"punct": str(conventions.punctuation), "wrapper": conventions.wrapper}
        if dropped["traces"]:
            self.log.say(f"{dropped['traces']:,} traces and other empty elements were stripped")
        if dropped[EMPTY]:
            self.log.say(f"{dropped[EMPTY]:,} sentences without words were left out")
        if dropped[LONG]:
            self.log.say(
                f"{dropped[LONG]:,} sentences of more than {longest:,} words were left out (raise max-length "
                "to learn from them; the work grows with the cube of the length)"
            )
        if conventions.punctuation is Punctuation.RESTORE:
            self.log.say("punctuation is moved into the tree for training and raised to the root on output")
        return prepared

    def _choose_mode(self, prepared: PreparedTreebank) -> Mode:
        mode = self.options.mode or choose_mode(prepared, self.options.backend)
        self.chosen["mode"] = str(mode)
        self.log.say(f"mode: {mode} ({prepared.discontinuous:.1%} of the trees are discontinuous)")
        return mode

    def _choose_encoding(self, mode: Mode) -> Encoding:
        """The paper's choice: delta for continuous trees, direct for others."""
        default = Encoding.DELTA if mode is Mode.CONTINUOUS else Encoding.DIRECT
        encoding = self.options.encoding or default
        self.chosen["encoding"] = str(encoding)
        return encoding

    def _choose_rules(self) -> HeadRules:
        heads = self.options.heads
        if heads is None or heads == TRY_HEADS:
            guess = guess_rules(self.train.primary_trees)
            if heads is None:
                self.log.say(f"head rules: {guess.name} ({guess.reason})")
                heads = guess.name
            else:
                if not self.dev.trees:
                    raise ParserError(
                        "head rules are compared on development trees, but there are none",
                        hint=Hint("set {}", Setting.DEVELOPMENT_TREES),
                    )
                heads = try_heads(guess.name, self._score_of_small_model, self.log)
        rules = resolve_rules(heads)
        self.chosen["heads"] = rules.name
        return rules

    def _score_of_small_model(self, heads: str) -> float:
        train = Treebank(self.train.trees[:SENTENCES])
        dev = Treebank(self.dev.trees[:DEV_SENTENCES])
        log = TrainingLog(NullListener(), None)
        small = Training(train, dev, small_model(self.options, heads), Checkpoint(None, ""), log)
        return float(small.run().card.scores.get("f1", 0.0))

    def _choose_tags(self, prepared: PreparedTreebank, predicted: frozenset[str]) -> TagSource | None:
        """The tags to learn from; None if the backend predicts them or the treebank has none."""
        if "tags" in predicted:
            return None
        if not any(token.tag for tree in prepared.trees for token in tree.tokens):
            self.log.say("the treebank has no tags, so none are used")
            return None
        source = self.options.tags or TagSource.JACKKNIFE
        self.chosen["tags"] = str(source)
        return source

    def _text_model(self) -> BoundaryModel | None:
        """The trained front end for raw text, which is part of the model."""
        trees = self.train.primary_trees if self.options.text else ()
        words = [[token.form for token in tree.tokens if not token.is_empty] for tree in trees]
        return train_text_model(self.options.text, words, self.options.seed, self.log)

    def _tokenization(self, tokens: Tokens) -> TokenizationStyle:
        return learn_tokenization_style([[token.form for token in words] for words in tokens])

    def _train_tagger(
        self, trainer: StageTrainer, prepared: PreparedTreebank, source: TagSource | None
    ) -> tuple[Tagger | None, Tokens]:
        """Train the tagger; overridden where tags come with the treebank (`benchmarks/paper.py`)."""
        return trainer.tagger(prepared.tokens, source)

    def _train_functions(
        self, trainer: StageTrainer, trees: Sequence[Tree], tokens: Tokens
    ) -> FunctionClassifier | None:
        return trainer.functions(trees, tokens)

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

    # ── the backend ──────────────────────────────────────────────────────────────────────────────────

    def _examples(
        self, prepared: PreparedTreebank, reduced: Sequence[Reduced], encoding: Encoding
    ) -> list[Example]:
        origins = self.train.origins
        return [
            make_example(tree, encoding, *origins[number])
            for number, tree in zip(prepared.numbers, reduced, strict=True)
        ]

    def _train_backend(
        self,
        parser: Parser,
        examples: Sequence[Example],
        reduced: Sequence[Reduced],
        finder: HeadFinder,
        fit_settings: FitSettings,
    ) -> Parser:
        monitor = DevMonitor(parser, self.dev.trees, self.options.threads, self.checkpoint, self.log)
        dev_examples = self._dev_examples(parser, monitor.sentences, finder)
        self._fit(parser.backend, examples, dev_examples, fit_settings, monitor)
        if "best" in self.checkpoint.parts:
            best = self.options.backend.from_part(self.checkpoint.parts["best"])
            parser = replace(parser, backend=best)
        scores: dict[str, Any] = {}
        score = None
        if self.dev.trees:
            parser, score = self._compressed(parser, examples, monitor)
        if self.options.rerank:
            training = RerankerTraining(
                parser, examples, reduced, self.options, fit_settings, self.checkpoint, self.log
            )
            parser, score = self._reranked(parser, training.run(), monitor, score)
        if score is not None:
            scores = {**figures(score), "signature": monitor.signature(score)}
            if "confidences" in parser.backend.predicts:
                settings = replace(parser.settings, calibration=monitor.calibration(parser))
                parser = replace(parser, settings=settings)
        if epoch := best_epoch(self.checkpoint.epochs):
            scores["epoch"] = epoch["epoch"]
        return replace(parser, card=replace(parser.card, scores=scores))

    def _fit(
        self,
        backend: Backend,
        examples: Sequence[Example],
        dev_examples: Sequence[Example],
        fit_settings: FitSettings,
        monitor: DevMonitor,
    ) -> None:
        self.log.stage("parser")
        backend.fit(examples, dev_examples, fit_settings, monitor, self.checkpoint.parts.get("state"))

    def _compressed(
        self, parser: Parser, examples: Sequence[Example], monitor: DevMonitor
    ) -> tuple[Parser, Score]:
        """The parser, or a compressed variant that scores about the same, and its score."""
        score = monitor.score(parser)
        for backend in parser.backend.compressed_variants(examples):
            variant = replace(parser, backend=backend)
            its_score = monitor.score(variant)
            before, after = score.f1 or 0.0, its_score.f1 or 0.0
            is_good = after >= before - MAX_F1_LOSS
            self.chosen["compressed"] = is_good
            self.log.say(
                f"compressed, the parser has F1 {after:.2f} instead of {before:.2f}: "
                + ("it is kept" if is_good else "it loses too much")
            )
            if is_good:
                return variant, its_score
        return parser, score

    def _reranked(
        self, parser: Parser, reranker: Reranker, monitor: DevMonitor, score: Score | None
    ) -> tuple[Parser, Score | None]:
        """The parser with the reranker, unless that scores less; and its score."""
        reranked = with_reranker(parser, reranker)
        if score is None:
            return reranked, None
        its_score = monitor.score(reranked)
        before, after = score.f1 or 0.0, its_score.f1 or 0.0
        self.chosen["reranked"] = after >= before
        self.log.say(
            f"with the reranker the parser has F1 {after:.2f} instead of {before:.2f}: "
            + ("it is kept" if after >= before else "it is left out")
        )
        return (reranked, its_score) if after >= before else (parser, score)

    def _dev_examples(
        self, parser: Parser, sentences: Sequence[Sentence], finder: HeadFinder
    ) -> list[Example]:
        settings = parser.settings
        trees = (settings.conventions.prepare(tree) for tree in self.dev.trees)
        return [
            make_example(
                retagged(tree, sentence.tokens if sentence.is_tagged else tree.dtree.tokens),
                settings.encoding,
            )
            for (_, tree), sentence in zip(reduce(trees, finder, settings.mode), sentences, strict=True)
        ]


def _label_sets(
    prepared: PreparedTreebank, reduced: Sequence[Reduced], examples: Sequence[Example]
) -> dict[str, tuple[str, ...]]:
    """All labels of each kind, sorted."""
    sets: dict[str, set[str]] = {
        "tags": {token.tag for tree in prepared.trees for token in tree.tokens} - {""},
        "symbols": {symbol for tree in prepared.trees for symbol in tree.labels},
        "arcs": {label for one in examples for label in one.labels},
        "chains": {" ".join(chain) for tree in reduced for chain in tree.chains.values()},
        "functions": {function for tree in prepared.trees for function in tree.functions} - {""},
    }
    return {name: tuple(sorted(labels)) for name, labels in sets.items()}
