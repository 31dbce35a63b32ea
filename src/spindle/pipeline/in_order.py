"""Work on several things at a time, whose results come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def in_order(work: Callable[[Given], Found], items: Iterable[Given], threads: int) -> Iterator[Found]:
    """What the work gives for every item, as it comes; with several threads, a few items are read ahead.

    >>> list(in_order(str.upper, ["one", "two", "three"], threads=2))
    ['ONE', 'TWO', 'THREE']
    """
    if threads == 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[Found]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            # one more than there are threads, so that none is idle while a result is looked at
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)  # if nobody wants the rest, it is not computed
