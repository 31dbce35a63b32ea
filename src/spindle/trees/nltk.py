"""Conversion to NLTK trees. NLTK is an optional dependency, imported when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.errors import SpindleError

if TYPE_CHECKING:
    from spindle.trees.tree import Tree


def to_nltk(tree: Tree) -> Any:
    """Return an `nltk.Tree` with pre-terminals over words, or over positions if the tree is discontinuous.

    The leaves of an NLTK tree are in reading order, so the words of a discontinuous tree would form another
    sentence. Its leaves are therefore the positions of the words, counted from 0, as in discbracket files.
    """
    try:
        from nltk.tree import Tree as NltkTree  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise SpindleError("NLTK is not installed; install it with `pip install nltk`") from None
    is_continuous = tree.is_continuous
    vertices: list[Any] = [
        NltkTree(token.tag, [token.form if is_continuous else position])
        for position, token in enumerate(tree.tokens)
    ]
    size = len(vertices)
    vertices += [None] * len(tree.labels)
    for node in reversed(range(len(tree.labels))):  # children come after parents
        children = [vertices[child] for child in tree.children[node]]
        vertices[size + node] = NltkTree(tree.labels[node], children)
    return vertices[size] if tree.labels else vertices[0]
