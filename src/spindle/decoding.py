"""Decoders of dependency trees: the best tree, the k best trees, and marginals, from scores of single arcs.

Any parser that scores arcs can use them. The input is a table of shape `[words + 1, words]`: column `m` has
the scores of all heads of word `m`. Row 0 is the artificial root, and row `h + 1` is word `h`. The score of a
tree is the sum of the scores of its arcs. Every tree has exactly one root. With `projective` its arcs do not
cross.

    >>> scores = [[0, 5, 0],  # the root as the head of "Es", "kam", "nichts"
    ...           [0, 0, 0],  # "Es"
    ...           [1, 0, 4],  # "kam"
    ...           [3, 0, 0]]  # "nichts"
    >>> best_tree(scores)
    [2, -1, 1]
    >>> best_tree(scores, projective=True)
    [1, -1, 1]
    >>> k_best_trees(scores, 2)
    [[2, -1, 1], [1, -1, 1]]
    >>> [f"{probability:.2f}" for probability in marginals(scores)[:, 0]]
    ['0.00', '0.00', '0.12', '0.88']

Heads are positions that start at 0; the head of the root is -1. Scores have the precision of 32-bit floats.
An arc with the score minus infinity, or NaN, is forbidden: it occurs only if there is no tree without it. The
scores of words as their own heads are ignored.

The search is exact: Eisner's algorithm for projective trees, that of Chu, Liu and Edmonds for other trees.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spindle import _core
from spindle.errors import ParserError

__all__ = ["best_tree", "k_best_trees", "marginals"]


def best_tree(scores: ArrayLike, *, projective: bool = False) -> list[int]:
    """Return the heads of the tree with the highest score."""
    find = _core.best_projective_tree if projective else _core.best_tree
    return find(_table(scores))


def k_best_trees(
    scores: ArrayLike, k: int, *, projective: bool = False, margin: float = math.inf
) -> list[list[int]]:
    """Return the heads of the `k` trees with the highest scores, the best first; fewer if there are fewer.

    Trees with forbidden arcs are left out, except the best tree. With `margin`, so are trees that score more
    than that below the best one.
    """
    if k < 1:
        raise ParserError(f"k cannot be {k}; choose a whole number of at least 1")
    find = _core.best_projective_trees if projective else _core.best_trees
    return find(_table(scores), k, margin)


def marginals(scores: ArrayLike, *, projective: bool = False) -> NDArray[np.float32]:
    """Return the marginal probability of every arc, `[words + 1, words]`; every column sums to 1.

    The probability of a tree is proportional to the exponential of its score.
    """
    find = _core.projective_marginals if projective else _core.marginals
    return find(_table(scores))


def _table(scores: ArrayLike) -> NDArray[np.float32]:
    """Return scores as the core reads them; a `ParserError` if the shape is wrong."""
    table = np.ascontiguousarray(scores, dtype=np.float32)
    if table.ndim != 2 or table.shape[0] != table.shape[1] + 1:
        raise ParserError(
            f"arc scores have the shape {list(table.shape)}; it must be [words + 1, words], with the root as "
            "the first row"
        )
    return table
