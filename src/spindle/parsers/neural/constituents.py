"""Features of the constituents of labelled trees: the words that describe them, and some counts.

The network scores every constituent of the candidate trees of a sentence. A constituent is described by its
head, its label and the edges of its yield; a discontinuous yield has several parts, and each has its edges.
As in `context`, words are row numbers of the states of many sentences. The loops are in the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy

from spindle import _core
from spindle.models import Array
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import COUNT_LIMIT, NO_WORD
from spindle.reduction import Encoding, Mode, read_labels
from spindle.trees import ROOT

PARTS = 3
"""The parts of a yield that are described: the first ones, and the last."""
CONSTITUENT_ROLES = 2 + 4 * PARTS
CONTINUOUS_ROLES = 2 + 4
"""The words that describe a constituent: its head word, that word's head, and for every part of its yield the
first and the last word, the word before and the word after it. In continuous mode there is one part."""
CONSTITUENT_MARKS = 5
"""The other features: the symbol, the symbol of the constituent above, a class of the length, the number of
modifiers that the event attaches, and the number of gaps."""


class ConstituentContext(NamedTuple):
    """Features of the constituents of several trees, each distinct one described once.

    `counts` is the number of constituents of each tree, `rows` maps every constituent of every tree to its
    description. Descriptions are `roles [descriptions, CONSTITUENT_ROLES]`, `marks [descriptions,
    CONSTITUENT_MARKS]` and `keys [descriptions]`, which are equal if sentence, symbol and yield are.
    """

    counts: Array
    rows: Array
    roles: Array
    marks: Array
    keys: Array

    @property
    def trees(self) -> Array:
        """The number of the tree of every constituent."""
        return numpy.repeat(numpy.arange(len(self.counts)), self.counts)


@dataclass(frozen=True)
class LabelTable:
    """The symbol (a number) and the index of every label; the last `root_labels` are those of roots.

    `differences` marks the delta encoding.
    """

    symbols: Array
    indices: Array
    root_labels: int
    differences: bool
    mode: Mode

    @property
    def roles(self) -> int:
        """The number of roles that describe a constituent."""
        return CONTINUOUS_ROLES if self.mode is Mode.CONTINUOUS else CONSTITUENT_ROLES

    @classmethod
    def of(cls, classes: Classes, encoding: Encoding, mode: Mode) -> LabelTable | None:
        """Return the table of some classes; None for an encoding whose labels have no symbol of the arc."""
        if encoding is Encoding.HN:
            return None
        labels = (*classes.labels, *classes.root_labels)
        # the head that is given here only says that these are no roots
        symbols, indices, _ = read_labels([0] * len(labels), labels, Encoding.DIRECT)
        numbers = [classes.symbol_numbers.get(symbol, 0) for symbol in symbols]
        return cls(
            numpy.array(numbers, dtype=numpy.int32),
            numpy.array(indices, dtype=numpy.int32),
            len(classes.root_labels),
            encoding is Encoding.DELTA,
            mode,
        )

    def constituents(
        self, heads: Array, labels: Array, sizes: Sequence[int], starts: Sequence[int], padding_row: int
    ) -> ConstituentContext:
        """Describe the constituents of trees with these labels, after the repairs that decoding makes."""
        columns = heads, self.symbols[labels], self.indices[labels]
        return _context(columns, sizes, starts, padding_row, self.mode, self.differences)


def constituent_context(
    heads: Array,
    symbols: Array,
    events: Array,
    sizes: Sequence[int],
    starts: Sequence[int],
    padding_row: int,
    mode: Mode,
) -> ConstituentContext:
    """Describe the constituents of ordered d-trees."""
    return _context((heads, symbols, events), sizes, starts, padding_row, mode, False)


def _context(
    columns: tuple[Array, Array, Array],
    sizes: Sequence[int],
    starts: Sequence[int],
    padding_row: int,
    mode: Mode,
    differences: bool,
) -> ConstituentContext:
    heads, symbols, indices = (numpy.ascontiguousarray(column, dtype=numpy.int32) for column in columns)
    continuous = mode is Mode.CONTINUOUS
    counts, rows, roles, marks, keys = _core.constituents(
        heads, symbols, indices, sizes, starts, padding_row, continuous, differences
    )
    return ConstituentContext(
        counts, rows, roles.reshape(-1, CONSTITUENT_ROLES), marks.reshape(-1, CONSTITUENT_MARKS), keys
    )


# ── the readable version ─────────────────────────────────────────────────────────────────────────────


def constituents_by_the_book(
    heads: Sequence[int], symbols: Sequence[int], events: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...], frozenset[int]]]:
    """Return the roles, the marks and the yield of every constituent of an ordered d-tree."""
    found: list[tuple[tuple[int, ...], tuple[int, ...], frozenset[int]]] = []
    for head in range(len(heads)):
        modifiers = [word for word, other in enumerate(heads) if other == head]
        levels = max((events[word] for word in modifiers), default=0)
        for event in range(1, levels + 1):
            attached = [word for word in modifiers if events[word] == event]
            below = {word for word in modifiers if events[word] <= event}
            words = {head}.union(*(_subtree(heads, word) for word in below))
            parts = _parts(words)
            kept = parts if len(parts) <= PARTS else [*parts[: PARTS - 1], parts[-1]]
            edges = [
                (first, last, first - 1, last + 1 if last + 1 < len(heads) else NO_WORD)
                for first, last in kept
            ]
            edges += [(NO_WORD,) * 4] * (PARTS - len(kept))
            higher = [symbols[word] for word in modifiers if events[word] == event + 1]
            top = symbols[head] if heads[head] != ROOT else 0
            marks = (
                symbols[attached[0]],
                higher[0] if higher else top,
                min(len(words).bit_length(), COUNT_LIMIT - 1),
                min(len(attached), COUNT_LIMIT - 1),
                min(len(parts) - 1, COUNT_LIMIT - 1),
            )
            found.append(((head, heads[head], *chain.from_iterable(edges)), marks, frozenset(words)))
    return found


def _subtree(heads: Sequence[int], word: int) -> set[int]:
    return {word}.union(*(_subtree(heads, other) for other, head in enumerate(heads) if head == word))


def _parts(words: set[int]) -> list[tuple[int, int]]:
    """Return the first and the last word of every part of a yield."""
    firsts = sorted(word for word in words if word - 1 not in words)
    lasts = sorted(word for word in words if word + 1 not in words)
    return list(zip(firsts, lasts, strict=True))
