"""The weights and constants in a graph, by name. Needs onnx."""

from __future__ import annotations

from typing import Any

import numpy

from spindle.models import Array


class Tables:
    """Reads the arrays of a graph, and adds others."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._by_name = {table.name: table for table in graph.initializer}

    def has(self, name: str) -> bool:
        """Whether an array has this name; otherwise it is an input, or computed."""
        return name in self._by_name

    def sides(self, name: str) -> list[int] | None:
        """Return the shape of an array; None if there is none of this name."""
        return list(self._by_name[name].dims) if name in self._by_name else None

    def read(self, name: str) -> Array:
        """Return an array."""
        from onnx import numpy_helper

        found: Array = numpy_helper.to_array(self._by_name[name])
        return found

    def add(self, name: str, values: Array) -> str:
        """Add an array and return its name; nothing happens if it is there already."""
        from onnx import numpy_helper

        if name not in self._by_name:
            self._by_name[name] = numpy_helper.from_array(numpy.ascontiguousarray(values), name)
            self._graph.initializer.append(self._by_name[name])
        return name
