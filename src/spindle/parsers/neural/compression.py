"""Compresses networks to eight bits, with scales that do not depend on the batch. Needs onnx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spindle.models import Array, ModelPart
from spindle.parsers.backend import Example
from spindle.parsers.neural.activation_ranges import RangeGraphs, Ranges
from spindle.parsers.neural.fixed_scales import fix_scales
from spindle.parsers.neural.quantize import quantize
from spindle.parsers.neural.runtime import GRAPHS

if TYPE_CHECKING:
    from spindle.parsers.neural.parser import NeuralParser

SAMPLE = 400
"""The number of training sentences on which ranges are measured; more hardly change them."""
SEVERAL_TREES = 2
"""Trees per sentence in that measurement: constituents are scored only where there are several."""


def compress(parser: NeuralParser, examples: Sequence[Example], *, precise: bool) -> ModelPart:
    """Return the part of the parser with quantised graphs; `examples` are those of its training.

    A graph that parses none of them is not quantised.
    """
    part = parser.to_part()
    graphs = {name: quantize(part.arrays[name], precise=precise) for name in GRAPHS if name in part.arrays}
    ranges = _measure(parser, graphs, examples[:: max(len(examples) // SAMPLE, 1)])
    fixed = {name: fix_scales(file, ranges[name]) for name, file in graphs.items() if ranges[name]}
    return ModelPart(part.settings, {**part.arrays, **fixed})


def _measure(
    parser: NeuralParser, graphs: dict[str, Array], examples: Sequence[Example]
) -> dict[str, Ranges]:
    """Return the ranges of the activations of every graph on these examples, parsed one by one.

    There is no padding then, whose numbers mean nothing.
    """
    watching = RangeGraphs(graphs)
    watched = parser.with_graphs(watching)
    for example in examples:
        for found, *_ in watched.parse_k_best([example.tokens], SEVERAL_TREES, watching.threads):
            if found.heads:
                watched.predict_chains([found], [example.dtree], watching.threads)
    return watching.ranges
