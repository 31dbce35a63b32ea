"""The trained pipeline: from words to constituent trees."""

from __future__ import annotations

import logging
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from threading import Lock
from time import perf_counter, thread_time
from typing import Any, Literal, NamedTuple, TypeVar, overload

from spindle import __version__
from spindle.errors import ModelError, ParserError, WrongType
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.models.bundled import bundled_name, find_model
from spindle.parsers import PARSERS, Backend, Prediction, find_parser, name_of
from spindle.parsers.in_order import in_order
from spindle.pipeline.analysis import Analysis, Candidate, KBest
from spindle.pipeline.card import Card
from spindle.pipeline.confidence import node_confidences
from spindle.pipeline.document import Document
from spindle.pipeline.long_sentences import cut, join
from spindle.pipeline.progress import with_bar
from spindle.pipeline.sentence import Input, Sentence, split_text
from spindle.pipeline.settings import PipelineSettings
from spindle.pipeline.stages import Stages, Steps, Tokens, resolve_steps
from spindle.reduction import Repairs, encode, read_labels, repair
from spindle.trees import DTree, Tree

KIND = "parser"
"""The kind of a model file that holds a pipeline."""
MAX_LENGTH = 400
"""Sentences with more words are parsed in pieces unless another limit is given."""
K_BEST_MARGIN = 4
"""Different heads may decode to the same tree, so the backend is asked for this many times `k` d-trees."""

Item = TypeVar("Item")
Context = TypeVar("Context")
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class Parser:
    """A dependency parser, and the stages that turn its predictions into constituent trees.

    Call it with a text: `parser("It works. It is fast.")` returns a `Document`. A parser can be used from
    several threads. It is pickled as a reference to its model file, so that processes can share it.

    `path` is the file that the parser was loaded from or saved to; None if there is none. `seconds` sums up
    the CPU time of every step, over all threads that the pipeline runs on.
    """

    backend: Backend
    settings: PipelineSettings
    stages: Stages = Stages()  # noqa: RUF009
    card: Card = Card()  # noqa: RUF009
    seconds: Counter[str] = field(default_factory=Counter, compare=False)
    path: Path | None = field(default=None, init=False, compare=False)
    _steps: Steps = field(init=False, compare=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_steps", resolve_steps(self.backend, self.stages, self.settings))

    def __repr__(self) -> str:
        name = "not saved" if self.path is None else self.path.name
        return f"<Parser {name}: {name_of(type(self.backend))}, {self.settings.mode} trees>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the parser as a reference to its model file, without weights."""
        if self.path is None:
            raise ParserError(
                "a parser without a model file cannot be pickled",
                hint="save it first with `parser.save(path)`",
            )
        name = bundled_name(self.path) or str(self.path)
        backend = type(self.backend)
        return load, (name, None if name_of(backend) in PARSERS else backend)

    @property
    def predicts_tags(self) -> bool:
        """Whether the model tags words that have no tags."""
        return self.stages.tagger is not None or "tags" in self.settings.predicted

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def parse(self, sentence: Input, *, threads: int | None = None) -> Tree:
        """Parse one sentence: text, words, tokens (their tags are used), or a tree to parse anew.

        Text is split into words, but taken for one sentence; `parse_text` splits it into sentences as well.
        """
        tree = next(self.parse_many([sentence], threads=threads))
        if tree is None:
            raise ParserError("there is no word to parse")
        return tree

    @overload
    def parse_many(
        self,
        sentences: Iterable[Input],
        *,
        as_tuples: Literal[False] = ...,
        progress: bool = ...,
        threads: int | None = ...,
        longest: int = ...,
        batch: int | None = ...,
    ) -> Iterator[Tree | None]: ...
    @overload
    def parse_many(
        self,
        sentences: Iterable[tuple[Input, Context]],
        *,
        as_tuples: Literal[True],
        progress: bool = ...,
        threads: int | None = ...,
        longest: int = ...,
        batch: int | None = ...,
    ) -> Iterator[tuple[Tree | None, Context]]: ...
    def parse_many(
        self,
        sentences: Iterable[Any],
        *,
        as_tuples: bool = False,
        progress: bool = False,
        threads: int | None = None,
        longest: int = MAX_LENGTH,
        batch: int | None = None,
    ) -> Iterator[Any]:
        """Yield the trees of sentences, in order, as the sentences arrive; None for one without words.

        With `as_tuples`, the input is pairs of a sentence and anything that belongs to it, and the output is
        pairs of a tree and that thing. `progress` shows a bar on a terminal. `batch` is the number of
        sentences that are parsed together. [default: chosen by the backend]
        """
        _check_many(sentences)
        total = len(sentences) if isinstance(sentences, Sized) else None
        contexts: deque[Any] = deque()
        given = _without_contexts(sentences, contexts) if as_tuples else sentences
        analyses = self.analyse(given, threads=threads, longest=longest, batch=batch)
        trees = (analysis.tree for analysis in analyses)
        found = ((tree, contexts.popleft()) for tree in trees) if as_tuples else trees
        return with_bar(found, total) if progress else found

    def __call__(
        self, text: str, *, threads: int | None = None, k: int = 1, confidences: bool = False
    ) -> Document:
        """Split a text into sentences and parse them; `k` and `confidences` are those of `analyse`."""
        sentences = self.sentences(text)
        return Document(text, tuple(self.analyse(sentences, threads=threads, k=k, confidences=confidences)))

    def k_best(self, sentence: Input, k: int, *, threads: int | None = None) -> KBest:
        """Return up to `k` different analyses of one sentence, the best first."""
        (analysis,) = self.analyse([sentence], threads=threads, k=k)
        if not analysis.candidates:
            raise ParserError("there is no word to parse")
        return analysis.candidates

    def parse_text(self, text: str, *, threads: int | None = None) -> Iterator[Tree]:
        """Yield the trees of the sentences of a text."""
        return (tree for tree in self.parse_many(self.sentences(text), threads=threads) if tree is not None)

    def sentences(self, text: str) -> list[Sentence]:
        """Split a text into sentences and words, as the treebank of the model does."""
        return split_text(text, self.settings.tokenization)

    def analyse(
        self,
        sentences: Iterable[Input],
        *,
        threads: int | None = None,
        longest: int = MAX_LENGTH,
        k: int = 1,
        confidences: bool = False,
        batch: int | None = None,
    ) -> Iterator[Analysis]:
        """As `parse_many`, but yield full analyses: `k` best trees, repairs, and confidences on request."""
        _check_many(sentences)
        for name, number in (("threads", threads), ("longest", longest), ("k", k), ("batch", batch)):
            if number is not None and (not isinstance(number, int) or number < 1):
                raise ParserError(f"`{name}` is {number!r}, but must be a whole number above 0")
        if k > 1 and not self.backend.gives_k_best:
            raise ParserError(f"the parser {name_of(type(self.backend))} gives only its best analysis")
        return self._analyses(sentences, threads, longest, k, confidences, batch)

    def _analyses(
        self,
        sentences: Iterable[Input],
        threads: int | None,
        longest: int,
        k: int,
        confidences: bool,
        batch: int | None,
    ) -> Iterator[Analysis]:
        inputs = (Sentence.of(given, self.settings.tokenization) for given in sentences)
        batches = _batches(inputs, batch or self.backend.batch)
        threads = threads or os.cpu_count() or 1
        at_a_time = threads if self.backend.parallel and batch != 1 else 1

        def analyse(sentences: Sequence[Sentence]) -> list[Analysis]:
            return list(self._analyse_batch(sentences, longest, k, confidences, threads // at_a_time))

        for analyses in in_order(analyse, batches, at_a_time):
            yield from analyses

    def _analyse_batch(
        self, sentences: Sequence[Sentence], longest: int, k: int, confidences: bool, threads: int
    ) -> Iterator[Analysis]:
        """Parse sentences, those with more than `longest` words in pieces."""
        pieces = [cut(sentence, longest) for sentence in sentences]
        found = iter(self._parse_pieces([one for cuts in pieces for one in cuts], k, confidences, threads))
        for sentence, cuts in zip(sentences, pieces, strict=True):
            candidates = list(islice(found, len(cuts)))
            if len(cuts) > 1:
                yield Analysis(sentence, _placed([self._joined(sentence, candidates)], sentence), len(cuts))
            else:
                yield Analysis(sentence, _placed(candidates[0] if candidates else (), sentence))

    def _joined(self, sentence: Sentence, pieces: Sequence[tuple[Candidate, ...]]) -> Candidate:
        """One tree over the best trees of the pieces, without confidences, which hold for the pieces only."""
        repairs = Repairs()
        start = 0
        for best, *_ in pieces:
            for kind, tokens in best.repairs.items():
                for token in tokens:
                    repairs.add(kind, start + token)
            start += len(best.tree)
        tree = join([best.tree for best, *_ in pieces], self.settings.conventions.wrapper)
        tree = tree.replace(id=sentence.id, comments=sentence.comments)
        return Candidate(tree, encode(tree).dtree, repairs=repairs)

    # ── the four steps of the paper ──────────────────────────────────────────────────────────────────

    def _parse_pieces(
        self, sentences: Sequence[Sentence], k: int, confidences: bool, threads: int
    ) -> list[tuple[Candidate, ...]]:
        """The best trees of every sentence: tags and arcs, labels, d-trees, constituents."""
        if not sentences:
            return []
        with self._timed("tagger"):
            tagged = self._steps.tags.tag(sentences, threads)
        with self._timed("parser"):
            batch = self._predict(sentences, tagged, k, threads)
        with self._timed("labeler"):
            labels = self._steps.labels.label(batch.tokens, batch.predictions, threads)
        with self._timed("repair"):
            dtrees, repairs = self._repair(batch, labels)
        with self._timed("unaries"):
            decoded = self._steps.trees.decode(dtrees, batch.predictions, threads)
        with self._timed("functions"):
            trees = self._steps.functions.label(decoded, threads)
        with self._timed("restore"):
            trees = [self.settings.conventions.restore(tree) for tree in trees]
        kept = _distinct(trees, batch.owners, len(sentences), k)
        with self._timed("confidences"):
            sure = self._confidences(batch, dtrees, decoded, trees, kept, threads) if confidences else {}
        return [
            tuple(
                Candidate(trees[at], dtrees[at], sure.get(at), batch.predictions[at].score, repairs[at])
                for at in numbers
            )
            for numbers in kept
        ]

    def _predict(self, sentences: Sequence[Sentence], tagged: Tokens, k: int, threads: int) -> _Batch:
        if k > 1:
            lists = self.backend.parse_k_best(tagged, K_BEST_MARGIN * k, threads)
        else:
            lists = [[prediction] for prediction in self.backend.parse(tagged, threads)]
        _check(sentences, lists, self.backend)
        owners = [owner for owner, predictions in enumerate(lists) for _ in predictions]
        predictions = [prediction for predictions in lists for prediction in predictions]
        tokens = [
            tagged[owner] if prediction.tokens is None or sentences[owner].is_tagged else prediction.tokens
            for owner, prediction in zip(owners, predictions, strict=True)
        ]
        return _Batch([sentences[owner] for owner in owners], owners, predictions, tokens)

    def _repair(self, batch: _Batch, labels: Sequence[Sequence[str]]) -> tuple[list[DTree], list[Repairs]]:
        """Read the labels and repair every prediction, so that its d-tree is ordered."""
        dtrees: list[DTree] = []
        counts: list[Repairs] = []
        mode, encoding = self.settings.mode, self.settings.encoding
        rows = zip(batch.sentences, batch.tokens, batch.predictions, labels, strict=True)
        for sentence, tokens, prediction, encoded in rows:
            symbols, indices, faults = read_labels(prediction.heads, encoded, encoding)
            dtree, repairs = repair(
                tokens,
                prediction.heads,
                symbols,
                indices,
                mode=mode,
                id=sentence.id,
                comments=sentence.comments,
            )
            for kind, touched in faults.items():
                for token in touched:
                    repairs.add(kind, token)
            dtrees.append(dtree)
            counts.append(repairs)
        return dtrees, counts

    def _confidences(
        self,
        batch: _Batch,
        dtrees: Sequence[DTree],
        decoded: Sequence[Tree],
        trees: Sequence[Tree],
        kept: Sequence[Sequence[int]],
        threads: int,
    ) -> dict[int, tuple[float, ...]]:
        """The confidence of every node of the kept trees, where the backend gives head probabilities."""
        first = [numbers[0] for numbers in kept]  # head probabilities are the same for all analyses
        heads = self.backend.head_probabilities(
            [batch.tokens[at] for at in first], [batch.predictions[at] for at in first], threads
        )
        chosen = [at for numbers in kept for at in numbers]
        labels = self._steps.labels.probabilities(
            [batch.tokens[at] for at in chosen], [batch.predictions[at] for at in chosen], threads
        )
        found: dict[int, tuple[float, ...]] = {}
        for at, of_labels in zip(chosen, labels, strict=True):
            table = heads[batch.owners[at]]
            if table is not None:
                found[at] = node_confidences(
                    decoded[at], trees[at], dtrees[at], table, of_labels, self.settings.calibration
                )
        return found

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        start = thread_time()
        yield
        with self._lock:
            self.seconds[step] += thread_time() - start  # type: ignore[assignment]

    # ── saving ───────────────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | Path) -> None:
        """Write everything into one file. The inverse is `load`."""
        settings = {"parser": name_of(type(self.backend)), **self.settings.to_dict()}
        parts = {
            "pipeline": ModelPart(settings),
            "parser": self.backend.to_part(),
            **self.stages.to_parts(),
        }
        write_model(path, ModelFile(KIND, self.card.to_dict(), parts, f"spindle {__version__}"))
        object.__setattr__(self, "path", Path(path).resolve())


def load(path: str | Path | None = None, parser: type[Backend] | None = None) -> Parser:
    """Read a model file, or a bundled model by its name; without a name, the default one.

    `parser` is the class of a backend that is not built in.
    """
    path = find_model(path)
    start = perf_counter()
    model = read_model(path, KIND)
    try:
        loaded = _assembled(model, parser)
    except (KeyError, TypeError, ValueError) as error:
        # the checksums are right, so the file is as it was written
        raise ModelError(f"{path}: the model does not fit together: {error}") from error
    except (ModelError, ParserError) as error:
        raise ModelError(f"{path}: {error.cause}", hint=error.hint) from None
    object.__setattr__(loaded, "path", path.resolve())
    _logger.debug("%s: loaded in %.2f s", path, perf_counter() - start)
    return loaded


def _assembled(model: ModelFile, parser: type[Backend] | None) -> Parser:
    values = model.parts["pipeline"].settings
    name = values["parser"]
    if parser is None and name not in PARSERS:
        raise ParserError(f"its parser {name!r} is not built in; load it with its class as `parser`")
    backend = parser or find_parser(name)
    return Parser(
        backend.from_part(model.parts["parser"]),
        PipelineSettings.from_dict(values),
        Stages.from_parts(model.parts),
        Card.from_dict(model.card),
    )


class _Batch(NamedTuple):
    """The analyses of a batch, one row per prediction: its sentence, the sentence's number, its tokens."""

    sentences: Sequence[Sentence]
    owners: Sequence[int]
    predictions: Sequence[Prediction]
    tokens: Tokens


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _check_many(sentences: object) -> None:
    """Raise a `WrongType` for what is not an iterable of sentences, such as one sentence."""
    if isinstance(sentences, str | Sentence | Tree):
        hint = "`parser(text)` parses a text, `parser.parse(sentence)` one sentence; a list takes several"
        raise WrongType(
            f"one {type(sentences).__name__} was given, but several sentences are expected", hint=hint
        )
    if isinstance(sentences, bytes | bytearray | Mapping) or not isinstance(sentences, Iterable):
        raise WrongType(f"sentences are expected, not {type(sentences).__name__}", hint="give a list of them")


def _without_contexts(pairs: Iterable[Any], contexts: deque[Any]) -> Iterator[Input]:
    """Yield the sentences of pairs and put what belongs to them into `contexts`."""
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise WrongType(
                "`as_tuples` needs pairs of a sentence and its context",
                hint="write (sentence, context), or leave `as_tuples` out",
            )
        contexts.append(pair[1])
        yield pair[0]


def _placed(candidates: Iterable[Candidate], sentence: Sentence) -> KBest:
    """The candidates; their trees know where the sentence is in its text, if that is known."""
    if not sentence.spans:
        return KBest(candidates)
    offsets = [(span.start, span.end) for span in sentence.spans]
    return KBest(replace(one, tree=one.tree.with_text(sentence.text, offsets)) for one in candidates)


def _check(sentences: Sequence[Sentence], lists: Sequence[Sequence[Prediction]], backend: Backend) -> None:
    """Raise a `ParserError` that names the first sentence without a complete prediction."""
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
    """The numbers of the first `k` different trees of every sentence."""
    if k == 1 and len(trees) == sentences:
        return [[at] for at in range(sentences)]
    kept: list[dict[Tree, int]] = [{} for _ in range(sentences)]
    for at, (tree, owner) in enumerate(zip(trees, owners, strict=True)):
        if len(kept[owner]) < k:
            kept[owner].setdefault(tree, at)
    return [list(found.values()) for found in kept]
