"""What one stage of a pipeline stores in a model file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy

Array: TypeAlias = numpy.ndarray[Any, Any]
"""An array of any shape and type."""


@dataclass(frozen=True)
class ModelPart:
    """The trained state of one stage: settings that JSON can hold, and arrays by name.

    Arrays of a loaded file are read-only.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
