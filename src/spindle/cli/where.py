"""`--where`: the filter of verbs that read trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from spindle.evaluation.pairing import Pair
    from spindle.trees import DTree, Tree

Command = TypeVar("Command", bound=Callable[..., Any])
Sentence = TypeVar("Sentence", bound="Tree | DTree")

where_option = click.option(
    "--where",
    metavar="PATTERN",
    help="Use only trees with a match of this pattern: see `spindle search --help`.",
)
"""Adds `--where`."""


def with_match(trees: Iterable[Sentence], where: str | None) -> Iterator[Sentence]:
    """Yield the trees with a match, or all trees if there is no pattern."""
    if where is None:
        yield from trees
        return
    from spindle.search import select

    yield from select(where, trees, lambda tree: tree)


def pairs_with_match(pairs: Iterable[Pair[Tree]], where: str | None) -> Iterator[Pair[Tree]]:
    """Yield the pairs whose gold tree has a match, or all pairs if there is no pattern.

    With a pattern, a pair without a gold tree is left out.
    """
    if where is None:
        yield from pairs
        return
    from spindle.evaluation.lines import Line
    from spindle.search import select
    from spindle.trees import Tree

    def with_tree() -> Iterator[tuple[Tree, Pair[Tree]]]:
        for pair in pairs:
            gold = pair.gold.read() if isinstance(pair.gold, Line) else pair.gold
            if isinstance(gold, Tree):
                yield gold, pair

    for _, pair in select(where, with_tree(), lambda item: item[0]):
        yield pair
