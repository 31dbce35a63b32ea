"""The state of one pipeline stage in a model file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy


@dataclass(frozen=True)
class ModelPart:
    """The trained state of one stage: settings that JSON can represent, and arrays by name.

    Arrays from a file are read-only and memory-mapped: only the pages that are accessed take memory. Do not
    copy them.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, numpy.ndarray[Any, Any]] = field(default_factory=dict)
