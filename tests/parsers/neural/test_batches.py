"""Groups of sentences that go through the network together, and how their arrays are joined."""

import random

import numpy

from spindle.parsers.neural.batches import even_groups, joined


def cost(lengths: list[int], sizes: list[int], start: int) -> int:
    """Return the words of groups of sentences, padding included, with `start` words for each group."""
    firsts = [sum(sizes[:at]) for at in range(len(sizes))]
    return sum(start + size * lengths[first] for first, size in zip(firsts, sizes, strict=True))


def all_sizes(count: int) -> list[list[int]]:
    """Return all ways to cut a list into consecutive groups."""
    if count == 0:
        return [[]]
    return [[size, *rest] for size in range(1, count + 1) for rest in all_sizes(count - size)]


def test_no_other_groups_are_cheaper() -> None:
    numbers = random.Random(1)
    for _ in range(200):
        lengths = sorted((numbers.randint(1, 40) for _ in range(numbers.randint(1, 9))), reverse=True)
        start = numbers.choice((0, 5, 24, 1000))
        found = even_groups(lengths, start)
        assert sum(found) == len(lengths)
        assert cost(lengths, found, start) == min(
            cost(lengths, sizes, start) for sizes in all_sizes(len(lengths))
        )


def test_blocks_are_padded_to_the_first() -> None:
    large, small = numpy.ones((2, 3, 2), dtype="float32"), numpy.full((1, 2, 1), 5, dtype="float32")
    found = joined([large, small])
    assert found.tolist() == [[[1, 1]] * 3, [[1, 1]] * 3, [[5, 0], [5, 0], [0, 0]]]
    assert found.dtype == "float32"
    assert joined([large]) is large
