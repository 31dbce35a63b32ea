"""Drawings of trees and d-trees as LaTeX.

Continuous trees use the packages forest or tikz-qtree, which place the nodes themselves. Neither of them can
draw crossing branches, so discontinuous trees are TikZ pictures with computed coordinates. D-trees use the
package tikz-dependency.

    >>> from spindle.trees import Token, Tree
    >>> tree = Tree.build([Token("Trees", "NNS"), Token("grow", "VBP")], ["S", "NP"], [-1, 0], [1, 0])
    >>> print(latex_tree(tree), end="")
    \\begin{forest}
      where n children=0{tier=word}{}
      [{S}
        [{NP}
          [{NNS}
            [{Trees}]]]
        [{VBP}
          [{grow}]]]
    \\end{forest}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from spindle.drawing.display import arc_label, node_label, visible
from spindle.drawing.elements import text_width
from spindle.drawing.layout import crossed_lines, head_children, lay_out, uninterrupted
from spindle.drawing.style import LIGHT_ACCENTS
from spindle.trees.dtree import DTree
from spindle.trees.tree import ROOT, Tree

LatexStyle = Literal["forest", "tikz-qtree"]
STYLES: tuple[LatexStyle, ...] = ("forest", "tikz-qtree")

# All in points, for text of ten points.
TEXT = 10
GAP = 8  # between words
LEVEL = 30  # from one level of nodes to the next
STEM = 8  # from the middle of a label to the horizontal line below it
HALF_LINE = 6  # from the middle of a label to the ends of lines above and below it
LINE = 13  # from one line of text to the next
BREAK = 3  # half the width of the interruption where another line crosses

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # a straight quote in every font encoding, also where a language makes the character active
    '"': r"{\char34}",
}
_LIGATURE = re.compile(r"([-`',])(?=\1)|([!?])(?=`)|<(?=<)|>(?=>)")

PREAMBLE = r"""\documentclass[multi,border=8pt]{standalone}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
\else
  \usepackage{fontspec}
\fi
\usepackage{forest,tikz-qtree,tikz-dependency}
\newenvironment{drawing}{\ignorespaces}{\unskip}
\standaloneenv{drawing}
"""


def latex_tree(tree: Tree, style: LatexStyle = "forest", heads: bool = True) -> str:
    """Return a picture of a constituent tree for a LaTeX document that loads the package `style`.

    If heads are known, head children are bold, unless `heads` is false. A discontinuous tree is a
    `tikzpicture` whatever the style is: it needs the package tikz, which both packages load.
    """
    if style not in STYLES:
        raise ValueError(f"unknown LaTeX style {style!r}; choose from {', '.join(STYLES)}")
    bold = head_children(tree) if heads else frozenset()
    if not tree.is_continuous:
        return _tikz(tree if heads else tree.replace(heads=None), bold)
    return _forest(tree, bold) if style == "forest" else _qtree(tree, bold)


def latex_dtree(dtree: DTree) -> str:
    """Return a picture of a d-tree for a LaTeX document that loads the package tikz-dependency."""
    rows = [[token.form for token in dtree.tokens], [token.tag for token in dtree.tokens]]
    lines = [r"\begin{dependency}", r"  \begin{deptext}"]
    lines += [
        "    " + r" \& ".join(f"{{{_cell(visible(text))}}}" for text in row) + r" \\"
        for row in rows
        if any(row)
    ]
    lines.append(r"  \end{deptext}")
    for word, head in enumerate(dtree.heads):
        label = escape_latex(arc_label(head, dtree.symbols[word], dtree.events[word]))
        if head == ROOT:
            lines.append(rf"  \deproot{{{word + 1}}}{{{label}}}")
        else:
            lines.append(rf"  \depedge{{{head + 1}}}{{{word + 1}}}{{{label}}}")
    return "\n".join([*lines, r"\end{dependency}", ""])


def latex_document(pictures: Iterable[str]) -> str:
    """Return a complete document with one page for every picture, cut to its size.

    Text beyond Latin letters needs XeLaTeX or LuaLaTeX and a font that has it.
    """
    pages = "".join(f"\\begin{{drawing}}\n{picture}\\end{{drawing}}\n" for picture in pictures)
    return f"{PREAMBLE}\\begin{{document}}\n{pages}\\end{{document}}\n"


def escape_latex(text: str) -> str:
    """Return LaTeX code that prints the text as it is: special characters escaped, ligatures prevented.

    >>> print(escape_latex("50 % of {a_b}"), escape_latex("--"))
    50 \\% of \\{a\\_b\\} -{}-
    """
    parted = _LIGATURE.sub(lambda found: found[0] + "\0", text)
    return "".join(_SPECIAL.get(character, character) for character in parted).replace("\0", "{}")


def _cell(text: str) -> str:
    r"""Return LaTeX code for a cell of a table in which `\&` separates the columns."""
    return escape_latex(text).replace(r"\&", r"{\char38}")


# ── continuous trees ─────────────────────────────────────────────────────────────────────────────────


def _forest(tree: Tree, bold: frozenset[int]) -> str:
    lines = [r"\begin{forest}", "  where n children=0{tier=word}{}"]
    for depth, label, closed in _preorder(tree, bold):
        lines.append(f"{'  ' * depth}[{{{label}}}{']' * closed}")
    return "\n".join([*lines, r"\end{forest}", ""])


def _qtree(tree: Tree, bold: frozenset[int]) -> str:
    entries = list(_preorder(tree, bold))
    deepest = max(depth for depth, _, _ in entries)
    lines = [
        r"\begin{tikzpicture}",
        rf"  \tikzset{{frontier/.style={{distance from root={(deepest - 1) * LEVEL}pt}}}}",
        r"  \Tree",
    ]
    for depth, label, closed in entries:
        if closed and depth > 1:  # a leaf: only nodes with children have brackets
            lines.append(f"{'  ' * depth}{{{label}}}{' ]' * (closed - 1)}")
        else:
            lines.append(f"{'  ' * depth}[.{{{label}}}{' ]' * closed}")
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _preorder(tree: Tree, bold: frozenset[int]) -> Iterator[tuple[int, str, int]]:
    """Yield nodes, tags and words from top to bottom: depth, LaTeX label, and how many of them end here."""
    size = len(tree)
    # vertices, each with its depth and the number of ancestors that end with it
    stack = [(size if tree.labels else 0, 1, 0)]
    while stack:
        vertex, depth, ends = stack.pop()
        if vertex >= size:
            node = vertex - size
            label = node_label(tree.labels[node], tree.functions[node])
            yield depth, _weighted(label, vertex in bold), 0
            children = tree.children[node]
            stack += [
                (child, depth + 1, ends + 1 if child == children[-1] else 0) for child in reversed(children)
            ]
            continue
        token = tree.tokens[vertex]
        if tag := _tag_label(tree, vertex):
            yield depth, _weighted(tag, vertex in bold), 0
            depth, ends = depth + 1, ends + 1
        yield depth, _weighted(visible(token.form), vertex in bold), ends + 1


def _tag_label(tree: Tree, position: int) -> str:
    token = tree.tokens[position]
    return node_label(token.tag, token.function) if token.tag or token.function else ""


def _weighted(label: str, is_bold: bool) -> str:
    return rf"\textbf{{{escape_latex(label)}}}" if is_bold else escape_latex(label)


# ── discontinuous trees ──────────────────────────────────────────────────────────────────────────────


def _tikz(tree: Tree, bold: frozenset[int]) -> str:
    """Draw the layout of the SVG drawings in TikZ; y grows upwards, and words stand at and below 0."""
    size = len(tree)
    labels = list(map(node_label, tree.labels, tree.functions))
    tags = [_tag_label(tree, position) for position in range(size)]
    words = [visible(token.form) for token in tree.tokens]
    widths = [
        max(text_width(tag, TEXT), text_width(word, TEXT)) for tag, word in zip(tags, words, strict=True)
    ]
    label_widths = [text_width(label, TEXT) for label in labels]
    layout = lay_out(tree, widths, label_widths, GAP)
    word_line = -LINE if any(tags) else 0
    heights = [0 if tag else word_line for tag in tags] + [LEVEL * level for level in layout.levels]
    names, colors = _colors(tree)
    body = []
    for node, children in enumerate(tree.children):
        stem, line = layout.centres[size + node], heights[size + node] - HALF_LINE - STEM
        feet = {layout.centres[child]: heights[child] + HALF_LINE for child in children}
        first, last = min(stem, *feet), max(stem, *feet)
        parts = uninterrupted(first, last, crossed_lines(tree, layout, node), BREAK)
        segments = [f"({stem},{line + STEM}) -- ({stem},{line})"]
        segments += [f"({start},{line}) -- ({end},{line})" for start, end in parts if start < end]
        segments += [f"({x},{line}) -- ({x},{end})" for x, end in feet.items()]
        body.append(rf"\draw[{names[node]}] {' '.join(segments)};" if names[node] else _draw(segments))
    for node, label in enumerate(labels):
        middle = layout.lefts[size + node] + label_widths[node] // 2
        body.append(_text(middle, heights[size + node], _weighted(label, size + node in bold), names[node]))
    for position, (tag, word) in enumerate(zip(tags, words, strict=True)):
        x, is_bold = layout.centres[position], position in bold
        if tag:
            body.append(_text(x, 0, _weighted(tag, is_bold)))
        body.append(_text(x, word_line, _weighted(word, is_bold)))
    lines = [
        *(rf"\definecolor{{{name}}}{{HTML}}{{{color}}}" for name, color in colors.items()),
        r"\begin{tikzpicture}[x=1pt,y=1pt,every node/.style={inner sep=0pt,font=\normalsize}]",
        *(f"  {line}" for line in body),
        r"\end{tikzpicture}",
    ]
    return "\n".join(lines) + "\n"


def _draw(segments: Iterable[str]) -> str:
    return rf"\draw {' '.join(segments)};"


def _text(x: int, y: int, label: str, color: str = "") -> str:
    # the strut keeps labels with and without descenders on one line
    options = f"[text={color}]" if color else ""
    return rf"\node{options} at ({x},{y}) {{\strut {label}}};"


def _colors(tree: Tree) -> tuple[list[str], dict[str, str]]:
    """Return a colour name for every discontinuous node, "" for the others, and the colours as RGB."""
    names: list[str] = []
    used: dict[str, str] = {}
    seen = 0
    for node in tree.nodes():
        if node.is_continuous:
            names.append("")
            continue
        number = seen % len(LIGHT_ACCENTS)
        names.append(f"spindle{'ABCDE'[number]}")
        used[names[-1]] = LIGHT_ACCENTS[number].removeprefix("#").upper()
        seen += 1
    return names, used
