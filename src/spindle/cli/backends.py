"""`spindle backends`: the dependency parsers that can be trained, and how to install the missing ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.names import PARSER
from spindle.cli.options import report_options
from spindle.cli.tables import Table, print_tables

if TYPE_CHECKING:
    from spindle.parsers import Backend


BESIDE_HEADS = ("labels", "tags", "chains")


@click.command()
@click.argument("name", metavar="[NAME]", type=PARSER, required=False)
@report_options("json")
def backends(name: str | None, report: str) -> None:
    """List the dependency parsers for `spindle train --parser`: which are installed, and what each can do.

    Those that predict labels can do so in one shot; for all, a separate labeler can label the arcs.
    With NAME: the options of that parser, for `--parser-option`.

    \b
    Examples:
      spindle backends
      spindle backends neural
    """
    from spindle.parsers import PARSERS, find_parser

    if report == "json":
        found = [_record(find_parser(one)) for one in (PARSERS if name is None else [name])]
        click.echo(json.dumps(found if name is None else found[0], ensure_ascii=False, indent=2))
        return
    if name is not None:
        _print_options(find_parser(name))
        return
    parsers = [find_parser(name) for name in PARSERS]
    print_tables([_table(parsers)])
    missing = [parser for parser in parsers if parser.version() is None]
    if missing:
        click.echo("\nTo get the others:")
    for parser in missing:
        click.echo(f"  {parser.name:<8} {parser.needs}")


def _table(parsers: list[type[Backend]]) -> Table:
    heads = ("parser", "version", "predicts heads and", "crossing arcs", "options")
    table = Table("", heads, texts=range(len(heads)))
    for parser in parsers:
        version = parser.version()
        table.add(
            parser.name,
            "not installed" if version is None else version or "installed",
            ", ".join(what for what in BESIDE_HEADS if what in parser.predicts) or "–",
            "yes" if parser.is_nonprojective else "–",
            " ".join(option.name for option in parser.Options.describe()),
            dim=version is None,
        )
    return table


def _record(parser: type[Backend]) -> dict[str, Any]:
    version = parser.version()
    return {
        "name": parser.name,
        "description": (parser.__doc__ or "").partition("\n")[0],
        "installed": version is not None,
        "version": version,
        "needs": parser.needs,
        "predicts": sorted(parser.predicts),
        "crossing_arcs": parser.is_nonprojective,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "choices": list(option.choices),
                "meaning": option.meaning,
            }
            for option in parser.Options.describe()
        ],
    }


def _print_options(parser: type[Backend]) -> None:
    description, _, _ = (parser.__doc__ or "").partition("\n")
    click.echo(description)
    for option in parser.Options.describe():
        others = [choice for choice in option.choices if choice != option.default]
        choices = f"  or {', '.join(others)}" if others else ""
        click.echo(f"  {option.name}={option.default or '…'}{choices}  ({option.meaning})")
