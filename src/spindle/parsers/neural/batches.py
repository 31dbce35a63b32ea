"""Sentences put together for a network: those of similar length, padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy

from spindle.models import Array


def by_length(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """The numbers of sentences that go together, the longest first: at most so many words with padding.

    A sentence without words goes nowhere.
    """
    together: list[int] = []
    numbers = [number for number, length in enumerate(lengths) if length]
    for number in sorted(numbers, key=lambda number: -lengths[number]):
        if together and lengths[together[0]] * (len(together) + 1) > most:
            yield together
            together = []
        together.append(number)
    if together:
        yield together


def starts_of(sizes: Array) -> Array:
    """Where things of these sizes start that stand one after the other."""
    starts: Array = numpy.cumsum(sizes) - sizes
    return starts


def pad(columns: Sequence[Array], longest: int = 0) -> Array:
    """Arrays of different lengths as one, filled up with zeros, and longer than the longest if wanted."""
    first = columns[0]
    longest = max(longest, *(len(column) for column in columns))
    padded = numpy.zeros((len(columns), longest, *first.shape[1:]), dtype=first.dtype)
    for row, column in zip(padded, columns, strict=True):
        row[: len(column)] = column
    return padded
