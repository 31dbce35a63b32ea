"""Trees and d-trees as text and as SVG pictures."""

from spindle.drawing.svg import svg_dtree, svg_stack, svg_tree
from spindle.drawing.text import draw_dtree, draw_tree

__all__ = ["draw_dtree", "draw_tree", "svg_dtree", "svg_stack", "svg_tree"]
