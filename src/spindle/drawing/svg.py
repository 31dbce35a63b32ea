"""Drawings of trees and d-trees as SVG: self-contained, without scripts, for light and dark backgrounds.

Where two lines cross, the vertical line continues and the horizontal line is interrupted, as in the text
drawings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from spindle.drawing.display import arc_label, marked_forms, marked_labels, visible
from spindle.drawing.elements import path, rectangle, svg_document, text, text_width
from spindle.drawing.frame import LINE, accents, sentence_document
from spindle.drawing.layout import (
    Layout,
    arc_levels,
    crossed_arcs,
    crossed_lines,
    head_children,
    lay_out,
    uninterrupted,
)
from spindle.drawing.lying import svg_lying_tree
from spindle.drawing.style import BIG, SMALL, STYLE, Mark
from spindle.drawing.text import LayoutName
from spindle.trees.dtree import DTree
from spindle.trees.tree import ROOT, Tree

# All in pixels.
GAP = 14  # between words
TREE_LEVEL = 44
ARC_LEVEL = 26
FOOT = 8  # from one arc to the next at the same word
BREAK = 5  # half the width of the interruption where another line crosses
ROUND = 6  # the radius of corners


MAX_WIDTH = 1400
"""The layout `auto` lays wider trees down; in pixels."""


def svg_tree(
    tree: Tree,
    *,
    marks: Mapping[int, Mark] | None = None,
    layout: LayoutName = "wide",
    max_width: int = MAX_WIDTH,
) -> str:
    """Draw a constituent tree: `wide` above its words, `tall` to their left, one word a line.

    `auto` is wide unless the picture is then wider than `max_width`. If heads are known, a node stands above
    its lexical head, and head children are bold. Discontinuous nodes and the lines to their children are
    coloured. `marks` are nodes by number, and words as -1 minus their position; they get a sign before their
    label, and only they are coloured.
    """
    if layout == "tall":
        return svg_lying_tree(tree, marks)
    drawing = _wide_tree(tree, marks)
    is_too_wide = layout == "auto" and drawing_size(drawing)[0] > max_width
    return svg_lying_tree(tree, marks) if is_too_wide else drawing


def _wide_tree(tree: Tree, marks: Mapping[int, Mark] | None) -> str:
    size = len(tree)
    labels = marked_labels(tree, marks)
    rows = [
        _Row(SMALL, "small faint", [visible(token.function) for token in tree.tokens]),
        _Row(SMALL, "small", [visible(token.tag) for token in tree.tokens]),
        _Row(BIG, "", marked_forms(tree.tokens, marks)),
    ]
    rows = [row for row in rows if any(row.texts)]
    widths, label_widths = _widths(rows), [text_width(label, BIG) for label in labels]
    if tree.heads is not None:
        # Bold letters are wider.
        widths = [width * 9 // 8 for width in widths]
        label_widths = [width * 9 // 8 for width in label_widths]
    layout = lay_out(tree, widths, label_widths, GAP)
    words_y = layout.height * TREE_LEVEL
    baselines = [words_y] * size + [words_y - level * TREE_LEVEL for level in layout.levels]
    for position in range(size):
        baselines[position] += LINE * next(number for number, row in enumerate(rows) if row.texts[position])
    bold = head_children(tree)
    if marks is None:
        colors = accents([not node.is_continuous for node in tree.nodes()])
    else:
        colors = [marks[node].classes if node in marks else "" for node in range(len(labels))]
    body = _branches(tree, layout, baselines, colors)
    for node, label in enumerate(labels):
        middle = layout.lefts[size + node] + label_widths[node] // 2
        if marks and node in marks:
            left, top = layout.lefts[size + node] - 3, baselines[size + node] - BIG
            body.append(rectangle(left, top, label_widths[node] + 6, BIG + 5, f"pill {colors[node]}"))
        classes = f"{colors[node]} bold" if size + node in bold else colors[node]
        body.append(text(middle, baselines[size + node], label, classes))
    body += _token_texts(rows, layout.centres, words_y, bold, marks)
    width = sum(layout.column_widths) + GAP * (size - 1)
    return sentence_document(body, width, words_y + LINE * (len(rows) - 1), tree)


def svg_dtree(dtree: DTree, *, marks: Mapping[int, Mark] | None = None) -> str:
    """Draw a head-ordered d-tree as arcs above its words; arcs that another line crosses are coloured.

    `marks` are words as -1 minus their position, as in `svg_tree`.
    """
    labels = list(map(arc_label, dtree.heads, dtree.symbols, dtree.events))
    rows = [
        _Row(BIG, "", marked_forms(dtree.tokens, marks)),
        _Row(SMALL, "small faint", [visible(token.tag) for token in dtree.tokens]),
    ]
    rows = [row for row in rows if any(row.texts)]
    levels = arc_levels(dtree)
    feet = _feet(dtree, levels)
    label_widths = [text_width(label, SMALL) for label in labels]
    widths = [
        max(width, 2 * max(offsets.values()) + FOOT)
        for width, offsets in zip(_widths(rows), feet, strict=True)
    ]
    centres = _word_centres(dtree, widths, label_widths, feet)
    tops = [(max(levels) - level) * ARC_LEVEL for level in levels]
    base = max(levels) * ARC_LEVEL
    crossed = crossed_arcs(dtree, levels)
    colors = accents([word in crossed for word in range(len(dtree))])
    # Where the arcs go up from the words, and to which level.
    uprights = [
        (centre + offset, levels[arc])
        for centre, offsets in zip(centres, feet, strict=True)
        for arc, offset in offsets.items()
    ]
    body: list[str] = []
    for word, head in enumerate(dtree.heads):
        x, top, color = centres[word] + feet[word][word], tops[word], colors[word]
        body.append(path(f"M{x - 3} {base - 6}h6l-3 6z", f"solid {color}"))
        if head == ROOT:
            body.append(path(f"M{x} {top + 6}V{base - 6}", color))
            body.append(text(x, top, labels[word], "small bold"))
            continue
        start = centres[head] + feet[head][word]
        first, last = min(x, start), max(x, start)
        crossing = sorted(other for other, level in uprights if first < other < last and level > levels[word])
        arc = _upright(x, base - 6, top, first, last, is_corner=True)
        arc += _upright(start, base, top, first, last, is_corner=True)
        body.append(path(arc + _horizontal(first + ROUND, last - ROUND, top, crossing), color))
        # The label stands above the longest uninterrupted part of the arc.
        left, right = max(pairwise([first, *crossing, last]), key=lambda part: part[1] - part[0])
        body.append(text((left + right) // 2, top - 4, labels[word], f"small {color}"))
    body += _token_texts(rows, centres, base + BIG + 4, frozenset(), marks)
    width = centres[-1] + (widths[-1] + 1) // 2
    return sentence_document(body, width, base + BIG + 4 + LINE * (len(rows) - 1), dtree)


def svg_stack(drawings: Iterable[str]) -> str:
    """Join drawings from `svg_tree` or `svg_dtree` into one, from top to bottom."""
    body, width, height = [], 0, 0
    for drawing in drawings:
        size = drawing_size(drawing)
        body.append(drawing.replace("<svg ", f'<svg y="{height}" ', 1).replace(STYLE, "", 1))
        width, height = max(width, size[0]), height + size[1]
    return svg_document("".join(body), width, height)


def drawing_size(drawing: str) -> tuple[int, int]:
    """Return the width and the height of a drawing, in pixels."""
    size = re.match(r'<svg [^>]*? width="(\d+)" height="(\d+)"', drawing)
    if size is None:
        raise ValueError("only drawings made by svg_tree and svg_dtree have a size")
    return int(size[1]), int(size[2])


# ── parts of a drawing ───────────────────────────────────────────────────────────────────────────────


class _Row(NamedTuple):
    """A line of text below the tree: one string for every word, which may be empty."""

    size: int
    classes: str
    texts: list[str]


def _branches(tree: Tree, layout: Layout, baselines: Sequence[int], colors: Sequence[str]) -> list[str]:
    """Return one path for every node: the lines to its children."""
    size, centres = len(tree), layout.centres
    paths = []
    for node, children in enumerate(tree.children):
        stem, line = centres[size + node], baselines[size + node] + 16
        feet = {centres[child]: baselines[child] - BIG - 2 for child in children}
        first, last = min(stem, *feet), max(stem, *feet)
        crossing = crossed_lines(tree, layout, node)
        steps = [_upright(stem, line - 10, line, first, last, is_corner=stem not in feet)]
        steps += [_upright(x, end, line, first, last, is_corner=x != stem) for x, end in feet.items()]
        # A rounded corner has already drawn the end of the horizontal line.
        steps.append(
            _horizontal(
                first + ROUND * (first not in feet or first != stem),
                last - ROUND * (last not in feet or last != stem),
                line,
                crossing,
            )
        )
        paths.append(path("".join(steps), colors[node]))
    return paths


def _token_texts(
    rows: Sequence[_Row],
    centres: Sequence[int],
    y: int,
    bold: frozenset[int],
    marks: Mapping[int, Mark] | None,
) -> Iterator[str]:
    for number, row in enumerate(rows):
        for position, content in enumerate(row.texts):
            if content:
                classes = f"{row.classes} bold" if position in bold else row.classes
                if marks and -1 - position in marks:
                    classes += f" {marks[-1 - position].classes}"
                yield text(centres[position], y + LINE * number, content, classes)


def _widths(rows: Sequence[_Row]) -> list[int]:
    """Return the width that every word's column needs."""
    widths = [[text_width(content, row.size) for content in row.texts] for row in rows]
    return [max(column) for column in zip(*widths, strict=True)]


def _upright(x: int, end: int, line: int, first: int, last: int, is_corner: bool) -> str:
    """Return a vertical line from `end` to the horizontal `line`, with a rounded corner at its ends."""
    if not is_corner or x not in (first, last):
        return f"M{x} {end}V{line}"
    before = line + ROUND if end > line else line - ROUND
    after = x + ROUND if x == first else x - ROUND
    return f"M{x} {end}V{before}Q{x} {line} {after} {line}"


def _horizontal(first: int, last: int, line: int, crossing: Iterable[int]) -> str:
    """Return a horizontal line that is interrupted where other lines cross it."""
    parts = uninterrupted(first, last, crossing, BREAK)
    return "".join(f"M{start} {line}H{end}" for start, end in parts)


def _feet(dtree: DTree, levels: Sequence[int]) -> list[dict[int, int]]:
    """Return, for every word, the arcs that end on it (by modifier) and their distance from its centre.

    Higher arcs are nearer to the centre, so that arcs on the same side do not cross.
    """
    feet = []
    for word, modifiers in enumerate(dtree.modifiers):
        others = {word: dtree.heads[word]} | {modifier: modifier for modifier in modifiers}
        left = sorted(
            (arc for arc, other in others.items() if ROOT < other < word), key=lambda arc: levels[arc]
        )
        right = sorted((arc for arc, other in others.items() if other > word), key=lambda arc: -levels[arc])
        order = left + [word] * (others[word] == ROOT) + right
        feet.append({arc: FOOT * number - FOOT * (len(order) - 1) // 2 for number, arc in enumerate(order)})
    return feet


def _word_centres(
    dtree: DTree, widths: Sequence[int], label_widths: Sequence[int], feet: Sequence[dict[int, int]]
) -> list[int]:
    """Return the centres of the words; beside every modifier there is room for the label of its arc."""
    steps = [(left + 1) // 2 + GAP + (right + 1) // 2 for left, right in pairwise(widths)]
    for word, head in enumerate(dtree.heads):
        if head != ROOT:
            beside = word if head > word else word - 1
            if head > word:
                taken = feet[word][word] - min(feet[word + 1].values())
            else:
                taken = max(feet[word - 1].values()) - feet[word][word]
            steps[beside] = max(steps[beside], label_widths[word] + taken + 2 * ROUND)
    return list(accumulate(steps, initial=(widths[0] + 1) // 2))
