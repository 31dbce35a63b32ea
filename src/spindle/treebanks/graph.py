"""Build trees from the nodes and edges of the graph formats: export, TIGER-XML, Alpino.

The edges in a file may form several trees, a cycle, or a phrase without words. Several roots are normal in
these formats and get an implied root node. Everything else is a fault, which the reader reports with the
file's own names for its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spindle.errors import TreeError
from spindle.trees import ROOT, SecondaryEdge, Token, Tree

IMPLIED_ROOT = "VROOT"
"""The label of the node above several roots."""

NOT_GIVEN = "--"
"""How export and TIGER-XML write a missing value."""

FIRST_NODE = 500
"""The number of the first node: higher than the number of any word in a sentence of usual length."""


class GraphFault(Exception):
    """The reason why edges do not form a tree: the number of a node, and what is wrong with it."""

    def __init__(self, node: int, what: str) -> None:
        self.node, self.what = node, what
        super().__init__(f"node {node} {what}")


def build_from_graph(
    tokens: Sequence[Token],
    leaf_parents: list[int],
    labels: list[str],
    functions: list[str],
    parents: list[int],
    secondary: Sequence[SecondaryEdge],
    id: str,
    comments: Sequence[str],
) -> Tree:
    """Build a tree from columns; several roots get an implied root node, which is added to the columns.

    A secondary edge whose parent is `ROOT` leads to the implied root. Raises a `GraphFault` if the edges do
    not form a tree, and a `TreeError` for words that a tree cannot contain.
    """
    if parents.count(ROOT) + leaf_parents.count(ROOT) > 1:
        implied = len(labels)
        parents[:] = [implied if parent == ROOT else parent for parent in parents]
        leaf_parents[:] = [implied if parent == ROOT else parent for parent in leaf_parents]
        labels.append(IMPLIED_ROOT)
        functions.append("")
        parents.append(ROOT)
        secondary = [edge._replace(parent=implied) if edge.parent == ROOT else edge for edge in secondary]
    try:
        return Tree.build(tokens, labels, parents, leaf_parents, functions, id, comments, secondary)
    except TreeError as error:
        cause = TreeError(str(error).removeprefix(f"sentence {id}: "))  # the reader adds the place
        raise find_fault(parents, leaf_parents) or cause from None


def find_fault(parents: Sequence[int], leaf_parents: Sequence[int]) -> GraphFault | None:
    """Return the first reason why a graph, whose edges all lead to existing nodes, is not a tree."""
    reached = [False] * len(parents)
    for start in (*leaf_parents, *range(len(parents))):
        walked: set[int] = set()
        node = start
        while node != ROOT and not reached[node]:
            if node in walked:
                return GraphFault(node, "is its own ancestor")
            walked.add(node)
            node = parents[node]
        for node in walked:
            reached[node] = True
    has_children = {*parents, *leaf_parents}
    for node in range(len(parents)):
        if node not in has_children:
            return GraphFault(node, "has no words beneath it")
    return None


def implies_root(tree: Tree) -> bool:
    """Return whether the topmost node is an implied root, which is not written."""
    return (
        tree.labels[:1] == (IMPLIED_ROOT,)
        and not tree.functions[0]
        and tree.parents.count(0) + tree.leaf_parents.count(0) > 1
    )


def node_numbers(tree: Tree) -> list[int]:
    """Return the number of each node in a file: by height, then from the left; 0 for an implied root."""
    heights = [1] * len(tree.labels)
    for node in range(len(heights) - 1, 0, -1):
        parent = tree.parents[node]
        heights[parent] = max(heights[parent], heights[node] + 1)
    numbers = [0] * len(heights)
    skipped = 1 if implies_root(tree) else 0
    for number, node in enumerate(sorted(range(skipped, len(heights)), key=heights.__getitem__), FIRST_NODE):
        numbers[node] = number
    return numbers


def one_line(text: str) -> str:
    """Return a text without tabs and line ends, which a comment cannot contain: they become blanks."""
    return re.sub(r"[\t\r\n]\s*", " ", text)


def has_comment(tree: Tree, key: str) -> bool:
    """Return whether a comment starts with this key; a writer must then write its own such comment first."""
    return any(comment.startswith(key) for comment in tree.comments)


def take_comment(comments: list[str], key: str) -> str | None:
    """Remove the first comment that starts with this key and return its value; None if there is none."""
    for comment in comments:
        if comment.startswith(key):
            comments.remove(comment)
            return comment.removeprefix(key)
    return None
