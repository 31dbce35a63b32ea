"""Trees made ready for training: stripped, their punctuation moved, their heads found, and reduced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spindle.errors import TreebankError
from spindle.heads import HeadFinder
from spindle.parsers import Example
from spindle.pipeline.conventions import Conventions
from spindle.reduction import Encoding, Mode, Reduced, chains_that_fit, encode, repair, write_labels
from spindle.treebanks.transforms import strip_functions
from spindle.trees import Token, Tree

RARELY = 0.01
"""A treebank with fewer discontinuous trees than this is taken for a continuous one."""


@dataclass(frozen=True)
class PreparedTreebank:
    """Trees without wrapper and traces, their functions in a column of their own."""

    trees: tuple[Tree, ...]
    conventions: Conventions
    dropped: Counter[str]
    """What is no longer in the trees, counted."""
    numbers: tuple[int, ...] = ()
    """Which of the trees that were given these are: one may have no words."""

    @property
    def discontinuous(self) -> float:
        """The share of discontinuous trees."""
        return sum(not tree.is_continuous for tree in self.trees) / max(len(self.trees), 1)

    @property
    def tokens(self) -> list[tuple[Token, ...]]:
        """The words of all sentences, as the treebank has tagged them."""
        return [tuple([token._replace(function="") for token in tree.tokens]) for tree in self.trees]


def prepare(trees: Sequence[Tree], conventions: Conventions) -> PreparedTreebank:
    """Trees for training, which is what a parser with these conventions makes of them."""
    dropped: Counter[str] = Counter()
    prepared: list[Tree] = []
    numbers: list[int] = []
    for number, tree in enumerate(trees):
        dropped["traces"] += sum(token.is_empty for token in tree.tokens)
        try:
            prepared.append(conventions.prepare(tree))
        except TreebankError:
            dropped["sentences without words"] += 1
            continue
        numbers.append(number)
    return PreparedTreebank(tuple(prepared), conventions, +dropped, tuple(numbers))


def reduce(trees: Sequence[Tree], finder: HeadFinder, mode: Mode) -> Iterator[tuple[Tree, Reduced]]:
    """Every tree with heads, and reduced without its functions.

    In continuous mode a discontinuous tree becomes one that a continuous parser can give.
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


def example(reduced: Reduced, encoding: Encoding, treebank: int = 0, weight: float = 1.0) -> Example:
    """A reduced tree as a dependency parser learns from it."""
    dtree = reduced.dtree
    labels = tuple(write_labels(dtree, encoding))
    return Example(dtree.tokens, dtree.heads, labels, reduced.chains, treebank, weight)
