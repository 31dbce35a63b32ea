"""The constituent tree (c-tree): immutable, possibly discontinuous, validated when it is built.

A tree is stored as flat columns instead of nested objects: the label and the parent of every node, and the
parent of every token. Discontinuity needs no special case (a yield is any set of tokens below a node), no
algorithm needs recursion (a long sentence may be hundreds of nodes deep), and moving a node changes one
number.

Nodes are numbered by their leftmost token, and top-down among nodes with the same one. So a parent comes
before its children, and equal trees have equal columns. Token positions start at 0.

    >>> from spindle.trees import Token, Tree
    >>> tokens = [Token("Es", "PPER"), Token("kam", "VVFIN"), Token("nichts", "PIAT"), Token("Neues", "NN")]
    >>> tree = Tree.build(tokens, labels=["S", "NP"], parents=[-1, 0], leaf_parents=[1, 0, 1, 1])
    >>> tree.root.label, tree.root.children[0].label, tree.root.children[0].positions
    ('S', 'NP', (0, 2, 3))
    >>> tree.is_continuous, tree.gap_degree
    (False, 1)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from spindle import _core
from spindle.errors import TreeError
from spindle.trees.nodes import ROOT as ROOT
from spindle.trees.nodes import Leaf, Node, gaps, shortened
from spindle.trees.token import Token
from spindle.trees.views import TreeViews

_form = attrgetter("form")


class SecondaryEdge(NamedTuple):
    """A second parent, as in TIGER: a label, the child's vertex and the parent's node number.

    A *vertex* numbers tokens and nodes together: token `i` is vertex `i`, node `j` is vertex
    `len(tree) + j`.
    """

    label: str
    child: int
    parent: int


MAX_MASK_BITS = 40_000_000_000
"""Yields as bit sets take up to this many bits, 5 GB: as many as for 200,000 words with a node each."""


@dataclass(frozen=True, repr=False)
class Tree(TreeViews):
    """A constituent tree. Use `Tree.build` unless the columns are in canonical order already.

    `text` is the text that the sentence comes from, and `offsets` the start and end of every token in it;
    `text` is None if it is not known.
    """

    tokens: tuple[Token, ...]
    labels: tuple[str, ...]
    parents: tuple[int, ...]
    leaf_parents: tuple[int, ...]
    functions: tuple[str, ...] = ()
    id: str = ""
    comments: tuple[str, ...] = ()
    secondary: tuple[SecondaryEdge, ...] = ()
    # Heads are derived, not annotated: two trees are equal whatever head rules were applied to them.
    heads: tuple[int, ...] | None = field(default=None, compare=False)
    # The same holds for the place of the sentence in a text, which no treebank format stores.
    text: str | None = field(default=None, compare=False)
    offsets: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.functions:
            object.__setattr__(self, "functions", ("",) * len(self.labels))
        try:
            _core.check_tree(self.parents, self.leaf_parents)
            if self.heads is not None:
                _core.check_heads(self.parents, self.leaf_parents, self.heads)
        except ValueError as error:
            raise TreeError(_named(self.id, str(error))) from None
        self._check_columns()

    @classmethod
    def build(
        cls,
        tokens: Sequence[Token],
        labels: Sequence[str],
        parents: Sequence[int],
        leaf_parents: Sequence[int],
        functions: Sequence[str] = (),
        id: str = "",
        comments: Sequence[str] = (),
        secondary: Sequence[SecondaryEdge] = (),
        heads: Sequence[int] | None = None,
        text: str | None = None,
        offsets: Sequence[tuple[int, int]] = (),
    ) -> Tree:
        """Build a tree from nodes in any order; the nodes are sorted into canonical order."""
        try:
            order, parents, leaf_parents = _core.arrange_tree(parents, leaf_parents)
        except ValueError as error:
            raise TreeError(_named(id, str(error))) from None
        for column, values in (("labels", labels), ("functions", functions), ("heads", heads)):
            if values is not None and len(values) != len(order) and (values or column == "labels"):
                raise TreeError(_named(id, f"length mismatch: {len(order)} nodes, {len(values)} {column}"))
        if secondary:
            _check_secondary(secondary, len(tokens), len(order), id)
            rank = {old: new for new, old in enumerate(order)}
            size = len(tokens)
            secondary = sorted(
                SecondaryEdge(label, child if child < size else size + rank[child - size], rank[parent])
                for label, child, parent in secondary
            )
        return cls(
            tuple(tokens),
            tuple(labels[node] for node in order),
            parents,
            leaf_parents,
            tuple(functions[node] for node in order) if functions else (),
            id,
            tuple(comments),
            tuple(secondary),
            tuple(heads[node] for node in order) if heads is not None else None,
            text,
            tuple(offsets),
        )

    @classmethod
    def trusted(
        cls,
        tokens: tuple[Token, ...],
        labels: tuple[str, ...],
        parents: tuple[int, ...],
        leaf_parents: tuple[int, ...],
    ) -> Tree:
        """Build a tree without checks, from columns that the core has just checked and sorted.

        This makes reading brackets considerably faster. `arranged` also checks strings.
        """
        return cls._unchecked(
            tokens=tokens,
            labels=labels,
            parents=parents,
            leaf_parents=leaf_parents,
            functions=("",) * len(labels),
            id="",
            comments=(),
            secondary=(),
            heads=None,
        )

    @classmethod
    def arranged(
        cls,
        tokens: tuple[Token, ...],
        labels: tuple[str, ...],
        parents: tuple[int, ...],
        leaf_parents: tuple[int, ...],
        functions: tuple[str, ...],
        id: str,
        comments: tuple[str, ...],
        secondary: tuple[SecondaryEdge, ...],
        heads: tuple[int, ...],
    ) -> Tree:
        """Build a tree from nodes and heads that the core has just sorted; only its strings are checked."""
        tree = cls._unchecked(
            tokens=tokens,
            labels=labels,
            parents=parents,
            leaf_parents=leaf_parents,
            functions=functions or ("",) * len(labels),
            id=id,
            comments=comments,
            secondary=secondary,
            heads=heads,
        )
        tree._check_columns()
        return tree

    @classmethod
    def _unchecked(cls, **columns: object) -> Tree:
        """Build a tree from all of its columns, without checks."""
        tree = object.__new__(cls)
        tree.__dict__.update(columns)
        return tree

    def under(self, label: str) -> Tree:
        """Return the tree with a new node on top; the new node has the head of the old top node.

        This is fast because all other numbers increase by one, so only the new label is checked.
        """
        _check_text(label, self.id)
        return self._unchecked(
            tokens=self.tokens,
            labels=(label, *self.labels),
            parents=(-1, *[parent + 1 for parent in self.parents]),
            leaf_parents=tuple([parent + 1 for parent in self.leaf_parents]),
            functions=("", *self.functions),
            id=self.id,
            comments=self.comments,
            secondary=tuple(
                [
                    SecondaryEdge(edge.label, edge.child + (edge.child >= len(self.tokens)), edge.parent + 1)
                    for edge in self.secondary
                ]
            ),
            heads=None if self.heads is None else (self.heads[0] if self.heads else 0, *self.heads),
            text=self.text,
            offsets=self.offsets,
        )

    def replace(self, **changes: object) -> Tree:
        """Return a copy with some columns changed; new columns must be in canonical order."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def with_heads(self, heads: tuple[int, ...]) -> Tree:
        """Return a copy with heads; faster than `replace` because only the heads are checked."""
        try:
            _core.check_heads(self.parents, self.leaf_parents, heads)
        except ValueError as error:
            raise TreeError(_named(self.id, str(error))) from None
        tree = object.__new__(type(self))
        tree.__dict__.update(self.__dict__, heads=heads)
        return tree

    def with_text(self, text: str, offsets: Sequence[tuple[int, int]]) -> Tree:
        """Return a copy with its text and the start and end of every token in it."""
        tree = object.__new__(type(self))
        tree.__dict__.update(self.__dict__, text=text, offsets=tuple(offsets))
        tree._check_offsets()
        return tree

    # ── views ────────────────────────────────────────────────────────────────────────────────────

    def __repr__(self) -> str:
        name = f" {self.id}:" if self.id else ""
        return f"<Tree{name} {shortened(self.root.text)}, {len(self)} tokens, {len(self.labels)} nodes>"

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    @property
    def root(self) -> Node | Leaf:
        """The topmost node, or the only token of a tree without nodes."""
        return Node(self, 0) if self.labels else Leaf(self, 0)

    def nodes(self) -> Iterator[Node]:
        """Iterate over all nodes, parents before children."""
        return (Node(self, number) for number in range(len(self.labels)))

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All tokens as views, in the order of the sentence."""
        return tuple([Leaf(self, position) for position in range(len(self))])

    def preorder(self) -> Iterator[Node | Leaf]:
        """Iterate over all nodes and leaves, parents before children."""
        return self.root.preorder()

    def postorder(self) -> Iterator[Node | Leaf]:
        """Iterate over all nodes and leaves, children before parents."""
        return self.root.postorder()

    def find(self, label: str) -> list[Node | Leaf]:
        """Return the constituents with this label and the tokens with this tag, in preorder."""
        return self.root.find(label)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every node as vertices, in the order of their leftmost tokens."""
        return _core.tree_children(self.parents, self.leaf_parents)

    def check_size_of_masks(self) -> None:
        """Raise a `TreeError` for a tree whose yields as bit sets do not fit into memory."""
        if len(self.tokens) * len(self.labels) > MAX_MASK_BITS:
            raise TreeError(
                f"a tree of {len(self.tokens):,} words and {len(self.labels):,} nodes is too large for this: "
                f"their product may be {MAX_MASK_BITS:,} at most"
            )

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The yield of every node as a bit set: bit `i` is set if token `i` is below the node."""
        self.check_size_of_masks()
        masks = [0] * len(self.labels)
        for position, parent in enumerate(self.leaf_parents):
            if parent != ROOT:
                masks[parent] |= 1 << position
        for node in range(len(masks) - 1, 0, -1):
            masks[self.parents[node]] |= masks[node]
        return tuple(masks)

    @cached_property
    def is_continuous(self) -> bool:
        """Whether no yield has a gap."""
        return not any(map(gaps, self.masks))

    @property
    def gap_degree(self) -> int:
        """The largest number of gaps in the yield of any node; 0 for a continuous tree."""
        return max(map(gaps, self.masks), default=0)

    @property
    def fan_out(self) -> int:
        """The largest number of contiguous spans in the yield of any node: the gap degree plus one."""
        return self.gap_degree + 1

    def strings(self) -> Iterator[str]:
        """Iterate over all strings of the tree."""
        return chain(
            chain.from_iterable(self.tokens),
            self.labels,
            self.functions,
            self.comments,
            (self.id,),
            (edge.label for edge in self.secondary),
        )

    # ── checks ───────────────────────────────────────────────────────────────────────────────────

    def _check_columns(self) -> None:
        if len(self.tokens) != len(self.leaf_parents):
            counts = f"{len(self.tokens)} tokens, {len(self.leaf_parents)} leaf parents"
            raise TreeError(_named(self.id, f"length mismatch: {counts}"))
        if not len(self.labels) == len(self.parents) == len(self.functions):
            counts = (
                f"{len(self.labels)} labels, {len(self.parents)} parents, {len(self.functions)} functions"
            )
            raise TreeError(_named(self.id, f"length mismatch: {counts}"))
        if not all(map(_form, self.tokens)):
            empty = next(position for position, token in enumerate(self.tokens, start=1) if not token.form)
            raise TreeError(_named(self.id, f"token {empty} has no form"))
        if self.secondary:
            _check_secondary(self.secondary, len(self.tokens), len(self.labels), self.id)
        _check_text("".join(self.strings()), self.id)
        self._check_offsets()

    def _check_offsets(self) -> None:
        if self.text is None:
            if self.offsets:
                raise TreeError(_named(self.id, "offsets need the text that they refer to"))
            return
        if len(self.offsets) != len(self.tokens):
            counts = f"{len(self.tokens)} tokens, {len(self.offsets)} offsets"
            raise TreeError(_named(self.id, f"length mismatch: {counts}"))
        for token, (start, end) in enumerate(self.offsets, start=1):
            if not 0 <= start <= end <= len(self.text):
                place = f"{start} to {end} of {len(self.text)} characters"
                raise TreeError(_named(self.id, f"token {token} is outside the text ({place})"))


def _named(id: str, message: str) -> str:
    return f"sentence {id}: {message}" if id else message


def _check_text(text: str, id: str) -> None:
    if "\n" in text or "\t" in text or "\r" in text:
        raise TreeError(
            _named(id, "a string contains a tab or a line break, which treebank files cannot represent")
        )


def _check_secondary(edges: Sequence[SecondaryEdge], words: int, nodes: int, id: str) -> None:
    for label, child, parent in edges:
        if not (0 <= child < words + nodes and 0 <= parent < nodes):
            raise TreeError(_named(id, f"secondary edge {label!r} refers to a missing vertex"))
