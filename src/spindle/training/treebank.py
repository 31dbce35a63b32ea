"""Trees for training: where they come from, and how they are prepared and reduced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from spindle.errors import ParserError, TreebankError
from spindle.heads import HeadFinder
from spindle.parsers import Example
from spindle.pipeline.card import Corpus
from spindle.pipeline.conventions import Conventions
from spindle.reduction import Encoding, Mode, Reduced, chains_that_fit, encode, repair, write_labels
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import strip_functions
from spindle.trees import Token, Tree

Trees: TypeAlias = "str | Path | Iterable[Tree] | Treebank"
"""A treebank as a file, a folder, or trees in memory."""


class SourceWeight(NamedTuple):
    """`trees` consecutive trees come from one source and are sampled with `weight`."""

    trees: int
    weight: float = 1.0


@dataclass(frozen=True)
class Treebank:
    """Trees, and the files they come from, for the model card.

    `sources` separates the treebanks if there are several; the parser imitates the first. If they are
    `alike`, all examples have treebank number 0.
    """

    trees: tuple[Tree, ...] = ()
    files: tuple[str, ...] = ()
    sources: tuple[SourceWeight, ...] = ()
    alike: bool = False

    @classmethod
    def of(cls, given: Trees) -> Treebank:
        """The treebank in a file, in a folder, or of trees in memory."""
        if isinstance(given, Treebank):
            return given
        if isinstance(given, str | Path):
            return cls(tuple(read_trees(given)), (short_name(given),))
        return cls(tuple(given))

    @classmethod
    def joined(cls, parts: Iterable[tuple[str | Path, Iterable[Tree], float]]) -> Treebank:
        """One treebank from several: the file, the trees and the weight of each."""
        trees: list[Tree] = []
        files: list[str] = []
        sources: list[SourceWeight] = []
        for name, found, weight in parts:
            before = len(trees)
            trees += found
            files.append(short_name(name))
            sources.append(SourceWeight(len(trees) - before, weight))
        return cls(tuple(trees), tuple(files), tuple(sources))

    @property
    def origins(self) -> list[tuple[int, float]]:
        """The number of the treebank and the weight of every tree."""
        sources = self.sources or (SourceWeight(len(self.trees)),)
        return [
            (0 if self.alike else number, weight)
            for number, (trees, weight) in enumerate(sources)
            for _ in range(trees)
        ]

    @property
    def primary_trees(self) -> tuple[Tree, ...]:
        """The trees of the first treebank."""
        return self.trees[: self.sources[0].trees] if self.sources else self.trees

    @property
    def corpus(self) -> Corpus:
        """Files, sentences and tokens, for the model card."""
        words = sum(not token.is_empty for tree in self.trees for token in tree.tokens)
        return Corpus(self.files, len(self.trees), words)

    def without_empty_sentences(self) -> Treebank:
        """The treebank without trees that consist of traces only, for scoring."""
        return replace(self, trees=tuple(tree for tree in self.trees if _has_words(tree)))


def short_name(path: str | Path) -> str:
    """The last two path components, for the model card; full paths are private."""
    return "/".join(part for part in Path(path).absolute().parts[-2:] if part != "/")


def _has_words(tree: Tree) -> bool:
    return not all(token.is_empty for token in tree.tokens)


# ── prepared trees ───────────────────────────────────────────────────────────────────────────────────


MAX_LENGTH = 1_000
"""Trees with more words are left out by default: the work grows with the cube of the length."""
LONG, EMPTY = "long", "sentences without words"


@dataclass(frozen=True)
class PreparedTreebank:
    """Trees without wrapper and traces, functions in their own column.

    `dropped` counts what was removed. `numbers` are the positions of the trees in the treebank, which may
    have sentences without words.
    """

    trees: tuple[Tree, ...]
    conventions: Conventions
    dropped: Counter[str]
    numbers: tuple[int, ...] = ()

    @property
    def discontinuous(self) -> float:
        """The proportion of discontinuous trees."""
        return sum(not tree.is_continuous for tree in self.trees) / max(len(self.trees), 1)

    @property
    def tokens(self) -> list[tuple[Token, ...]]:
        """The words of all sentences with the tags of the treebank."""
        return [tuple([token._replace(function="") for token in tree.tokens]) for tree in self.trees]


def prepare(trees: Sequence[Tree], conventions: Conventions, longest: int = MAX_LENGTH) -> PreparedTreebank:
    """Undo the conventions of a treebank; leave out trees of more than `longest` words."""
    dropped: Counter[str] = Counter()
    prepared: list[Tree] = []
    numbers: list[int] = []
    for number, tree in enumerate(trees):
        if len(tree) > longest:
            dropped[LONG] += 1
            continue
        dropped["traces"] += sum(token.is_empty for token in tree.tokens)
        try:
            prepared.append(conventions.prepare(tree))
        except TreebankError:
            dropped[EMPTY] += 1
            continue
        numbers.append(number)
    if not prepared:
        if dropped[LONG]:
            raise ParserError(
                f"there are no trees to learn from: all have more than {longest:,} words",
                hint="raise max-length",
            )
        raise ParserError("there are no trees to learn from")
    return PreparedTreebank(tuple(prepared), conventions, +dropped, tuple(numbers))


# ── reduced trees ────────────────────────────────────────────────────────────────────────────────────


def reduce(trees: Iterable[Tree], finder: HeadFinder, mode: Mode) -> Iterator[tuple[Tree, Reduced]]:
    """Yield every tree with its heads, and reduced, without functions.

    In continuous mode a discontinuous tree is repaired to one that a continuous parser can produce.
    """
    for tree in trees:
        headed = finder(tree)
        reduced = encode(strip_functions(headed))
        dtree = reduced.dtree
        if mode is Mode.CONTINUOUS and not (dtree.is_projective and dtree.is_nested):
            dtree, _ = repair(dtree.tokens, dtree.heads, dtree.symbols, dtree.events, mode=mode, id=dtree.id)
            reduced = Reduced(dtree, chains_that_fit(reduced.chains, dtree))
        yield headed, reduced


def retagged(reduced: Reduced, tokens: Sequence[Token]) -> Reduced:
    """The same tree over other tokens."""
    return replace(reduced, dtree=reduced.dtree.replace(tokens=tuple(tokens)))


def make_example(reduced: Reduced, encoding: Encoding, treebank: int = 0, weight: float = 1.0) -> Example:
    """The training example of a reduced tree."""
    labels = tuple(write_labels(reduced.dtree, encoding))
    return Example(reduced.dtree, labels, reduced.chains, treebank, weight)
