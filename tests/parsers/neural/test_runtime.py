"""Networks run within limits: one that asks for more memory than all networks may use fails with one line."""

import subprocess
import sys

import numpy
import pytest

from spindle.errors import ModelError
from spindle.parsers.neural.graph_check import check_graph
from spindle.parsers.neural.runtime import MOST_MEMORY, Graphs

onnx = pytest.importorskip("onnx")


def huge(rows: int, columns: int) -> bytes:
    """Return a network that spreads its input over a table of this size, and adds it up."""
    from onnx import TensorProto, helper

    made = helper.make_graph(
        [
            helper.make_node("Expand", ["input0", "shape"], ["table"]),
            helper.make_node("ReduceSum", ["table"], ["sum"], keepdims=0),
        ],
        "g",
        [helper.make_tensor_value_info("input0", TensorProto.FLOAT, ["n", 1])],
        [helper.make_tensor_value_info("sum", TensorProto.FLOAT, [])],
        [helper.make_tensor("shape", TensorProto.INT64, [2], [rows, columns])],
    )
    content: bytes = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    return content


def run(rows: int, columns: int) -> float:
    graph = numpy.frombuffer(huge(rows, columns), dtype=numpy.uint8)
    check_graph("nodes", graph)
    (total,) = Graphs({"nodes": graph}, 1).run("nodes", numpy.ones((1, 1), dtype=numpy.float32))
    return float(total)


def test_a_network_that_needs_more_memory_than_there_may_be() -> None:
    assert run(1000, 1000) == 1e6
    columns = 1 << 16
    with pytest.raises(ModelError, match="needs more memory than the 16 GB") as raised:
        run(2 * MOST_MEMORY // (4 * columns), columns)
    assert str(raised.value).isprintable()
    with pytest.raises(ModelError, match="needs more memory"):
        run(1 << 24, 1 << 24)


def test_other_numbers_of_inputs_and_outputs() -> None:
    graph = numpy.frombuffer(huge(2, 2), dtype=numpy.uint8)
    with pytest.raises(ModelError, match="'sentence' has 1 outputs, not 4"):
        Graphs({"sentence": graph}, 1)
    graphs = Graphs({"nodes": graph}, 1)
    with pytest.raises(ModelError, match="more than 0 inputs"):
        graphs.run("nodes")
    with pytest.raises(ModelError, match="lacks columns of its input 1"):
        graphs.width("nodes", 1)
    assert graphs.width("nodes", 0) == 1


def test_a_program_may_have_a_pool_of_its_own() -> None:
    """Spindle works in a process where another library has made a pool for onnxruntime."""
    program = """
from spindle.parsers.neural.runtime import import_onnxruntime
ort = import_onnxruntime()
memory = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
ort.create_and_register_allocator(memory, ort.OrtArenaCfg({"max_mem": 1 << 32}))
import spindle
print(spindle.load("english").parse(["It", "works", "."]))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("(")
    assert not found.stderr
