"""Separates the large weights of a graph from the graph, so that onnxruntime uses them where they are.

onnxruntime copies the weights in an onnx file twice before it can use them. Weights that it is given as
arrays are not copied, which saves time and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy

from spindle.errors import ModelError
from spindle.models import Array
from spindle.parsers.neural.protobuf import (
    BYTES,
    VARINT,
    Field,
    read_fields,
    read_varints,
    write_field,
)

LARGE = 1 << 14
"""The size in bytes from which weights are worth it."""
TYPES = {1: "<f4", 2: "u1", 3: "i1", 7: "<i8"}
"""The types of arrays that are separated, by their number in onnx."""

# The numbers of fields in onnx's messages.
_GRAPH, _INITIALIZER = 7, 5
_DIMS, _TYPE, _NAME, _RAW, _EXTERNAL, _LOCATION = 1, 2, 8, 9, 13, 14
_KEY, _VALUE = 1, 2
_IS_EXTERNAL = 1


class Separated(NamedTuple):
    """An onnx file without its large weights, and these weights by name."""

    file: bytes
    weights: dict[str, Array]


def separate_weights(file: bytes) -> Separated:
    """Separate the large weights from a file that `check_graph` has accepted."""
    weights: dict[str, Array] = {}

    def graph(message: memoryview) -> bytes:
        return _rewritten(message, {_INITIALIZER: lambda tensor: _separated(tensor, weights)})

    return Separated(_rewritten(memoryview(file), {_GRAPH: graph}), weights)


def _rewritten(message: memoryview, rewrite: Mapping[int, Callable[[memoryview], bytes]]) -> bytes:
    """Return a message with the fields of some numbers rewritten."""
    fields: list[bytes] = []
    for number, wire, value in read_fields(message):
        rewritten = rewrite[number](value) if number in rewrite and isinstance(value, memoryview) else value
        fields.append(write_field(number, wire, rewritten))
    return b"".join(fields)


def _separated(tensor: memoryview, weights: dict[str, Array]) -> bytes:
    """Return a tensor without its values, and add these to the weights; small tensors stay as they are."""
    fields = list(read_fields(tensor))
    values = {field.number: field.value for field in fields}
    raw, kind = values.get(_RAW, b""), values.get(_TYPE)
    if not isinstance(raw, memoryview) or len(raw) < LARGE or kind not in TYPES:
        return bytes(tensor)
    array: Array = numpy.frombuffer(raw, TYPES[kind]).reshape(_sides(fields))
    name = bytes(values[_NAME]).decode()
    if name in weights:
        raise ModelError(f"two weights of a network have the name {name[:60]!a}")
    weights[name] = array if array.flags.aligned else array.copy()
    kept = [write_field(*field) for field in fields if field.number not in (_RAW, _LOCATION, _EXTERNAL)]
    # onnxruntime replaces the tensor by the array before it looks for the file, which does not exist
    places = {"location": "nowhere", "offset": "0", "length": str(len(raw))}
    for key, value in places.items():
        entry = write_field(_KEY, BYTES, key.encode()) + write_field(_VALUE, BYTES, value.encode())
        kept.append(write_field(_EXTERNAL, BYTES, entry))
    return b"".join([*kept, write_field(_LOCATION, VARINT, _IS_EXTERNAL)])


def _sides(fields: Sequence[Field]) -> list[int]:
    sides: list[int] = []
    for number, _, value in fields:
        if number == _DIMS:
            sides += [value] if isinstance(value, int) else read_varints(value)
    return sides
