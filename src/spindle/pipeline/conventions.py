"""The conventions of a treebank: undone before training, and applied to every output.

- Traces are dropped for good.
- The wrapper that most trees have (`ROOT`, an empty label, …) is removed and put back.
- Functions (`NP-SBJ`, or edge labels) are separated from labels; the settings record whether the treebank
  writes them inside labels, so that predicted functions are written in the same way.
- Punctuation attached at the root interrupts every constituent around it. It is moved into the tree for
  training and raised again on output. A treebank attaches nearly all punctuation at the root, or none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

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
    """The treatment of punctuation."""

    LEAVE = "leave"
    """Leave it where the treebank has it."""
    MOVE = "move"
    """Move it into the tree, for training and in parsed trees."""
    RESTORE = "restore"
    """Move it into the tree for training and raise it to the root in parsed trees."""


@dataclass(frozen=True)
class Conventions:
    """How the trees of a treebank differ from the bare trees that a parser learns.

    `punctuation_root` is the label of the root that punctuation is attached to, if it is attached at the
    root.
    """

    wrapper: str | None = None
    punctuation: Punctuation = Punctuation.LEAVE
    punctuation_root: str = "VROOT"
    functions_in_labels: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The conventions for JSON; `from_dict` is the inverse."""
        return {**asdict(self), "punctuation": str(self.punctuation)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The conventions that `to_dict` wrote."""
        return cls(**{**values, "punctuation": Punctuation(values["punctuation"])})

    def prepare(self, tree: Tree) -> Tree:
        """Return the bare tree, functions in their own column; a `TreebankError` if it has only traces.

        `restore` is the inverse, except for traces, co-indices and trees that break the conventions.
        """
        tree = _without_empties(tree)
        if self.punctuation is not Punctuation.LEAVE:
            tree = move_punctuation(tree)
        return _functions_apart(collapse_wrapper(tree))

    def restore(self, tree: Tree) -> Tree:
        """Return a bare tree as the treebank would write it."""
        if self.functions_in_labels and any(tree.functions):
            tree = _functions_inside(tree)
        if self.punctuation is Punctuation.RESTORE and any(map(is_punctuation, tree.tokens)):
            if not tree.labels or tree.labels[0] != self.punctuation_root:
                tree = tree.under(self.punctuation_root)
            tree = raise_punctuation(tree)
        return self.wrapped(tree)

    def wrapped(self, tree: Tree) -> Tree:
        """Return the tree with the wrapper of the treebank, if it has one."""
        if self.wrapper is None:
            return tree
        if tree.labels and tree.labels[0] in WRAPPER_LABELS:
            return set_wrapper(tree, self.wrapper)
        return tree.under(self.wrapper)

    def gold(self, tree: Tree) -> Tree:
        """Return a tree of the treebank in the form that `restore` produces, for scoring."""
        tree = _without_empties(tree)
        return move_punctuation(tree) if self.punctuation is Punctuation.MOVE else tree


def learn_conventions(trees: Iterable[Tree], punctuation: Punctuation | None = None) -> Conventions:
    """Infer the conventions of a treebank; `punctuation` overrides the inferred treatment."""
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
                # a clause may have its own full stop; only a wrapper counts as the root
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
    """The tree without traces and without the indices that refer to them."""
    tree = strip_traces(tree)
    names = " ".join([*tree.labels, *(token.tag for token in tree.tokens)])
    return strip_indices(tree) if _INDEX.search(names) else tree


def _functions_apart(tree: Tree) -> Tree:
    """Separate functions from phrase labels, but not from tags, where a hyphen often means something else."""
    if not any("-" in label or "=" in label for label in tree.labels):
        return tree
    return split_functions(tree).replace(tokens=tree.tokens)


def _functions_inside(tree: Tree) -> Tree:
    return merge_functions(tree).replace(tokens=tree.tokens)
