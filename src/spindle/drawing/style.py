"""The style sheet of all drawings: fonts, text sizes, and colours on light and dark backgrounds.

Every SVG drawing embeds `STYLE`, so that trees, bar charts and curves look alike and each file stands alone.
Elements refer to the sheet by class only. `currentColor` is the text colour, or the accent colour of an
element that has one of the classes `c0` to `c4`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

BIG, SMALL = 14, 12
"""Text sizes, in pixels."""

FONTS = '"Noto Sans","DejaVu Sans",Verdana,Helvetica,Arial,sans-serif'

LIGHT_TEXT, LIGHT_BACKGROUND = "#24292f", "#fff"
DARK_TEXT, DARK_BACKGROUND = "#e6edf3", "#0d1117"
# Orange, blue, violet, green, red, in the same order everywhere.
LIGHT_ACCENTS = ("#b35900", "#0969da", "#8250df", "#1a7f37", "#cf222e")
DARK_ACCENTS = ("#f0a050", "#6cb6ff", "#cba6ff", "#5fd07a", "#ff8b84")
ANSI_ACCENTS = ("33", "36", "35", "32", "31")
"""The accent colours of text drawings, as ANSI codes."""

ORANGE, BLUE, RED = "c0", "c1", "c4"
"""The accent classes that charts and marks use."""


class Mark(NamedTuple):
    """How a node is marked: a sign before its label, an accent class in SVG, and an ANSI colour in text."""

    sign: str
    classes: str
    ansi: str


MISSING = Mark("−", f"{BLUE} gone", "36")
"""A gold constituent that the prediction lacks."""
EXTRA = Mark("+", RED, "31")
"""A predicted constituent that gold lacks."""
HIT = Mark("▸", RED, "31")
"""What a search has found."""


def accent_class(number: int) -> str:
    """Return the class of an accent colour; numbers beyond the last colour start again at the first.

    >>> accent_class(0), accent_class(6)
    ('c0', 'c1')
    """
    return f"c{number % len(LIGHT_ACCENTS)}"


def _accents(colors: tuple[str, ...]) -> str:
    return "\n".join(f".spindle .{accent_class(at)}{{color:{color}}}" for at, color in enumerate(colors))


Theme = Literal["auto", "light", "dark"]
"""Colours: those that the reader's screen prefers, or always those for a light or a dark background."""
THEMES: tuple[Theme, ...] = get_args(Theme)

_SHAPES = f"""
.spindle text{{fill:currentColor;font-size:{BIG}px;text-anchor:middle;
font-family:{FONTS}}}
.spindle path{{fill:none;stroke:currentColor;stroke-width:1.3;stroke-linecap:round}}
.spindle .small{{font-size:{SMALL}px}}
.spindle .bold{{font-weight:bold}}
.spindle .faint{{opacity:.7}}
.spindle .start{{text-anchor:start}}
.spindle .end{{text-anchor:end}}
.spindle .solid{{fill:currentColor;stroke:none}}
.spindle .track{{fill:currentColor;opacity:.1}}
.spindle .axis{{opacity:.35}}
.spindle .pill{{fill:currentColor;opacity:.16;rx:4px}}
.spindle path.gone{{stroke-dasharray:4 4}}
.spindle .thick{{stroke-width:2}}
.spindle .dashed{{stroke-dasharray:5 4}}
"""
_LIGHT = f""".spindle{{color:{LIGHT_TEXT}}}
.spindle .background{{fill:{LIGHT_BACKGROUND}}}
{_accents(LIGHT_ACCENTS)}
"""
_DARK = f""".spindle{{color:{DARK_TEXT}}}
.spindle .background{{fill:{DARK_BACKGROUND}}}
{_accents(DARK_ACCENTS)}
"""

STYLE = (
    f"<style>\n.spindle{{color-scheme:light dark}}{_SHAPES}{_LIGHT}"
    f"@media (prefers-color-scheme:dark){{\n{_DARK}}}\n</style>\n"
)
"""The style sheet for both backgrounds."""


def background(theme: Theme) -> str:
    """Return the colour of the background."""
    return DARK_BACKGROUND if theme == "dark" else LIGHT_BACKGROUND


def with_theme(drawing: str, theme: Theme) -> str:
    """Return an SVG drawing with the colours of a theme; renderers without a screen need one."""
    if theme == "auto":
        return drawing
    colors = _LIGHT if theme == "light" else _DARK
    return drawing.replace(STYLE, f"<style>{_SHAPES}{colors}</style>\n")
