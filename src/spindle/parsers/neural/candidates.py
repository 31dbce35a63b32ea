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

    `counts` is how many each sentence has, `heads` are those of all words of all trees, `scores` the trees'.
    """

    counts: Array
    heads: Array
    scores: Array


def best_trees(
    arcs: Array, lengths: Sequence[int], mode: Mode, k: int = 1, within: float = math.inf, threads: int = 1
) -> Forest:
    """The trees that are to be looked at, and at least the `k` best; `within` that of the best one.

    Arc scores are `[sentences, head + 1, modifier]`, padded.
    """
    most = [max(k, CANDIDATES if length <= LONGEST else 1) for length in lengths]
    return Forest(*_core.trees_of_many(arcs, lengths, most, within, mode is Mode.CONTINUOUS, threads))
