"""Drawings of trees and d-trees as text, SVG and LaTeX, and charts of plain numbers as SVG."""

from spindle.drawing.charts import Bar, BarPanel, Lane, LaneBar, bar_chart, learning_curve, timeline
from spindle.drawing.latex import LatexStyle, latex_document, latex_dtree, latex_tree
from spindle.drawing.rendering import CannotRender, pdf_document, png_picture
from spindle.drawing.show import Shown, show
from spindle.drawing.style import Theme, with_theme
from spindle.drawing.svg import svg_dtree, svg_stack, svg_tree
from spindle.drawing.text import LayoutName, draw_dtree, draw_tree

__all__ = [
    "Bar",
    "BarPanel",
    "CannotRender",
    "Lane",
    "LaneBar",
    "LatexStyle",
    "LayoutName",
    "Shown",
    "Theme",
    "bar_chart",
    "draw_dtree",
    "draw_tree",
    "latex_document",
    "latex_dtree",
    "latex_tree",
    "learning_curve",
    "pdf_document",
    "png_picture",
    "show",
    "svg_dtree",
    "svg_stack",
    "svg_tree",
    "timeline",
    "with_theme",
]
