"""What a search finds: trees with matches, matches, and their vertices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Literal

from spindle.trees import DTree, Leaf, Node, Tree

Kind = Literal["node", "tag", "word"]


@dataclass(frozen=True, repr=False)
class Vertex:
    """A vertex that a pattern matched: a node, a tag, or a word below its tag; in a d-tree always a word."""

    tree: Tree | DTree
    code: int
    """Word `w` with its tag is `w`, node `n` is `len(tree) + n`, and the word below a tag is `-1 - w`."""

    def __repr__(self) -> str:
        return f"<Vertex {self.label} {' '.join(self.words)!r}>"

    @property
    def kind(self) -> Kind:
        """`node`, `tag` or `word`."""
        if self.code < 0 or isinstance(self.tree, DTree):
            return "word"
        return "tag" if self.code < len(self.tree) else "node"

    @property
    def number(self) -> int:
        """The number of the node, or the position of the word."""
        if self.code < 0:
            return -1 - self.code
        return self.code if self.code < len(self.tree) else self.code - len(self.tree)

    @property
    def label(self) -> str:
        """The label of a node, the tag of a tag, the form of a word."""
        if isinstance(self.tree, Tree) and self.kind == "node":
            return self.tree.labels[self.number]
        token = self.tree.tokens[self.number]
        return token.tag if self.kind == "tag" else token.form

    @property
    def view(self) -> Node | Leaf | None:
        """The vertex as a view into its tree; None in a d-tree."""
        if isinstance(self.tree, DTree):
            return None
        return Node(self.tree, self.number) if self.kind == "node" else Leaf(self.tree, self.number)

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the words below; in a d-tree the position of the word."""
        view = self.view
        return (self.number,) if view is None else view.positions

    @property
    def words(self) -> tuple[str, ...]:
        """The words below, in the order of the sentence."""
        return tuple(self.tree.tokens[position].form for position in self.positions)

    def to_dict(self) -> dict[str, Any]:
        """Return the vertex for JSON; positions count from 0."""
        return {
            "kind": self.kind,
            "label": self.label,
            "positions": list(self.positions),
            "text": " ".join(self.words),
        }


@dataclass(frozen=True)
class Match:
    """A vertex that matches the pattern; `names` has the vertices that every name stands for."""

    vertex: Vertex
    names: Mapping[str, tuple[Vertex, ...]]

    @property
    def tree(self) -> Tree | DTree:
        """The tree of the vertex."""
        return self.vertex.tree


@dataclass(frozen=True, init=False)
class TreeMatches:
    """A tree with at least one match; `number` counts the trees of its file from 1."""

    number: int
    codes: tuple[int, ...]
    """The matching vertices in preorder, as `Vertex.code`."""
    names: tuple[str, ...]
    named: list[list[list[int]]] | None
    """Of every match, the vertices of every name; None if names were not collected."""
    make_tree: Callable[[], Tree | DTree]

    def __init__(
        self,
        number: int,
        codes: tuple[int, ...],
        names: tuple[str, ...],
        named: list[list[list[int]]] | None,
        make_tree: Callable[[], Tree | DTree],
    ) -> None:
        # A search may find every tree of a treebank, and the method that dataclasses make is slow.
        self.__dict__.update(number=number, codes=codes, names=names, named=named, make_tree=make_tree)

    @cached_property
    def tree(self) -> Tree | DTree:
        """The tree; it may be built when it is first asked for."""
        return self.make_tree()

    @property
    def id(self) -> str:
        """The id of the sentence, or else its number."""
        return self.tree.id or str(self.number)

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """All matches in preorder."""
        tree = self.tree
        named: Iterable[list[list[int]]] = self.named or repeat([])
        return tuple(
            [
                Match(
                    Vertex(tree, code),
                    {
                        name: tuple([Vertex(tree, one) for one in codes])
                        for name, codes in zip(self.names, of_names, strict=False)
                        if codes
                    },
                )
                for code, of_names in zip(self.codes, named, strict=False)
            ]
        )
