"""A mutable copy of a tree, from which a new tree is built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spindle.errors import Hint, Setting, TreebankError
from spindle.trees import ROOT, SecondaryEdge, Tree
from spindle.trees.punctuation import is_punctuation


class Draft:
    """The columns of a tree as lists that a transform can change.

    Nodes and tokens keep their numbers until `build`. It leaves out the tokens in `removed` and every node
    without words; so to remove a node, give its children another parent. A secondary edge is dropped with
    either of its ends.

    If the tree has heads, the changed tree has heads, too. A node keeps its head child. If that child has
    gone, the node takes the child with its old head word; if there is none, or if the node is new, the first
    child whose head is not punctuation, or else the first child.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.labels = list(tree.labels)
        self.functions = list(tree.functions)
        self.parents = list(tree.parents)
        self.leaf_parents = list(tree.leaf_parents)
        self.removed: set[int] = set()

    def add_root(self, label: str) -> None:
        """Add a node above the root."""
        node = len(self.labels)
        for column in (self.parents, self.leaf_parents):
            column[:] = [node if parent == ROOT else parent for parent in column]
        self.labels.append(label)
        self.functions.append("")
        self.parents.append(ROOT)

    def add_node(self, label: str, parent: int, children: Iterable[int]) -> None:
        """Add a node below `parent`, above some of its children, which are given as vertices."""
        node, size = len(self.labels), len(self.tree)
        for child in children:
            if child < size:
                self.leaf_parents[child] = node
            else:
                self.parents[child - size] = node
        self.labels.append(label)
        self.functions.append("")
        self.parents.append(parent)

    def dissolve(self, gone: Sequence[bool]) -> None:
        """Attach the children of some nodes of the tree to the nearest ancestor that is not one of them."""
        # parents precede their children, so the final parent of such a node is known at its children
        for node, parent in enumerate(self.parents):
            if parent != ROOT and gone[parent]:
                self.parents[node] = self.parents[parent]
        self.leaf_parents = [self.parents[at] if at != ROOT and gone[at] else at for at in self.leaf_parents]

    def children_of(self, node: int) -> list[int]:
        """Return the vertices below a node, by leftmost token."""
        size = len(self.tree)
        found = [position for position, parent in enumerate(self.leaf_parents) if parent == node]
        found += [size + child for child, parent in enumerate(self.parents) if parent == node]
        return sorted(found, key=lambda child: child if child < size else self.positions_of(child - size)[0])

    def positions_of(self, node: int) -> list[int]:
        """Return the tokens below a node."""
        below = {node}
        grown = True
        while grown:
            more = {child for child, parent in enumerate(self.parents) if parent in below} - below
            below |= more
            grown = bool(more)
        return [position for position, parent in enumerate(self.leaf_parents) if parent in below]

    def build(self) -> Tree:
        """Return the changed tree; raises a TreebankError if no word is left."""
        positions = [position for position in range(len(self.tree)) if position not in self.removed]
        if not positions:
            raise TreebankError(
                "no words are left",
                sentence=self.tree.id,
                hint=Hint("set {} to skip to leave such sentences out", Setting.ERROR_POLICY),
            )
        nodes = self._nodes_with_words(positions)
        node_ranks = {node: rank for rank, node in enumerate(nodes)} | {ROOT: ROOT}
        return Tree.build(
            [self.tree.tokens[position] for position in positions],
            [self.labels[node] for node in nodes],
            [node_ranks[self.parents[node]] for node in nodes],
            [node_ranks[self.leaf_parents[position]] for position in positions],
            [self.functions[node] for node in nodes],
            self.tree.id,
            self.tree.comments,
            self._secondary(positions, node_ranks),
            self._heads(positions, nodes),
            self.tree.text,
            [self.tree.offsets[position] for position in positions] if self.tree.offsets else (),
        )

    def _nodes_with_words(self, positions: list[int]) -> list[int]:
        has_words = [False] * len(self.labels)
        for position in positions:
            node = self.leaf_parents[position]
            while node != ROOT and not has_words[node]:
                has_words[node] = True
                node = self.parents[node]
        return [node for node, kept in enumerate(has_words) if kept]

    def _secondary(self, positions: list[int], node_ranks: dict[int, int]) -> list[SecondaryEdge]:
        if not self.tree.secondary:
            return []
        vertices = {position: rank for rank, position in enumerate(positions)}
        for node, rank in node_ranks.items():
            vertices[len(self.tree) + node] = len(positions) + rank
        return [
            SecondaryEdge(label, vertices[child], node_ranks[parent])
            for label, child, parent in self.tree.secondary
            if child in vertices and parent in node_ranks
        ]

    def _heads(self, positions: list[int], nodes: list[int]) -> list[int] | None:
        """Return the heads of the remaining nodes, as ranks of the remaining tokens."""
        if self.tree.heads is None:
            return None
        size = len(self.tree)
        children: dict[int, list[int]] = {node: [] for node in (ROOT, *nodes)}  # children are vertices
        for position in positions:
            children[self.leaf_parents[position]].append(position)
        for node in nodes:
            children[self.parents[node]].append(size + node)
        top_down = [ROOT]
        for node in top_down:
            top_down.extend(child - size for child in children[node] if child >= size)
        heads = {position: position for position in positions}  # of every vertex
        first = dict(heads)  # the first token of every vertex
        for node in reversed(top_down[1:]):
            below = sorted(children[node], key=first.__getitem__)
            first[size + node] = first[below[0]]
            heads[size + node] = heads[self._head_child(node, below, heads)]
        ranks = {position: rank for rank, position in enumerate(positions)}
        return [ranks[heads[size + node]] for node in nodes]

    def _head_child(self, node: int, below: list[int], heads: dict[int, int]) -> int:
        """Return the head child among the children of a node, by the rules in the docstring of `Draft`."""
        tree, size = self.tree, len(self.tree)
        old_heads = tree.heads or ()
        if node < len(old_heads):
            for child in below:
                is_node = child >= size
                old_parent = tree.parents[child - size] if is_node else tree.leaf_parents[child]
                if old_parent == node and (old_heads[child - size] if is_node else child) == old_heads[node]:
                    return child
            for child in below:
                if heads[child] == old_heads[node]:
                    return child
        words = (child for child in below if not is_punctuation(tree.tokens[heads[child]]))
        return next(words, below[0])
