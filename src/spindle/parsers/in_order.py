"""Work on several items at a time; results come in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from spindle._core import Stop

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    is_ready: Callable[[], bool] = lambda: True,
) -> Iterator[Result]:
    """Yield the result of `work` for every item, in order; several threads read a few items ahead.

    If the next item is not ready, all results are yielded before it is waited for. A caller that stops early,
    for example because of Ctrl-C, stops the work in the core, too.

    >>> list(in_order(str.upper, ["one", "two", "three"], threads=2))
    ['ONE', 'TWO', 'THREE']
    """
    if threads == 1:
        yield from map(work, items)
        return
    stop = Stop()

    def follow(item: Item) -> Result:
        with stop.following():
            return work(item)

    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(follow, item))
            # one more item than threads: no thread is idle while the caller uses a result
            while len(waiting) > threads or (waiting and not is_ready()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
