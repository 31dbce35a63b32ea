"""Measures the ranges of the numbers that a quantised network multiplies. Needs onnx.

`RangeGraphs` parses like other graphs and remembers, on the way, the smallest and the largest value of every
activation that is rounded to eight bits. `fixed_scales` makes constant scales of these ranges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy

from spindle.models import Array
from spindle.parsers.neural.runtime import Graphs

ROUNDING = ("DynamicQuantizeLinear", "DynamicQuantizeLSTM")
"""The operators that round their first input by the smallest and the largest value of the batch."""


class Range(NamedTuple):
    """The smallest and the largest value of an activation."""

    low: float
    high: float

    def joined(self, other: Range) -> Range:
        """Return the smallest range that contains both."""
        return Range(min(self.low, other.low), max(self.high, other.high))


Ranges = dict[str, Range]
"""Ranges by the names of activations in a graph."""


class RangeGraphs(Graphs):
    """Graphs, quantised by the batch, that remember the ranges of what they round.

    `ranges` has the ranges of every graph by its name; a graph that has not run yet has none.
    """

    def __init__(self, files: Mapping[str, Array], threads: int = 1) -> None:
        watched = {name: _watched(file) for name, file in files.items()}
        self._activations = {name: activations for name, (_, activations) in watched.items()}
        self.ranges: dict[str, Ranges] = {name: {} for name in files}
        super().__init__({name: file for name, (file, _) in watched.items()}, threads)

    def _expected_outputs(self, name: str) -> range:
        own = super()._expected_outputs(name)
        more = 2 * len(self._activations[name])
        return range(own.start + more, own.stop + more)

    def run(self, name: str, *inputs: Array) -> list[Array]:
        """Return the outputs of a graph, and remember the ranges in this batch."""
        outputs = super().run(name, *inputs)
        activations, ranges = self._activations[name], self.ranges[name]
        first = len(outputs) - 2 * len(activations)
        for activation, at in zip(activations, range(first, len(outputs), 2), strict=True):
            found = Range(float(outputs[at]), float(outputs[at + 1]))
            if all(map(math.isfinite, found)):  # an empty batch has no range
                ranges[activation] = ranges.get(activation, found).joined(found)
        return outputs[:first]


def _watched(file: Array) -> tuple[Array, list[str]]:
    """Return a graph with the smallest and the largest values as further outputs, and their activations."""
    import onnx
    from onnx import TensorProto, helper

    model: Any = onnx.load_model_from_string(file.tobytes())
    graph = model.graph
    rounded = [node.input[0] for node in graph.node if node.op_type in ROUNDING]
    activations = list(dict.fromkeys(rounded))
    for activation in activations:
        for operator in ("ReduceMin", "ReduceMax"):
            output = f"{activation}_{operator}"
            graph.node.append(helper.make_node(operator, [activation], [output], keepdims=0))
            graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, []))
    return numpy.frombuffer(model.SerializeToString(), dtype=numpy.uint8), activations
