"""`spindle backends`: the dependency parsers that can be trained, and how to install the missing ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

    from spindle.parsers import Backend


BESIDE_HEADS = ("labels", "tags", "chains")


@click.command()
@click.argument("name", required=False)
def backends(name: str | None) -> None:
    """List the dependency parsers for `spindle train --parser`: which are installed, and what each can do.

    Those that predict labels can do so in one shot; for all, a separate labeler can label the arcs.
    With NAME: the options of that parser, for `--parser-option`.
    """
    from rich.console import Console

    from spindle.parsers import PARSERS, find_parser

    if name is not None:
        _print_options(find_parser(name))
        return
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

    heads = ("parser", "version", "predicts heads and", "crossing arcs", "options")
    table = Table(*heads, box=None, pad_edge=False)
    table.columns[-1].overflow = "fold"
    for parser in parsers:
        version = parser.version()
        table.add_row(
            parser.name,
            "not installed" if version is None else version or "installed",
            ", ".join(what for what in BESIDE_HEADS if what in parser.predicts) or "–",
            "yes" if parser.is_nonprojective else "–",
            Text(" ".join(option.name for option in parser.Options.describe())),
            style="dim" if version is None else "",
        )
    return table


def _print_options(parser: type[Backend]) -> None:
    description, _, _ = (parser.__doc__ or "").partition("\n")
    click.echo(description)
    for option in parser.Options.describe():
        others = [choice for choice in option.choices if choice != option.default]
        choices = f"  or {', '.join(others)}" if others else ""
        click.echo(f"  {option.name}={option.default or '…'}{choices}  ({option.meaning})")
