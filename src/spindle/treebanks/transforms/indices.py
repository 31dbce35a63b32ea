"""Co-indices: the numbers that link traces to fillers, and the parts of gapped clauses."""

from __future__ import annotations

from spindle.trees import Tree
from spindle.trees.labels import without_indices


def strip_indices(tree: Tree) -> Tree:
    """Drop co-indices from phrase labels and tags, `NP-SBJ-1` to `NP-SBJ` (lossy)"""
    return tree.replace(
        labels=tuple(map(without_indices, tree.labels)),
        tokens=tuple(token._replace(tag=without_indices(token.tag)) for token in tree.tokens),
    )
