"""Enumerates the dependency trees of a short sentence, to test decoders against brute force."""

from functools import cache
from itertools import product

import numpy as np

from spindle.trees import DTree, Token


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
