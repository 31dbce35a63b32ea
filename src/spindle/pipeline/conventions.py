"""How a treebank writes its trees: undone before anything is learned from them, and done to every output.

- Traces are dropped for good.
- The outermost wrapper (`ROOT`, an empty label, …) that most trees have is taken off and put back.
- Functions (`NP-SBJ`, or edge labels) are taken out of labels; whether they were inside is remembered, to
  be written in the same way where they are predicted.
- Punctuation that hangs at the root, where it breaks every constituent around it, is moved into the tree
  and raised again. Treebanks do it or they do not: among seven, in two it is 99.6 % and more of all marks,
  in the other five not a single one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from spindle.treebanks.transforms import (
    collapse_wrapper,
    merge_functions,
    move_punctuation,
    raise_punctuation,
    set_wrapper,
    split_functions,
    strip_indices,
    strip_traces,
)
from spindle.trees import Tree
from spindle.trees.punctuation import is_punctuation
from spindle.trees.wrapper import WRAPPER_LABELS

_INDEX = re.compile("[-=][0-9]")


class Punctuation(StrEnum):
    """What is done with punctuation."""

    LEAVE = "leave"
    """It stays where the treebank has it."""
    MOVE = "move"
    """It is moved into the tree, and is inside in what is parsed."""
    RESTORE = "restore"
    """It is moved into the tree for training, and raised to the root in what is parsed."""


@dataclass(frozen=True)
class Conventions:
    """What distinguishes a treebank's trees from the bare ones that a parser learns.

    `punctuation_root` is the label of the root that punctuation hangs under, where it hangs at the root.
    """

    wrapper: str | None = None
    punctuation: Punctuation = Punctuation.LEAVE
    punctuation_root: str = "VROOT"
    functions_in_labels: bool = False

    def prepare(self, tree: Tree) -> Tree:
        """The bare tree, its functions in their own column; a TreebankError if it has nothing but traces.

        But for traces, co-indices and where it was not as the treebank's trees are, `restore` undoes it.
        """
        tree = _without_empties(tree)
        if self.punctuation is not Punctuation.LEAVE:
            tree = move_punctuation(tree)
        return _functions_apart(collapse_wrapper(tree))

    def restore(self, tree: Tree) -> Tree:
        """A bare tree as the treebank would have it."""
        if self.functions_in_labels and any(tree.functions):
            tree = _functions_inside(tree)
        if self.punctuation is Punctuation.RESTORE and any(map(is_punctuation, tree.tokens)):
            if not tree.labels or tree.labels[0] != self.punctuation_root:
                tree = tree.under(self.punctuation_root)
            tree = raise_punctuation(tree)
        return tree if self.wrapper is None else _wrapped(tree, self.wrapper)

    def gold(self, tree: Tree) -> Tree:
        """A treebank's own tree in the way that `restore` would give it: what output is compared with."""
        tree = _without_empties(tree)
        return move_punctuation(tree) if self.punctuation is Punctuation.MOVE else tree


def learn_conventions(trees: Iterable[Tree], punctuation: Punctuation | None = None) -> Conventions:
    """The conventions of a treebank; what to do with punctuation is seen from it unless it is given."""
    wrappers: Counter[str | None] = Counter()
    roots: Counter[str] = Counter()
    marks = in_labels = on_edges = 0
    for tree in trees:
        top = tree.labels[0] if tree.labels else None
        if top is None or top not in WRAPPER_LABELS:
            wrappers[None] += 1
        elif len(tree.children[0]) == 1:
            wrappers[top] += 1
        for token, parent in zip(tree.tokens, tree.leaf_parents, strict=True):
            if is_punctuation(token):
                marks += 1
                # a clause may have its own full stop; only a node that means nothing is "the root"
                if parent == 0 and top is not None and top in WRAPPER_LABELS:
                    roots[top] += 1
        on_edges += any(tree.functions)
        in_labels += any("-" in label[1:] for label in tree.labels)
    hangs_at_root = roots.total() * 2 > marks
    if punctuation is None:
        punctuation = Punctuation.RESTORE if hangs_at_root else Punctuation.LEAVE
    return Conventions(
        wrapper=wrappers.most_common(1)[0][0] if wrappers else None,
        punctuation=punctuation,
        punctuation_root=roots.most_common(1)[0][0] if hangs_at_root else "VROOT",
        functions_in_labels=in_labels > on_edges,
    )


def _without_empties(tree: Tree) -> Tree:
    """Neither traces nor the indices that lead to them."""
    tree = strip_traces(tree)
    names = " ".join([*tree.labels, *(token.tag for token in tree.tokens)])
    return strip_indices(tree) if _INDEX.search(names) else tree


def _functions_apart(tree: Tree) -> Tree:
    """Functions out of phrase labels; tags keep theirs, for in many tag sets a hyphen means another thing."""
    if not any("-" in label or "=" in label for label in tree.labels):
        return tree
    return split_functions(tree).replace(tokens=tree.tokens)


def _functions_inside(tree: Tree) -> Tree:
    return merge_functions(tree).replace(tokens=tree.tokens)


def _wrapped(tree: Tree, label: str) -> Tree:
    if tree.labels and tree.labels[0] in WRAPPER_LABELS:
        return set_wrapper(tree, label)
    return tree.under(label)
