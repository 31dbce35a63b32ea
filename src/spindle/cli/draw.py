"""`spindle draw`: trees as text, SVG, PNG, PDF or LaTeX."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, cast

import click

from spindle.cli.common import Reporter, check_output, choose_heads, open_dependencies, open_trees
from spindle.cli.names import HEADS
from spindle.cli.options import DEPENDENCIES, FILE, TREES, output_option, reading_options, to_option
from spindle.cli.pictures import (
    Drawn,
    PictureFormat,
    PictureStyle,
    check_ending,
    is_pattern,
    picture_format,
    picture_options,
    write_pictures,
)
from spindle.cli.where import where_option

if TYPE_CHECKING:
    from spindle.drawing import LatexStyle, LayoutName, Theme
    from spindle.treebanks.files import OnError
    from spindle.trees import DTree

FORMATS = ("text", "svg", "png", "pdf", "latex")


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@output_option(
    "OUT", "The file to write; with {n} or {id} in its name, a file for every tree", required=False
)
@to_option(*FORMATS, default="by OUT's ending; text")
@click.option("--svg", metavar="OUT", type=FILE, help="The same as -o OUT --to svg.")
@click.option(
    "--id", "wanted", metavar="ID", help="Draw only the sentence with this id, or else with this number."
)
@click.option("--limit", type=click.IntRange(min=1), help="Draw at most this many trees.")
@click.option(
    "--heads",
    metavar="NAME|FILE",
    type=HEADS,
    help="Find heads with these rules: they are bold, and nodes stand above their heads. [default: guessed "
    "from the labels for pictures; none for text]",
)
@click.option("--no-heads", is_flag=True, help="Do not show heads in pictures.")
@where_option
@picture_options
@reading_options(*TREES, *DEPENDENCIES)
def draw(
    input: str,
    output: str,
    to: str | None,
    svg: str | None,
    wanted: str | None,
    limit: int | None,
    heads: str | None,
    no_heads: bool,
    where: str | None,
    layout: LayoutName,
    theme: Theme,
    latex_style: LatexStyle,
    fragment: bool,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
) -> None:
    """Draw trees, including their crossing branches.

    IN contains constituent trees in any treebank format, or head-ordered dependency trees written by
    `spindle encode`. All trees are drawn on one page (SVG, PNG), on a page each (PDF, LaTeX), or, with {n} or
    {id} in the name of OUT, in a file each. PNG and PDF need `pip install "spindle-parser[draw]"`.

    \b
    Examples:
      spindle draw dev.export --limit 3
      spindle draw dev.export --id 57 -o tree.png --theme dark
      spindle draw dev.export --where 'VP:gap' --limit 3
      spindle draw dev.export --limit 20 -o 'tree-{n}.svg' --no-heads
      spindle draw dev.ptb --limit 5 -o trees.tex --latex-style tikz-qtree
      echo '(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))' | spindle draw -
    """
    from spindle.treebanks.files import holds_dependencies

    if svg is not None:
        if output != "-" or to is not None:
            raise click.UsageError("--svg names the file and the format; leave -o and --to out.")
        output, to = svg, "svg"
    to = to or _format_of(output)
    check_ending(output, to)
    if heads is not None and no_heads:
        raise click.UsageError("Heads can be found or left out, not both.")
    if fragment and to != "latex":
        raise click.UsageError("--fragment applies to LaTeX; add --to latex.")
    if output != "-":
        check_output([input], output)
    reporter = Reporter(output)
    trees: Iterator[Drawn]
    if holds_dependencies(input, from_, text_encoding):
        if heads is not None or no_heads:
            raise click.UsageError("--heads and --no-heads are for constituent trees.")
        trees = _dtrees(input, from_, text_encoding, on_error, reporter)
    else:
        trees = open_trees(input, from_, text_encoding, on_error, reporter)
        if heads is not None or (to != "text" and not no_heads):
            find_heads, _, found = choose_heads(trees, heads)
            trees = map(find_heads, found)
    numbered = enumerate(trees, start=1)
    named: Iterator[tuple[str, Drawn]] = ((tree.id or str(number), tree) for number, tree in numbered)
    if where is not None:
        from spindle.search import select

        named = select(where, named, lambda item: item[1])
    chosen = islice(named if wanted is None else _find(wanted, named), limit)
    if to == "text":
        count = _write_text(chosen, output, layout)
    else:
        style = PictureStyle(layout, theme, latex_style, fragment)
        count = write_pictures(chosen, output, cast("PictureFormat", to), style)
    reporter.sum_up()
    if not count:
        matching = " with a match" if where else ""
        raise click.ClickException(
            f"{input} has no sentence {wanted}{matching}." if wanted else f"{input} has no trees{matching}."
        )


def _format_of(output: str) -> str:
    """Return the format by the ending of a file name; no ending and `.txt` mean text."""
    found = picture_format(output)
    if found is None and output != "-" and "." in output.rpartition("/")[2] and not output.endswith(".txt"):
        raise click.UsageError(
            f"Cannot tell which format to write to {output}; set --to, or use .txt, .svg, .png, .pdf or .tex."
        )
    return found or "text"


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


def _write_text(trees: Iterable[tuple[str, Drawn]], output: str, layout: LayoutName) -> int:
    from spindle.treebanks.source import open_output

    if is_pattern(output):
        raise click.UsageError("Text is written to one file; use a name without {n} and {id}.")
    if output == "-":
        no_color = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        color = sys.stdout.isatty() and not no_color
        count = 0
        for text in _texts(trees, layout, shutil.get_terminal_size((120, 24)).columns, color):
            click.echo(text)
            count += 1
        return count
    texts = list(_texts(trees, layout, 120, color=False))
    if texts:
        with open_output(output) as stream:
            stream.writelines(f"{text}\n" for text in texts)
    return len(texts)


def _texts(trees: Iterable[tuple[str, Drawn]], layout: LayoutName, width: int, color: bool) -> Iterator[str]:
    """Yield every tree as text, below its name."""
    from spindle.drawing import draw_dtree, draw_tree
    from spindle.trees import Tree

    for name, tree in trees:
        if isinstance(tree, Tree):
            drawing = draw_tree(tree, width=width, layout=layout, color=color)
        else:
            drawing = draw_dtree(tree, width=width, layout=layout, color=color)
        yield f"{name}\n{drawing}\n"


def _dtrees(
    input: str, from_: str | None, text_encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[DTree]:
    from spindle.reduction import read_rows

    for reduced, _ in read_rows(open_dependencies(input, from_, text_encoding, on_error, reporter)):
        yield reduced.dtree
