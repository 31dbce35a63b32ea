"""Pictures of trees in files: SVG, PNG, PDF and LaTeX, all on one page or each in a file of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import click

from spindle.cli.options import Command

if TYPE_CHECKING:
    from spindle.drawing import LatexStyle, LayoutName, Theme
    from spindle.trees import DTree, Tree

Drawn: TypeAlias = "Tree | DTree"
PictureFormat = Literal["svg", "png", "pdf", "latex"]
ENDINGS: dict[str, PictureFormat] = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".tex": "latex"}
"""The format of a picture by the ending of its file."""
PICTURES: tuple[PictureFormat, ...] = get_args(PictureFormat)
PLACE = re.compile(r"\{(n|id)\}")
"""What stands in a file name for the number or the id of the tree."""


@dataclass(frozen=True)
class PictureStyle:
    """How trees are drawn."""

    layout: LayoutName = "auto"
    theme: Theme = "auto"
    latex_style: LatexStyle = "forest"
    fragment: bool = False


def picture_options(command: Command) -> Command:
    """Add the options of pictures: `--layout`, `--theme`, `--latex-style`, `--fragment`."""
    options = (
        click.option(
            "--layout",
            type=click.Choice(["auto", "wide", "tall"]),
            default="auto",
            show_default=True,
            help="wide: a tree stands above its words; tall: it lies beside them, one word a line; auto: "
            "tall if wide is wider than the terminal, or than 1400 pixels.",
        ),
        click.option(
            "--theme",
            type=click.Choice(["auto", "light", "dark"]),
            default="auto",
            show_default=True,
            help="Colours of SVG, PNG and PDF. auto: as the reader's screen prefers; light in PNG and PDF.",
        ),
        click.option(
            "--latex-style",
            type=click.Choice(["forest", "tikz-qtree"]),
            default="forest",
            show_default=True,
            help="The LaTeX package for continuous trees; discontinuous ones are TikZ pictures.",
        ),
        click.option(
            "--fragment", is_flag=True, help="LaTeX: only the pictures, for \\input, not a whole document."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def picture_format(output: str) -> PictureFormat | None:
    """Return the format by the ending of a file name, which may be compressed; None for other endings."""
    from spindle.treebanks.compression import COMPRESSIONS

    path = Path(output)
    if path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return ENDINGS.get(path.suffix.lower())


def check_ending(output: str, format: str) -> None:
    """Raise a usage error if a file has the ending of another kind of picture than the one that it gets."""
    of_ending = picture_format(output)
    if of_ending not in (None, format):
        raise click.UsageError(f"{output} has the ending of {of_ending}, but --to is {format}.")


def is_pattern(output: str) -> bool:
    """Return whether a file name has a place for the number or the id of the tree."""
    return PLACE.search(output) is not None


def write_pictures(
    trees: Iterable[tuple[str, Drawn]], output: str, format: PictureFormat, style: PictureStyle
) -> int:
    """Write a picture of all trees, or one for each if the file name has a place; return their number.

    Nothing is written if there is no tree.
    """
    if not is_pattern(output):
        drawn = [tree for _, tree in trees]
        if drawn:
            _write(_pictures(drawn, format, style), output)
        return len(drawn)
    written: set[str] = set()
    for number, (name, tree) in enumerate(trees, start=1):
        target = _file_name(output, number, name)
        if target in written:
            raise click.ClickException(f"{target}: two sentences have this name; use {{n}} in the file name.")
        written.add(target)
        _write(_pictures([tree], format, style), target)
    return len(written)


def _file_name(pattern: str, number: int, name: str) -> str:
    """Return the name of the file of a tree; an id cannot lead to another folder."""
    safe = re.sub(r"[^\w.+-]", "_", name).lstrip(".") or str(number)
    return PLACE.sub(lambda place: str(number) if place[1] == "n" else safe, pattern)


def _pictures(trees: list[Drawn], format: PictureFormat, style: PictureStyle) -> str | bytes:
    from spindle.drawing import latex_document, pdf_document, png_picture, svg_stack, with_theme

    if format == "latex":
        pictures = [_latex(tree, style) for tree in trees]
        return "\n".join(pictures) if style.fragment else latex_document(pictures)
    drawings = [_svg(tree, style) for tree in trees]
    if format == "svg":
        return with_theme(drawings[0] if len(drawings) == 1 else svg_stack(drawings), style.theme)
    theme: Theme = "light" if style.theme == "auto" else style.theme
    return png_picture(drawings, theme) if format == "png" else pdf_document(drawings, theme)


def _svg(tree: Drawn, style: PictureStyle) -> str:
    from spindle.drawing import svg_dtree, svg_tree
    from spindle.trees import Tree

    return svg_tree(tree, layout=style.layout) if isinstance(tree, Tree) else svg_dtree(tree)


def _latex(tree: Drawn, style: PictureStyle) -> str:
    from spindle.drawing import latex_dtree, latex_tree
    from spindle.trees import Tree

    return latex_tree(tree, style.latex_style) if isinstance(tree, Tree) else latex_dtree(tree)


def _write(content: str | bytes, output: str) -> None:
    from spindle.treebanks.source import open_output

    if isinstance(content, str):
        with open_output(output) as stream:
            stream.write(content)
    elif output == "-":
        if sys.stdout.isatty():
            raise click.UsageError("A picture cannot be shown on the terminal; name a file with -o.")
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        Path(output).write_bytes(content)
