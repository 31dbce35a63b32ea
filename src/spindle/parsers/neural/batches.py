"""Batches: sentences of similar length, padded to the same length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy

from spindle.models import Array

BATCHES_PER_EPOCH = 250
"""The number of batches that a default batch size aims at: small treebanks have small batches."""
SMALLEST_BATCH, LARGEST_BATCH = 250, 800
"""The limits of a default batch size, in words."""
LENGTH_NOISE = 1.5
"""Random noise, in words, that is added to lengths before sorting, so that batches differ between epochs."""


def batches_by_length(lengths: Sequence[int], max_words: int) -> Iterator[list[int]]:
    """Yield the numbers of the sentences of each batch, longest first.

    A batch has at most `max_words` words, padding included. A longer sentence is a batch of its own.
    Sentences without words are in no batch.
    """
    batch: list[int] = []
    numbers = [number for number, length in enumerate(lengths) if length]
    for number in sorted(numbers, key=lambda number: -lengths[number]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > max_words:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def even_groups(lengths: Sequence[int], start: int) -> list[int]:
    """Return the sizes of consecutive groups of sentences, longest first, that are padded apart.

    A group costs its words, padding included, and `start` words more. The groups are the cheapest.

    >>> even_groups([30, 29, 28, 8, 7, 7], start=10), even_groups([30, 29, 28, 8, 7, 7], start=1000)
    ([3, 3], [6])
    """
    ends = [end for end in range(1, len(lengths)) if lengths[end] < lengths[end - 1]] + [len(lengths)]
    costs, sizes = {0: 0}, {0: 0}  # of the first sentences up to an end, and the size of their last group
    for end in ends:
        costs[end], sizes[end] = min(
            (cost + start + (end - first) * lengths[first], end - first) for first, cost in costs.items()
        )
    found = []
    end = len(lengths)
    while end:
        found.append(sizes[end])
        end -= sizes[end]
    return found[::-1]


def training_batches(
    lengths: Array, weights: Array, max_words: int, random: numpy.random.Generator
) -> list[list[int]]:
    """Return the numbers of the sentences of each batch of an epoch, in random order.

    Every batch is sorted by length, longest first. A sentence of weight 0.5 is in every other epoch on
    average, a sentence of weight 2 is in each epoch twice.
    """
    times = numpy.floor(weights + random.random(len(weights))).astype(int)
    chosen = numpy.repeat(numpy.arange(len(weights)), times)
    noise = random.uniform(0, LENGTH_NOISE, len(chosen))
    order = chosen[numpy.argsort(-lengths[chosen] - noise)].tolist()
    sizes = lengths.tolist()
    batches: list[list[int]] = [[]]
    longest = 0  # of the last batch; the noise may put a longer sentence after a shorter one
    for number in order:
        longest = max(longest, sizes[number])
        if batches[-1] and (longest + 1) * (len(batches[-1]) + 1) > max_words:
            batches.append([])
            longest = sizes[number]
        batches[-1].append(number)
    for batch in batches:
        batch.sort(key=lambda number: -sizes[number])
    random.shuffle(batches)
    return batches


def batch_size(chosen: int | None, words: int) -> int:
    """Return the words per batch: the chosen number, or a default for a treebank with `words` words.

    >>> batch_size(None, 27_000), batch_size(None, 177_000), batch_size(100, 177_000)
    (250, 708, 100)
    """
    if chosen is not None:
        return chosen
    return min(max(words // BATCHES_PER_EPOCH, SMALLEST_BATCH), LARGEST_BATCH)


def starts_of(sizes: Array) -> Array:
    """Return where each of several consecutive segments starts, given their sizes."""
    starts: Array = numpy.cumsum(sizes) - sizes
    return starts


def joined(blocks: Sequence[Array]) -> Array:
    """Stack blocks of rows, each padded to the size of the largest, which is the first, with zeros."""
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    found = numpy.zeros((sum(map(len, blocks)), *first.shape[1:]), dtype=first.dtype)
    start = 0
    for block in blocks:
        found[(slice(start, start + len(block)), *map(slice, block.shape[1:]))] = block
        start += len(block)
    return found


def pad(columns: Sequence[Array], at_least: int = 0) -> Array:
    """Stack arrays of different lengths, padded with zeros, to `[arrays, longest or at_least, …]`."""
    first = columns[0]
    longest = max(at_least, *(len(column) for column in columns))
    padded = numpy.zeros((len(columns), longest, *first.shape[1:]), dtype=first.dtype)
    for row, column in zip(padded, columns, strict=True):
        row[: len(column)] = column
    return padded
