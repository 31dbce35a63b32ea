"""Drawings of trees and d-trees as text, SVG and LaTeX, and charts of plain numbers as SVG."""

from spindle.drawing.charts import Bar, BarPanel, bar_chart, learning_curve
from spindle.drawing.latex import latex_document, latex_dtree, latex_tree
from spindle.drawing.svg import svg_dtree, svg_stack, svg_tree
from spindle.drawing.text import draw_dtree, draw_tree

__all__ = [
    "Bar",
    "BarPanel",
    "bar_chart",
    "draw_dtree",
    "draw_tree",
    "latex_document",
    "latex_dtree",
    "latex_tree",
    "learning_curve",
    "svg_dtree",
    "svg_stack",
    "svg_tree",
]
