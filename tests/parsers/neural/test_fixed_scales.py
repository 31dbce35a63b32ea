"""Quantised products and LSTMs with constant scales: close to the original, and alike in every batch."""

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")

from spindle.models import Array  # noqa: E402
from spindle.parsers.neural.activation_ranges import ROUNDING, Range, RangeGraphs  # noqa: E402
from spindle.parsers.neural.fixed_scales import fix_scales, scale_and_zero  # noqa: E402
from spindle.parsers.neural.graph_check import check_graph  # noqa: E402
from spindle.parsers.neural.quantize import quantize  # noqa: E402
from spindle.parsers.neural.runtime import NODES, Graphs  # noqa: E402

WIDTH, HIDDEN, WORDS = 24, 20, 7
RANDOM = np.random.default_rng(4)


def graph(nodes: list[Any], tables: dict[str, Array], sides: list[Any], output: int) -> Array:
    """Return a network with one input of floats."""
    from onnx import TensorProto, helper, numpy_helper

    made = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("input0", TensorProto.FLOAT, sides)],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [None] * output)],
        [numpy_helper.from_array(values, name) for name, values in tables.items()],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return np.frombuffer(model.SerializeToString(), dtype=np.uint8)


def floats(*shape: int) -> Array:
    return RANDOM.normal(size=shape).astype(np.float32)


def products() -> Array:
    """Return two products with a bias and one without."""
    from onnx import helper

    nodes = [
        helper.make_node("MatMul", ["input0", "first"], ["a"]),
        helper.make_node("Add", ["bias", "a"], ["b"]),
        helper.make_node("LeakyRelu", ["b"], ["c"], alpha=0.1),
        helper.make_node("MatMul", ["c", "second"], ["d"]),
        helper.make_node("Add", ["d", "other"], ["e"]),
        helper.make_node("MatMul", ["input0", "third"], ["f"]),
        helper.make_node("Add", ["e", "f"], ["out"]),
    ]
    tables = {
        "first": floats(WIDTH, HIDDEN),
        "bias": floats(HIDDEN),
        "second": floats(HIDDEN, 5),
        "other": floats(5),
        "third": floats(WIDTH, 5),
    }
    return graph(nodes, tables, ["n", WIDTH], 2)


def lstm() -> Array:
    """Return an LSTM in two directions over `[words, sentences, width]`."""
    from onnx import helper

    names = ["input0", "weights", "recurrent", "biases", "", "zeros", "zeros"]
    nodes = [
        helper.make_node("Shape", ["input0"], ["shape"]),
        helper.make_node("Slice", ["shape", "one", "two"], ["sentences"]),
        helper.make_node("Concat", ["two", "sentences", "hidden"], ["size"], axis=0),
        helper.make_node("ConstantOfShape", ["size"], ["zeros"]),
        helper.make_node("LSTM", names, ["out"], hidden_size=HIDDEN, direction="bidirectional"),
    ]
    tables = {
        "weights": floats(2, 4 * HIDDEN, WIDTH) / 3,
        "recurrent": floats(2, 4 * HIDDEN, HIDDEN) / 3,
        "biases": floats(2, 8 * HIDDEN) / 3,
        **{name: np.array([number]) for name, number in (("one", 1), ("two", 2), ("hidden", HIDDEN))},
    }
    return graph(nodes, tables, ["words", "sentences", WIDTH], 4)


def run(file: Array, given: Array) -> Array:
    return Graphs({NODES: file}, 1).run(NODES, given)[0]


def fixed(file: Array, given: Array, *, precise: bool) -> Array:
    quantized = quantize(file, precise=precise)
    watching = RangeGraphs({NODES: quantized})
    watching.run(NODES, given)
    found = fix_scales(quantized, watching.ranges[NODES])
    check_graph(NODES, found)
    assert ROUNDING[0].encode() not in found.tobytes()
    return found


@pytest.mark.parametrize("precise", [False, True])
def test_products(precise: bool) -> None:
    original, given = products(), floats(40, WIDTH)
    found = fixed(original, given, precise=precise)
    expected, together = run(original, given), run(found, given)
    assert np.abs(together - expected).max() < 0.06 * np.abs(expected).max()
    huge = np.concatenate([given[:1] * 100, given])  # would make all other numbers coarse
    assert np.array_equal(run(found, huge)[1:], together)
    assert all(
        np.array_equal(run(found, row[None])[0], one) for row, one in zip(given, together, strict=True)
    )


@pytest.mark.parametrize("precise", [False, True])
def test_an_lstm(precise: bool) -> None:
    original, given = lstm(), floats(WORDS, 12, WIDTH)
    found = fixed(original, given, precise=precise)
    expected, together = run(original, given), run(found, given)
    assert together.shape == (WORDS, 2, 12, HIDDEN)
    assert np.abs(together - expected).max() < 0.1
    huge = np.concatenate([given * 100, given], 1)
    assert np.array_equal(run(found, huge)[:, :, 12:], together)
    for number in range(12):
        assert np.array_equal(run(found, given[:, [number]]), together[:, :, [number]])


def test_ranges_grow_and_ignore_empty_batches() -> None:
    watching = RangeGraphs({NODES: quantize(products())})
    for given in (floats(0, WIDTH), floats(3, WIDTH), floats(3, WIDTH) * 2, floats(0, WIDTH)):
        watching.run(NODES, given)
        if not len(given):
            continue
        found = watching.ranges[NODES]["input0"]
        assert found.low <= given.min() <= given.max() <= found.high
    assert len(watching.ranges[NODES]) == 2


def test_zero_is_always_a_whole_number() -> None:
    for low, high in ((0.0, 0.0), (0.5, 2.0), (-3.0, -1.0), (-1.0, 1.0)):
        scale, zero = scale_and_zero(Range(low, high))
        ends = ((np.array([0, 255]) - zero) * scale).tolist()
        assert ends[0] <= min(low, 0) + scale
        assert ends[1] >= max(high, 0) - scale
