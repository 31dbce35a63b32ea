"""Every dependency tree of a short sentence, and tables of arc scores: what decoders are compared on."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np

from spindle.trees import DTree, Token

Table = np.ndarray[tuple[int, int], np.dtype[np.float32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
FORBIDDEN = -1e30
"""The score of an arc that no tree should have."""


@cache
def all_trees(size: int, projective: bool) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return the heads of every dependency tree with one root, shape [trees, size]."""
    tokens = tuple(Token(f"w{number}") for number in range(size))
    trees = []
    for heads in product(range(-1, size), repeat=size):
        if heads.count(-1) != 1:
            continue
        try:
            tree = DTree(tokens, heads, ("",) * size, tuple(0 if head == -1 else 1 for head in heads))
        except ValueError:
            continue
        if tree.is_projective or not projective:
            trees.append(heads)
    return np.array(trees)


def totals(scores: Table, trees: np.ndarray[Any, np.dtype[np.int64]]) -> Floats:
    """The score of every tree."""
    sums: Floats = scores[trees + 1, np.arange(scores.shape[1])].sum(axis=1, dtype=np.float64)
    return sums


def tables(size: int, count: int) -> list[Table]:
    """Random scores, some of them with many equal ones, and some with forbidden arcs."""
    chance = np.random.default_rng(size)
    found = []
    for number in range(count):
        scores = chance.normal(size=(size + 1, size)) * (1, 10, 0.1)[number % 3]
        if number % 4 == 1:
            scores = scores.round()
        if number % 4 == 2:
            scores[chance.random(scores.shape) < 0.4] = FORBIDDEN
        found.append(scores.astype(np.float32))
    return found


def arc_marginals(scores: Table, trees: np.ndarray[Any, np.dtype[np.int64]]) -> Floats:
    """The probability of every arc if the log probability of a tree is its score, up to a constant."""
    of_all = totals(scores, trees)
    chances = np.exp(of_all - of_all.max())
    expected = np.zeros(scores.shape)
    for word in range(scores.shape[1]):
        np.add.at(expected[:, word], trees[:, word] + 1, chances / chances.sum())
    return expected
