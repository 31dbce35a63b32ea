"""`spindle backends`: the dependency parsers that can be trained, and how to get those that are not here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

    from spindle.parsers import Backend


@click.command()
def backends() -> None:
    """List the dependency parsers for `spindle train --parser`: which are here, and what each can do.

    Those that give labels can do so in one shot; for all, a second stage can label the arcs they find.
    """
    from rich.console import Console

    from spindle.parsers import PARSERS, find_parser

    parsers = [find_parser(name) for name in PARSERS]
    console = Console(highlight=False)
    console.print(_table(parsers))
    missing = [parser for parser in parsers if parser.version() is None]
    if missing:
        console.print("\nTo get the others:")
    for parser in missing:
        console.print(f"  {parser.name:<8} {parser.needs}", markup=False, soft_wrap=True)


def _table(parsers: list[type[Backend]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table("parser", "version", "labels", "crossing arcs", "options", box=None, pad_edge=False)
    table.columns[-1].overflow = "fold"
    for parser in parsers:
        version = parser.version()
        table.add_row(
            parser.name,
            "not here" if version is None else version or "here",
            "yes" if "labels" in parser.predicts else "–",
            "yes" if parser.is_nonprojective else "–",
            Text(" ".join(parser.options)),
            style="dim" if version is None else "",
        )
    return table
