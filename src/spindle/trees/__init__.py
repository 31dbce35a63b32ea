"""Pure data: constituent trees, head-ordered d-trees, and drawings of them."""

from spindle.trees.dependencies import Dependencies, Word
from spindle.trees.drawing import draw_dtree, draw_tree
from spindle.trees.dtree import DTree
from spindle.trees.svg import svg_dtree, svg_stack, svg_tree
from spindle.trees.token import Token
from spindle.trees.tree import ROOT, Leaf, Node, SecondaryEdge, Tree

__all__ = [
    "ROOT",
    "DTree",
    "Dependencies",
    "Leaf",
    "Node",
    "SecondaryEdge",
    "Token",
    "Tree",
    "Word",
    "draw_dtree",
    "draw_tree",
    "svg_dtree",
    "svg_stack",
    "svg_tree",
]
