"""PNG and PDF files of SVG drawings, made by typst, a compiler of documents that comes as one Python package.

typst draws SVG with the fonts of the system, or with its own if the system has none, and needs no network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spindle.drawing.style import Theme, background, with_theme
from spindle.drawing.svg import drawing_size, svg_stack
from spindle.errors import SpindleError

SCALE = 2.0
"""Pixels of a PNG per pixel of the drawing: sharp on screens of a high resolution."""
MAX_PIXELS = 100_000_000
"""The largest PNG; it needs 400 MB of memory."""
PIXELS_PER_INCH = 96
"""Those of SVG."""

_PAGES = b"""#set page(width: auto, height: auto, margin: 0pt, fill: rgb(sys.inputs.background))
#let number = int(sys.inputs.number)
#for at in range(number) { page(image(bytes(sys.inputs.at("drawing" + str(at))), format: "svg")) }
"""


class CannotRender(SpindleError):
    """A picture cannot be made: the renderer is not installed, or the picture is too large."""


def png_picture(drawings: Sequence[str], theme: Theme = "light", scale: float = SCALE) -> bytes:
    """Return SVG drawings as one PNG picture, from top to bottom."""
    drawing = drawings[0] if len(drawings) == 1 else svg_stack(drawings)
    width, height = drawing_size(drawing)
    if width * height * scale**2 > MAX_PIXELS:
        size = f"{round(width * scale):,} by {round(height * scale):,}"
        raise CannotRender(
            f"a PNG picture of {size} pixels is too large", hint="draw fewer trees, or one file for each tree"
        )
    return _compile([drawing], theme, format="png", ppi=scale * PIXELS_PER_INCH)


def pdf_document(drawings: Sequence[str], theme: Theme = "light") -> bytes:
    """Return SVG drawings as a PDF document with one page for each, cut to its size."""
    return _compile(drawings, theme, format="pdf")


def _compile(drawings: Sequence[str], theme: Theme, **options: Any) -> bytes:
    try:
        import typst
    except ImportError:
        raise CannotRender(
            "PNG and PDF pictures need the package typst", hint='pip install "spindle-parser[draw]"'
        ) from None
    inputs = {f"drawing{number}": with_theme(drawing, theme) for number, drawing in enumerate(drawings)}
    inputs |= {"number": str(len(drawings)), "background": background(theme)}
    made: bytes = typst.compile(_PAGES, sys_inputs=inputs, **options)
    return made
