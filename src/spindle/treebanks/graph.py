"""From the nodes and edges of a graph format (export, TIGER-XML, Alpino) to a tree.

Such a file may say anything: several roots, a cycle, a phrase without words. Several roots are part of
these formats' tradition and get an implied root node; the rest is a fault that the reader reports, in the
file's own names for its nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spindle.errors import TreeError
from spindle.trees import ROOT, SecondaryEdge, Token, Tree

IMPLIED_ROOT = "VROOT"
"""The label of the node over a sentence of several roots."""

NOTHING = "--"
"""How export and TIGER-XML write a value that is not given."""


FIRST_NODE = 500
"""Nodes are numbered from here on, so that no sentence of usual length has a word of that number."""


class GraphFault(Exception):
    """Why the edges form no tree: the number of a node, and what is wrong with it."""

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
    """Build the tree; where there are several roots, an implied one is added to the columns given.

    A secondary edge whose parent is `ROOT` leads to that implied root. Raises a `GraphFault` for edges that
    form no tree, and a `TreeError` for words that no tree may hold.
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
        cause = TreeError(str(error).removeprefix(f"sentence {id}: "))  # the reader says where
        raise find_fault(parents, leaf_parents) or cause from None


def find_fault(parents: Sequence[int], leaf_parents: Sequence[int]) -> GraphFault | None:
    """The first thing that keeps a graph, whose edges all lead to existing nodes, from being a tree."""
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
    """Whether the topmost node is what reading several roots gives, so that it need not be written."""
    return (
        tree.labels[:1] == (IMPLIED_ROOT,)
        and not tree.functions[0]
        and tree.parents.count(0) + tree.leaf_parents.count(0) > 1
    )


def node_numbers(tree: Tree) -> list[int]:
    """The numbers under which nodes are written: by height, then from the left; 0 for an implied root."""
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
    """A text from an XML file as a comment can hold it: tabs and line ends become blanks."""
    return re.sub(r"[\t\r\n]\s*", " ", text)


def has_comment(tree: Tree, key: str) -> bool:
    """Whether a comment begins with this key: a writer that uses it must then put one of its own first."""
    return any(comment.startswith(key) for comment in tree.comments)


def take_comment(comments: list[str], key: str) -> str | None:
    """Take the first comment that begins with this key, if any, from the others."""
    for comment in comments:
        if comment.startswith(key):
            comments.remove(comment)
            return comment.removeprefix(key)
    return None
