"""Treebank formats, streaming both ways, and transforms of trees."""
