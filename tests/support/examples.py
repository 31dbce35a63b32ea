"""Builds training examples from tokens, heads and encoded labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spindle.parsers import Example
from spindle.reduction import Encoding, Place, read_labels, repair
from spindle.trees import Token


def example(
    tokens: Sequence[Token],
    heads: Sequence[int],
    labels: Sequence[str],
    *,
    encoding: Encoding = Encoding.DIRECT,
    chains: Mapping[Place, tuple[str, ...]] | None = None,
    treebank: int = 0,
    weight: float = 1.0,
) -> Example:
    """Return an example with these heads, which must form a tree, and exactly these labels.

    The d-tree has the symbols and events that the labels encode, repaired if they are not ordered.
    """
    read = read_labels(heads, labels, encoding)
    dtree, repairs = repair(tokens, heads, read.symbols, read.indices)
    if "heads" in repairs or dtree.heads != tuple(heads):
        raise ValueError(f"the heads do not form a tree: {list(heads)}")
    return Example(dtree, tuple(labels), chains or {}, treebank, weight)


def words(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text such as `the/D cat/N`."""
    return tuple(Token(*word.rsplit("/", 1)) for word in text.split())
