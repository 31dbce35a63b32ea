"""Features of the arcs and nodes of trees: the words that describe them, and some counts.

The states of the words of many sentences are rows of one matrix; roles are row numbers of it, and
`padding_row` is the row that stands for no word. Trees are columns of all their words, one tree after the
other. The loops are in the core; `arc_context_by_the_book` and `node_context_by_the_book` compute the same
for one sentence in Python, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy

from spindle import _core
from spindle.models import Array
from spindle.reduction import Place
from spindle.trees import ROOT

NO_WORD = -1
"""Stands for a word that does not exist, in the functions that work on one sentence."""
ARC_ROLES = 9
"""The words that describe an arc: the head, the modifier, the next sisters on its side (nearer and farther),
the nearest and the farthest sister on the other side, the first and the last word of the modifier's subtree,
and the head's head."""
ARC_COUNTS = 3
"""The counts that describe an arc: the distance, the nearer sisters, and the sisters on the other side."""
NODE_ROLES = 6
"""The words that describe a node: its head word, that word's head, its first and last words, and the words
before and after it."""
NODE_MARKS = 3
"""The other features of a node: its symbol, the symbol of the node above, and the number of nodes above it
that have the same head word."""
COUNT_LIMIT = 8
"""Larger counts fall into the same class."""
DISTANCES = 2 * COUNT_LIMIT + 1
"""The number of classes of signed distances; class 0 is the root's."""


class ArcContext(NamedTuple):
    """Features of arcs: `roles [descriptions, ARC_ROLES]` and `counts [descriptions, ARC_COUNTS]`.

    Trees of the same sentence share most of their arcs, so each distinct arc is described once: `rows` maps
    every arc of every tree to its description. With one tree per sentence it is the identity.
    """

    roles: Array
    counts: Array
    rows: Array

    @property
    def is_root(self) -> Array:
        """Whether each description is of an arc from the artificial root, which has no distance."""
        found: Array = self.counts[:, 0] == 0
        return found

    def forbid_labels(self, scores: Array, root_labels: int) -> None:
        """Change label scores `[descriptions, labels]` so that the root has its labels, which come last,
        and other words do not have them.
        """
        count = scores.shape[1] - root_labels
        scores[self.is_root, :count] = scores[~self.is_root, count:] = -numpy.inf


class NodeContext(NamedTuple):
    """Features of every node, words included; `sizes` is the number of nodes of each tree.

    `words` and `events` are the places of the nodes, `roles` is `[nodes, NODE_ROLES]`, `marks` is
    `[nodes, NODE_MARKS]`.
    """

    sizes: Array
    words: Array
    events: Array
    roles: Array
    marks: Array


def column(numbers: Iterable[Sequence[int]]) -> Array:
    """Concatenate the numbers of the words of several trees."""
    return numpy.fromiter(chain.from_iterable(numbers), dtype=numpy.int32)


def arc_context(heads: Array, sizes: Sequence[int], starts: Sequence[int], padding_row: int) -> ArcContext:
    """Compute features of every arc; `sizes` and `starts` locate each tree's words in the batch."""
    roles, counts, rows = _core.arc_context(heads, sizes, starts, padding_row)
    return ArcContext(roles.reshape(-1, ARC_ROLES), counts.reshape(-1, ARC_COUNTS), rows)


def node_context(
    heads: Array, symbols: Array, events: Array, sizes: Sequence[int], starts: Sequence[int], padding_row: int
) -> NodeContext:
    """Compute features of every node of ordered d-trees; symbols are numbers, 0 is the symbol of a word."""
    nodes, words, at, roles, marks = _core.node_context(heads, symbols, events, sizes, starts, padding_row)
    return NodeContext(nodes, words, at, roles.reshape(-1, NODE_ROLES), marks.reshape(-1, NODE_MARKS))


# ── the readable versions ────────────────────────────────────────────────────────────────────────────


def arc_context_by_the_book(heads: Sequence[int]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the roles and the counts of every arc of a tree."""
    size = len(heads)
    first, last = ends(heads)
    left: list[list[int]] = [[] for _ in heads]  # modifiers before and after their head, left to right
    right: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head > word:
            left[head].append(word)
        elif head != ROOT:
            right[head].append(word)
    roles: list[tuple[int, ...]] = [()] * size
    counts: list[tuple[int, ...]] = [()] * size
    for word, head in enumerate(heads):
        if head == ROOT:
            roles[word] = (NO_WORD, word, *[NO_WORD] * 4, first[word], last[word], NO_WORD)
            counts[word] = (0, 0, 0)
    for head in range(size):
        before, after = left[head][::-1], right[head]
        for side, other in ((before, after), (after, before)):
            inner, outer = (other[0], other[-1]) if other else (NO_WORD, NO_WORD)
            for rank, word in enumerate(side):
                nearer = side[rank - 1] if rank else NO_WORD
                farther = side[rank + 1] if rank + 1 < len(side) else NO_WORD
                roles[word] = (
                    head,
                    word,
                    nearer,
                    farther,
                    inner,
                    outer,
                    first[word],
                    last[word],
                    heads[head],
                )
                counts[word] = (
                    distance(word - head),
                    min(rank, COUNT_LIMIT - 1),
                    min(len(other), COUNT_LIMIT - 1),
                )
    return roles, counts


def distance(difference: int) -> int:
    """Return the class of a signed distance: exact up to 4, then in powers of two; 0 is the root's."""
    length = abs(difference)
    kind = length if length <= 4 else min(2 + length.bit_length(), COUNT_LIMIT)
    return kind + (COUNT_LIMIT if difference < 0 else 0)


def ends(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the first and the last word of every word's subtree."""
    first, last = list(range(len(heads))), list(range(len(heads)))
    for word in reversed(_top_down(heads)):
        head = heads[word]
        if head != ROOT:
            first[head] = min(first[head], first[word])
            last[head] = max(last[head], last[word])
    return first, last


def _top_down(heads: Sequence[int]) -> list[int]:
    modifiers: list[list[int]] = [[] for _ in heads]
    order: list[int] = []
    for word, head in enumerate(heads):
        (order if head == ROOT else modifiers[head]).append(word)
    for word in order:
        order.extend(modifiers[word])
    return order


def node_context_by_the_book(
    heads: Sequence[int], symbols: Sequence[int], events: Sequence[int]
) -> list[tuple[Place, tuple[int, ...], tuple[int, ...]]]:
    """Return the place, the roles and the marks of every node of an ordered d-tree."""
    size = len(heads)
    first, last = ends(heads)
    spines: list[dict[int, tuple[int, int, int]]] = [{} for _ in heads]
    for word, (head, symbol, event) in enumerate(zip(heads, symbols, events, strict=True)):
        if head == ROOT:
            continue
        _, start, end = spines[head].get(event, (0, head, head))
        spines[head][event] = (symbol, min(start, first[word]), max(end, last[word]))
    found: list[tuple[Place, tuple[int, ...], tuple[int, ...]]] = []
    for word, head in enumerate(heads):
        spine = spines[word]
        start = end = word
        symbol = 0
        for event in range(len(spine) + 1):
            if event:
                symbol, begins, ends_ = spine[event]
                start, end = min(start, begins), max(end, ends_)
            above = symbols[word] if head != ROOT else 0
            if event < len(spine):
                above, _, _ = spine[event + 1]
            roles = (word, head, start, end, start - 1, end + 1 if end + 1 < size else NO_WORD)
            found.append(
                (Place(word, event), roles, (symbol, above, min(len(spine) - event, COUNT_LIMIT - 1)))
            )
    return found
