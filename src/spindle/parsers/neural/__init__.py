"""The neural engine."""

from spindle.parsers.neural.parser import NeuralParser

__all__ = ["NeuralParser"]
