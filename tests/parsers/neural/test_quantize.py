"""Quantising a graph: temporary files are in a folder that another process deletes after `kill -9`."""

import tempfile
from pathlib import Path

import numpy
import pytest

pytest.importorskip("onnx", reason="needs spindle-parser[neural]")

from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

from spindle.parsers.neural.quantize import quantize


def test_temporary_files_are_in_a_folder_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: list[str] = []
    original = quantization.quantize_dynamic

    def quantize_dynamic(*arguments: object, **options: object) -> None:
        seen.append(tempfile.gettempdir())
        original(*arguments, **options)
        seen.extend(path.name for path in tmp_path.iterdir())

    monkeypatch.setattr(quantization, "quantize_dynamic", quantize_dynamic)
    weights = numpy_helper.from_array(numpy.ones((8, 4), dtype=numpy.float32), "weights")
    given, found = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, size])
        for name, size in (("x", 8), ("y", 4))
    )
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "weights"], ["y"])], "graph", [given], [found], [weights]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    assert len(quantize(numpy.frombuffer(model.SerializeToString(), dtype=numpy.uint8)))
    folder, *names = seen
    assert Path(folder).parent == tmp_path
    assert names == [Path(folder).name]
    assert names[0].startswith("spindle-")
    assert tempfile.gettempdir() == str(tmp_path)
    assert not list(tmp_path.iterdir())
