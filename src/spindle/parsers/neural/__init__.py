"""The neural engine."""

from spindle.parsers.neural.options import NeuralOptions
from spindle.parsers.neural.parser import NeuralParser

__all__ = ["NeuralOptions", "NeuralParser"]
