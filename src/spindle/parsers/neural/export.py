"""Exports a trained network to graphs that onnxruntime can run. Needs torch."""

from __future__ import annotations

import io
import warnings

import numpy
import torch
from torch import Tensor, nn

from spindle.models import Array
from spindle.parsers.neural.constituents import CONSTITUENT_MARKS
from spindle.parsers.neural.context import ARC_COUNTS, ARC_ROLES, NODE_ROLES
from spindle.parsers.neural.network import Network
from spindle.parsers.neural.readers import WordReader
from spindle.parsers.neural.runtime import ARCS, CONSTITUENTS, NODES, SENTENCE

OPSET = 17
"""The version of the ONNX operators: old enough for every onnxruntime that we support."""


def export(network: Network, reader: WordReader) -> dict[str, Array]:
    """Return the graphs of a network by name, as the bytes of onnx files."""
    sentence = [torch.from_numpy(table) for table in reader.read([["some", "words"]])]
    states = torch.zeros(2, network.sentence.encoder.width)
    arcs = [states, torch.zeros(3, ARC_ROLES, dtype=torch.long), torch.zeros(3, ARC_COUNTS, dtype=torch.long)]
    nodes = [states, torch.zeros(3, NODE_ROLES, dtype=torch.long), torch.zeros(3, 3, dtype=torch.long)]
    words, subwords = ["sentences", "words"], ["windows", "subwords"]
    sizes = [words, words, words, words[:1], subwords, subwords, words]
    graphs = {
        SENTENCE: _export(network.sentence, sentence, sizes[: len(sentence)]),
        ARCS: _export(network.arcs, arcs, [["states"], ["arcs"], ["arcs"]]),
        NODES: _export(network.nodes, nodes, [["states"], ["nodes"], ["nodes"]]),
    }
    if network.constituents is not None:
        sizes_of = network.constituents.roles.roles, CONSTITUENT_MARKS
        roles, marks = (torch.zeros(3, size, dtype=torch.long) for size in sizes_of)
        sizes = [["states"], ["constituents"], ["constituents"]]
        graphs[CONSTITUENTS] = _export(network.constituents, [states, roles, marks], sizes)
    return graphs


def _export(module: nn.Module, inputs: list[Tensor], sizes: list[list[str]]) -> Array:
    """Return a module as an onnx file; `sizes` names the axes of each input whose size may vary."""
    names = [f"input{number}" for number in range(len(inputs))]
    file = io.BytesIO()
    with warnings.catch_warnings():
        # warnings about the exporter's future and about shapes it cannot infer; tests check its output
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            tuple(inputs),
            file,
            input_names=names,
            dynamic_axes={name: dict(enumerate(axes)) for name, axes in zip(names, sizes, strict=True)},
            opset_version=OPSET,
            dynamo=False,
        )
    return numpy.frombuffer(file.getvalue(), dtype=numpy.uint8)
