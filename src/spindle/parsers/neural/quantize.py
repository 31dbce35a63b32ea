"""Makes the graphs of a network smaller and faster: weights of eight bits, whole numbers. Needs onnx.

Tables of vectors are only looked up. Their rows have scales of their own; but where the vectors of a word are
added up, columns have, so that it is the sum that is scaled. Products with weights are computed in whole
numbers, those of the weights having seven bits. A careful shrinking gives them eight, and does not compute so
where a layer widens its input: what pretrained encoders put into those has a few very large numbers, beside
which all others would be rounded to nothing. Such weights are made numbers again before they are used.
"""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy

from spindle.models import Array

QUANTIZED = ["MatMul", "Gemm", "LSTM"]
"""The operators that multiply by weights."""
LARGE = 1000
"""Tables with fewer rows stay as they are."""
WIDER = 2
"""A layer whose output is more than so many times as wide as its input widens it."""


def shrink(file: Array, *, careful: bool = False) -> Array:
    """The graph in an onnx file with weights of eight bits."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = onnx.load_model_from_string(file.tobytes())
    _shrink_tables(model.graph)
    if careful:
        _shrink_what_widens(model.graph)
    logger = logging.getLogger()
    disabled, logger.disabled = logger.disabled, True  # it recommends steps that change nothing here
    try:
        with TemporaryDirectory() as folder:
            output = Path(folder) / "graph.onnx"
            quantize_dynamic(
                model,
                output,
                op_types_to_quantize=QUANTIZED,
                per_channel=True,
                # processors are fastest at multiplying unsigned numbers by signed ones, but those without
                # 8-bit dot products would overflow if such weights had more than seven bits
                weight_type=QuantType.QUInt8 if careful else QuantType.QInt8,
                reduce_range=not careful,
            )
            return numpy.frombuffer(output.read_bytes(), dtype=numpy.uint8)
    finally:
        logger.disabled = disabled


def _shrink_tables(graph: Any) -> None:
    """Replace every look-up in a large table by one in whole numbers and one in their scales."""
    from onnx import TensorProto, helper

    tables = {table.name: table for table in graph.initializer}
    summed = {node.input[0] for node in graph.node if node.op_type == "ReduceSum"}
    scales_of: dict[str, str] = {}
    nodes = []
    for node in graph.node:
        given, output = node.input[0] if node.input else "", node.output[0]
        table = tables.get(given) if node.op_type == "Gather" else None
        if table is not None and len(table.dims) == 2 and table.dims[0] >= LARGE:
            rows, of_each_row = node.input[1], output not in summed
            whole, scales = _whole_numbers(graph, table, of_each_row=of_each_row)
            numbers = f"{output}_numbers" if of_each_row else output
            nodes += [
                helper.make_node("Gather", [whole, rows], [f"{output}_whole"]),
                helper.make_node("Cast", [f"{output}_whole"], [numbers], to=TensorProto.FLOAT),
            ]
            if of_each_row:
                nodes += [
                    helper.make_node("Gather", [scales, rows], [f"{output}_scales"]),
                    helper.make_node("Mul", [numbers, f"{output}_scales"], [output]),
                ]
            else:
                scales_of[output] = scales
        elif node.op_type == "ReduceSum" and given in scales_of:
            node.output[0] = f"{output}_numbers"
            nodes += [node, helper.make_node("Mul", [node.output[0], scales_of[given]], [output])]
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _shrink_what_widens(graph: Any) -> None:
    """Keep the weights of such layers in whole numbers; when the graph is loaded, they are numbers again."""
    from onnx import TensorProto, helper

    tables = {table.name: table for table in graph.initializer}
    nodes = []
    for node in graph.node:
        table = tables.get(node.input[1]) if node.op_type == "MatMul" else None
        if table is not None and len(table.dims) == 2 and table.dims[1] > table.dims[0] * WIDER:
            whole, scales = _whole_numbers(graph, table, of_each_row=False)
            name = f"{node.output[0]}_weights"
            nodes += [
                helper.make_node("Cast", [whole], [f"{name}_numbers"], to=TensorProto.FLOAT),
                helper.make_node("Mul", [f"{name}_numbers", scales], [name]),
            ]
            node.input[1] = name
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _whole_numbers(graph: Any, table: Any, *, of_each_row: bool) -> tuple[str, str]:
    """The names of a table's whole numbers and of the scales of its rows or columns, instead of the table."""
    from onnx import numpy_helper

    names = f"{table.name}_whole", f"{table.name}_scales"
    if names[0] not in {other.name for other in graph.initializer}:
        numbers = numpy_helper.to_array(table)
        scales = numpy.abs(numbers).max(1 if of_each_row else 0, keepdims=True) / 127
        whole = numpy.rint(numbers / numpy.where(scales, scales, 1)).astype(numpy.int8)
        for part, name in zip((whole, scales.astype(numpy.float32)), names, strict=True):
            graph.initializer.append(numpy_helper.from_array(part, name))
        graph.initializer.remove(table)
    return names
