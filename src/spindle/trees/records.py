"""Trees and d-trees as records for JSON, and back.

A record of a tree has `tokens` and `nodes`, parents before children. A node says its label, the number of its
parent (-1 at the top) and the positions of its tokens. Fields that are empty are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spindle.errors import TreeError
from spindle.trees.nodes import ROOT
from spindle.trees.token import Token

if TYPE_CHECKING:
    from spindle.trees.dtree import DTree
    from spindle.trees.tree import Tree


def token_records(tokens: Sequence[Token], offsets: Sequence[tuple[int, int]] = ()) -> list[dict[str, Any]]:
    """Return a record for every token, with `start` and `end` if there are offsets."""
    records: list[dict[str, Any]] = [
        {name: value for name, value in token._asdict().items() if value} for token in tokens
    ]
    for record, (start, end) in zip(records, offsets, strict=False):
        record |= {"start": start, "end": end}
    return records


def node_records(tree: Tree) -> list[dict[str, Any]]:
    """Return a record for every node: label, parent, function if there is one, and positions of tokens."""
    records: list[dict[str, Any]] = []
    for node in tree.nodes():
        record: dict[str, Any] = {"label": node.label, "parent": tree.parents[node.number]}
        if node.function:
            record["function"] = node.function
        record["tokens"] = list(node.positions)
        records.append(record)
    return records


def tree_record(tree: Tree) -> dict[str, Any]:
    """Return the record of a tree; `tree_from_record` is the inverse."""
    nodes = node_records(tree)
    for record, head in zip(nodes, tree.heads or (), strict=False):
        record["head"] = head
    found: dict[str, Any] = {"id": tree.id} if tree.id else {}
    if tree.text is not None:
        found["text"] = tree.text
    found |= {"tokens": token_records(tree.tokens, tree.offsets), "nodes": nodes}
    if tree.comments:
        found["comments"] = list(tree.comments)
    if tree.secondary:
        found["secondary"] = [edge._asdict() for edge in tree.secondary]
    return found


def tree_from_record(record: Mapping[str, Any]) -> Tree:
    """Return the tree of a record; a `TreeError` if it is not the record of a tree."""
    from spindle.trees.tree import SecondaryEdge, Tree

    try:
        tokens, nodes = record["tokens"], record["nodes"]
        leaf_parents = [ROOT] * len(tokens)
        for number, node in enumerate(nodes):  # children come after parents, so the lowest node wins
            for position in node["tokens"]:
                leaf_parents[position] = number
        has_heads = bool(nodes) and "head" in nodes[0]
        text = record.get("text")
        return Tree.build(
            _tokens(tokens),
            [node["label"] for node in nodes],
            [node["parent"] for node in nodes],
            leaf_parents,
            [node.get("function", "") for node in nodes],
            record.get("id", ""),
            record.get("comments", ()),
            [SecondaryEdge(**edge) for edge in record.get("secondary", ())],
            [node["head"] for node in nodes] if has_heads else None,
            text,
            [] if text is None else [(token["start"], token["end"]) for token in tokens],
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise TreeError(f"this is not the record of a tree: {_described(error)}") from None


def dtree_record(dtree: DTree) -> dict[str, Any]:
    """Return the record of a d-tree; `dtree_from_record` is the inverse."""
    tokens = token_records(dtree.tokens)
    for record, head, symbol, event in zip(tokens, dtree.heads, dtree.symbols, dtree.events, strict=True):
        record |= {"head": head, "symbol": symbol, "event": event}
    found: dict[str, Any] = {"id": dtree.id} if dtree.id else {}
    found["tokens"] = tokens
    if dtree.comments:
        found["comments"] = list(dtree.comments)
    return found


def dtree_from_record(record: Mapping[str, Any]) -> DTree:
    """Return the d-tree of a record; a `TreeError` if it is not the record of a d-tree."""
    from spindle.trees.dtree import DTree

    try:
        tokens = record["tokens"]
        heads, symbols, events = (
            tuple([token[name] for token in tokens]) for name in ("head", "symbol", "event")
        )
        comments = tuple(record.get("comments", ()))
        return DTree(tuple(_tokens(tokens)), heads, symbols, events, record.get("id", ""), comments)
    except (KeyError, TypeError, AttributeError) as error:
        raise TreeError(f"this is not the record of a d-tree: {_described(error)}") from None


def _tokens(records: Sequence[Mapping[str, Any]]) -> list[Token]:
    return [Token(*[record.get(name, "") for name in Token._fields]) for record in records]


def _described(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
