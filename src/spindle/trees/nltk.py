"""Conversion to NLTK trees and back. NLTK is an optional dependency, imported when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spindle.errors import SpindleError, TreeError, WrongType
from spindle.trees.nodes import ROOT
from spindle.trees.token import Token

if TYPE_CHECKING:
    from spindle.trees.tree import Tree


def to_nltk(tree: Tree) -> Any:
    """Return an `nltk.Tree` with pre-terminals over words, or over positions if the tree is discontinuous.

    The leaves of an NLTK tree are in reading order, so the words of a discontinuous tree would form another
    sentence. Its leaves are therefore the positions of the words, counted from 0, as in discbracket files.
    """
    try:
        from nltk.tree import Tree as NltkTree
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


def from_nltk(tree: Any, words: Sequence[str] | None = None) -> Tree:
    """Return the tree of an `nltk.Tree`; the inverse of `to_nltk`.

    A node over one leaf is the tag of that word, as in the trees of NLTK's readers. A leaf may also be a pair
    of word and tag, as in the trees of NLTK's chunkers, or a word without a tag. Leaves that are positions
    need the `words` of the sentence.
    """
    from spindle.trees.tree import Tree

    if not _is_nltk(tree):
        raise WrongType(f"an nltk.Tree is expected, not {type(tree).__name__}")
    labels: list[str] = []
    parents: list[int] = []
    leaves: list[tuple[Any, str, int]] = []  # the leaf, its tag, its parent
    waiting = [(tree, ROOT)]
    while waiting:
        vertex, parent = waiting.pop()
        if not _is_nltk(vertex):
            leaves.append((*vertex, parent) if isinstance(vertex, tuple) else (vertex, "", parent))
        elif len(vertex) == 1 and not _is_nltk(vertex[0]) and not isinstance(vertex[0], tuple):
            leaves.append((vertex[0], vertex.label(), parent))
        else:
            waiting += [(child, len(labels)) for child in reversed(vertex)]
            labels.append(vertex.label())
            parents.append(parent)
    if leaves and all(isinstance(leaf, int) for leaf, _, _ in leaves):
        leaves = _with_words(leaves, words)
    if not all(isinstance(leaf, str) for leaf, _, _ in leaves):
        raise TreeError("the leaves of the nltk.Tree are neither words nor positions of words")
    tokens = [Token(form, tag) for form, tag, _ in leaves]
    return Tree.build(tokens, labels, parents, [parent for _, _, parent in leaves])


def _with_words(
    leaves: Sequence[tuple[Any, str, int]], words: Sequence[str] | None
) -> list[tuple[Any, str, int]]:
    """Replace positions by the words at them, and sort the leaves by position."""
    if words is None:
        raise TreeError("the leaves of the nltk.Tree are positions", hint="give the words of the sentence")
    if sorted(leaf for leaf, _, _ in leaves) != list(range(len(words))):
        raise TreeError(f"the positions in the nltk.Tree are not those of {len(words)} words")
    return [(words[at], tag, parent) for at, tag, parent in sorted(leaves, key=lambda leaf: leaf[0])]


def _is_nltk(vertex: Any) -> bool:
    return isinstance(vertex, list) and callable(getattr(vertex, "label", None))
