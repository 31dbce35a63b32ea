"""Dependency parsers behind one protocol."""

from spindle.parsers.protocol import (
    PREDICTED,
    Backend,
    Example,
    FitSettings,
    KBest,
    Prediction,
    Watch,
)
from spindle.parsers.registry import PARSERS, find_parser, name_of

__all__ = [
    "PARSERS",
    "PREDICTED",
    "Backend",
    "Example",
    "FitSettings",
    "KBest",
    "Prediction",
    "Watch",
    "find_parser",
    "name_of",
]
