"""Trees for NLTK, which is imported only here and only when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.errors import SpindleError

if TYPE_CHECKING:
    from spindle.trees.tree import Tree


def to_nltk(tree: Tree) -> Any:
    """An `nltk.Tree` with pre-terminals over words, or over positions if the tree is discontinuous.

    NLTK's trees have their leaves from left to right, so a discontinuous one would read as another
    sentence. Its leaves are therefore the positions of the words, counted from 0, as in discontinuous
    brackets; sorted, they are the sentence.
    """
    try:
        from nltk.tree import Tree as NltkTree  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise SpindleError("NLTK is not installed; `pip install nltk` gets it") from None
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
