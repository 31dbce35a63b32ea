"""Dependency parsers behind one protocol."""

from spindle.parsers.backend import (
    PREDICTED,
    Backend,
    Example,
    FitSettings,
    KBest,
    Monitor,
    Prediction,
)
from spindle.parsers.registry import PARSERS, find_parser, name_of

__all__ = [
    "PARSERS",
    "PREDICTED",
    "Backend",
    "Example",
    "FitSettings",
    "KBest",
    "Monitor",
    "Prediction",
    "find_parser",
    "name_of",
]
