"""The SVG elements that all drawings are made of, written as strings.

Class names refer to the style sheet (`spindle.drawing.style`).
"""

from __future__ import annotations

from html import escape

from spindle.drawing.display import columns
from spindle.drawing.style import STYLE


def svg_document(content: str, width: int, height: int, title: str = "") -> str:
    """Return a self-contained SVG document: title, style sheet, background and content."""
    name = f"<title>{escape(title)}</title>\n" if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spindle" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img">\n{name}{STYLE}'
        f'<rect class="background" width="{width}" height="{height}"/>\n{content}</svg>\n'
    )


def text(x: float, y: float, content: str, classes: str = "") -> str:
    """Return a text element; `y` is the baseline, and `x` the middle unless a class says otherwise."""
    return f'<text{_class(classes)} x="{number(x)}" y="{number(y)}">{escape(content)}</text>\n'


def path(steps: str, classes: str = "") -> str:
    """Return a path element."""
    return f'<path{_class(classes)} d="{steps}"/>\n'


def rectangle(x: float, y: float, width: float, height: float, classes: str) -> str:
    """Return a rectangle."""
    size = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect{_class(classes)} x="{number(x)}" y="{number(y)}" {size}/>\n'


def circle(x: float, y: float, radius: float, classes: str) -> str:
    """Return a circle."""
    return f'<circle{_class(classes)} cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>\n'


def number(value: float) -> str:
    """Format a coordinate with at most one decimal.

    >>> number(3), number(12.0), number(0.25)
    ('3', '12', '0.2')
    """
    return f"{value:.1f}".removesuffix(".0")


def text_width(content: str, size: int) -> int:
    """Estimate the width of a text in pixels; the estimate is generous because fonts differ."""
    return round(size * sum(map(_em, content)) / 100) + 2


def _class(classes: str) -> str:
    return f' class="{classes.strip()}"' if classes.strip() else ""


def _em(character: str) -> int:
    """Return the width of a character in hundredths of the text size, as in the wider common fonts."""
    if character in "ijlI.,:;'|! `":
        return 34
    if character in 'frt()[]{}-/\\"*':
        return 45
    if character in "mwMW@%":
        return 97
    if character.isascii():
        return 64 if not character.isupper() else 72
    return {0: 0, 1: 75, 2: 105}[columns(character)]
