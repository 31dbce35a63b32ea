"""Grammatical functions, predicted: the reduction leaves them aside."""

from spindle.functions.classifier import FunctionClassifier

__all__ = ["FunctionClassifier"]
