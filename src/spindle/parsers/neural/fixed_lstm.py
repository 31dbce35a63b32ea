"""Gives a quantised LSTM scales that do not depend on the batch. Needs onnx.

onnxruntime's only LSTM of eight bits rounds its inputs by the range of the batch, and its states by the range
of the batch at each step; neither can be set. So the ranges themselves are made constant. Two columns that
hold the ends of a fixed range are appended to the inputs, which are cut off at these ends. Two units whose
states are always 1 and -1, the limits of all states, are appended to the states. The weights of both are
zero, so that they change nothing else, and the units are removed from the output.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy

from spindle.models import Array
from spindle.parsers.neural.activation_ranges import Range
from spindle.parsers.neural.graph_tables import Tables

UNITS = 2
"""The units that are added: one for each end of the range."""
OPEN, SHUT = 40.0, -40.0
"""Biases with which a gate is always open or shut."""
CELL = 20.0
"""The content of a cell whose state is 1."""
GATE_BIASES = (SHUT, OPEN, OPEN, 0.0, 0.0, 0.0, 0.0, 0.0)
"""The biases of the added units: of the gates for input, output and forgetting, of the new content; then the
four that onnx adds to these. Nothing gets in, nothing is forgotten, everything is seen."""


def fixed_lstm(node: Any, found: Range, tables: Tables) -> Iterator[Any]:
    """Yield the operators that replace a `DynamicQuantizeLSTM` whose inputs have this range."""
    from onnx import helper

    (
        inputs,
        weights,
        recurrent,
        biases,
        lengths,
        _,
        _,
        _,
        weight_scales,
        weight_zeros,
        recurrent_scales,
        recurrent_zeros,
    ) = node.input
    attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    hidden = attributes["hidden_size"]
    name = node.output[0]

    def table(suffix: str, values: Array) -> str:
        return tables.add(f"{name}_{suffix}", values)

    def wider(of: str, added: float = 0.0) -> str:
        """Add the units to the columns of every gate."""
        return table(of, _with_units(tables.read(of), hidden, added))

    def wider_weights(of: str, zeros: str) -> str:
        """Add the units to the columns, and rows of weights that are zero."""
        columns = _with_units(tables.read(of), hidden)
        zero = _with_units(tables.read(zeros), hidden)[:, None].astype(columns.dtype)
        return table(of, numpy.concatenate([columns, numpy.repeat(zero, UNITS, 1)], 1))

    def made(operator: str, given: list[str], output: str, **settings: Any) -> Any:
        return helper.make_node(operator, given, [f"{name}_{output}"], **settings)

    def numbers(suffix: str, *values: int) -> str:
        return table(suffix, numpy.array(values, dtype=numpy.int64))

    low, high = (numpy.array(end, dtype=numpy.float32) for end in (min(found.low, 0.0), max(found.high, 0.0)))
    zero, one, two, last = (numbers(f"at_{number}", number) for number in (0, 1, 2, 3))
    states = numpy.zeros((len(tables.read(recurrent)), 1, hidden + UNITS), dtype=numpy.float32)
    states[:, :, hidden:] = 1, -1
    # the arrays `[words, sentences, …]`
    yield made("Clip", [inputs, table("low", low), table("high", high)], "cut")
    yield made("Shape", [inputs], "shape")
    yield made("Slice", [f"{name}_shape", zero, two], "places")
    yield made("Concat", [f"{name}_places", one], "places_1", axis=0)
    yield made("Expand", [table("ends", numpy.array([[[low, high]]])), f"{name}_places_1"], "columns")
    yield made("Concat", [f"{name}_cut", f"{name}_columns"], "inputs", axis=2)
    # the first states `[directions, sentences, …]`
    yield made("Slice", [f"{name}_shape", one, two], "sentences")
    yield made("Concat", [one, f"{name}_sentences", one], "first_shape", axis=0)
    yield made("Expand", [table("states", states), f"{name}_first_shape"], "first_states")
    yield made("Expand", [table("cells", states * CELL), f"{name}_first_shape"], "first_cells")
    given = [
        f"{name}_inputs",
        wider_weights(weights, weight_zeros),
        wider_weights(recurrent, recurrent_zeros),
        table(biases, _with_biases(tables.read(biases), hidden)),
        lengths,
        f"{name}_first_states",
        f"{name}_first_cells",
        "",
        wider(weight_scales, 1.0),
        wider(weight_zeros),
        wider(recurrent_scales, 1.0),
        wider(recurrent_zeros),
    ]
    attributes["hidden_size"] = hidden + UNITS
    yield made("DynamicQuantizeLSTM", given, "states_and_units", domain=node.domain, **attributes)
    ends = [zero, numbers("hidden", hidden), last]
    yield helper.make_node("Slice", [f"{name}_states_and_units", *ends], [name])


def _with_units(values: Array, hidden: int, added: float = 0.0) -> Array:
    """Return an array whose last axis has `hidden` columns for every gate with more columns for each."""
    gates = values.reshape(*values.shape[:-1], -1, hidden)
    more = numpy.full((*gates.shape[:-1], UNITS), added, dtype=values.dtype)
    return numpy.concatenate([gates, more], -1).reshape(*values.shape[:-1], -1)


def _with_biases(biases: Array, hidden: int) -> Array:
    wide = _with_units(biases, hidden).reshape(len(biases), len(GATE_BIASES), hidden + UNITS)
    wide[:, :, hidden:] = numpy.array(GATE_BIASES)[:, None]
    return wide.reshape(len(biases), -1)
