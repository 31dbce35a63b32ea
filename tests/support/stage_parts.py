"""Helpers for the tests of all stages: store, compare and damage model parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy

from spindle.models import ModelFile, ModelPart, read_model, write_model


def through_a_file(part: ModelPart, path: Path) -> ModelPart:
    """Write a part to a model file and return it as read from there."""
    write_model(path, ModelFile("stage", {}, {"stage": part}))
    return read_model(path, "stage").parts["stage"]


def same(one: ModelPart, other: ModelPart) -> bool:
    """Return whether two parts have the same settings and, bit for bit, the same arrays."""
    return (
        one.settings == other.settings
        and one.arrays.keys() == other.arrays.keys()
        and all(
            array.dtype == other.arrays[name].dtype and numpy.array_equal(array, other.arrays[name])
            for name, array in one.arrays.items()
        )
    )


def damaged(part: ModelPart) -> Iterator[tuple[str, ModelPart]]:
    """Yield copies of a part with one damaged array: missing, cut off, empty, of another type, and so on.

    Loading need not detect every kind of damage, but none may crash the process.
    """
    for name, array in part.arrays.items():
        yield f"{name} missing", ModelPart(part.settings, {k: v for k, v in part.arrays.items() if k != name})
        wrong = {
            "cut off": array[:-1],
            "doubled": numpy.concatenate([array, array]),
            "empty": array[:0],
            "of another type": array.astype(numpy.float64),
            "of another shape": array.reshape(1, -1),
            "with gaps": array[::2],
            "backwards": array[::-1].copy(),
            "extreme": numpy.full_like(
                array, numpy.iinfo(array.dtype).max if array.dtype.kind in "iu" else numpy.inf
            ),
        }
        for what, value in wrong.items():
            yield f"{name} {what}", ModelPart(part.settings, {**part.arrays, name: value})
