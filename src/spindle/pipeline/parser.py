"""The trained pipeline: from words to trees."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from time import thread_time
from typing import Any, TypeVar

from spindle.errors import ModelError, ParserError
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.models.bundled import find_model
from spindle.parsers import PARSERS, Backend, Prediction, find_parser, name_of
from spindle.pipeline.analysis import Analysis, Candidate
from spindle.pipeline.card import Card
from spindle.pipeline.confidence import Calibration, node_confidences
from spindle.pipeline.conventions import Conventions, Punctuation
from spindle.pipeline.in_order import in_order
from spindle.pipeline.long_sentences import cut, join
from spindle.pipeline.sentence import Input, Sentence
from spindle.pipeline.stages import FunctionClassifier, Labeler, Tagger, UnaryClassifier, find_stage
from spindle.reduction import Encoding, Mode, Place, Reduced, Repairs, decode, read_labels, repair
from spindle.reduction.isomorphism import Chain
from spindle.text import TokenizationStyle, split_sentences
from spindle.trees import DTree, Token, Tree

KIND = "parser"
LONGEST = 400
"""Longer sentences are parsed in pieces unless another limit is given."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Parser:
    """A dependency parser and the stages that make constituent trees of what it says.

    A stage is None where the parser does its work or nobody does. `seconds` sums up the CPU time that each
    stage has taken so far, on the threads that the pipeline runs on.
    """

    backend: Backend
    encoding: Encoding
    mode: Mode
    conventions: Conventions
    habits: TokenizationStyle
    card: Card
    tagger: Tagger | None = None
    labeler: Labeler | None = None
    unaries: UnaryClassifier | None = None
    functions: FunctionClassifier | None = None
    calibration: Calibration = Calibration()  # noqa: RUF009
    seconds: Counter[str] = field(default_factory=Counter, compare=False)
    _counting: Lock = field(default_factory=Lock, compare=False, repr=False)

    @property
    def tags_by_itself(self) -> bool:
        """Whether it can tag the words it is given."""
        return self.tagger is not None or "tags" in self.card.chosen.get("from_parser", ())

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────

    def parse(self, sentence: Input, *, threads: int | None = None) -> Tree:
        """The tree of one sentence: text, words, tokens (tags are honoured), or a tree to parse anew.

        Text is cut into words, but taken for one sentence; `parse_text` cuts it into sentences as well.
        """
        tree = next(self.parse_many([sentence], threads=threads))
        if tree is None:
            raise ParserError("there is no word to parse")
        return tree

    def parse_many(
        self,
        sentences: Iterable[Input],
        *,
        threads: int | None = None,
        longest: int = LONGEST,
        batch: int | None = None,
    ) -> Iterator[Tree | None]:
        """The trees of sentences, in order, as they come; None for one without words.

        `batch` is how many sentences go through the stages together. [default: as many as the parser wants]
        """
        analyses = self.analyse(sentences, threads=threads, longest=longest, batch=batch)
        return (analysis.tree for analysis in analyses)

    def parse_text(self, text: str, *, threads: int | None = None) -> Iterator[Tree]:
        """The trees of the sentences in a text."""
        return (tree for tree in self.parse_many(self.sentences(text), threads=threads) if tree is not None)

    def sentences(self, text: str) -> list[Sentence]:
        """The sentences in a text, cut into words as the treebank's are."""
        return [
            Sentence(tuple([Token(word.form) for word in words]), text=text, spans=tuple(words))
            for words in split_sentences(text, self.habits)
        ]

    def analyse(
        self,
        sentences: Iterable[Input],
        *,
        threads: int | None = None,
        longest: int = LONGEST,
        k: int = 1,
        confidences: bool = False,
        batch: int | None = None,
    ) -> Iterator[Analysis]:
        """As `parse_many`, with all that is known: the `k` best trees, repairs, and confidences if wanted."""
        if k > 1 and not hasattr(self.backend, "parse_k_best"):
            raise ParserError(f"the parser {name_of(type(self.backend))} gives only its best analysis")
        inputs = (Sentence.of(given, self.habits) for given in sentences)
        together = _batches(inputs, batch or self.backend.batch)
        threads = threads or os.cpu_count() or 1
        at_a_time = threads if self.backend.parallel and batch != 1 else 1

        def analyse(sentences: Sequence[Sentence]) -> list[Analysis]:
            return list(self._analyse_batch(sentences, threads // at_a_time, longest, k, confidences))

        for analyses in in_order(analyse, together, at_a_time):
            yield from analyses

    # ── the stages ───────────────────────────────────────────────────────────────────────────────────

    def _analyse_batch(
        self, sentences: Sequence[Sentence], threads: int, longest: int, k: int, confidences: bool
    ) -> Iterator[Analysis]:
        cuts = [cut(sentence.tokens, longest) if sentence.tokens else [] for sentence in sentences]
        whole = [
            sentence if len(pieces) == 1 else Sentence(piece, sentence.id, sentence.comments)
            for sentence, pieces in zip(sentences, cuts, strict=True)
            for piece in pieces
        ]
        found = iter(self._candidates(whole, threads, k, confidences))
        for sentence, pieces in zip(sentences, cuts, strict=True):
            parts = list(islice(found, len(pieces)))
            if len(parts) > 1:
                yield Analysis(sentence, (self._joined(sentence, parts),), len(parts))
            else:
                yield Analysis(sentence, parts[0] if parts else ())

    def _joined(self, sentence: Sentence, parts: Sequence[tuple[Candidate, ...]]) -> Candidate:
        """One tree over the best trees of the pieces; confidences go, for nobody was sure of the whole."""
        repairs = Repairs()
        start = 0
        for best, *_ in parts:
            for kind, tokens in best.repairs.items():
                for token in tokens:
                    repairs.add(kind, start + token)
            start += len(best.tree)
        tree = join([best.tree for best, *_ in parts], self.conventions.wrapper)
        return Candidate(tree.replace(id=sentence.id, comments=sentence.comments), repairs=repairs)

    def _candidates(
        self, sentences: Sequence[Sentence], threads: int, k: int, confidences: bool
    ) -> list[tuple[Candidate, ...]]:
        """The best trees of every sentence."""
        if not sentences:
            return []
        tagged = self._tag(sentences, threads)
        with self._timed("parser"):
            if k > 1:
                # different heads may make the same constituents: with more of them there are enough trees
                lists = self.backend.parse_k_best(tagged, 4 * k, threads)  # type: ignore[attr-defined]
            else:
                lists = [[prediction] for prediction in self.backend.parse(tagged, threads)]
        _check(sentences, lists, self.backend)
        predictions = [prediction for predictions in lists for prediction in predictions]
        owners = [at for at, predictions in enumerate(lists) for _ in predictions]
        tokens = [
            tagged[owner] if prediction.tokens is None or sentences[owner].is_tagged else prediction.tokens
            for owner, prediction in zip(owners, predictions, strict=True)
        ]
        labels = self._label(tokens, predictions, threads)
        with self._timed("repair"):
            dtrees, repairs = self._repair(
                [sentences[owner] for owner in owners], tokens, predictions, labels
            )
        chains = self._recover_unaries(dtrees, predictions, threads)
        with self._timed("decode"):
            decoded = [decode(Reduced(dtree, found)) for dtree, found in zip(dtrees, chains, strict=True)]
        trees = decoded
        if self.functions is not None:
            with self._timed("functions"):
                trees = list(self.functions.label(decoded, threads))
        with self._timed("restore"):
            trees = [self.conventions.restore(tree) for tree in trees]
        kept = _distinct(trees, owners, len(sentences), k)
        chosen = [at for found in kept for at in found]
        sure: dict[int, tuple[float, ...]] = {}
        if confidences:
            with self._timed("confidences"):
                # the first analysis of a sentence stands for what the parser thinks of all
                first = [found[0] for found in kept]
                tables = self.backend.head_probabilities(
                    [tokens[at] for at in first], [predictions[at] for at in first], threads
                )
                of_labels = self._label_confidences(
                    [tokens[at] for at in chosen], [predictions[at] for at in chosen], threads
                )
                for at, certain in zip(chosen, of_labels, strict=True):
                    if (table := tables[owners[at]]) is not None:
                        sure[at] = node_confidences(
                            decoded[at], trees[at], dtrees[at], table, certain, self.calibration
                        )
        return [
            tuple([Candidate(trees[at], sure.get(at), predictions[at].score, repairs[at]) for at in found])
            for found in kept
        ]

    def _tag(self, sentences: Sequence[Sentence], threads: int) -> Sequence[Sequence[Token]]:
        """The tokens with the tags that were given, or with those that the tagger finds."""
        tokens: list[Sequence[Token]] = [sentence.tokens for sentence in sentences]
        untagged = [at for at, sentence in enumerate(sentences) if not sentence.is_tagged]
        if not untagged or "tags" in self.card.chosen.get("from_parser", ()):
            return tokens
        if self.tagger is None:
            if self.card.label_sets.get("tags"):
                raise ParserError(
                    "the model was trained with --tags gold and has no tagger; give it tagged sentences"
                )
            return tokens
        bare = [sentences[at].without_tags().tokens for at in untagged]
        with self._timed("tagger"):
            for at, tagged in zip(untagged, self.tagger.tag(bare, threads), strict=True):
                tokens[at] = tagged
        return tokens

    def _label(
        self, tokens: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[str]]:
        if self.labeler is None:
            return [_given(prediction.labels, "labels", self.backend) for prediction in predictions]
        with self._timed("labeler"):
            return self.labeler.label(tokens, [prediction.heads for prediction in predictions], threads)

    def _label_confidences(
        self, tokens: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[float]]:
        """How probable each label is if its arc is right."""
        if self.labeler is None:
            return self.backend.label_probabilities(predictions, threads)
        heads = [prediction.heads for prediction in predictions]
        return self.labeler.label_with_confidences(tokens, heads, threads)[1]

    def _repair(
        self,
        sentences: Sequence[Sentence],
        tokens: Sequence[Sequence[Token]],
        predictions: Sequence[Prediction],
        labels: Sequence[Sequence[str]],
    ) -> tuple[list[DTree], list[Repairs]]:
        dtrees: list[DTree] = []
        counts: list[Repairs] = []
        for sentence, words, prediction, named in zip(sentences, tokens, predictions, labels, strict=True):
            symbols, indices, faults = read_labels(prediction.heads, named, self.encoding)
            dtree, repairs = repair(
                words,
                prediction.heads,
                symbols,
                indices,
                mode=self.mode,
                id=sentence.id,
                comments=sentence.comments,
            )
            for kind, touched in faults.items():
                for token in touched:
                    repairs.add(kind, token)
            dtrees.append(dtree)
            counts.append(repairs)
        return dtrees, counts

    def _recover_unaries(
        self, dtrees: Sequence[DTree], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Mapping[Place, Chain]]:
        if self.unaries is not None:
            with self._timed("unaries"):
                return self.unaries.predict_chains(dtrees, threads)
        with self._timed("unaries"):
            return self.backend.predict_chains(predictions, dtrees, threads)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = thread_time()
        yield
        with self._counting:
            self.seconds[stage] += thread_time() - start  # type: ignore[assignment]

    # ── keeping ──────────────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | Path) -> None:
        """Write everything into one file. The inverse is `load`."""
        from spindle import __version__

        settings = {
            "parser": name_of(type(self.backend)),
            "encoding": self.encoding,
            "mode": self.mode,
            "conventions": {**vars(self.conventions)},
            "habits": self.habits.to_dict(),
            "calibration": vars(self.calibration),
        }
        parts = {"pipeline": ModelPart(settings), "parser": self.backend.to_part()}
        for name in STAGE_NAMES:
            stage = getattr(self, name)
            if stage is not None:
                parts[name] = stage.to_part()
        write_model(path, ModelFile(KIND, self.card.to_dict(), parts, f"spindle {__version__}"))


STAGE_NAMES = ("tagger", "labeler", "unaries", "functions")


def load(path: str | Path | None = None, parser: type[Backend] | None = None) -> Parser:
    """Read a model file, or one of those that come with the package: by name, or the default one.

    `parser` is the class of its parser if that is not one of ours.
    """
    path = find_model(path)
    model = read_model(path, KIND)
    try:
        return _assembled(model, parser)
    except (KeyError, TypeError, ValueError) as error:
        # every checksum is right, so it was written like this
        raise ModelError(f"{path}: the model does not fit together: {error}") from error
    except (ModelError, ParserError) as error:
        raise ModelError(f"{path}: {error}") from None


def _assembled(model: ModelFile, parser: type[Backend] | None) -> Parser:
    settings = model.parts["pipeline"].settings
    name = settings["parser"]
    if parser is None and name not in PARSERS:
        raise ParserError(f"its parser is {name!r}, none of ours; load it with parser=<its class>")
    backend = parser or find_parser(name)
    conventions: dict[str, Any] = settings["conventions"]
    stages = {
        stage: find_stage(stage).from_part(model.parts[stage])
        for stage in STAGE_NAMES
        if stage in model.parts
    }
    return Parser(
        backend.from_part(model.parts["parser"]),
        Encoding(settings["encoding"]),
        Mode(settings["mode"]),
        Conventions(**{**conventions, "punctuation": Punctuation(conventions["punctuation"])}),
        TokenizationStyle.from_dict(settings["habits"]),
        Card.from_dict(model.card),
        calibration=Calibration(**settings["calibration"]),
        **stages,
    )


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while together := list(islice(iterator, size)):
        yield together


def _check(sentences: Sequence[Sentence], lists: Sequence[Sequence[Prediction]], backend: Backend) -> None:
    """A parser of somebody else's may lose sentences or words: say which."""
    name = name_of(type(backend))
    if len(lists) != len(sentences):
        raise ParserError(f"{name} gave {len(lists)} analyses of {len(sentences)} sentences")
    for number, (sentence, predictions) in enumerate(zip(sentences, lists, strict=True), start=1):
        for prediction in predictions:
            if len(prediction.heads) != len(sentence.tokens):
                raise ParserError(
                    f"{name} gave {len(prediction.heads)} heads for the {len(sentence.tokens)} words of "
                    f"sentence {sentence.id or number}"
                )
        if not predictions:
            raise ParserError(f"{name} gave no analysis of sentence {sentence.id or number}")


def _distinct(trees: Sequence[Tree], owners: Sequence[int], sentences: int, k: int) -> list[list[int]]:
    """The numbers of the first `k` trees of every sentence that differ."""
    if k == 1 and len(trees) == sentences:
        return [[at] for at in range(sentences)]
    kept: list[dict[Tree, int]] = [{} for _ in range(sentences)]
    for at, (tree, owner) in enumerate(zip(trees, owners, strict=True)):
        if len(kept[owner]) < k:
            kept[owner].setdefault(tree, at)
    return [list(found.values()) for found in kept]


def _given(what: Sequence[str] | None, name: str, backend: Backend) -> Sequence[str]:
    if what is None:
        raise ParserError(f"{name_of(type(backend))} gave no {name}, though it said it would")
    return what
