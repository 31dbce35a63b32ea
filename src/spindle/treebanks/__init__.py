"""Treebank formats, streaming both ways, and transforms of trees."""

from spindle.treebanks.files import (
    parse_tree,
    read_dependencies,
    read_trees,
    write_dependencies,
    write_trees,
)
from spindle.treebanks.remarks import Remarks
from spindle.treebanks.source import Source

__all__ = [
    "Remarks",
    "Source",
    "parse_tree",
    "read_dependencies",
    "read_trees",
    "write_dependencies",
    "write_trees",
]
