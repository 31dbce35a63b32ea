"""The memory that a worker takes, predicted from measurements in `benchmarks/results/scale.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spindle.parsers import name_of
from spindle.pipeline import Ensemble, Parser, ParsingFace

MEGABYTE = 1_000_000
BASE = {"local": 65 * MEGABYTE, "dask": 140 * MEGABYTE, "ray": 140 * MEGABYTE}
"""An interpreter with Spindle and the engine, without a model."""
THREAD = 5 * MEGABYTE
NEURAL = "neural"
NEURAL_COPIES, NEURAL_THREAD = 6, 100 * MEGABYTE
"""onnxruntime keeps copies of the weights, and buffers for the batch of every thread."""
TEXT_COPIES = 4
"""The bytes of a partition, its characters, and what is being parsed of it."""


@dataclass(frozen=True)
class Memory:
    """The bytes that a worker takes, and the bytes of the model that all workers of a machine share."""

    private: int
    shared: int


def predict_memory(
    parser: ParsingFace, models: Sequence[Path], engine: str, threads: int | None, size: int
) -> Memory:
    """Return the memory of a worker with this parser, this many threads, and partitions of `size` bytes."""
    parsers = parser.parsers if isinstance(parser, Ensemble) else (parser,)
    threads = threads or 1
    private = BASE.get(engine, BASE["dask"]) + threads * THREAD + TEXT_COPIES * size
    shared = 0
    for one, path in zip(parsers, models, strict=True):
        stored = path.stat().st_size
        if isinstance(one, Parser) and name_of(type(one.backend)) == NEURAL:
            private += NEURAL_COPIES * stored + threads * NEURAL_THREAD
        shared += stored
    return Memory(private, shared)
