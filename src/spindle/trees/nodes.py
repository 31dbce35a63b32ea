"""Views of one vertex of a tree: `Node` for a constituent, `Leaf` for a token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spindle.trees.token import Token

if TYPE_CHECKING:
    from spindle.trees.tree import Tree

ROOT = -1
"""The parent of the topmost node, and of the only token of a tree without nodes."""

_MAX_SHOWN = 40
"""The number of characters of a text that a `repr` shows."""


def gaps(mask: int) -> int:
    """Return the number of gaps of a yield: the number of runs of set bits, minus one.

    >>> gaps(0b0111), gaps(0b10111), gaps(0b1010101)
    (0, 1, 3)
    """
    return (mask & ~(mask << 1)).bit_count() - 1


def shortened(text: str) -> str:
    """Return a quoted text for a `repr`, cut off if it is long.

    >>> print(shortened("word " * 20))
    'word word word word word word word word…'
    """
    return repr(text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…")


class _Vertex:
    """What nodes and leaves have in common: their place in the sentence, and the vertices below them."""

    __slots__ = ()

    if TYPE_CHECKING:
        tree: Tree

        @property
        def label(self) -> str: ...
        @property
        def positions(self) -> tuple[int, ...]: ...
        @property
        def children(self) -> tuple[Node | Leaf, ...]: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label} {shortened(self.text)}>"

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The contiguous parts of the yield, as token positions: first, and one past the last."""
        positions = self.positions
        starts = [at for at in positions if at == positions[0] or at - 1 not in positions]
        ends = [at + 1 for at in positions if at == positions[-1] or at + 1 not in positions]
        return tuple(zip(starts, ends, strict=True))

    @property
    def span(self) -> tuple[int, int]:
        """The first token and one past the last one; gaps are inside the span (`spans` leaves them out)."""
        positions = self.positions
        return positions[0], positions[-1] + 1

    @property
    def text(self) -> str:
        """The part of the text that the tokens cover, or the words with blanks if the text is not known.

        The parts of a discontinuous constituent are joined with a blank.
        """
        tree = self.tree
        if tree.text is None:
            return " ".join([tree.tokens[position].form for position in self.positions])
        parts = [(tree.offsets[start][0], tree.offsets[end - 1][1]) for start, end in self.spans]
        return " ".join([tree.text[start:end] for start, end in parts])

    @property
    def start_char(self) -> int | None:
        """The offset of the first character in `tree.text`; None if the text is not known."""
        return None if self.tree.text is None else self.tree.offsets[self.positions[0]][0]

    @property
    def end_char(self) -> int | None:
        """The offset after the last character in `tree.text`; None if the text is not known."""
        return None if self.tree.text is None else self.tree.offsets[self.positions[-1]][1]

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The tokens below, in the order of the sentence; a leaf has itself."""
        return tuple([Leaf(self.tree, position) for position in self.positions])

    def preorder(self) -> Iterator[Node | Leaf]:
        """Iterate over this vertex and all below it, parents before children."""
        waiting: list[Node | Leaf] = [self]  # type: ignore[list-item]
        while waiting:
            vertex = waiting.pop()
            yield vertex
            waiting.extend(reversed(vertex.children))

    def postorder(self) -> Iterator[Node | Leaf]:
        """Iterate over all vertices below this one and then itself, children before parents."""
        waiting: list[tuple[Node | Leaf, bool]] = [(self, False)]  # type: ignore[list-item]
        while waiting:
            vertex, is_done = waiting.pop()
            if is_done or not vertex.children:
                yield vertex
            else:
                waiting.append((vertex, True))
                waiting.extend((child, False) for child in reversed(vertex.children))

    def find(self, label: str) -> list[Node | Leaf]:
        """Return the constituents with this label and the tokens with this tag, in preorder."""
        return [vertex for vertex in self.preorder() if vertex.label == label]


@dataclass(frozen=True, slots=True, repr=False)
class Node(_Vertex):
    """One constituent, as a view into its tree."""

    tree: Tree
    number: int

    def __str__(self) -> str:
        """Return the constituent in brackets, as `print(tree)` writes a tree."""
        return str(self.to_tree())

    @property
    def label(self) -> str:
        """The phrase symbol."""
        return self.tree.labels[self.number]

    @property
    def function(self) -> str:
        """The label of the edge to the parent."""
        return self.tree.functions[self.number]

    @property
    def parent(self) -> Node | None:
        """The parent node; None at the top."""
        parent = self.tree.parents[self.number]
        return None if parent == ROOT else Node(self.tree, parent)

    @property
    def children(self) -> tuple[Node | Leaf, ...]:
        """The nodes and leaves directly below, by leftmost token."""
        size = len(self.tree)
        return tuple(
            Leaf(self.tree, vertex) if vertex < size else Node(self.tree, vertex - size)
            for vertex in self.tree.children[self.number]
        )

    @property
    def positions(self) -> tuple[int, ...]:
        """The yield: the positions of all tokens below."""
        mask = self.tree.masks[self.number]
        return tuple(position for position in range(mask.bit_length()) if mask >> position & 1)

    @property
    def gap_degree(self) -> int:
        """The number of gaps in the yield."""
        return gaps(self.tree.masks[self.number])

    @property
    def fan_out(self) -> int:
        """The number of contiguous spans in the yield."""
        return self.gap_degree + 1

    @property
    def is_continuous(self) -> bool:
        """Whether the yield has no gap."""
        return self.gap_degree == 0

    @property
    def head(self) -> int | None:
        """The position of the lexical head; None if the tree has no heads."""
        return None if self.tree.heads is None else self.tree.heads[self.number]

    def to_tree(self) -> Tree:
        """Return the constituent as a tree of its own: its words are counted anew from 0, gaps disappear."""
        tree = self.tree
        positions = self.positions
        token_ranks = {position: rank for rank, position in enumerate(positions)}
        numbers = [vertex.number for vertex in self.preorder() if isinstance(vertex, Node)]
        node_ranks = {number: rank for rank, number in enumerate(numbers)}
        return type(tree).build(
            [tree.tokens[position] for position in positions],
            [tree.labels[number] for number in numbers],
            [ROOT, *(node_ranks[tree.parents[number]] for number in numbers[1:])],
            [node_ranks[tree.leaf_parents[position]] for position in positions],
            [tree.functions[number] for number in numbers],
            heads=None if tree.heads is None else [token_ranks[tree.heads[number]] for number in numbers],
            text=tree.text,
            offsets=[] if tree.text is None else [tree.offsets[position] for position in positions],
        )


@dataclass(frozen=True, slots=True, repr=False)
class Leaf(_Vertex):
    """One token in its tree: its pre-terminal and its word together."""

    tree: Tree
    position: int

    def __str__(self) -> str:
        return self.text

    @property
    def token(self) -> Token:
        """The word and its annotation."""
        return self.tree.tokens[self.position]

    @property
    def label(self) -> str:
        """The part-of-speech tag."""
        return self.token.tag

    @property
    def function(self) -> str:
        """The label of the edge to the parent."""
        return self.token.function

    @property
    def parent(self) -> Node | None:
        """The parent node; None in a tree of one bare token."""
        parent = self.tree.leaf_parents[self.position]
        return None if parent == ROOT else Node(self.tree, parent)

    @property
    def children(self) -> tuple[Node | Leaf, ...]:
        """Always empty: a leaf has no children."""
        return ()

    @property
    def positions(self) -> tuple[int, ...]:
        """The position of this token, as a tuple."""
        return (self.position,)

    @property
    def head(self) -> int:
        """The position of this token: a word is its own head."""
        return self.position
