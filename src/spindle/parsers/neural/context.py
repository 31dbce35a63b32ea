"""What a network is shown of trees beside the words: for every arc and every node, where to look.

The words of many sentences stand in one table; what is given are rows of it. Trees, too, are given as columns
of all their words, one tree after the other. The loops are in the core;
`arc_context_by_the_book` and `node_context_by_the_book` say the same of one sentence in Python, and tests
hold the two against each other.
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

NOWHERE = -1
"""What stands for no word."""
ARC_ROLES = 9
"""The words that are looked at for the label of an arc: the head, the modifier, the next sisters on its side
(nearer and farther), the nearest and the farthest on the other side, the first and last words of what hangs
on the modifier, and the head's head."""
ARC_COUNTS = 3
"""Beside them: the distance, how many sisters are nearer, and how many there are on the other side."""
NODE_ROLES = 6
"""The words that are looked at for the chain above a node: its head, the head of that, its first and last
words, and those before and after."""
NODE_MARKS = 3
"""Beside them: its symbol, that of the node above, and how many nodes of the same head are above it."""
MOST = 8
"""Counts are the same from here on."""
DISTANCES = 2 * MOST + 1


class ArcContext(NamedTuple):
    """What there is to see of arcs, `[descriptions, roles]` and `[descriptions, counts]`.

    Trees of the same sentence have most of their arcs in common; `places` says which description each arc of
    each tree has. If no two trees are of the same sentence, arcs and descriptions are one to one.
    """

    roles: Array
    counts: Array
    places: Array

    @property
    def is_root(self) -> Array:
        """Whether a description is of an arc from the root, which has no distance."""
        found: Array = self.counts[:, 0] == 0
        return found


class NodeContext(NamedTuple):
    """What there is to see of every node, words included; `sizes` is how many each tree has."""

    sizes: Array
    words: Array
    events: Array
    roles: Array
    marks: Array


def column(numbers: Iterable[Sequence[int]]) -> Array:
    """Numbers of the words of several trees as one column."""
    return numpy.fromiter(chain.from_iterable(numbers), dtype=numpy.int32)


def arc_context(heads: Array, sizes: Sequence[int], starts: Sequence[int], nobody: int) -> ArcContext:
    """What there is to see of the arcs of trees of these sizes whose words start at these rows."""
    roles, counts, places = _core.arc_context(heads, sizes, starts, nobody)
    return ArcContext(roles.reshape(-1, ARC_ROLES), counts.reshape(-1, ARC_COUNTS), places)


def node_context(
    heads: Array, symbols: Array, events: Array, sizes: Sequence[int], starts: Sequence[int], nobody: int
) -> NodeContext:
    """What there is to see of the nodes of ordered d-trees; symbols are numbers, 0 is that of a word."""
    nodes, words, at, roles, marks = _core.node_context(heads, symbols, events, sizes, starts, nobody)
    return NodeContext(nodes, words, at, roles.reshape(-1, NODE_ROLES), marks.reshape(-1, NODE_MARKS))


# ── the readable versions ────────────────────────────────────────────────────────────────────────────


def arc_context_by_the_book(heads: Sequence[int]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The roles and the counts of every arc of a tree."""
    size = len(heads)
    first, last = ends(heads)
    left: list[list[int]] = [[] for _ in heads]  # modifiers before and after, both going outward
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
            roles[word] = (NOWHERE, word, *[NOWHERE] * 4, first[word], last[word], NOWHERE)
            counts[word] = (0, 0, 0)
    for head in range(size):
        before, after = left[head][::-1], right[head]
        for side, other in ((before, after), (after, before)):
            inner, outer = (other[0], other[-1]) if other else (NOWHERE, NOWHERE)
            for rank, word in enumerate(side):
                nearer = side[rank - 1] if rank else NOWHERE
                farther = side[rank + 1] if rank + 1 < len(side) else NOWHERE
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
                counts[word] = (distance(word - head), min(rank, MOST - 1), min(len(other), MOST - 1))
    return roles, counts


def distance(difference: int) -> int:
    """The number of a signed distance: exact up to 4, then in powers of two; 0 is left for the root."""
    length = abs(difference)
    kind = length if length <= 4 else min(2 + length.bit_length(), MOST)
    return kind + (MOST if difference < 0 else 0)


def ends(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """The first and the last word of what hangs on each word."""
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
    """The place, the roles and the marks of every node of an ordered d-tree."""
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
            roles = (word, head, start, end, start - 1, end + 1 if end + 1 < size else NOWHERE)
            found.append((Place(word, event), roles, (symbol, above, min(len(spine) - event, MOST - 1))))
    return found
