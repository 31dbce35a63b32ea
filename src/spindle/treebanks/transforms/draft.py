"""A mutable copy of a tree, from which a new tree is built."""

from __future__ import annotations

from itertools import chain

from spindle.errors import Hint, Setting, TreebankError
from spindle.trees import ROOT, SecondaryEdge, Tree


class Draft:
    """The columns of a tree as lists that a transform can change.

    Nodes and tokens keep their numbers until `build`. It leaves out the tokens in `removed` and every node
    without words; so to remove a node, give its children another parent. A secondary edge is dropped with
    either of its ends. Heads are kept if all still fit, and dropped otherwise: they must be found again.
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
        heads = self.tree.heads
        if heads is None or len(self.labels) > len(heads):
            return None
        # In the new tree, too, the head of a node must be the head of one of its children.
        children = chain(
            ((self.leaf_parents[position], position) for position in positions),
            ((self.parents[node], heads[node]) for node in nodes),
        )
        headed = {parent for parent, head in children if parent != ROOT and heads[parent] == head}
        if len(headed) < len(nodes):
            return None
        ranks = {position: rank for rank, position in enumerate(positions)}
        return [ranks[heads[node]] for node in nodes]
