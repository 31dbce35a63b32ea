"""Conversion to NLTK trees and back. NLTK is an optional dependency, imported when it is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from spindle.errors import SpindleError, TreeError, WrongType
from spindle.trees.nodes import ROOT
from spindle.trees.token import Token

if TYPE_CHECKING:
    from spindle.trees.tree import Tree


Leaves = Literal["words", "indexed", "positions"]
"""What the leaves of an `nltk.Tree` are: `word`, `0=word`, or `0`."""
_LEAVES = get_args(Leaves)
_INDEXED = re.compile("([0-9]+)=(.*)", re.DOTALL)


def to_nltk(tree: Tree, leaves: Leaves | None = None) -> Any:
    """Return an `nltk.Tree` with pre-terminals over leaves; `from_nltk` is the inverse.

    The leaves of an NLTK tree are in reading order, so the words of a discontinuous tree would form another
    sentence. Its leaves are therefore words with their positions, counted from 0, as in discbracket files:
    `0=word`. Those of a continuous tree are its words. `leaves` chooses one of them for all trees, or
    `"positions"`: numbers, as in the trees of disco-dop.
    """
    try:
        from nltk.tree import Tree as NltkTree
    except ImportError:
        hint = "install it with `pip install 'spindle-parser[nltk]'`"
        raise SpindleError("NLTK is not installed", hint=hint) from None
    forms = [token.form for token in tree.tokens]
    if leaves is None:
        # words that look like indexed words would be read as such
        leaves = "words" if tree.is_continuous and not _are_indexed(forms) else "indexed"
    elif leaves not in _LEAVES:
        raise SpindleError(f"leaves cannot be {leaves!r}", hint=f"choose one of {', '.join(_LEAVES)}")
    shown: Sequence[Any] = forms
    if leaves == "positions":
        shown = range(len(forms))
    elif leaves == "indexed":
        shown = [f"{at}={form}" for at, form in enumerate(forms)]
    vertices: list[Any] = [
        NltkTree(token.tag, [leaf]) for token, leaf in zip(tree.tokens, shown, strict=True)
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
    of word and tag, as in the trees of NLTK's chunkers, or a word without a tag. If all leaves are words with
    positions, as in `0=word`, or all are positions, they say the order of the words. Positions alone need the
    `words` of the sentence.
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
    forms = [leaf for leaf, _, _ in leaves]
    if leaves and all(isinstance(leaf, int) for leaf in forms):
        leaves = _with_words(leaves, words)
    elif not all(isinstance(leaf, str) for leaf in forms):
        raise TreeError("the leaves of the nltk.Tree are neither words nor positions of words")
    elif _are_indexed(forms):
        split = [leaf.split("=", 1) for leaf in forms]
        numbered = [(int(at), tag, parent) for (at, _), (_, tag, parent) in zip(split, leaves, strict=True)]
        leaves = _with_words(numbered, [form for _, form in sorted((int(at), form) for at, form in split)])
    tokens = [Token(form, tag) for form, tag, _ in leaves]
    return Tree.build(tokens, labels, parents, [parent for _, _, parent in leaves])


def _are_indexed(leaves: Sequence[str]) -> bool:
    """Return whether all leaves are words with positions, and each position from 0 is there once."""
    found = [_INDEXED.fullmatch(leaf) for leaf in leaves]
    return all(found) and sorted(int(one[1]) for one in found if one) == list(range(len(leaves)))


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
