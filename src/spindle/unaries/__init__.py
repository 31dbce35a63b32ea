"""Unary chains, predicted: section 4.4 of the paper."""

from spindle.unaries.classifier import UnaryClassifier

__all__ = ["UnaryClassifier"]
