"""Makes the graphs of a network smaller and faster: weights of eight bits, whole numbers. Needs onnx."""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]
QUANTIZED = ["MatMul", "Gemm", "LSTM", "Gather"]
"""The operators whose weights are worth it."""


def shrink(file: Array) -> Array:
    """The graph in an onnx file with weights of eight bits; sums are computed in whole numbers, too."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    logger = logging.getLogger()
    disabled, logger.disabled = logger.disabled, True  # it recommends steps that change nothing here
    try:
        with TemporaryDirectory() as folder:
            output = Path(folder) / "graph.onnx"
            quantize_dynamic(
                onnx.load_model_from_string(file.tobytes()),
                output,
                op_types_to_quantize=QUANTIZED,
                per_channel=True,
                # processors without 8-bit dot products add up pairs in 16 bits, which 7 bits cannot overflow
                reduce_range=True,
                weight_type=QuantType.QInt8,
            )
            return numpy.frombuffer(output.read_bytes(), dtype=numpy.uint8)
    finally:
        logger.disabled = disabled
