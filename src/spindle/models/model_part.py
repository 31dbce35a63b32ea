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


def bytes_of(array: Array) -> bytes:
    """Return the bytes of an array: without a copy if it is a whole array of a loaded file."""
    owner = array.base
    if isinstance(owner, bytes) and len(owner) == array.nbytes and array.flags.c_contiguous:
        return owner
    return array.tobytes()
