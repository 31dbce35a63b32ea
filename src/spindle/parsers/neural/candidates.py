"""The trees that have the best arcs: one of them is chosen, or has to be told apart from the right one."""

from __future__ import annotations

import math
from typing import Any

import numpy

from spindle import _core
from spindle.reduction import Mode

Array = numpy.ndarray[Any, Any]

CANDIDATES = 8
"""How many trees of a sentence are looked at."""
LONGEST = 60
"""In longer sentences it takes too long to find several trees, so that the best arcs decide."""


def best_trees(arcs: Array, mode: Mode, k: int = 1, within: float = math.inf) -> list[list[int]]:
    """The heads of the `k` trees with the best arcs, `[head + 1, modifier]`, the best one first.

    They score at most `within` less than that.
    """
    if mode is Mode.CONTINUOUS:
        return _core.best_projective_trees(arcs, k, within) if k > 1 else [_core.best_projective_tree(arcs)]
    return _core.best_trees(arcs, k, within) if k > 1 else [_core.best_tree(arcs)]
