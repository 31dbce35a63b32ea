"""Constituent trees to head-ordered d-trees and back: the paper's Algorithms 1 and 2.

    >>> from spindle.trees import Token, Tree
    >>> words = [Token("really", "RB"), Token("needs", "VBZ"), Token("caution", "NN")]
    >>> tree = Tree.build(words, ["VP", "VP"], [-1, 0], [0, 1, 1], heads=[1, 1])
    >>> reduced = encode(tree)
    >>> reduced.dtree.heads, reduced.dtree.symbols, reduced.dtree.events
    ((1, -1, 1), ('VP', '', 'VP'), (2, 0, 1))
    >>> decode(reduced) == tree
    True

The fast implementations are in the core. `encode_by_the_book` and `decode_by_the_book` are the readable
reference in Python; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle import _core
from spindle.errors import ReductionError
from spindle.trees import ROOT, DTree, SecondaryEdge, Tree
from spindle.trees.wrapper import WRAPPER_LABELS


class Place(NamedTuple):
    """A node of the unaryless tree: the node that an event of a word creates; event 0 is the word itself."""

    word: int
    event: int


class SpineNode(NamedTuple):
    """A word or a node: `above` is 0 for the place itself, and n for the n-th unary node above it."""

    word: int
    event: int = 0
    above: int = 0


class SecondaryLink(NamedTuple):
    """A secondary edge between spine nodes; vertex numbers would change with the tree."""

    label: str
    child: SpineNode
    parent: SpineNode


NOT_ORDERED = "the events of a head are not 1, 2, … with one symbol each"

Chain = tuple[str, ...]
"""The labels of a unary chain, top-down."""


@dataclass(frozen=True)
class Reduced:
    """A reduced tree: its head-ordered d-tree, and everything that a d-tree cannot represent.

    `chains` are the unary nodes, by the place below them. `functions` are the edge labels of the nodes at a
    place, top-down: those of its chain, then that of the node that the event creates.
    """

    dtree: DTree
    chains: Mapping[Place, Chain] = field(default_factory=dict)
    functions: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)
    wrapper: str | None = None
    secondary: tuple[SecondaryLink, ...] = ()


def encode(tree: Tree) -> Reduced:
    """Reduce a tree with heads to a d-tree. The inverse is `decode`."""
    heads, nodes, events, levels, unaries = _core.encode_tree(
        tree.parents, tree.leaf_parents, _heads_of(tree)
    )
    labels = tree.labels
    symbols = tuple([labels[node] if node >= 0 else "" for node in nodes])
    dtree = DTree(tree.tokens, heads, symbols, events, tree.id, tree.comments)
    return _split_off(tree, dtree, levels, unaries)


def decode(reduced: Reduced) -> Tree:
    """Rebuild the tree; the d-tree must be ordered, which `repair` ensures. The inverse is `encode`."""
    dtree, chains = reduced.dtree, _with_wrapper(reduced)
    if not dtree.is_ordered:
        raise _cannot_decode(dtree, NOT_ORDERED)
    try:
        parents, leaf_parents, heads, sources = _core.decode_tree(
            dtree.heads,
            dtree.events,
            [place.word for place in chains],
            [place.event for place in chains],
            [len(chain) for chain in chains.values()],
        )
    except ValueError as error:
        raise _cannot_decode(dtree, str(error)) from None
    chain_labels = [label for chain in chains.values() for label in chain]
    symbols = dtree.symbols
    labels = tuple([symbols[at] if at >= 0 else chain_labels[~at] for at in sources])
    return _assemble(reduced, labels, parents, leaf_parents, heads, Tree.arranged)


# ── the reference implementations ────────────────────────────────────────────────────────────────────


def encode_by_the_book(tree: Tree) -> Reduced:
    """Compute the same as `encode`, following Algorithm 1."""
    lexical_heads, size = _heads_of(tree), len(tree)
    heads, symbols, events = [ROOT] * size, [""] * size, [0] * size
    levels = [0] * len(tree.labels)  # for every node: the number of events on its head's spine up to the node
    spine = [0] * size  # for every word: the number of events on its spine so far
    for node in reversed(range(len(tree.labels))):  # children come after parents, so this is bottom-up
        head, children = lexical_heads[node], tree.children[node]
        if len(children) > 1:
            spine[head] += 1
        levels[node] = spine[head]
        for child in children:
            modifier = child if child < size else lexical_heads[child - size]
            if modifier != head:
                heads[modifier], symbols[modifier], events[modifier] = head, tree.labels[node], spine[head]
    dtree = DTree(tree.tokens, tuple(heads), tuple(symbols), tuple(events), tree.id, tree.comments)
    unaries = tuple(node for node, children in enumerate(tree.children) if len(children) == 1)
    return _split_off(tree, dtree, tuple(levels), unaries)


def decode_by_the_book(reduced: Reduced) -> Tree:
    """Compute the same as `decode`, following Algorithm 2: ψ(h) is the topmost node of h's spine so far."""
    dtree, chains = reduced.dtree, _with_wrapper(reduced)
    if not dtree.is_ordered:
        raise _cannot_decode(dtree, NOT_ORDERED)
    labels: list[str] = []
    parents: list[int] = []
    heads: list[int] = []
    leaf_parents = [ROOT] * len(dtree)
    unused = dict(chains)

    def new_node(label: str, head: int) -> int:
        labels.append(label)
        parents.append(ROOT)
        heads.append(head)
        return len(labels) - 1

    def attach(top: int | None, word: int, parent: int) -> int:
        if top is None:
            leaf_parents[word] = parent
        else:
            parents[top] = parent
        return parent

    def grow_chain(top: int | None, word: int, event: int) -> int | None:
        for label in reversed(unused.pop(Place(word, event), ())):
            top = attach(top, word, new_node(label, word))
        return top

    psi: dict[int, int | None] = {}
    for word in _bottom_up(dtree):
        top = grow_chain(None, word, 0)
        modifiers = dtree.modifiers[word]
        for event in sorted({dtree.events[modifier] for modifier in modifiers}):
            attached = [modifier for modifier in modifiers if dtree.events[modifier] == event]
            node = new_node(dtree.symbols[attached[0]], word)
            top = attach(top, word, node)
            for modifier in attached:
                attach(psi[modifier], modifier, node)
            top = grow_chain(top, word, event)
        psi[word] = top
    if unused:
        raise _cannot_decode(dtree, f"a unary chain belongs to {next(iter(unused))}, which does not exist")
    order, parents_, leaf_parents_ = _core.arrange_tree(parents, leaf_parents)
    return _assemble(
        reduced,
        tuple(labels[node] for node in order),
        parents_,
        leaf_parents_,
        tuple(heads[node] for node in order),
    )


# ── shared by both implementations ───────────────────────────────────────────────────────────────────


def _heads_of(tree: Tree) -> tuple[int, ...]:
    if tree.heads is None:
        raise ReductionError(
            f"sentence {tree.id or '?'}: the tree has no heads; apply head rules before encoding it"
        )
    return tree.heads


def _split_off(tree: Tree, dtree: DTree, levels: tuple[int, ...], unaries: tuple[int, ...]) -> Reduced:
    """Add everything that the d-tree cannot represent, by place."""
    heads = _heads_of(tree)
    has_wrapper = unaries[:1] == (0,) and tree.labels[0] in WRAPPER_LABELS and not tree.functions[0]
    wrapper = tree.labels[0] if has_wrapper else None
    chains = _by_place(tree.labels, unaries if wrapper is None else unaries[1:], heads, levels)
    functions: dict[Place, tuple[str, ...]] = {}
    if any(tree.functions):
        nodes = range(0 if wrapper is None else 1, len(tree.labels))
        named = _by_place(tree.functions, nodes, heads, levels)
        functions = {place: strings for place, strings in named.items() if any(strings)}
    secondary: tuple[SecondaryLink, ...] = ()
    if tree.secondary:
        spine_nodes = _spine_nodes(len(tree), heads, levels)
        secondary = tuple(
            SecondaryLink(label, spine_nodes[child], spine_nodes[len(tree) + parent])
            for label, child, parent in tree.secondary
        )
    return Reduced(dtree, chains, functions, wrapper, secondary)


def _by_place(
    strings: Sequence[str], nodes: Iterable[int], heads: Sequence[int], levels: Sequence[int]
) -> dict[Place, tuple[str, ...]]:
    """Group the strings of some nodes by place, top-down."""
    found: dict[Place, list[str]] = {}
    for node in nodes:
        found.setdefault(Place(heads[node], levels[node]), []).append(strings[node])
    return {place: tuple(named) for place, named in found.items()}


def _spine_nodes(words: int, heads: Sequence[int], levels: Sequence[int]) -> list[SpineNode]:
    """Return the spine node of every vertex."""
    nodes: list[SpineNode] = []
    free: dict[Place, int] = {}  # the next free `above` of a place; a word itself takes 0
    for place in map(Place, reversed(heads), reversed(levels)):
        above = free.get(place, 0 if place.event else 1)
        free[place] = above + 1
        nodes.append(SpineNode(*place, above))
    return [*map(SpineNode, range(words)), *reversed(nodes)]


def _with_wrapper(reduced: Reduced) -> Mapping[Place, Chain]:
    """Return the unary chains with the wrapper on top of the root's chain."""
    if reduced.wrapper is None:
        return reduced.chains
    top = top_place(reduced.dtree)
    return {**reduced.chains, top: (reduced.wrapper, *reduced.chains.get(top, ()))}


def top_place(dtree: DTree) -> Place:
    """Return the topmost node of the unaryless tree: the last event of the root."""
    root = dtree.root
    events = [event for head, event in zip(dtree.heads, dtree.events, strict=True) if head == root]
    return Place(root, max(events, default=0))


def _assemble(
    reduced: Reduced,
    labels: tuple[str, ...],
    parents: tuple[int, ...],
    leaf_parents: tuple[int, ...],
    heads: tuple[int, ...],
    make: Callable[..., Tree] = Tree,
) -> Tree:
    dtree = reduced.dtree
    functions: tuple[str, ...] = ()
    secondary: tuple[SecondaryEdge, ...] = ()
    if reduced.functions or reduced.secondary:
        *_, levels, _ = _core.encode_tree(parents, leaf_parents, heads)
        functions = _restore_functions(reduced, heads, levels)
        secondary = _restore_secondary(reduced, heads, levels)
    return make(
        dtree.tokens, labels, parents, leaf_parents, functions, dtree.id, dtree.comments, secondary, heads
    )


def _restore_functions(reduced: Reduced, heads: Sequence[int], levels: Sequence[int]) -> tuple[str, ...]:
    functions = [""] * len(heads)
    used: dict[Place, int] = {}
    for node in range(0 if reduced.wrapper is None else 1, len(heads)):
        place = Place(heads[node], levels[node])
        named = reduced.functions.get(place, ())
        rank = used[place] = used.get(place, -1) + 1
        if rank < len(named):
            functions[node] = named[rank]
    return tuple(functions)


def _restore_secondary(
    reduced: Reduced, heads: Sequence[int], levels: Sequence[int]
) -> tuple[SecondaryEdge, ...]:
    words = len(reduced.dtree)
    vertices = {spine_node: vertex for vertex, spine_node in enumerate(_spine_nodes(words, heads, levels))}
    try:
        return tuple(
            SecondaryEdge(label, vertices[child], vertices[parent] - words)
            for label, child, parent in reduced.secondary
        )
    except KeyError as missing:
        raise _cannot_decode(
            reduced.dtree, f"a secondary edge ends at {missing}, which does not exist"
        ) from None


def _bottom_up(dtree: DTree) -> list[int]:
    order = [dtree.root]
    for word in order:
        order.extend(dtree.modifiers[word])
    return order[::-1]


def _cannot_decode(dtree: DTree, cause: str) -> ReductionError:
    return ReductionError(f"sentence {dtree.id or '?'}: {cause}; repair the d-tree before decoding it")
