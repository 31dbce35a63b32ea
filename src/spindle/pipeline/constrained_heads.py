"""The best heads of words under constraints on the structure of a tree, for any parser that scores arcs.

A node over several words is a property of heads: one of its words, the *entry*, has its head outside; all
others have theirs inside; and only the entry is the head of words outside. Then events can separate the words
inside from those outside. The converse holds for a yield that must not be a node: it is one whatever the
events are only if a word and all of its descendants form it.

The search is best-first branch and bound. A state forbids arcs; its bound is the best tree without them,
which the core finds. A tree that breaks a constraint is branched on: over the possible entries of a required
yield, or over the words whose heads can break up a forbidden one. Every branch is complete, so the first tree
without a broken constraint is the best one, and an exhausted search proves that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from spindle.decoding import best_tree, k_best_trees
from spindle.errors import ParserError
from spindle.models import Array
from spindle.trees import ROOT

CANDIDATES = 16
"""The number of trees that the full model chooses from."""
MARGIN = 6.0
"""The largest difference between the arc scores of the best tree and of another candidate."""
BEST_FIRST = 300
"""After this many steps the search goes depth-first: its tree satisfies the constraints, but may not be the
best one."""
MOST_STEPS = 20_000
DEPTH_FIRST = 1e12
"""Above every score: states with this priority come before all others."""
LOWEST = -60.0
"""Scores of arcs, relative to the best head of a word, are raised to this."""
ENTRY_COST = 1_000.0
"""The cost of entering a required yield, so that the first tree enters it once. Bounds leave it out: every
tree must enter once."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class HeadConstraints:
    """Yields that must be nodes, yields that must not be nodes (bit sets, of several words), and heads."""

    size: int
    required: Sequence[int] = ()
    forbidden: Sequence[int] = ()
    heads: Mapping[int, int] = field(default_factory=dict)
    projective: bool = False

    def broken(self, heads: Sequence[int]) -> tuple[bool, int] | None:
        """Return a broken constraint: whether its yield is required, and the yield."""
        for mask in self.required:
            if self.entry(mask, heads) is None:
                return True, mask
        for mask in self.forbidden:
            entries, exits = _borders(mask, heads)
            if len(entries) == 1 and not exits:
                return False, mask
        return None

    @staticmethod
    def entry(mask: int, heads: Sequence[int]) -> int | None:
        """Return the entry of a yield that can be a node; None if it cannot."""
        entries, exits = _borders(mask, heads)
        return entries[0] if len(entries) == 1 and exits <= set(entries) else None

    def arcs(self) -> Bools:
        """Return the arcs that fixed heads allow, `[head + 1, modifier]`."""
        allowed = np.ones((self.size + 1, self.size), dtype=bool)
        allowed[np.arange(self.size) + 1, np.arange(self.size)] = False
        for word, head in self.heads.items():
            fixed = allowed[head + 1, word]
            allowed[:, word] = False
            allowed[head + 1, word] = fixed
        for word, head in self.heads.items():
            if head == ROOT:
                allowed[0, np.arange(self.size) != word] = False
        return allowed

    def branches(self, allowed: Bools, mask: int, is_required: bool, heads: Sequence[int]) -> Iterator[Bools]:
        """Yield restrictions of the allowed arcs; all trees that keep the constraint satisfy one of them."""
        inside = np.array([bool(mask >> word & 1) for word in range(self.size)])
        heads_inside = np.concatenate([[False], inside])
        for word in range(self.size):
            narrowed = allowed.copy()
            if is_required and inside[word]:
                others = inside & (np.arange(self.size) != word)
                narrowed[np.ix_(~heads_inside, others)] = False  # all others attach inside
                narrowed[heads_inside, word] = False
                narrowed[np.ix_(np.concatenate([[False], others]), ~inside)] = False
            elif is_required or (inside[word] and word == _borders(mask, heads)[0][0]):
                continue
            else:  # a word inside attaches outside, or a word outside attaches inside
                narrowed[heads_inside == inside[word], word] = False
            if narrowed.any(axis=0).all():
                yield narrowed


def constrained_trees(table: Array, constraints: HeadConstraints) -> list[list[int]]:
    """Return heads that satisfy the constraints, the best arc scores first; none if there are none.

    `table` has the scores of arcs, `[head + 1, modifier]`.
    """
    scores = np.maximum(np.nan_to_num(table - table.max(axis=0), nan=LOWEST), LOWEST)
    cost = np.zeros_like(scores)
    for mask in constraints.required:
        inside = np.array([bool(mask >> word & 1) for word in range(constraints.size)])
        cost[np.ix_(np.concatenate([[True], ~inside]), inside)] += ENTRY_COST
    waiting: list[tuple[float, int, Bools, list[int]]] = []
    numbers = count()

    def consider(allowed: Bools, depth_first: bool) -> None:
        heads = best_tree(np.where(allowed, scores - cost, -np.inf), projective=constraints.projective)
        words = np.arange(len(heads))
        rows = np.array(heads) + 1
        if allowed[rows, words].all():
            score = float(scores[rows, words].sum() - cost[rows, words].sum())
            number = next(numbers)  # of equal bounds, the latest state comes first
            heappush(waiting, (-DEPTH_FIRST - number if depth_first else -score, -number, allowed, heads))

    consider(constraints.arcs(), False)
    for step in count():
        if not waiting:
            return []
        if step > MOST_STEPS:
            raise ParserError("the search for a tree that satisfies the constraints takes too long")
        _, _, allowed, heads = heappop(waiting)
        broken = constraints.broken(heads)
        if broken is None:
            break
        is_required, mask = broken
        for narrowed in constraints.branches(allowed, mask, is_required, heads):
            consider(narrowed, step >= BEST_FIRST)
    masked = np.where(allowed, scores - cost, -np.inf)
    others = k_best_trees(masked, CANDIDATES, projective=constraints.projective, margin=MARGIN)
    return [heads, *(one for one in others if one != heads and constraints.broken(one) is None)]


def _borders(mask: int, heads: Sequence[int]) -> tuple[list[int], set[int]]:
    """Return the words of a yield with a head outside, and those that are heads of words outside."""
    entries: list[int] = []
    exits: set[int] = set()
    for word, head in enumerate(heads):
        is_head_inside = head != ROOT and bool(mask >> head & 1)
        if mask >> word & 1:
            if not is_head_inside:
                entries.append(word)
        elif is_head_inside:
            exits.add(head)
    return entries, exits
