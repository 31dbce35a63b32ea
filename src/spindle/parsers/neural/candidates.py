"""Candidate trees: those with the best arc scores, among which the parser chooses with all other scores."""

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
"""The maximal number of candidate trees of a sentence."""
MARGINS = {Mode.CONTINUOUS: 2.0, Mode.DISCONTINUOUS: 4.0}
"""The largest difference between the arc scores of a candidate and of the best tree. A larger margin costs
time, and helps only where branches may cross."""
LONGEST_WITH_CANDIDATES = {Mode.CONTINUOUS: 500, Mode.DISCONTINUOUS: 60}
"""Longer sentences have one candidate, and no negatives in training: finding several trees would take too
much time or memory."""


def candidate_limits(lengths: Sequence[int], mode: Mode) -> list[int]:
    """Return the maximal number of candidates of sentences of these lengths."""
    return [CANDIDATES[mode] if length <= LONGEST_WITH_CANDIDATES[mode] else 1 for length in lengths]


class Forest(NamedTuple):
    """Several trees of every sentence, best arc scores first, one sentence after the other.

    `counts` is the number of trees of each sentence, `heads` has the heads of all words of all trees,
    `scores` the arc score of each tree. `eligible` marks the trees that may become the best tree of their
    sentence; the first tree of each sentence is always eligible.
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
        """Return arc score + `extra` of every tree, capped at the score of the best eligible tree."""
        scores = self.scores + extra
        best = numpy.maximum.reduceat(numpy.where(self.eligible, scores, -numpy.inf), self.first)
        capped: Array = numpy.minimum(scores, numpy.repeat(best, self.counts))
        return capped


def best_trees(
    arcs: Array,
    lengths: Sequence[int],
    mode: Mode,
    limits: Sequence[int],
    k: int = 0,
    margin: float = math.inf,
    threads: int = 1,
) -> Forest:
    """Find the trees with the best arc scores of every sentence, at most `limits` each.

    Arc scores are `[sentences, head + 1, modifier]`, padded. The score of a tree is at most `margin` below
    that of the best tree. With `k` above 1 at least `k` trees are returned, whatever their scores.
    """
    counts, heads, scores = _core.best_trees_batch(
        arcs,
        lengths,
        [max(k, limit) for limit in limits],
        math.inf if k > 1 else margin,
        mode is Mode.CONTINUOUS,
        threads,
    )
    first = numpy.repeat(starts_of(counts), counts)
    ranks = numpy.arange(len(scores)) - first
    eligible = (ranks < numpy.repeat(limits, counts)) & (scores >= scores[first] - margin)
    return Forest(counts, heads, scores, eligible)
