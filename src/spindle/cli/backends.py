"""`spindle backends`: the dependency parsers that can be trained, and how to install the missing ones."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import complain
from spindle.cli.names import PARSER
from spindle.cli.options import report_options
from spindle.cli.tables import Table, print_tables
from spindle.errors import ParserError

if TYPE_CHECKING:
    from spindle.parsers import Backend


EXAMPLE = "example_plugin.txt"
BESIDE_HEADS = ("labels", "tags", "chains")


@click.command()
@click.argument("name", metavar="[NAME]", type=PARSER, required=False)
@click.option("--example", is_flag=True, help="Print a package that adds a parser of its own.")
@report_options("json")
def backends(name: str | None, example: bool, report: str) -> None:
    """List the dependency parsers for `spindle train --parser`: which are installed, and what each can do.

    Those that predict labels can do so in one shot; for all, a separate labeler can label the arcs.
    With NAME: the options of that parser, for `--parser-option`. Parsers of other packages, which they add by
    the entry point `spindle.parsers`, are listed with the package; `--example` prints such a package.

    \b
    Examples:
      spindle backends
      spindle backends neural
      spindle backends --example
    """
    if example:
        click.echo(files("spindle.parsers").joinpath(EXAMPLE).read_text(encoding="utf-8"), nl=False)
        return
    from spindle.parsers import find_parser, name_of

    if name is not None:
        if report == "json":
            click.echo(json.dumps(_record(find_parser(name)), ensure_ascii=False, indent=2))
        else:
            _print_options(find_parser(name))
        return
    parsers, problems = _all_parsers()
    if report == "json":
        click.echo(json.dumps(list(map(_record, parsers)), ensure_ascii=False, indent=2))
    else:
        print_tables([_table(parsers)])
        missing = [parser for parser in parsers if parser.version() is None]
        if missing:
            click.echo("\nTo get the others:")
        for parser in missing:
            click.echo(f"  {name_of(parser):<8} {parser.needs}")
        click.echo("\nTo add a parser of your own: spindle backends --example")
    for problem in problems:
        complain(problem)


def _all_parsers() -> tuple[list[type[Backend]], list[str]]:
    """Return all parsers, and what is wrong with those of other packages."""
    from spindle.parsers import PARSERS, find_parser, plugins
    from spindle.parsers.registry import ignored_plugins, package_of

    parsers, problems = [find_parser(name) for name in PARSERS], ignored_plugins()
    for name, entry in plugins().items():
        try:
            parser = find_parser(name)
            parser.version(), parser.Options.describe()
        except ParserError as error:
            problems.append(str(error))
        except Exception as error:  # whatever another package does wrong
            cause = f"{type(error).__name__}: {error}".strip().splitlines()[0]
            problems.append(f"the parser {name!r} of the package {package_of(entry)} is broken: {cause}")
        else:
            parsers.append(parser)
    return parsers, problems


def _table(parsers: list[type[Backend]]) -> Table:
    from spindle.parsers.registry import name_of, package_of, plugins

    added = plugins()
    heads = ("parser", "version", "predicts heads and", "crossing arcs", "options")
    table = Table("", heads, texts=range(len(heads)))
    for parser in parsers:
        name, version = name_of(parser), parser.version()
        known = "not installed" if version is None else version or "installed"
        table.add(
            name,
            f"{known} ({package_of(added[name])})" if name in added else known,
            ", ".join(what for what in BESIDE_HEADS if what in parser.predicts) or "–",
            "yes" if parser.is_nonprojective else "–",
            " ".join(option.name for option in parser.Options.describe()),
            dim=version is None,
        )
    return table


def _record(parser: type[Backend]) -> dict[str, Any]:
    from spindle.parsers.registry import name_of, package_of, plugins

    version, added = parser.version(), plugins()
    return {
        "name": name_of(parser),
        "package": package_of(added[name_of(parser)]) if name_of(parser) in added else "spindle-parser",
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
