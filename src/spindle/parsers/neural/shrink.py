"""Makes the graphs of a network smaller and faster: weights of eight bits, whole numbers. Needs onnx.

Tables of vectors are shrunk row by row, each row with a scale of its own, and only looked up; all other
products are computed in whole numbers.
"""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]
QUANTIZED = ["MatMul", "Gemm", "LSTM"]
"""The operators that multiply by weights."""
LARGE = 1000
"""Tables with fewer rows stay as they are."""


def shrink(file: Array) -> Array:
    """The graph in an onnx file with weights of eight bits."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = onnx.load_model_from_string(file.tobytes())
    _shrink_tables(model.graph)
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
                # signed weights would overflow on processors without 8-bit dot products, or need to be cut
                # to seven bits
                weight_type=QuantType.QUInt8,
            )
            return numpy.frombuffer(output.read_bytes(), dtype=numpy.uint8)
    finally:
        logger.disabled = disabled


def _shrink_tables(graph: Any) -> None:
    """Replace every look-up in a large table by one in whole numbers and one in their scales."""
    from onnx import TensorProto, helper, numpy_helper

    tables = {table.name: table for table in graph.initializer}
    nodes = []
    for node in graph.node:
        table = tables.get(node.input[0]) if node.op_type == "Gather" else None
        if table is None or len(table.dims) != 2 or table.dims[0] < LARGE:
            nodes.append(node)
            continue
        name, output = table.name, node.output[0]
        if f"{name}_scales" not in tables:
            vectors = numpy_helper.to_array(table)
            scales = numpy.abs(vectors).max(1, keepdims=True) / 127
            whole = numpy.rint(vectors / numpy.where(scales, scales, 1)).astype(numpy.int8)
            for part, kind in ((whole, "whole"), (scales.astype(numpy.float32), "scales")):
                tables[f"{name}_{kind}"] = numpy_helper.from_array(part, f"{name}_{kind}")
                graph.initializer.append(tables[f"{name}_{kind}"])
            graph.initializer.remove(table)
        rows = node.input[1]
        nodes += [
            helper.make_node("Gather", [f"{name}_whole", rows], [f"{output}_whole"]),
            helper.make_node("Cast", [f"{output}_whole"], [f"{output}_numbers"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [f"{name}_scales", rows], [f"{output}_scales"]),
            helper.make_node("Mul", [f"{output}_numbers", f"{output}_scales"], [output]),
        ]
    del graph.node[:]
    graph.node.extend(nodes)
