"""`in_order`: results in order, little read ahead, and errors in the place of their item."""

import threading
import time
from collections.abc import Generator, Iterator

import pytest

from spindle.parsers.in_order import in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_order_is_that_of_the_items(threads: int) -> None:
    def slow(number: int) -> int:
        time.sleep(0.002 * (number % 3))  # later items often finish earlier
        return number * number

    assert list(in_order(slow, range(30), threads)) == [number * number for number in range(30)]
    assert list(in_order(slow, [], threads)) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_only_a_few_items_are_read_ahead(threads: int) -> None:
    read = 0

    def endless() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    found = in_order(str, endless(), threads)
    assert [next(found) for _ in range(10)] == [str(number) for number in range(1, 11)]
    assert read <= 10 + threads
    assert isinstance(found, Generator)
    found.close()


def test_an_error_comes_after_the_results_before_it() -> None:
    found = in_order(lambda number: 6 // number, [3, 2, 1, 0, 5], 2)
    assert [next(found) for _ in range(3)] == [2, 3, 6]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_closing_ends_the_threads() -> None:
    before = threading.active_count()
    found = in_order(str, range(100), 4)
    next(found)
    assert threading.active_count() > before
    assert isinstance(found, Generator)
    found.close()
    assert threading.active_count() == before
