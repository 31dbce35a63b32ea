"""Quantises the graphs of a network to weights of eight bits: smaller files, faster products. Needs onnx.

Embedding tables are only looked up. Their rows are scaled one by one; if the vectors of a word are summed,
their columns are, so that one scale applies to the sum. Products with weights are computed with integers, the
weights having seven bits.

The precise variant gives weights all eight bits, and computes with floats where a layer widens its input:
pretrained encoders feed such layers a few very large numbers, beside which all others would be rounded to
zero. The weights of these layers are stored as integers and converted when the graph is loaded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy

from spindle.models import Array
from spindle.outputs import private_folder
from spindle.parsers.neural.runtime import import_onnxruntime

QUANTIZED = ["MatMul", "Gemm", "LSTM"]
"""The operators that multiply by weights."""
MIN_ROWS = 1000
"""Embedding tables with fewer rows are not quantised."""
WIDENING = 2
"""A layer widens its input if its output is more than this many times as wide."""
PREPROCESSED = ("onnx.quant.pre_process", "onnxruntime.quant")
"""The metadata by which onnxruntime recognises a graph that its own preprocessing has optimised."""


def quantize(file: Array, *, precise: bool = False) -> Array:
    """Return the graph of an onnx file, quantised, as the bytes of another."""
    import onnx

    import_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = onnx.load_model_from_string(file.tobytes())
    _quantize_tables(model.graph)
    if precise:
        _store_widening_layers(model.graph)
    # without this mark onnxruntime logs a warning that recommends its preprocessing, which would change
    # nothing
    mark = model.metadata_props.add()
    mark.key, mark.value = PREPROCESSED
    with _temporary_folder() as folder:
        output = folder / "graph.onnx"
        quantize_dynamic(
            model,
            output,
            op_types_to_quantize=QUANTIZED,
            per_channel=True,
            # processors are fastest at multiplying unsigned by signed integers, but those without
            # 8-bit dot products would overflow with signed weights of more than seven bits
            weight_type=QuantType.QUInt8 if precise else QuantType.QInt8,
            reduce_range=not precise,
        )
        return numpy.frombuffer(output.read_bytes(), dtype=numpy.uint8)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder, also for what onnxruntime writes; if this process is killed, a later one deletes it."""
    folder, remove = private_folder()
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        remove()


def _quantize_tables(graph: Any) -> None:
    """Replace every look-up in a large table by one of integers and one of scales."""
    tables = {table.name: table for table in graph.initializer}
    summed = {node.input[0] for node in graph.node if node.op_type == "ReduceSum"}
    scales_of: dict[str, str] = {}
    nodes: list[Any] = []
    for node in graph.node:
        given, output = node.input[0] if node.input else "", node.output[0]
        table = tables.get(given) if node.op_type == "Gather" else None
        if table is not None and len(table.dims) == 2 and table.dims[0] >= MIN_ROWS:
            by_row = output not in summed
            names = _integers_and_scales(graph, table, by_row=by_row)
            nodes += _look_up(names, node, by_row=by_row)
            if not by_row:
                scales_of[output] = names[1]
        elif node.op_type == "ReduceSum" and given in scales_of:
            nodes += _scale_sum(node, scales_of[given])
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _look_up(names: tuple[str, str], node: Any, *, by_row: bool) -> list[Any]:
    """Return the operators that look up integers, and scale them unless their sum will be scaled."""
    from onnx import TensorProto, helper

    (integers, scales), rows, output = names, node.input[1], node.output[0]
    floats = f"{output}_floats" if by_row else output
    nodes = [
        helper.make_node("Gather", [integers, rows], [f"{output}_integers"]),
        helper.make_node("Cast", [f"{output}_integers"], [floats], to=TensorProto.FLOAT),
    ]
    if by_row:
        nodes += [
            helper.make_node("Gather", [scales, rows], [f"{output}_scales"]),
            helper.make_node("Mul", [floats, f"{output}_scales"], [output]),
        ]
    return nodes


def _scale_sum(node: Any, scales: str) -> list[Any]:
    from onnx import helper

    output = node.output[0]
    node.output[0] = f"{output}_floats"
    return [node, helper.make_node("Mul", [node.output[0], scales], [output])]


def _store_widening_layers(graph: Any) -> None:
    """Store the weights of layers that widen their input as integers; the loaded graph has floats."""
    from onnx import TensorProto, helper

    tables = {table.name: table for table in graph.initializer}
    nodes = []
    for node in graph.node:
        table = tables.get(node.input[1]) if node.op_type == "MatMul" else None
        if table is not None and len(table.dims) == 2 and table.dims[1] > table.dims[0] * WIDENING:
            integers, scales = _integers_and_scales(graph, table, by_row=False)
            name = f"{node.output[0]}_weights"
            nodes += [
                helper.make_node("Cast", [integers], [f"{name}_floats"], to=TensorProto.FLOAT),
                helper.make_node("Mul", [f"{name}_floats", scales], [name]),
            ]
            node.input[1] = name
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _integers_and_scales(graph: Any, table: Any, *, by_row: bool) -> tuple[str, str]:
    """Replace a table by integers and the scales of its rows or columns; return the names of both."""
    from onnx import numpy_helper

    names = f"{table.name}_integers", f"{table.name}_scales"
    if names[0] not in {other.name for other in graph.initializer}:
        floats = numpy_helper.to_array(table)
        scales = numpy.abs(floats).max(1 if by_row else 0, keepdims=True) / 127
        integers = numpy.rint(floats / numpy.where(scales, scales, 1)).astype(numpy.int8)
        for part, name in zip((integers, scales.astype(numpy.float32)), names, strict=True):
            graph.initializer.append(numpy_helper.from_array(part, name))
        graph.initializer.remove(table)
    return names
