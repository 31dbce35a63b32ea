"""Runs the exported graphs of a network with onnxruntime; parsing needs no torch.

Every import of onnxruntime goes through `import_onnxruntime`, which turns its telemetry off. Official builds
of onnxruntime otherwise store a device identifier and a database of events in the home folder as soon as they
are imported, and send the events to Microsoft.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy

from spindle.errors import ModelError, ParserError
from spindle.models import Array

SENTENCE, ARCS, NODES, CONSTITUENTS = "sentence", "arcs", "nodes", "constituents"
GRAPHS = (SENTENCE, ARCS, NODES, CONSTITUENTS)
"""The names of the graphs in the model file; some models have none for constituents."""
TELEMETRY_SWITCH = "ORT_DISABLE_TELEMETRY"
"""The environment variable that onnxruntime reads once, when it is imported."""


def import_onnxruntime() -> Any:
    """Import onnxruntime without telemetry; an explicit choice in the user's environment is kept."""
    switch = os.environ.setdefault(TELEMETRY_SWITCH, "1")
    try:
        import onnxruntime
    except ImportError:
        raise ParserError("a neural parser needs onnxruntime: pip install onnxruntime") from None
    # the variable is set too late if other code has imported onnxruntime before
    if switch == "1" and hasattr(onnxruntime, "disable_telemetry_events"):
        onnxruntime.disable_telemetry_events()
    return onnxruntime


class Graphs:
    """The graphs of a network, loaded to run on a number of threads."""

    def __init__(self, files: Mapping[str, Array], threads: int) -> None:
        onnxruntime = import_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised anyway
        # threads that spin while they wait would take the cores from the decoders
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.threads = threads
        # the bytes are an onnx file: a graph in onnxruntime's own format is never recognised
        options.add_session_config_entry("session.load_model_format", "ONNX")
        self._sessions = {name: _session(onnxruntime, name, file, options) for name, file in files.items()}
        # an input that the network does not use is missing from its graph
        self._used = {
            name: [int(argument.name.removeprefix("input")) for argument in session.get_inputs()]
            for name, session in self._sessions.items()
        }

    def width(self, name: str, number: int) -> int:
        """Return the number of columns that an input of a graph has."""
        inputs = self._sessions[name].get_inputs()
        return int(inputs[self._used[name].index(number)].shape[1])

    def run(self, name: str, *inputs: Array) -> list[Array]:
        """Return the outputs of a graph; its inputs are named `input0`, `input1` and so on."""
        given = {f"input{number}": inputs[number] for number in self._used[name]}
        try:
            outputs: list[Array] = self._sessions[name].run(None, given)
        except Exception as error:  # onnxruntime has no base class of its errors
            raise _failed(name, "cannot be computed", error) from None
        return outputs


def check_shapes(name: str, *outputs: tuple[Array, tuple[int | None, ...]]) -> None:
    """Raise a `ModelError` if a graph returns arrays of other shapes; None stands for any length."""
    for output, expected in outputs:
        fits = len(output.shape) == len(expected) and all(
            wanted in (None, found) for wanted, found in zip(expected, output.shape, strict=True)
        )
        if not fits or output.dtype != numpy.float32:
            shown = " × ".join("?" if wanted is None else str(wanted) for wanted in expected)
            raise ModelError(
                f"the network {name!r} returns {output.dtype} numbers of the shape {output.shape}, "
                f"not {shown} numbers of 32 bits"
            )


def _session(onnxruntime: Any, name: str, file: Array, options: Any) -> Any:
    try:
        return onnxruntime.InferenceSession(file.tobytes(), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise _failed(name, "cannot be loaded", error) from None


def _failed(name: str, what: str, error: Exception) -> ModelError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ModelError(f"the network {name!r} {what}: {lines[0][:200]}")
