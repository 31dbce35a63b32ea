"""What one stage of a pipeline keeps in a model file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy


@dataclass(frozen=True)
class ModelPart:
    """One stage's trained state: settings that JSON can hold, and arrays by name.

    Arrays that were loaded from a file are mapped, not read: use them as they are (they are read-only)
    and only those pages that are looked at cost memory.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, numpy.ndarray[Any, Any]] = field(default_factory=dict)
