"""Dependency parsers behind one interface."""

from spindle.parsers.backend import (
    PREDICTED,
    Backend,
    Distillable,
    DistillationData,
    Example,
    FitSettings,
    Monitor,
    Prediction,
)
from spindle.parsers.options import BackendOptions, option
from spindle.parsers.registry import PARSERS, find_parser, is_parser, name_of, plugins

__all__ = [
    "PARSERS",
    "PREDICTED",
    "Backend",
    "BackendOptions",
    "Distillable",
    "DistillationData",
    "Example",
    "FitSettings",
    "Monitor",
    "Prediction",
    "find_parser",
    "is_parser",
    "name_of",
    "option",
    "plugins",
]
