"""Sentences that are too long for a parser, cut into pieces and joined again."""

from __future__ import annotations

from collections.abc import Sequence

from spindle.trees import ROOT, Token, Tree
from spindle.trees.punctuation import looks_like_punctuation
from spindle.trees.wrapper import WRAPPER_LABELS

JOINT = "VROOT"
"""The label above the pieces, where the treebank has no wrapper of its own."""


def cut(tokens: Sequence[Token], longest: int) -> list[tuple[Token, ...]]:
    """Pieces of at most so many tokens. They end after punctuation if there is some in their last third."""
    pieces: list[tuple[Token, ...]] = []
    start = 0
    while len(tokens) - start > longest:
        end = start + longest
        marks = range(end, start + longest - longest // 3, -1)
        end = next((at for at in marks if looks_like_punctuation(tokens[at - 1].form)), end)
        pieces.append(tuple(tokens[start:end]))
        start = end
    pieces.append(tuple(tokens[start:]))
    return pieces


def join(trees: Sequence[Tree], wrapper: str | None) -> Tree:
    """One tree over the trees of the pieces, under one root; their own wrappers go."""
    if len(trees) == 1:
        return trees[0]
    labels, functions, parents = [JOINT if wrapper is None else wrapper], [""], [ROOT]
    tokens: list[Token] = []
    leaf_parents: list[int] = []
    for tree in trees:
        has_root = bool(tree.labels) and tree.labels[0] in WRAPPER_LABELS
        shift = len(labels) - has_root

        def place(parent: int, has_root: bool = has_root, shift: int = shift) -> int:
            return 0 if parent == ROOT or (parent == 0 and has_root) else parent + shift

        first = 1 if has_root else 0
        parents += [place(parent) for parent in tree.parents[first:]]
        leaf_parents += [place(parent) for parent in tree.leaf_parents]
        labels += tree.labels[first:]
        functions += tree.functions[first:]
        tokens += tree.tokens
    return Tree.build(tokens, labels, parents, leaf_parents, functions)
