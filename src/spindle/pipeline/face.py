"""What a parser and an ensemble of parsers have in common: everything that users call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Literal, TypeVar, cast, overload

from spindle.errors import ParserError, WrongType
from spindle.pipeline.analysis import Analysis, KBest
from spindle.pipeline.constraints import Constraints
from spindle.pipeline.document import Document
from spindle.pipeline.progress import with_bar
from spindle.pipeline.sentence import Input, Sentence, split_text
from spindle.pipeline.settings import PipelineSettings
from spindle.text import BoundaryModel, Lines, TextSplitter
from spindle.trees import Tree

MAX_K = 10_000
"""The largest number of trees of a sentence."""
MAX_THREADS = 1024
"""More threads than any machine has cores; a larger number stands for this one."""
MAX_LENGTH = 400
"""Sentences with more words are parsed in pieces unless another limit is given."""

MISSING = object()
"""Stands for a sentence without constraints, or constraints without a sentence."""

Item = TypeVar("Item")
Context = TypeVar("Context")


class ParsingFace(ABC):
    """Parses text, sentences and lists of sentences, given a way to analyse sentences."""

    settings: PipelineSettings
    text_model: BoundaryModel | None

    @abstractmethod
    def analyse(
        self,
        sentences: Iterable[Input],
        *,
        threads: int | None = None,
        longest: int = MAX_LENGTH,
        k: int = 1,
        confidences: bool = False,
        batch: int | None = None,
        is_ready: Callable[[], bool] = lambda: True,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> Iterator[Analysis]:
        """As `parse_many`, but yield full analyses: `k` best trees, repairs, and confidences on request.

        `is_ready` tells whether the next sentence is there without waiting. A batch ends before one that is
        not, so that the analyses of all others are yielded first.
        """

    @property
    @abstractmethod
    def predicts_tags(self) -> bool:
        """Whether words that have no tags are tagged."""

    @property
    @abstractmethod
    def gives_k_best(self) -> bool:
        """Whether it can give several analyses of a sentence."""

    @property
    @abstractmethod
    def k_best_is_exact(self) -> bool:
        """Whether no tree outside a k-best list scores more than those in it."""

    @property
    @abstractmethod
    def gives_confidences(self) -> bool:
        """Whether it can give the confidence of every constituent."""

    def parse(
        self, sentence: Input, *, threads: int | None = None, constraints: Constraints | None = None
    ) -> Tree:
        """Parse one sentence: text, words, tokens (their tags are used), or a tree to parse anew.

        Text is split into words, but taken for one sentence; `parse_text` splits it into sentences as well.
        The tree satisfies the `constraints`; a `ConstraintError` if there is no such tree.
        """
        fixed = None if constraints is None else [constraints]
        tree = next(self.parse_many([sentence], threads=threads, constraints=fixed))
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
        constraints: Iterable[Constraints | None] | None = ...,
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
        constraints: Iterable[Constraints | None] | None = ...,
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
        constraints: Iterable[Constraints | None] | None = None,
    ) -> Iterator[Any]:
        """Yield the trees of sentences, in order, as the sentences arrive; None for one without words.

        With `as_tuples`, the input is pairs of a sentence and anything that belongs to it, and the output is
        pairs of a tree and that thing. `progress` shows a bar on a terminal. `batch` is the number of
        sentences that are parsed together. [default: chosen by the backend] `constraints` are one object or
        None per sentence, in the same order.
        """
        _check_many(sentences)
        total = len(sentences) if isinstance(sentences, Sized) else None
        contexts: deque[Any] = deque()
        given = _without_contexts(sentences, contexts) if as_tuples else sentences
        analyses = self.analyse(given, threads=threads, longest=longest, batch=batch, constraints=constraints)
        trees = (analysis.tree for analysis in analyses)
        found = ((tree, contexts.popleft()) for tree in trees) if as_tuples else trees
        return with_bar(found, total) if progress else found

    def __call__(
        self,
        text: str,
        *,
        lines: Lines | str = Lines.AUTO,
        threads: int | None = None,
        k: int = 1,
        confidences: bool = False,
    ) -> Document:
        """Split a text into sentences and parse them.

        `lines` tells what the end of a line means, as in `sentences`; `k` and `confidences` are those of
        `analyse`.
        """
        sentences = self.sentences(text, lines)
        return Document(text, tuple(self.analyse(sentences, threads=threads, k=k, confidences=confidences)))

    def k_best(self, sentence: Input, k: int, *, threads: int | None = None) -> KBest:
        """Return up to `k` different analyses of one sentence, the best first."""
        (analysis,) = self.analyse([sentence], threads=threads, k=k)
        if not analysis.candidates:
            raise ParserError("there is no word to parse")
        return analysis.candidates

    def parse_text(
        self, text: str, *, lines: Lines | str = Lines.AUTO, threads: int | None = None
    ) -> Iterator[Tree]:
        """Yield the trees of the sentences of a text; `lines` as in `sentences`."""
        sentences = self.sentences(text, lines)
        return (tree for tree in self.parse_many(sentences, threads=threads) if tree is not None)

    def sentences(self, text: str, lines: Lines | str = Lines.AUTO) -> list[Sentence]:
        """Split a text into sentences and words, as the treebank of the model does.

        `lines` tells what the end of a line means: "sentence" (every line is one), "paragraph" (a sentence
        ends there at the latest), "wrapped" (only an empty line or an item of a list ends it), or "auto".
        """
        return split_text(text, self.splitter, lines)

    @property
    def splitter(self) -> TextSplitter:
        """The front end for raw text: the trained model, or the style of the treebank."""
        return TextSplitter(self.settings.tokenization, self.text_model)


def check_request(
    parser: ParsingFace,
    sentences: object,
    *,
    threads: int | None,
    longest: int,
    k: int,
    batch: int | None,
) -> None:
    """Raise an error for arguments of `analyse` that cannot be fulfilled."""
    _check_many(sentences)
    for name, number in (("threads", threads), ("longest", longest), ("k", k), ("batch", batch)):
        if number is not None and (not isinstance(number, int) or number < 1):
            raise ParserError(f"`{name}` is {number!r}, but must be a whole number above 0")
    if k > MAX_K:
        raise ParserError(f"`k` is {k:,}; at most {MAX_K:,} trees of a sentence can be asked for")
    if k > 1 and not parser.gives_k_best:
        raise ParserError(f"{parser!r} gives only its best analysis")


def constrain(
    sentences: Iterable[Input], constraints: Iterable[Constraints | None], splitter: TextSplitter
) -> Iterator[Sentence]:
    """Yield the sentences with their constraints; a `ParserError` if there are not as many."""
    if isinstance(constraints, Constraints | Mapping | str):
        raise WrongType(
            f"one {type(constraints).__name__} was given; constraints are a list with one for each sentence"
        )
    for given, fixed in zip_longest(sentences, constraints, fillvalue=MISSING):
        if given is MISSING or fixed is MISSING:
            raise ParserError("length mismatch: there are more sentences or more constraints")
        if not isinstance(fixed, Constraints | None):
            hint = "`Constraints.from_dict` reads them from JSON"
            raise WrongType(f"constraints are a Constraints object, not {type(fixed).__name__}", hint=hint)
        yield replace(Sentence.of(cast("Input", given), splitter), constraints=fixed)


def in_batches(items: Iterable[Item], size: int, is_ready: Callable[[], bool]) -> Iterator[list[Item]]:
    """Yield lists of items; a list ends early where the next item is not ready."""
    batch: list[Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == size or not is_ready():
            yield batch
            batch = []
    if batch:
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
