"""Positions of the parts of a drawn tree, chosen so that no line runs through a label.

In a constituent tree a node's label stands above a *block* of the node: a contiguous part of its yield, made
at least as wide as the label. Unrelated nodes have disjoint blocks, so their labels and the vertical lines
to them never meet, even where branches cross. A node's level is above every node within the span of its
yield, so horizontal lines on the same level never meet either.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spindle.trees.dtree import DTree
from spindle.trees.tree import ROOT, Tree


@dataclass(frozen=True)
class Layout:
    """Levels count upwards from the tokens, which are level 0; horizontal units are columns or pixels.

    `centres` has one entry for every vertex (tokens, then nodes): where its lines are drawn.
    """

    levels: tuple[int, ...]
    centres: tuple[int, ...]
    lefts: tuple[int, ...]
    """The left end of every text: the tokens' columns, then the nodes' labels."""
    column_widths: tuple[int, ...]

    @property
    def height(self) -> int:
        """The level of the root."""
        return max(self.levels, default=0)


def lay_out(tree: Tree, token_widths: Sequence[int], label_widths: Sequence[int], gap: int) -> Layout:
    """Compute the layout of a tree above its words, with `gap` between the words' columns.

    If heads are known, a node stands above its lexical head, which shows the spines. Otherwise it stands
    above the middle of its children in the same block.
    """
    size = len(tree)
    blocks = _blocks(tree)
    widths = _widened(token_widths, blocks, label_widths, gap)
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width + gap)
    centres = [start + (width - 1) // 2 for start, width in zip(starts, widths, strict=False)]
    centres += _node_centres(tree, blocks, centres, gap)
    lefts = starts[:size]
    for node, (first, last) in enumerate(blocks):
        centred = centres[size + node] - (label_widths[node] - 1) // 2
        lefts.append(max(starts[first], min(centred, starts[last] + widths[last] - label_widths[node])))
    return Layout(levels(tree), tuple(centres), tuple(lefts), tuple(widths))


def levels(tree: Tree) -> tuple[int, ...]:
    """Return the level of every node: above its children and above all nodes within the span of its yield.

    >>> from spindle.trees import Token
    >>> levels(Tree.build([Token("w")] * 4, ["S", "A", "B"], [-1, 0, 0], [1, 2, 2, 1]))
    (3, 2, 1)
    """
    found = [0] * len(tree.labels)
    skyline = [0] * len(tree)
    spans = [((mask & -mask).bit_length() - 1, mask.bit_length()) for mask in tree.masks]
    # of two nodes with the same span one dominates the other, and parents have smaller numbers
    for node in sorted(range(len(found)), key=lambda node: (spans[node][1] - spans[node][0], -node)):
        first, end = spans[node]
        found[node] = max(skyline[first:end]) + 1
        skyline[first:end] = [found[node]] * (end - first)
    return tuple(found)


def arc_levels(dtree: DTree) -> tuple[int, ...]:
    """Return the level of the arc to every word; the root's arc has no start and is above all others.

    An arc is above all arcs within its span, above the arcs that leave its modifier, and above those of
    earlier events of its head. So the vertical line above a word first meets the arcs to its modifiers, event
    by event, and ends in the arc from its head. Every cause of a discontinuous constituent, a crossing arc or
    violated nesting, is visible as two lines that cross.

    >>> from spindle.trees import Token
    >>> arc_levels(DTree([Token("w")] * 4, (1, 3, 1, -1), ("A", "B", "A", ""), (1, 1, 1, 0)))
    (1, 2, 1, 3)
    """
    found = [0] * len(dtree)
    skyline = [0] * len(dtree)  # between a word and the next one
    earlier: list[list[int]] = [[] for _ in dtree.tokens]
    for modifiers in dtree.modifiers:
        for modifier in modifiers:
            earlier[modifier] = [other for other in modifiers if dtree.events[other] < dtree.events[modifier]]
    below = [[*dtree.modifiers[word], *earlier[word]] for word in range(len(dtree))]
    above: list[list[int]] = [[] for _ in dtree.tokens]
    for word, others in enumerate(below):
        for other in others:
            above[other].append(word)
    waiting = list(map(len, below))
    reach = [abs(head - modifier) for modifier, head in enumerate(dtree.heads)]
    ready = [(reach[word], word) for word, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    while ready:
        _, word = heapq.heappop(ready)
        head = dtree.heads[word]
        first, end = (0, len(dtree)) if head == ROOT else sorted((head, word))
        found[word] = 1 + max(*skyline[first:end], *(found[other] for other in below[word]), 0)
        skyline[first:end] = [found[word]] * (end - first)
        for other in above[word]:
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, (reach[other], other))
    return tuple(found)


def crossed_arcs(dtree: DTree, levels: Sequence[int]) -> frozenset[int]:
    """Return the words whose arc is crossed by the vertical line above another word.

    >>> from spindle.trees import Token
    >>> dtree = DTree([Token("w")] * 4, (3, -1, 3, 1), ("NP", "", "NP", "S"), (2, 0, 1, 1))
    >>> crossed_arcs(dtree, arc_levels(dtree))
    frozenset({0})
    """
    return frozenset(
        word
        for word, head in enumerate(dtree.heads)
        if head != ROOT
        and any(levels[between] > levels[word] for between in range(min(head, word) + 1, max(head, word)))
    )


def crossed_lines(tree: Tree, layout: Layout, node: int) -> list[int]:
    """Return the centres of the lines to other nodes' children that cross the horizontal line of a node."""
    levels = [0] * len(tree) + list(layout.levels)
    level = layout.levels[node]
    return [
        layout.centres[vertex]
        for vertex, parent in enumerate([*tree.leaf_parents, *tree.parents])
        if parent != ROOT and levels[vertex] < level < layout.levels[parent]
    ]


def uninterrupted(first: int, last: int, crossing: Iterable[int], half: int) -> list[tuple[int, int]]:
    """Return the parts of a line that are left when `half` is cut off on both sides of every crossing.

    >>> uninterrupted(0, 30, [10, 40], 3)
    [(0, 7), (13, 30)]
    """
    parts, start = [], first
    for place in sorted(crossing):
        if first < place < last:
            if place - half > start:
                parts.append((start, place - half))
            start = place + half
    return [*parts, (start, last)]


def head_children(tree: Tree) -> frozenset[int]:
    """Return the vertices that share the head of their parent; none if heads are not known."""
    if tree.heads is None:
        return frozenset()
    heads = [*range(len(tree)), *tree.heads]
    parents = [*tree.leaf_parents, *tree.parents]
    return frozenset(
        vertex
        for vertex, parent in enumerate(parents)
        if parent != ROOT and tree.heads[parent] == heads[vertex]
    )


def runs(mask: int) -> list[tuple[int, int]]:
    """Return the contiguous parts of a yield, each as first and last position.

    >>> runs(0b1101110)
    [(1, 3), (5, 6)]
    """
    found, start = [], 0
    while mask:
        zeros = (mask & -mask).bit_length() - 1
        mask >>= zeros
        ones = (mask ^ (mask + 1)).bit_length() - 1
        found.append((start + zeros, start + zeros + ones - 1))
        mask >>= ones
        start += zeros + ones
    return found


def _blocks(tree: Tree) -> list[tuple[int, int]]:
    """Return, for every node, the part of its yield below its label, as first and last position."""
    size = len(tree)
    blocks = [(0, 0)] * len(tree.labels)
    for node in reversed(range(len(blocks))):
        parts = runs(tree.masks[node])
        if tree.heads is not None:
            anchors = [tree.heads[node]]
        else:
            anchors = [child if child < size else blocks[child - size][0] for child in tree.children[node]]
        # the part below most children; if several are equal, the longest, then the leftmost
        blocks[node] = max(
            parts,
            key=lambda part: (sum(part[0] <= anchor <= part[1] for anchor in anchors), part[1] - part[0]),
        )
    return blocks


def _widened(
    widths: Sequence[int], blocks: Sequence[tuple[int, int]], label_widths: Sequence[int], gap: int
) -> list[int]:
    """Return the widths of the tokens' columns, increased where a label above needs more room."""
    widened = list(widths)
    for (first, last), wanted in sorted(zip(blocks, label_widths, strict=True), key=_block_length):
        missing = wanted - sum(widened[first : last + 1]) - gap * (last - first)
        for offset in range(missing):
            widened[first + offset % (last + 1 - first)] += 1
    return widened


def _block_length(block_and_width: tuple[tuple[int, int], int]) -> int:
    (first, last), _ = block_and_width
    return last - first


def _node_centres(
    tree: Tree, blocks: Sequence[tuple[int, int]], token_centres: Sequence[int], gap: int
) -> list[int]:
    if tree.heads is not None:
        return [token_centres[head] for head in tree.heads]
    size = len(tree)
    centres = [0] * len(blocks)
    for node in reversed(range(len(centres))):
        first, last = blocks[node]
        below = [
            token_centres[child] if child < size else centres[child - size]
            for child in tree.children[node]
            if first <= (child if child < size else blocks[child - size][0]) <= last
        ]
        middle = (min(below) + max(below)) // 2
        nearest = min(below, key=lambda centre: abs(centre - middle))
        centres[node] = nearest if abs(nearest - middle) <= gap else middle
    return centres
