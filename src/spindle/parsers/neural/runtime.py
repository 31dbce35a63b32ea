"""Runs the exported graphs of a network with onnxruntime; parsing needs no torch.

Every import of onnxruntime goes through `import_onnxruntime`, which turns its telemetry off. Official builds
of onnxruntime otherwise store a device identifier and a database of events in the home folder as soon as they
are imported, and send the events to Microsoft.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy

from spindle.errors import ModelError, ParserError
from spindle.models import Array, bytes_of
from spindle.parsers.neural.weights import Separated, separate_weights

_logger = logging.getLogger(__name__)

SENTENCE, ARCS, NODES, CONSTITUENTS = "sentence", "arcs", "nodes", "constituents"
GRAPHS = (SENTENCE, ARCS, NODES, CONSTITUENTS)
"""The names of the graphs in the model file; some models have none for constituents."""
OUTPUTS = {SENTENCE: range(4, 5), ARCS: range(1, 3), NODES: range(1, 2), CONSTITUENTS: range(1, 2)}
"""The numbers of outputs that each graph may have; older ones have no score of arcs in their tree."""
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


MOST_MEMORY = 16 << 30
"""The bytes that all networks of a process may use at most: what a hostile one may do is bounded."""


@cache
def share_memory() -> None:
    """Let all graphs of this process take memory from one pool: a third less than a pool for each."""
    onnxruntime = import_onnxruntime()
    limits = {"max_mem": MOST_MEMORY, "arena_extend_strategy": 0, "initial_chunk_size_bytes": -1}
    pool = onnxruntime.OrtArenaCfg({**limits, "max_dead_bytes_per_chunk": -1})
    kind = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    memory = onnxruntime.OrtMemoryInfo("Cpu", kind, 0, onnxruntime.OrtMemType.DEFAULT)
    try:
        onnxruntime.create_and_register_allocator(memory, pool)
    except Exception as error:  # onnxruntime has no base class of its errors
        # a program around Spindle may have made a pool before; any other reason only costs memory, too
        _logger.debug("no pool of memory for networks: %s", error)


class Graphs:
    """The graphs of a network, loaded to run on a number of threads."""

    def __init__(self, files: Mapping[str, Array], threads: int) -> None:
        onnxruntime = import_onnxruntime()
        share_memory()
        self.threads = threads
        separated = {name: separate_weights(bytes_of(file)) for name, file in files.items()}
        self._weights = [one.weights for one in separated.values()]  # the sessions use them in place
        self._sessions = {
            name: _session(onnxruntime, name, graph, threads) for name, graph in separated.items()
        }
        for name, session in self._sessions.items():
            found, expected = len(session.get_outputs()), self._expected_outputs(name)
            if found not in expected:
                raise ModelError(f"the network {name!r} has {found} outputs, not {expected[-1]}")
        # an input that the network does not use is missing from its graph
        self._used = {
            name: [int(argument.name.removeprefix("input")) for argument in session.get_inputs()]
            for name, session in self._sessions.items()
        }

    def _expected_outputs(self, name: str) -> range:
        """The numbers of outputs that a graph may have."""
        return OUTPUTS[name]

    def width(self, name: str, number: int) -> int:
        """Return the number of columns that an input of a graph has."""
        inputs = self._sessions[name].get_inputs()
        try:
            return int(inputs[self._used[name].index(number)].shape[1])
        except (IndexError, ValueError, TypeError):
            raise ModelError(f"the network {name!r} lacks columns of its input {number}") from None

    def run(self, name: str, *inputs: Array) -> list[Array]:
        """Return the outputs of a graph; its inputs are named `input0`, `input1` and so on."""
        if max(self._used[name], default=0) >= len(inputs):
            raise ModelError(f"the network {name!r} has more than {len(inputs)} inputs")
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


def _session(onnxruntime: Any, name: str, graph: Separated, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.use_env_allocators", "1")
    # plans of memory are kept for every shape of a batch, and there is no end of shapes
    options.enable_mem_pattern = False
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised anyway
    # threads that spin while they wait would take the cores from the decoders
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # the bytes are an onnx file: a graph in onnxruntime's own format is never recognised
    options.add_session_config_entry("session.load_model_format", "ONNX")
    try:
        if graph.weights:
            values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in graph.weights.values()]
            options.add_external_initializers(list(graph.weights), values)
        return onnxruntime.InferenceSession(graph.file, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise _failed(name, "cannot be loaded", error) from None


def _failed(name: str, what: str, error: Exception) -> ModelError:
    if "bfc_arena" in str(error):
        return ModelError(
            f"the network {name!r} needs more memory than the {MOST_MEMORY >> 30} GB it may use"
        )
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ModelError(f"the network {name!r} {what}: {lines[0][:200]}")
