"""Two trees of one sentence as one drawing, gold above parsed, with the wrong constituents marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from spindle.drawing.display import NAMELESS, columns, visible
from spindle.drawing.elements import svg_document, text, text_width
from spindle.drawing.frame import LINE, MARGIN
from spindle.drawing.style import BIG, EXTRA, MISSING, SMALL, STYLE, Mark
from spindle.drawing.svg import svg_tree
from spindle.drawing.text import LayoutName, draw_tree
from spindle.trees.tree import Tree

MAX_TEXT = 70
"""The number of characters of a constituent's text that a list of errors shows."""


class MarkedNode(NamedTuple):
    """A wrong constituent: its node, its label, the kind of error, its words, and the other tree's label."""

    node: int
    label: str
    kind: str
    words: str
    other: str = ""


@dataclass(frozen=True)
class ComparedTrees:
    """A sentence for drawing: both trees, their wrong constituents, and short facts about the sentence.

    `pred` is None if there is no predicted tree; `problem` then says why.
    """

    name: str
    facts: tuple[str, ...]
    gold: Tree
    pred: Tree | None
    missing: tuple[MarkedNode, ...]
    extra: tuple[MarkedNode, ...]
    problem: str = ""

    @property
    def headline(self) -> str:
        """The name of the sentence and the facts about it."""
        return "   ".join([f"sentence {visible(self.name)}", *self.facts])

    @property
    def errors(self) -> Iterator[tuple[Mark, MarkedNode]]:
        """All wrong constituents, the missing ones first."""
        yield from ((MISSING, one) for one in self.missing)
        yield from ((EXTRA, one) for one in self.extra)

    @property
    def gold_marks(self) -> dict[int, Mark]:
        """The marks of the gold tree."""
        return {one.node: MISSING for one in self.missing}

    @property
    def pred_marks(self) -> dict[int, Mark]:
        """The marks of the predicted tree."""
        return {one.node: EXTRA for one in self.extra}


def error_line(mark: Mark, error: MarkedNode) -> str:
    """Return a line of the list of errors.

    >>> error_line(MISSING, MarkedNode(1, "NP", "label", "the cat", "NX"))
    '−NP  label, parsed as NX: the cat'
    >>> error_line(EXTRA, MarkedNode(1, "NX", "label", "the cat", "NP"))
    '+NX  label, NP in gold: the cat'
    """
    other = visible(error.other) or NAMELESS
    if error.kind == "label":
        other = f", parsed as {other}" if mark is MISSING else f", {other} in gold"
    else:
        other = ""
    words = error.words if len(error.words) <= MAX_TEXT else error.words[: MAX_TEXT - 1] + "…"
    return f"{mark.sign}{visible(error.label) or NAMELESS}  {error.kind}{other}: {visible(words)}"


def draw_comparison(compared: ComparedTrees, *, width: int | None = None, color: bool = False) -> str:
    """Draw both trees as text, with a list of the errors below."""

    def styled(line: str, style: str) -> str:
        return f"\x1b[{style}m{line}\x1b[0m" if color else line

    layout = _layout(compared, width)
    lines = [styled(compared.headline, "1"), styled("gold", "2")]
    lines.append(draw_tree(compared.gold, layout=layout, color=color, marks=compared.gold_marks))
    lines.append(styled("parsed", "2"))
    if compared.pred is None:
        lines.append(f"({visible(compared.problem)})")
    else:
        lines.append(draw_tree(compared.pred, layout=layout, color=color, marks=compared.pred_marks))
    lines += [styled(error_line(mark, error), mark.ansi) for mark, error in compared.errors]
    return "\n".join(lines) + "\n"


def _layout(compared: ComparedTrees, width: int | None) -> LayoutName:
    """Return one layout for both trees: tall if one of them is too wide."""
    drawings = [draw_tree(compared.gold, layout="wide", marks=compared.gold_marks)]
    if compared.pred is not None:
        drawings.append(draw_tree(compared.pred, layout="wide", marks=compared.pred_marks))
    widest = max(columns(line) for drawing in drawings for line in drawing.split("\n"))
    return "wide" if width is None or widest <= width else "tall"


def svg_comparison(compared: ComparedTrees) -> str:
    """Draw both trees as SVG, gold above parsed, with a list of the errors below."""
    headline = " · ".join([f"sentence {visible(compared.name)}", *compared.facts])
    body = [text(MARGIN, MARGIN + BIG, headline, "start bold")]
    y, width = MARGIN + BIG + LINE, text_width(headline, BIG) * 9 // 8
    trees = [("gold", compared.gold, compared.gold_marks)]
    if compared.pred is not None:
        trees.append(("parsed", compared.pred, compared.pred_marks))
    for title, tree, marks in trees:
        body.append(text(MARGIN, y + LINE, title, "start small faint"))
        drawing = svg_tree(tree.replace(id=""), marks=marks)
        size = re.match(r'<svg [^>]*? width="(\d+)" height="(\d+)"', drawing)
        assert size is not None
        # below the title, which its background would cover
        body.append(drawing.replace("<svg ", f'<svg y="{y + LINE + 4}" ', 1).replace(STYLE, "", 1))
        width, y = max(width, int(size[1])), y + LINE + 4 + int(size[2])
    if compared.pred is None:
        y += LINE
        body.append(text(MARGIN, y, f"parsed: {visible(compared.problem)}", "start small"))
    for mark, error in compared.errors:
        y += LINE
        line = error_line(mark, error)
        body.append(text(MARGIN, y, line, f"start small {mark.classes}"))
        width = max(width, text_width(line, SMALL))
    return svg_document("".join(body), width + 2 * MARGIN, y + MARGIN, headline)
