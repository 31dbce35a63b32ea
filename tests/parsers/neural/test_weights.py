"""Weights that are separated from a graph: nothing is lost, and the network computes the same."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import ModelError
from spindle.models import Array, bytes_of, read_model
from spindle.models.bundled import find_model
from spindle.parsers.neural.protobuf import BYTES, FIXED32, FIXED64, VARINT, read_fields, write_field
from spindle.parsers.neural.runtime import ARCS, Graphs, import_onnxruntime
from spindle.parsers.neural.weights import LARGE, separate_weights

NUMBERS = st.integers(1, 1 << 20)
FIELDS = (
    st.tuples(NUMBERS, st.just(VARINT), st.integers(0, (1 << 64) - 1))
    | st.tuples(NUMBERS, st.just(BYTES), st.binary(max_size=300))
    | st.tuples(NUMBERS, st.just(FIXED32), st.binary(min_size=4, max_size=4))
    | st.tuples(NUMBERS, st.just(FIXED64), st.binary(min_size=8, max_size=8))
)


@given(st.lists(FIELDS))
def test_written_fields_are_read_again(fields: list[tuple[int, int, int | bytes]]) -> None:
    message = b"".join(write_field(*field) for field in fields)
    found = [
        (number, wire, value if isinstance(value, int) else bytes(value))
        for number, wire, value in read_fields(memoryview(message))
    ]
    assert found == fields


def tensor(name: bytes, values: Array, kind: int) -> bytes:
    """Return an initializer of a graph with these values."""
    sides = b"".join(write_field(1, VARINT, side) for side in values.shape)
    rest = (
        write_field(2, VARINT, kind) + write_field(8, BYTES, name) + write_field(9, BYTES, values.tobytes())
    )
    return write_field(5, BYTES, sides + rest)


def file_of(*tensors: bytes) -> bytes:
    """Return an onnx file with these initializers, and fields before and after them."""
    graph = write_field(2, BYTES, b"graph") + b"".join(tensors) + write_field(10, BYTES, b"end")
    return write_field(1, VARINT, 8) + write_field(7, BYTES, graph) + write_field(4, BYTES, b"domain")


LARGE_FLOATS = numpy.arange(LARGE, dtype=numpy.float32).reshape(4, -1)
LARGE_INTEGERS = numpy.arange(LARGE, dtype=numpy.int64).astype(numpy.int8)
SMALL = numpy.arange(3, dtype=numpy.int64)


def test_large_weights_are_separated() -> None:
    file = file_of(tensor(b"a", LARGE_FLOATS, 1), tensor(b"b", SMALL, 7), tensor(b"c", LARGE_INTEGERS, 3))
    separated = separate_weights(file)
    assert list(separated.weights) == ["a", "c"]
    assert numpy.array_equal(separated.weights["a"], LARGE_FLOATS)
    assert numpy.array_equal(separated.weights["c"], LARGE_INTEGERS)
    assert separated.weights["a"].flags.aligned
    assert len(separated.file) < 400
    assert tensor(b"b", SMALL, 7) in separated.file


def test_other_types_and_small_tensors_stay() -> None:
    file = file_of(tensor(b"a", SMALL, 7), tensor(b"b", LARGE_FLOATS.astype(numpy.float16), 10))
    assert separate_weights(file) == (file, {})


def test_two_weights_of_one_name_are_refused() -> None:
    twice = tensor(b"a", LARGE_FLOATS, 1)
    with pytest.raises(ModelError, match="two weights of a network have the name 'a'"):
        separate_weights(file_of(twice, twice))


def test_a_network_computes_the_same() -> None:
    part = read_model(find_model("english"), "parser").parts["parser"]
    file = bytes_of(part.arrays[ARCS])
    assert file is bytes_of(part.arrays[ARCS])  # no copy
    plain = import_onnxruntime().InferenceSession(file, providers=["CPUExecutionProvider"])
    random = numpy.random.default_rng(1)
    given = {}
    for argument in plain.get_inputs():
        shape = [side if isinstance(side, int) else 5 for side in argument.shape]
        is_float = argument.type == "tensor(float)"
        given[argument.name] = (
            random.standard_normal(shape).astype(numpy.float32)
            if is_float
            else random.integers(0, 5, shape, dtype=numpy.int64)
        )
    inputs = [given.get(f"input{number}", numpy.empty(0)) for number in range(7)]
    for one, other in zip(
        Graphs({ARCS: part.arrays[ARCS]}, 1).run(ARCS, *inputs), plain.run(None, given), strict=True
    ):
        assert numpy.array_equal(one, other)
