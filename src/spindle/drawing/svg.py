"""Drawings of trees as SVG: self-contained, without scripts or fonts, readable on light and dark ground.

Where two lines cross, the vertical one goes on and the horizontal one is broken, as in the text drawings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import NamedTuple

from spindle.drawing.display import arc_label, columns, node_label, visible
from spindle.drawing.layout import arc_levels, crossed_arcs, lay_out
from spindle.trees.dtree import DTree
from spindle.trees.tree import ROOT, Tree

# all in pixels
MARGIN = 16
GAP = 14  # between words
LINE = 18  # from one line of text to the next
TREE_LEVEL = 44
ARC_LEVEL = 26
FOOT = 8  # from one arc to the next at the same word
BREAK = 5  # a horizontal line is broken this far on both sides of what crosses it
ROUND = 6  # the radius of corners
BIG, SMALL = 14, 12  # sizes of text

COLORS = 5
_STYLE = f"""<style>
.spindle{{color-scheme:light dark;color:#24292f}}
.spindle text{{fill:currentColor;font-size:{BIG}px;text-anchor:middle;
font-family:"Noto Sans","DejaVu Sans",Verdana,Helvetica,Arial,sans-serif}}
.spindle path{{fill:none;stroke:currentColor;stroke-width:1.3;stroke-linecap:round}}
.spindle .ground{{fill:#fff}}
.spindle .small{{font-size:{SMALL}px}}
.spindle .faint{{opacity:.7}}
.spindle .name{{text-anchor:start}}
.spindle .head{{font-weight:bold}}
.spindle .tip{{fill:currentColor;stroke:none}}
.spindle .c0{{color:#b35900}}.spindle .c1{{color:#0969da}}.spindle .c2{{color:#8250df}}
.spindle .c3{{color:#1a7f37}}.spindle .c4{{color:#cf222e}}
@media (prefers-color-scheme:dark){{
.spindle{{color:#e6edf3}}
.spindle .ground{{fill:#0d1117}}
.spindle .c0{{color:#f0a050}}.spindle .c1{{color:#6cb6ff}}.spindle .c2{{color:#cba6ff}}
.spindle .c3{{color:#5fd07a}}.spindle .c4{{color:#ff8b84}}}}
</style>
"""


def svg_tree(tree: Tree) -> str:
    """A constituent tree above its words.

    A node stands over its lexical head, if heads are known, and head children are bold. Discontinuous nodes
    and the lines to their children are coloured.
    """
    size = len(tree)
    labels = list(map(node_label, tree.labels, tree.functions))
    rows = [
        _Row(SMALL, "small faint", [visible(token.function) for token in tree.tokens]),
        _Row(SMALL, "small", [visible(token.tag) for token in tree.tokens]),
        _Row(BIG, "", [visible(token.form) for token in tree.tokens]),
    ]
    rows = [row for row in rows if any(row.texts)]
    widths, label_widths = _widths(rows), [text_width(label, BIG) for label in labels]
    if tree.heads is not None:
        # bold letters are wider
        widths = [width * 9 // 8 for width in widths]
        label_widths = [width * 9 // 8 for width in label_widths]
    place = lay_out(tree, widths, label_widths, GAP)
    words = place.height * TREE_LEVEL
    baselines = [words] * size + [words - level * TREE_LEVEL for level in place.levels]
    for position in range(size):
        baselines[position] += LINE * next(number for number, row in enumerate(rows) if row.texts[position])
    levels = [0] * size + list(place.levels)
    parents = [*tree.leaf_parents, *tree.parents]
    head_children = _head_children(tree)
    colors = _colors([not node.is_continuous for node in tree.nodes()])
    body: list[str] = []
    for node, children in enumerate(tree.children):
        stem, line = place.centres[size + node], baselines[size + node] + 16
        feet = {place.centres[child]: baselines[child] - BIG - 2 for child in children}
        first, last = min(stem, *feet), max(stem, *feet)
        crossing = [
            place.centres[vertex]
            for vertex, parent in enumerate(parents)
            if first < last and parent != ROOT and levels[vertex] < place.levels[node] < place.levels[parent]
        ]
        pieces = [_upright(stem, line - 10, line, first, last, is_corner=stem not in feet)]
        pieces += [_upright(x, end, line, first, last, is_corner=x != stem) for x, end in feet.items()]
        # a corner has drawn the end of the line already
        pieces.append(
            _level(
                first + ROUND * (first not in feet or first != stem),
                last - ROUND * (last not in feet or last != stem),
                line,
                crossing,
            )
        )
        body.append(_path("".join(pieces), colors[node]))
    for node, label in enumerate(labels):
        middle = place.lefts[size + node] + label_widths[node] // 2
        kind = f"{colors[node]} head" if size + node in head_children else colors[node]
        body.append(_text(middle, baselines[size + node], label, kind))
    body += _token_texts(rows, place.centres, words, head_children)
    width = sum(place.column_widths) + GAP * (size - 1)
    return _document(body, width, words + LINE * (len(rows) - 1), tree)


def svg_dtree(dtree: DTree) -> str:
    """A head-ordered d-tree: its arcs above the words; those that are crossed are coloured."""
    labels = list(map(arc_label, dtree.heads, dtree.symbols, dtree.events))
    rows = [
        _Row(BIG, "", [visible(token.form) for token in dtree.tokens]),
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
    ground = max(levels) * ARC_LEVEL
    crossed = crossed_arcs(dtree, levels)
    colors = _colors([word in crossed for word in range(len(dtree))])
    # where the arcs go up from the words, and how high
    uprights = [
        (centre + offset, levels[arc])
        for centre, offsets in zip(centres, feet, strict=True)
        for arc, offset in offsets.items()
    ]
    body: list[str] = []
    for word, head in enumerate(dtree.heads):
        x, top, color = centres[word] + feet[word][word], tops[word], colors[word]
        body.append(_path(f"M{x - 3} {ground - 6}h6l-3 6z", f"tip {color}"))
        if head == ROOT:
            body.append(_path(f"M{x} {top + 6}V{ground - 6}", color))
            body.append(_text(x, top, labels[word], "small head"))
            continue
        start = centres[head] + feet[head][word]
        first, last = min(x, start), max(x, start)
        crossing = sorted(other for other, level in uprights if first < other < last and level > levels[word])
        path = _upright(x, ground - 6, top, first, last, is_corner=True)
        path += _upright(start, ground, top, first, last, is_corner=True)
        body.append(_path(path + _level(first + ROUND, last - ROUND, top, crossing), color))
        ends = [first, *crossing, last]
        left, right = max(pairwise(ends), key=lambda piece: piece[1] - piece[0])
        body.append(_text((left + right) // 2, top - 4, labels[word], f"small {color}"))
    body += _token_texts(rows, centres, ground + BIG + 4, frozenset())
    width = centres[-1] + (widths[-1] + 1) // 2
    return _document(body, width, ground + BIG + 4 + LINE * (len(rows) - 1), dtree)


def svg_stack(drawings: Iterable[str]) -> str:
    """One drawing made of many, from top to bottom; each must come from `svg_tree` or `svg_dtree`."""
    body, width, height = [], 0, 0
    for drawing in drawings:
        size = re.match(r'<svg [^>]*? width="(\d+)" height="(\d+)"', drawing)
        if size is None:
            raise ValueError("only drawings made by svg_tree and svg_dtree can be stacked")
        body.append(drawing.replace("<svg ", f'<svg y="{height}" ', 1).replace(_STYLE, "", 1))
        width, height = max(width, int(size[1])), height + int(size[2])
    return _svg("".join(body), width, height)


# ── pieces of a drawing ──────────────────────────────────────────────────────────────────────────────


class _Row(NamedTuple):
    """A line of text with something, or nothing, for every word."""

    size: int
    kind: str
    texts: list[str]


def _document(body: Iterable[str], width: int, height: int, sentence: Tree | DTree) -> str:
    """The drawing, whose first baseline is at 0, with a margin around it and the sentence's id above it."""
    above = MARGIN + BIG
    name = visible(sentence.id)
    if name:
        body = [f'<text class="name small faint" y="{-LINE - 4}">{escape(name)}</text>\n', *body]
        above += LINE
        width = max(width, text_width(name, SMALL))
    words = escape(" ".join(visible(token.form) for token in sentence.tokens))
    inside = f'<g transform="translate({MARGIN} {above})">\n{"".join(body)}</g>\n'
    return _svg(inside, width + 2 * MARGIN, above + height + MARGIN, f"<title>{words}</title>\n")


def _svg(inside: str, width: int, height: int, title: str = "") -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spindle" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img">\n{title}{_STYLE}'
        f'<rect class="ground" width="{width}" height="{height}"/>\n{inside}</svg>\n'
    )


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text{_class(kind)} x="{x}" y="{y}">{escape(text)}</text>\n'


def _path(steps: str, kind: str) -> str:
    return f'<path{_class(kind)} d="{steps}"/>\n'


def _class(kind: str) -> str:
    return f' class="{kind.strip()}"' if kind.strip() else ""


def _colors(is_colored: Iterable[bool]) -> list[str]:
    """The class of the next colour for everything that has one."""
    kinds: list[str] = []
    seen = 0
    for colored in is_colored:
        kinds.append(f"c{seen % COLORS}" if colored else "")
        seen += colored
    return kinds


def _token_texts(rows: Sequence[_Row], centres: Sequence[int], y: int, bold: frozenset[int]) -> Iterator[str]:
    for number, row in enumerate(rows):
        for position, text in enumerate(row.texts):
            if text:
                kind = f"{row.kind} head" if position in bold else row.kind
                yield _text(centres[position], y + LINE * number, text, kind)


def _widths(rows: Sequence[_Row]) -> list[int]:
    """How wide the words' columns have to be."""
    widths = [[text_width(text, row.size) for text in row.texts] for row in rows]
    return [max(column) for column in zip(*widths, strict=True)]


def _upright(x: int, end: int, line: int, first: int, last: int, is_corner: bool) -> str:
    """A vertical line from `end` to a horizontal one, around the corner if it stands where that one ends."""
    if not is_corner or x not in (first, last):
        return f"M{x} {end}V{line}"
    before = line + ROUND if end > line else line - ROUND
    after = x + ROUND if x == first else x - ROUND
    return f"M{x} {end}V{before}Q{x} {line} {after} {line}"


def _level(first: int, last: int, line: int, crossing: Iterable[int]) -> str:
    """A horizontal line, broken where others cross it."""
    steps, start = "", first
    for x in sorted(crossing):
        if first < x < last:
            steps += f"M{start} {line}H{x - BREAK}" if x - BREAK > start else ""
            start = x + BREAK
    return steps + f"M{start} {line}H{last}"


def _head_children(tree: Tree) -> frozenset[int]:
    """The vertices that are the heads of their parents; none if heads are not known."""
    if tree.heads is None:
        return frozenset()
    heads = [*range(len(tree)), *tree.heads]
    parents = [*tree.leaf_parents, *tree.parents]
    return frozenset(
        vertex
        for vertex, parent in enumerate(parents)
        if parent != ROOT and tree.heads[parent] == heads[vertex]
    )


def _feet(dtree: DTree, levels: Sequence[int]) -> list[dict[int, int]]:
    """For every word the arcs that stand on it, by their modifiers, and how far from its centre.

    The higher an arc, the nearer to the centre, so that arcs to the same side do not cross.
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
    """The centres of the words, with room beside every modifier for the label of its arc."""
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


def text_width(text: str, size: int) -> int:
    """About how many pixels a text takes; rather too many, since fonts differ."""
    return round(size * sum(map(_em, text)) / 100) + 2


def _em(character: str) -> int:
    """The width of a character in hundredths of the text's size, as in the wider ones of common fonts."""
    if character in "ijlI.,:;'|! `":
        return 34
    if character in 'frt()[]{}-/\\"*':
        return 45
    if character in "mwMW@%":
        return 97
    if character.isascii():
        return 64 if not character.isupper() else 72
    return {0: 0, 1: 75, 2: 105}[columns(character)]
