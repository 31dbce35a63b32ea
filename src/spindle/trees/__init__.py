"""Pure data: constituent trees, head-ordered d-trees, and the tokens they share."""

from spindle.trees.dependencies import Dependencies, Word
from spindle.trees.dtree import DTree
from spindle.trees.nodes import ROOT, Leaf, Node
from spindle.trees.token import Token
from spindle.trees.tree import SecondaryEdge, Tree

__all__ = ["ROOT", "DTree", "Dependencies", "Leaf", "Node", "SecondaryEdge", "Token", "Tree", "Word"]
