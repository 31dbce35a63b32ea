"""Drawings of constituent trees that lie down, for long sentences: the root at the left, one word a line.

The layout is that of the standing drawings, turned by 90 degrees: a column of pixels there is a row here.
Where two lines cross, the line to a child continues and the vertical line is interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping

from spindle.drawing.display import marked_labels, node_label, visible
from spindle.drawing.elements import path, rectangle, text, text_width
from spindle.drawing.frame import LINE, accents, sentence_document
from spindle.drawing.layout import crossed_lines, head_children, lay_out, uninterrupted
from spindle.drawing.style import BIG, SMALL, Mark
from spindle.trees.tree import Tree

# All in pixels.
ROW = 20  # the height of a word's line
LEVEL = 22  # between the labels of two levels; the vertical lines are there
BAR = 8  # from the end of the labels of a level to the vertical line
SPACE = 10  # between tag and word
RISE = 5  # from the baseline of a label to its middle
BREAK = 5  # half the length of the interruption where another line crosses
ROUND = 5  # the radius of corners


def svg_lying_tree(tree: Tree, marks: Mapping[int, Mark] | None) -> str:
    """Draw a constituent tree to the left of its words, which stand below one another."""
    size = len(tree)
    labels = marked_labels(tree, marks)
    tags = [
        node_label(token.tag, token.function) if token.tag or token.function else "" for token in tree.tokens
    ]
    words = [visible(token.form) for token in tree.tokens]
    bold = head_children(tree)

    def width(content: str, vertex: int, points: int) -> int:
        return text_width(content, points) * (9 if vertex in bold else 8) // 8

    layout = lay_out(tree, [ROW] * size, [LINE] * len(labels), 0)
    widths = [width(label, size + node, BIG) for node, label in enumerate(labels)]
    # the left ends of the levels, from the root to the tags, and of the words
    lefts = [0] * (layout.height + 1)
    at = 0
    for level in range(layout.height, 0, -1):
        lefts[level] = at
        broadest = max(wide for wide, its in zip(widths, layout.levels, strict=True) if its == level)
        at += broadest + LEVEL
    lefts[0] = at
    words_at = at + max(width(tag, position, SMALL) for position, tag in enumerate(tags))
    words_at += SPACE if any(tags) else 0
    starts = [lefts[0] if tag else words_at for tag in tags] + [lefts[level] for level in layout.levels]

    if marks is None:
        colors = accents([not node.is_continuous for node in tree.nodes()])
    else:
        colors = [marks[node].classes if node in marks else "" for node in range(len(labels))]
    body = []
    for node, children in enumerate(tree.children):
        stem = layout.centres[size + node]
        # the line is left of all labels of the level below
        bar = lefts[layout.levels[node] - 1] - LEVEL + BAR
        feet = {layout.centres[child]: starts[child] - 4 for child in children}
        first, last = min(stem, *feet), max(stem, *feet)
        steps = [_branch(stem, starts[size + node] + widths[node] + 3, bar, first, last, stem not in feet)]
        steps += [_branch(y, end, bar, first, last, y != stem) for y, end in feet.items()]
        parts = uninterrupted(
            first + ROUND * (first not in feet or first != stem),
            last - ROUND * (last not in feet or last != stem),
            crossed_lines(tree, layout, node),
            BREAK,
        )
        steps += [f"M{bar} {start}V{end}" for start, end in parts if start < end]
        body.append(path("".join(steps), colors[node]))
    for node, label in enumerate(labels):
        if marks and node in marks:
            top = layout.centres[size + node] + RISE - BIG
            pill = f"pill {colors[node]}"
            body.append(rectangle(starts[size + node] - 3, top, widths[node] + 6, BIG + 5, pill))
        classes = f"start {colors[node]} {'bold' if size + node in bold else ''}"
        body.append(text(starts[size + node], layout.centres[size + node] + RISE, label, classes))
    for position, (tag, word) in enumerate(zip(tags, words, strict=True)):
        weight = "bold" if position in bold else ""
        y = layout.centres[position] + RISE
        if tag:
            body.append(text(lefts[0], y, tag, f"start small {weight}"))
        body.append(text(words_at, y, word, f"start {weight}"))
    broadest = max(width(word, position, BIG) for position, word in enumerate(words))
    height = sum(layout.column_widths) - BIG // 2
    return sentence_document(body, words_at + broadest, height, tree)


def _branch(y: int, end: int, bar: int, first: int, last: int, is_corner: bool) -> str:
    """Return a horizontal line from `end` to the vertical one at `bar`, with a rounded corner at its ends."""
    if not is_corner or y not in (first, last):
        return f"M{end} {y}H{bar}"
    before = bar + ROUND if end > bar else bar - ROUND
    after = y + ROUND if y == first else y - ROUND
    return f"M{end} {y}H{before}Q{bar} {y} {bar} {after}"
