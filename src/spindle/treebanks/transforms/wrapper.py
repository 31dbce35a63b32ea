"""Strip or set the outermost wrapper: see `spindle.trees.wrapper`."""

from __future__ import annotations

from spindle.treebanks.transforms.draft import Draft
from spindle.trees import ROOT, Tree
from spindle.trees.wrapper import WRAPPER_LABELS


def collapse_wrapper(tree: Tree) -> Tree:
    """Drop an outermost node without meaning (`ROOT`, `TOP`, …) that has one child (lossy)

    Several such nodes above each other are all dropped. A wrapper with several children stays.
    """
    top = 0
    while top < len(tree.labels) and tree.labels[top] in WRAPPER_LABELS and len(tree.children[top]) == 1:
        top += 1  # the number of an only child is one more than that of its parent
    if top == 0:
        return tree
    draft = Draft(tree)
    for column in (draft.parents, draft.leaf_parents):
        column[:] = [ROOT if parent < top else parent for parent in column]
    return draft.build()


def set_wrapper(tree: Tree, label: str) -> Tree:
    """Give the tree exactly one wrapper of this label (lossy)

    An existing wrapper, with any number of children, gets the new label; a tree without one gets a new root.
    """
    tree = collapse_wrapper(tree)
    if tree.labels and tree.labels[0] in WRAPPER_LABELS:
        return tree.replace(labels=(label, *tree.labels[1:]))
    draft = Draft(tree)
    draft.add_root(label)
    return draft.build()
