"""Grammatical functions: on edges (`SB` above an `NP`) or inside labels (`NP-SB`)."""

from __future__ import annotations

from spindle.trees import Tree
from spindle.trees.labels import base_label


def strip_functions(tree: Tree) -> Tree:
    """Drop functions and co-indices from phrase labels, and all edge labels (lossy)

    `NP-SBJ-1` becomes `NP`. Tags do not change: in many tag sets a hyphen does not mark a function.
    """
    return tree.replace(
        labels=tuple(map(base_label, tree.labels)),
        functions=(),
        tokens=tuple(token._replace(function="") for token in tree.tokens),
    )


def strip_tag_functions(tree: Tree) -> Tree:
    """Cut part-of-speech tags at the first hyphen or equals sign, `CLS-SUJ` to `CLS` (lossy)"""
    return tree.replace(tokens=tuple(token._replace(tag=base_label(token.tag)) for token in tree.tokens))


def merge_functions(tree: Tree) -> Tree:
    """Write edge labels into phrase labels and tags, `NP` under `SB` as `NP-SB` (lossless)

    `split_functions` is the inverse if labels and tags contain no hyphen or equals sign.
    """
    return tree.replace(
        labels=tuple(map(_merged, tree.labels, tree.functions)),
        functions=(),
        tokens=tuple(
            token._replace(tag=_merged(token.tag, token.function), function="") for token in tree.tokens
        ),
    )


def split_functions(tree: Tree) -> Tree:
    """Move functions from phrase labels and tags to edges, `NP-SB` to `NP` under `SB` (lossless)

    `merge_functions` is the inverse. A label whose edge already has a function does not change.
    """
    nodes = list(map(_split, tree.labels, tree.functions))
    tokens = []
    for token in tree.tokens:
        tag, function = _split(token.tag, token.function)
        tokens.append(token._replace(tag=tag, function=function))
    return tree.replace(
        labels=tuple(label for label, _ in nodes),
        functions=tuple(function for _, function in nodes),
        tokens=tuple(tokens),
    )


def _merged(label: str, function: str) -> str:
    return label + function if function[:1] in ("", "=") else f"{label}-{function}"


def _split(label: str, function: str) -> tuple[str, str]:
    symbol = base_label(label)
    rest = label[len(symbol) :]
    # `=2` keeps its sign, which distinguishes it from `-2`; a hyphen at the end does not mark a function.
    found = rest if rest.startswith("=") else rest[1:]
    if function or not symbol or _merged(symbol, found) != label:
        return label, function
    return symbol, found
