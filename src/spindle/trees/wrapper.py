"""The outermost wrapper: the `(ROOT …)` around every tree of some treebanks."""

from __future__ import annotations

from spindle.trees.tree import Tree

WRAPPER_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})


def wrapper(tree: Tree) -> str | None:
    """Return the label of the outermost wrapper; None if the tree has none.

    A top node with several children (VROOT over a clause and its full stop) carries information about the
    sentence. It is a constituent like any other, not a wrapper.
    """
    if tree.labels and tree.labels[0] in WRAPPER_LABELS and len(tree.children[0]) == 1:
        return tree.labels[0]
    return None
