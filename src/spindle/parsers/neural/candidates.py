"""The trees that have the best arcs: one of them is chosen, or has to be told apart from the right one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from spindle import _core
from spindle.reduction import Mode

Array = numpy.ndarray[Any, Any]

CANDIDATES = 8
"""How many trees of a sentence are looked at."""
LONGEST = 60
"""In longer sentences it takes too long to find several trees, so that the best arcs decide."""


class Forest(NamedTuple):
    """Some trees of every sentence, one after the other, those with the best arcs first.

    `counts` is how many each sentence has, `heads` are those of all words of all trees, `scores` the trees',
    and `eligible` says which may become the best tree of its sentence; the first one always may.
    """

    counts: Array
    heads: Array
    scores: Array
    eligible: Array

    @property
    def first(self) -> Array:
        """The number of the first tree of every sentence."""
        first: Array = numpy.cumsum(self.counts) - self.counts
        return first

    def scores_with(self, extra: Array) -> Array:
        """The scores of the trees with what each is given extra; none is above all that are eligible."""
        scores = self.scores + extra
        best = numpy.maximum.reduceat(numpy.where(self.eligible, scores, -numpy.inf), self.first)
        capped: Array = numpy.minimum(scores, numpy.repeat(best, self.counts))
        return capped


def best_trees(
    arcs: Array, lengths: Sequence[int], mode: Mode, k: int = 1, margin: float = math.inf, threads: int = 1
) -> Forest:
    """The trees that may become the best, whose arcs score `margin` less than the best at most.

    One who asks for `k` of them is given so many, however bad they are. Arc scores are
    `[sentences, head + 1, modifier]`, padded.
    """
    some = [CANDIDATES if length <= LONGEST else 1 for length in lengths]
    counts, heads, scores = _core.trees_of_many(
        arcs,
        lengths,
        [max(k, most) for most in some],
        margin if k == 1 else math.inf,
        mode is Mode.CONTINUOUS,
        threads,
    )
    first = numpy.repeat(numpy.cumsum(counts) - counts, counts)
    ranks = numpy.arange(len(scores)) - first
    eligible = (ranks < numpy.repeat(some, counts)) & (scores >= scores[first] - margin)
    return Forest(counts, heads, scores, eligible)
