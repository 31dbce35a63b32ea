"""`spindle draw`: trees as text or SVG."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import click

from spindle.cli.common import Reporter, check_output, open_dependencies, open_trees
from spindle.cli.options import DEPENDENCIES, FILE, TREES, reading_options

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError
    from spindle.trees import DTree, Tree

Drawn: TypeAlias = "Tree | DTree"


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@click.option("--svg", metavar="OUT", type=FILE, help="Write an SVG file instead of text.")
@click.option(
    "--id", "wanted", metavar="ID", help="Draw only the sentence with this id, or else with this number."
)
@click.option("--limit", type=click.IntRange(min=1), help="Draw at most this many trees.")
@reading_options(*TREES, *DEPENDENCIES)
def draw(
    input: str,
    svg: str | None,
    wanted: str | None,
    limit: int | None,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
) -> None:
    """Draw trees, including their crossing branches.

    IN contains constituent trees in any treebank format, or head-ordered dependency trees written by
    `spindle encode`.

    \b
    Examples:
      spindle draw dev.export --limit 3
      spindle draw dev.export --id 57 --svg tree.svg
      echo '(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))' | spindle draw -
    """
    if svg is not None:
        check_output([input], svg)
    reporter = Reporter(svg or "-")
    drawings = _drawings(input, svg is not None, wanted, from_, text_encoding, on_error, reporter)
    chosen = islice(drawings, limit)
    count = _write_svg(svg, chosen) if svg is not None else _print_text(chosen)
    reporter.sum_up()
    if not count:
        raise click.ClickException(
            f"{input} has no sentence {wanted}." if wanted else f"{input} has no trees."
        )


def _drawings(
    input: str,
    as_svg: bool,
    wanted: str | None,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    reporter: Reporter,
) -> Iterator[tuple[str, str]]:
    """Yield the name and the drawing of every selected sentence."""
    from spindle.drawing import draw_dtree, draw_tree, svg_dtree, svg_tree
    from spindle.treebanks.files import holds_dependencies
    from spindle.trees import Tree

    no_color = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    color = sys.stdout.isatty() and not no_color
    width = shutil.get_terminal_size((120, 24)).columns
    trees: Iterator[Drawn]
    if holds_dependencies(input, from_, text_encoding):
        trees = _dtrees(input, from_, text_encoding, on_error, reporter)
    else:
        trees = iter(open_trees(input, from_, text_encoding, on_error, reporter))
    named = ((tree.id or str(number), tree) for number, tree in enumerate(trees, start=1))
    for name, tree in named if wanted is None else _find(wanted, named):
        if as_svg:
            yield name, svg_tree(tree) if isinstance(tree, Tree) else svg_dtree(tree)
        elif isinstance(tree, Tree):
            yield name, draw_tree(tree, width=width, color=color)
        else:
            yield name, draw_dtree(tree, width=width, color=color)


def _find(wanted: str, named: Iterable[tuple[str, Drawn]]) -> Iterator[tuple[str, Drawn]]:
    """Yield the sentence with this id; if there is none, the sentence with this number."""
    by_number = []
    for number, (name, tree) in enumerate(named, start=1):
        if name == wanted:
            yield name, tree
            return
        if str(number) == wanted:
            by_number.append((name, tree))
    yield from by_number


def _print_text(drawings: Iterable[tuple[str, str]]) -> int:
    count = 0
    for name, drawing in drawings:
        count += 1
        click.echo(f"{name}\n{drawing}\n")
    return count


def _write_svg(output: str, drawings: Iterable[tuple[str, str]]) -> int:
    from spindle.drawing import svg_stack
    from spindle.treebanks.source import open_output

    pictures = [picture for _, picture in drawings]
    if pictures:
        with open_output(output) as stream:
            stream.write(pictures[0] if len(pictures) == 1 else svg_stack(pictures))
    return len(pictures)


def _dtrees(
    input: str, from_: str | None, text_encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[DTree]:
    from spindle.reduction import read_rows

    for reduced, _ in read_rows(open_dependencies(input, from_, text_encoding, on_error, reporter)):
        yield reduced.dtree
