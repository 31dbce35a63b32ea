"""The trees that have the best arcs: one of them is chosen, or has to be told apart from the right one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from spindle import _core
from spindle.models import Array
from spindle.parsers.neural.batches import starts_of
from spindle.reduction import Mode

CANDIDATES = {Mode.CONTINUOUS: 16, Mode.DISCONTINUOUS: 8}
"""How many trees of a sentence may become the best."""
MARGINS = {Mode.CONTINUOUS: 2.0, Mode.DISCONTINUOUS: 4.0}
"""Of trees whose arcs score so much less than the best ones at most, the one is taken that scores highest by
its arcs, by how well they fit together, and by its labels. On english-gum 2.0 is as good as 4.0 and cheaper;
on dutch-alpino 4.0 is better."""
LONGEST = {Mode.CONTINUOUS: 500, Mode.DISCONTINUOUS: 60}
"""In longer sentences several trees take too much time or memory to find, so that the best arcs decide, and
nothing is learnt from comparing trees."""


def candidates_of(lengths: Sequence[int], mode: Mode) -> list[int]:
    """How many trees of each sentence may become the best."""
    return [CANDIDATES[mode] if length <= LONGEST[mode] else 1 for length in lengths]


class Forest(NamedTuple):
    """Some trees of every sentence, one after the other, those with the best arcs first.

    `counts` is how many each sentence has, `heads` are those of all words of all trees, `scores` the trees',
    and `eligible` says which may become the best tree of its sentence; the first one of each may.
    """

    counts: Array
    heads: Array
    scores: Array
    eligible: Array

    @property
    def first(self) -> Array:
        """The number of the first tree of every sentence."""
        return starts_of(self.counts)

    def scores_with(self, extra: Array) -> Array:
        """The scores of the trees with what each is given extra; none is above all that are eligible."""
        scores = self.scores + extra
        best = numpy.maximum.reduceat(numpy.where(self.eligible, scores, -numpy.inf), self.first)
        capped: Array = numpy.minimum(scores, numpy.repeat(best, self.counts))
        return capped


def best_trees(
    arcs: Array,
    lengths: Sequence[int],
    mode: Mode,
    some: Sequence[int],
    k: int = 0,
    margin: float = math.inf,
    threads: int = 1,
) -> Forest:
    """Some trees of every sentence, those that may become the best.

    Their arcs score `margin` less than the best at most. One who asks for several, `k`, is given so many,
    however bad they are. Arc scores are `[sentences, head + 1, modifier]`, padded.
    """
    counts, heads, scores = _core.best_trees_batch(
        arcs,
        lengths,
        [max(k, most) for most in some],
        math.inf if k > 1 else margin,
        mode is Mode.CONTINUOUS,
        threads,
    )
    first = numpy.repeat(starts_of(counts), counts)
    ranks = numpy.arange(len(scores)) - first
    eligible = (ranks < numpy.repeat(some, counts)) & (scores >= scores[first] - margin)
    return Forest(counts, heads, scores, eligible)
