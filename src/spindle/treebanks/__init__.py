"""Treebank formats, streaming both ways, and transforms of trees."""

from spindle.treebanks.files import (
    parse_tree,
    read_dependencies,
    read_trees,
    write_dependencies,
    write_trees,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source

__all__ = [
    "ReadingReport",
    "Source",
    "parse_tree",
    "read_dependencies",
    "read_trees",
    "write_dependencies",
    "write_trees",
]
