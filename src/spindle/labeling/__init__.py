"""Encoded labels for the arcs of a dependency tree, predicted: section 4.2 of the paper."""

from spindle.labeling.labeler import Labeler

__all__ = ["Labeler"]
