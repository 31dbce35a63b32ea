"""The outermost wrapper: the `(ROOT …)` that a treebank puts around every tree."""

from __future__ import annotations

from spindle.trees.tree import Tree

WRAPPER_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})


def wrapper(tree: Tree) -> str | None:
    """The label of the tree's outermost wrapper; None if it has none.

    A wrapper that branches (VROOT over a clause and its full stop) says something about the sentence:
    it is a constituent like any other.
    """
    if tree.labels and tree.labels[0] in WRAPPER_LABELS and len(tree.children[0]) == 1:
        return tree.labels[0]
    return None
