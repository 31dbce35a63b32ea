"""What all SVG drawings of sentences have: margins, the id, a title, accent colours."""

from __future__ import annotations

from collections.abc import Iterable

from spindle.drawing.display import visible
from spindle.drawing.elements import svg_document, text, text_width
from spindle.drawing.style import BIG, SMALL, accent_class
from spindle.trees.dtree import DTree
from spindle.trees.tree import Tree

# All in pixels.
MARGIN = 16
LINE = 18  # from one line of text to the next


def sentence_document(body: Iterable[str], width: int, height: int, sentence: Tree | DTree) -> str:
    """Add a margin, the sentence id above, and the words as title; the first baseline of `body` is at 0."""
    above = MARGIN + BIG
    name = visible(sentence.id)
    if name:
        body = [text(0, -LINE - 4, name, "start small faint"), *body]
        above += LINE
        width = max(width, text_width(name, SMALL))
    title = " ".join(visible(token.form) for token in sentence.tokens)
    content = f'<g transform="translate({MARGIN} {above})">\n{"".join(body)}</g>\n'
    return svg_document(content, width + 2 * MARGIN, above + height + MARGIN, title)


def accents(is_colored: Iterable[bool]) -> list[str]:
    """Return a class for every element: accent colours in turn, and "" for elements without one."""
    classes: list[str] = []
    seen = 0
    for colored in is_colored:
        classes.append(accent_class(seen) if colored else "")
        seen += colored
    return classes
