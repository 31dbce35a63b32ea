"""Sentences that are too long for a parser: cut into pieces, and the trees of the pieces joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spindle.pipeline.sentence import Sentence
from spindle.trees import ROOT, Token, Tree
from spindle.trees.punctuation import looks_like_punctuation
from spindle.trees.wrapper import WRAPPER_LABELS

JOINT = "VROOT"
"""The label above the pieces where the treebank has no wrapper of its own."""


def cut(sentence: Sentence, longest: int) -> list[Sentence]:
    """Pieces of at most `longest` tokens; no piece for a sentence without words.

    A piece ends after punctuation if there is some in its last third. A sentence that is short enough is its
    own only piece.
    """
    tokens = sentence.tokens
    if len(tokens) <= longest:
        return [sentence] if tokens else []
    pieces: list[Sentence] = []
    start = 0
    while start < len(tokens):
        end = start + longest
        if end < len(tokens):
            marks = range(end, end - longest // 3, -1)
            end = next((at for at in marks if looks_like_punctuation(tokens[at - 1].form)), end)
        pieces.append(replace(sentence, tokens=tokens[start:end], text="", spans=()))
        start = end
    return pieces


def join(trees: Sequence[Tree], wrapper: str | None) -> Tree:
    """One tree over the trees of the pieces, under one root that replaces their wrappers.

    The head of the root is that of the first piece.
    """
    labels, functions, parents = [JOINT if wrapper is None else wrapper], [""], [ROOT]
    tokens: list[Token] = []
    leaf_parents: list[int] = []
    heads: list[int] = []
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
        assert tree.heads is not None, "parsed trees have heads"
        if not heads:  # of the root; a piece of a single word has no node
            heads.append(tree.heads[0] if tree.heads else 0)
        heads += [len(tokens) + head for head in tree.heads[first:]]
        tokens += tree.tokens
    return Tree.build(tokens, labels, parents, leaf_parents, functions, heads=heads)
