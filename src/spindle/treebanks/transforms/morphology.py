"""Morphological features and lemmas."""

from __future__ import annotations

from spindle.trees import Tree


def strip_morphology(tree: Tree) -> Tree:
    """Drop morphological features and lemmas (lossy)"""
    return tree.replace(tokens=tuple(token._replace(lemma="", morph="") for token in tree.tokens))
