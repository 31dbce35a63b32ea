"""Runs the graphs of a trained network with onnxruntime: no torch is needed to parse."""

from __future__ import annotations

from collections.abc import Mapping

from spindle.errors import ParserError
from spindle.models import Array

SENTENCE, ARCS, NODES = "sentence", "arcs", "nodes"
"""The graphs by the names that the model file gives them."""


class Graphs:
    """The graphs of a network, ready to run on so many threads."""

    def __init__(self, files: Mapping[str, Array], threads: int) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise ParserError("a neural parser needs onnxruntime: pip install onnxruntime") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # threads that spin while they wait take the cores from our own decoders
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.threads = threads
        self._sessions = {
            name: onnxruntime.InferenceSession(file.tobytes(), options, providers=["CPUExecutionProvider"])
            for name, file in files.items()
        }
        # what a network has no use for is not in its graph
        self._used = {
            name: [int(argument.name.removeprefix("input")) for argument in session.get_inputs()]
            for name, session in self._sessions.items()
        }

    def run(self, name: str, *inputs: Array) -> list[Array]:
        """The outputs of a graph, whose inputs are `input0`, `input1` and so on."""
        given = {f"input{number}": inputs[number] for number in self._used[name]}
        outputs: list[Array] = self._sessions[name].run(None, given)
        return outputs
