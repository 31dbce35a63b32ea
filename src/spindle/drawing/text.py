"""Drawings of trees and d-trees as text, with box-drawing characters.

Where two lines cross, the vertical line continues and the horizontal line is interrupted (`─│─`); where they
meet, the character shows a junction (`┬`, `┼`, …).

    >>> from spindle.trees import DTree, Token, Tree
    >>> words = [Token("Es", "PPER"), Token("kam", "VVFIN"), Token("nichts", "PIAT"), Token("Neues", "NN")]
    >>> tree = Tree.build(words, ["S", "NP"], [-1, 0], [1, 0, 1, 1])
    >>> print(draw_tree(tree))
               S
           ┌───┴────┐
           │        NP
     ┌─────│─────┬──┴───┐
    PPER VVFIN  PIAT    NN
     Es   kam  nichts Neues
    >>> print(draw_tree(tree, layout="tall"))
    1 S─┬─NP─┬─ PPER  Es
    2   └────│─ VVFIN kam
    3        ├─ PIAT  nichts
    4        └─ NN    Neues
    >>> dtree = DTree(words, heads=(3, -1, 3, 1), symbols=("NP", "", "NP", "S"), events=(2, 0, 1, 1))
    >>> print(draw_dtree(dtree))
           root
            ├──────────S#1─┐
     ┌─NP#2─│──────────────┤
     │      │      ┌─NP#1──┤
     ▼      ▼      ▼       ▼
     Es    kam   nichts  Neues
    PPER  VVFIN   PIAT     NN
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Literal

from spindle.drawing.canvas import DOWN, LEFT, RIGHT, UP, Canvas
from spindle.drawing.display import arc_label, columns, marked_forms, marked_labels, node_label, visible
from spindle.drawing.layout import arc_levels, crossed_arcs, lay_out, levels
from spindle.drawing.style import ANSI_ACCENTS, Mark
from spindle.trees.dtree import DTree
from spindle.trees.tree import ROOT, Tree

LayoutName = Literal["auto", "wide", "tall"]
"""`wide`: above the words; `tall`: beside them, one word per line; `auto`: wide unless that is too wide."""

PLAIN, BOLD, DIM = "", "1", "2"
"""ANSI effects."""


def draw_tree(
    tree: Tree,
    *,
    width: int | None = None,
    layout: LayoutName = "auto",
    color: bool = False,
    marks: Mapping[int, Mark] | None = None,
) -> str:
    """Draw a constituent tree; `auto` means tall if the wide layout needs more than `width` columns.

    If heads are known, a node is aligned with its lexical head. Edge labels follow a colon, as in `NP:SB`;
    in the wide layout the edge labels of words stand above their tags. With `color`, every discontinuous
    node and the lines to its children are coloured. `marks` are nodes by number, and words as -1 minus
    their position; they get a sign before their label, and only they are coloured.
    """
    labels = marked_labels(tree, marks)
    forms = marked_forms(tree.tokens, marks)
    styles = _node_styles(tree) if marks is None else [_ansi(marks.get(at)) for at in range(len(tree.labels))]
    return _drawn(
        lambda: _wide_tree(tree, labels, forms, styles, _form_styles(tree, marks)),
        lambda: _tall_tree(tree, labels, forms, styles, _form_styles(tree, marks)),
        width,
        layout,
        color,
    )


def draw_dtree(
    dtree: DTree,
    *,
    width: int | None = None,
    layout: LayoutName = "auto",
    color: bool = False,
    marks: Mapping[int, Mark] | None = None,
) -> str:
    """Draw a head-ordered d-tree; `auto` means tall if the wide layout needs more than `width` columns.

    `NP#2` on the arc to a word means that event 2 of its head attaches the word and creates an NP. Above
    every word is a vertical line: the arcs to the word's modifiers start at its sides, and the arc from its
    head ends at its top. Lines cross where a constituent is discontinuous; with `color`, crossed arcs are
    coloured. `marks` are words as -1 minus their position, as in `draw_tree`.
    """
    forms, styles = marked_forms(dtree.tokens, marks), _form_styles(dtree, marks)
    return _drawn(
        lambda: _wide_dtree(dtree, forms, styles),
        lambda: _tall_dtree(dtree, forms, styles),
        width,
        layout,
        color,
    )


def _drawn(
    wide: Callable[[], Canvas],
    tall: Callable[[], Canvas],
    width: int | None,
    layout: LayoutName,
    color: bool,
) -> str:
    if layout == "tall":
        return tall().text(color)
    canvas = wide()
    if layout == "auto" and width is not None and canvas.width > width:
        # if neither layout fits, as with few words under many nodes, take the narrower one
        canvas = min(tall(), canvas, key=lambda drawn: drawn.width)
    return canvas.text(color)


# ── constituent trees ────────────────────────────────────────────────────────────────────────────────


def _wide_tree(
    tree: Tree, labels: Sequence[str], forms: Sequence[str], styles: Sequence[str], form_styles: Sequence[str]
) -> Canvas:
    size = len(tree)
    token_rows = [
        [visible(token.function) for token in tree.tokens],
        [visible(token.tag) for token in tree.tokens],
        list(forms),
    ]
    token_rows = [row for row in token_rows if any(row)]
    layout = lay_out(tree, _widest(token_rows), list(map(columns, labels)), gap=1)
    words_row = 2 * layout.height  # a level is a row of labels and a row of lines
    rows = [words_row] * size + [words_row - 2 * level for level in layout.levels]
    canvas = Canvas()
    for node, children in enumerate(tree.children):
        branches = {layout.centres[child] for child in children}
        canvas.bar(rows[size + node] + 1, layout.centres[size + node], branches, styles[node])
    for node, children in enumerate(tree.children):
        for child in children:
            canvas.down(layout.centres[child], rows[size + node] + 2, rows[child] - 1, styles[node])
    for node, label in enumerate(labels):
        canvas.put(rows[size + node], layout.lefts[size + node], label, _bold(styles[node]))
    for offset, row in enumerate(token_rows):
        for centre, text, parent, style in zip(
            layout.centres, row, tree.leaf_parents, form_styles, strict=False
        ):
            if text:
                style = style if row is token_rows[-1] else DIM
                canvas.put(words_row + offset, centre - (columns(text) - 1) // 2, text, style)
            elif parent != ROOT:
                canvas.down(centre, words_row + offset, words_row + offset, styles[parent])
    return canvas


def _tall_tree(
    tree: Tree, labels: Sequence[str], forms: Sequence[str], styles: Sequence[str], form_styles: Sequence[str]
) -> Canvas:
    size = len(tree)
    tags = [
        node_label(token.tag, token.function) if token.tag or token.function else "" for token in tree.tokens
    ]
    if tree.heads is not None:
        rows = [*range(size), *tree.heads]
    else:
        rows = [*range(size), *((mask & -mask).bit_length() - 1 for mask in tree.masks)]
    heights = levels(tree)
    label_widths = [0] * (max(heights, default=0) + 1)
    for label, level in zip(labels, heights, strict=True):
        label_widths[level] = max(label_widths[level], columns(label))
    # levels from left to right: the root's first, the words' last
    starts = [len(str(size)) + 1] * len(label_widths)
    for level in reversed(range(len(starts) - 1)):
        starts[level] = starts[level + 1] + label_widths[level + 1] + 3
    posts = [starts[level] + label_widths[level] + 1 for level in heights]
    lefts = [starts[0]] * size + [starts[level] for level in heights]
    canvas = Canvas()
    for node, children in enumerate(tree.children):
        canvas.across(rows[size + node], lefts[size + node], posts[node], styles[node])
        for child in children:
            canvas.across(rows[child], posts[node] + 1, lefts[child] - 1, styles[node])
    for node, children in enumerate(tree.children):
        canvas.post(posts[node], rows[size + node], {rows[child] for child in children}, styles[node])
    for node, label in enumerate(labels):
        canvas.put(rows[size + node], lefts[size + node], label, _bold(styles[node]))
    forms_column = starts[0] + max(map(columns, tags)) + 2
    for position, (form, tag) in enumerate(zip(forms, tags, strict=True)):
        canvas.put(position, 0, str(position + 1).rjust(len(str(size))), DIM)
        if tag:
            canvas.put(position, starts[0] + 1, tag, DIM)
        elif labels:
            canvas.across(position, starts[0], forms_column - 2, styles[tree.leaf_parents[position]])
        canvas.put(position, forms_column, form, form_styles[position])
    return canvas


def _node_styles(tree: Tree) -> list[str]:
    """Return an ANSI colour for every discontinuous node, "" for the others."""
    styles: list[str] = []
    colored = 0
    for node in tree.nodes():
        styles.append(PLAIN if node.is_continuous else ANSI_ACCENTS[colored % len(ANSI_ACCENTS)])
        colored += not node.is_continuous
    return styles


def _form_styles(sentence: Tree | DTree, marks: Mapping[int, Mark] | None) -> list[str]:
    """Return the ANSI effect of every word: that of its mark, or none."""
    words = [(marks or {}).get(-1 - at) for at in range(len(sentence))]
    return [PLAIN if mark is None else _bold(mark.ansi) for mark in words]


def _ansi(mark: Mark | None) -> str:
    return PLAIN if mark is None else mark.ansi


def _bold(style: str) -> str:
    return f"{BOLD};{style}" if style else BOLD


def _widest(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width that every column of a table needs."""
    return [max(map(columns, texts)) for texts in zip(*rows, strict=True)]


# ── d-trees ──────────────────────────────────────────────────────────────────────────────────────────


def _wide_dtree(dtree: DTree, forms: Sequence[str], form_styles: Sequence[str]) -> Canvas:
    labels = list(map(arc_label, dtree.heads, dtree.symbols, dtree.events))
    token_rows = [list(forms)]
    if any(token.tag for token in dtree.tokens):
        token_rows.append([visible(token.tag) for token in dtree.tokens])
    centres = _word_centres(dtree, _widest(token_rows), list(map(columns, labels)))
    heights = arc_levels(dtree)
    arrows = max(heights)
    rows = [arrows - level for level in heights]
    styles = _arc_styles(dtree, heights)
    canvas = Canvas()
    for modifier, head in enumerate(dtree.heads):
        if head != ROOT:
            first, last = sorted((centres[modifier], centres[head]))
            canvas.across(rows[modifier], first, last, styles[modifier])
    for word, row in enumerate(rows):
        canvas.down(centres[word], row + 1, arrows - 1, styles[word])
    for head, modifiers in enumerate(dtree.modifiers):
        for row in {rows[modifier] for modifier in modifiers}:
            sides = {LEFT if other < head else RIGHT for other in modifiers if rows[other] == row}
            canvas.joint(row, centres[head], UP | DOWN | sum(sides), styles[head])
    for word, (label, style) in enumerate(zip(labels, styles, strict=True)):
        row, centre = rows[word], centres[word]
        if word == dtree.root:
            canvas.put(row, max(0, centre - 1), label, BOLD)
        elif dtree.heads[word] > word:
            canvas.joint(row, centre, DOWN | RIGHT, style)
            canvas.put(row, centre + 2, label, _bold(style))
        else:
            canvas.joint(row, centre, DOWN | LEFT, style)
            canvas.put(row, centre - 1 - columns(label), label, _bold(style))
        canvas.put(arrows, centre, "▼", style)
        for offset, texts in enumerate(token_rows):
            left = centre - (columns(texts[word]) - 1) // 2
            canvas.put(arrows + 1 + offset, left, texts[word], DIM if offset else form_styles[word])
    return canvas


def _tall_dtree(dtree: DTree, forms: Sequence[str], form_styles: Sequence[str]) -> Canvas:
    heights = arc_levels(dtree)
    arrows = 2 * max(heights)
    posts = [arrows - 2 * level for level in heights]
    styles = _arc_styles(dtree, heights)
    canvas = Canvas()
    for word, post in enumerate(posts):
        canvas.across(word, post, arrows - 1, styles[word])
    for modifier, head in enumerate(dtree.heads):
        if head != ROOT:
            canvas.down(posts[modifier], min(modifier, head), max(modifier, head), styles[modifier])
    for head, modifiers in enumerate(dtree.modifiers):
        for post in {posts[modifier] for modifier in modifiers}:
            sides = {UP if other < head else DOWN for other in modifiers if posts[other] == post}
            canvas.joint(head, post, LEFT | RIGHT | sum(sides), styles[head])
    table = [
        [str(word + 1).rjust(len(str(len(dtree)))) for word in range(len(dtree))],
        forms,
        [visible(token.tag) for token in dtree.tokens],
        list(map(arc_label, dtree.heads, dtree.symbols, dtree.events)),
        ["" if head == ROOT else f"← {head + 1} {forms[head]}" for head in dtree.heads],
    ]
    for word, (post, head) in enumerate(zip(posts, dtree.heads, strict=True)):
        if head != ROOT:
            canvas.joint(word, post, RIGHT | (DOWN if head > word else UP), styles[word])
        canvas.put(word, arrows, "▶", styles[word])
    left = arrows + 2
    for column, style in zip(table, (DIM, PLAIN, DIM, BOLD, DIM), strict=True):
        for word, text in enumerate(column):
            canvas.put(word, left, text, form_styles[word] if column is forms else style)
        left += max(map(columns, column)) + (1 if any(column) else 0)
    return canvas


def _word_centres(dtree: DTree, widths: Sequence[int], label_widths: Sequence[int]) -> list[int]:
    """Return the column of every word's vertical line, with room beside each modifier for its label."""
    before = [(width - 1) // 2 for width in widths]
    steps = [width - left + 2 for width, left in zip(widths, before, strict=True)]
    steps = [step + left for step, left in zip(steps, before[1:], strict=False)]
    for modifier, head in enumerate(dtree.heads):
        if head != ROOT:
            beside = modifier if head > modifier else modifier - 1
            steps[beside] = max(steps[beside], label_widths[modifier] + 3)
    return list(accumulate(steps, initial=before[0]))


def _arc_styles(dtree: DTree, heights: Sequence[int]) -> list[str]:
    """Return an ANSI colour for every crossed arc, "" for the others."""
    crossed = sorted(crossed_arcs(dtree, heights))
    colors = {word: ANSI_ACCENTS[number % len(ANSI_ACCENTS)] for number, word in enumerate(crossed)}
    return [colors.get(word, PLAIN) for word in range(len(dtree))]
