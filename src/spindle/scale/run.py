"""Running tasks on an engine until each is done or given up: retries, stragglers, poison, lost schedulers.

At most `Engine.in_flight` tasks are started at a time. A task that fails is tried again, on another worker if
there is one. A task whose worker died is tried again, too; before its last try it waits until nothing else
runs, so that only the task itself can be blamed. A task that runs much longer than the others at the end is
started a second time; the first result counts.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

from spindle.scale.engines import AnyTask, Engine, EngineLost, Work
from spindle.scale.jobs import CorpusError, Counted, Failure, Record, Summed

WAIT_SECONDS = 0.5
STRAGGLER_FACTOR = 3.0
"""A task that runs this many times longer than the median is started a second time."""
STRAGGLER_SECONDS = 60.0
"""The shortest time after which a task counts as a straggler."""
LEAST_MEASURED = 3
"""The number of finished tasks that tell how long one takes."""
RECONNECT_SECONDS = 300.0
OTHERS_SECONDS = 120.0
"""How long a task that failed on every worker waits for a new one."""
RETRY_SECONDS = 0.5
"""The pause before a task is tried again, which doubles with every try."""


class Watcher(Protocol):
    """Is told what happens in a run."""

    def started(self, task: AnyTask) -> None:
        """A task was given to the engine."""

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        """A try of a task failed."""

    def note(self, text: str) -> None:
        """Something happened that a person should know."""

    def tick(self) -> None:
        """Some time has passed."""


@dataclass
class Limits:
    """When a run loses its patience."""

    tries: int = 3
    straggler_seconds: float = STRAGGLER_SECONDS
    reconnect_seconds: float = RECONNECT_SECONDS


@dataclass
class _Flight:
    task: AnyTask
    since: float


@dataclass
class _History:
    tries: int = 0
    deaths: int = 0
    avoid: set[str] = field(default_factory=set)


class Run:
    """Runs tasks on an engine."""

    def __init__(self, engine: Engine, work: Work, watcher: Watcher, limits: Limits) -> None:
        self._engine, self._work, self._watcher, self._limits = engine, work, watcher, limits
        self._flights: dict[int, _Flight] = {}
        self._again: deque[tuple[float, AnyTask]] = deque()
        self._suspects: deque[AnyTask] = deque()
        self._history: dict[int, _History] = {}
        self._seconds: list[float] = []
        self._running: Counter[int] = Counter()
        self._most_workers = 0

    def results(self, tasks: Iterable[AnyTask]) -> Iterator[Record | Counted | Summed]:
        """Yield the results in the order in which they arrive; a task is taken when there is room for it."""
        waiting = iter(tasks)
        self._is_empty = False
        try:
            while True:
                self._fill(waiting)
                if not self._flights and not self._again:
                    return
                yield from self._wait()
                self._watcher.tick()
                self._start_again_stragglers()
        finally:
            for ticket in self._flights:
                self._engine.forget(ticket)
            self._flights.clear()

    def _fill(self, waiting: Iterator[AnyTask]) -> None:
        """Start tasks as long as there is room."""
        room = self._engine.in_flight
        for _ in range(len(self._again)):
            since, again = self._again.popleft()
            if len(self._flights) < room and self._may_start(again, since):
                self._start(again)
            else:
                self._again.append((since, again))
        while not self._is_empty and len(self._flights) < room:
            task = next(waiting, None)
            if task is None:
                self._is_empty = True
            else:
                self._start(task)
        if self._suspects and not self._flights and not self._again:
            self._start(self._suspects.popleft())

    def _may_start(self, task: AnyTask, since: float) -> bool:
        """Return whether a task may be tried again: there is another worker, or none seems to come."""
        now = time.monotonic()
        history = self._history.get(task.number)
        if now < since or history is None or not history.avoid:
            return now >= since
        self._most_workers = max(self._most_workers, self._engine.workers)
        is_alone = self._most_workers > 1 and not self._engine.has_others(frozenset(history.avoid))
        return not is_alone or now > since + min(self._limits.reconnect_seconds, OTHERS_SECONDS)

    def _start(self, task: AnyTask) -> None:
        history = self._history.get(task.number)
        avoid = frozenset(history.avoid) if history else frozenset()
        self._watcher.started(task)
        try:
            ticket = self._engine.submit(self._work, task, avoid)
        except EngineLost:
            self._again.append((0.0, task))
            self._reconnect()
            return
        self._flights[ticket] = _Flight(task, time.monotonic())
        self._running[task.number] += 1

    def _wait(self) -> Iterator[Record | Counted | Summed]:
        if not self._flights:  # all that is left waits for its next try
            time.sleep(min(WAIT_SECONDS, RETRY_SECONDS))
            return
        try:
            ended = self._engine.wait(WAIT_SECONDS)
        except EngineLost:
            self._reconnect()
            return
        for ticket, result in ended:
            flight = self._flights.pop(ticket, None)
            if flight is None:
                continue  # a second copy of a task that is done
            number = flight.task.number
            self._running[number] -= 1
            if isinstance(result, Failure):
                self._handle(flight.task, result)
                continue
            self._seconds.append(time.monotonic() - flight.since)
            self._forget_copies(number)
            self._history.pop(number, None)
            yield result

    def _forget_copies(self, number: int) -> None:
        for ticket in [ticket for ticket, flight in self._flights.items() if flight.task.number == number]:
            self._engine.forget(ticket)
            del self._flights[ticket]
        self._again = deque(one for one in self._again if one[1].number != number)
        del self._running[number]

    def _handle(self, task: AnyTask, failure: Failure) -> None:
        """Decide what becomes of a task that failed."""
        if failure.is_fatal:
            raise CorpusError(failure.error)
        history = self._history.setdefault(task.number, _History())
        history.tries += 1
        history.deaths += failure.died
        if failure.worker:
            history.avoid.add(failure.worker)
        is_given_up = history.tries >= self._limits.tries and not self._running[task.number]
        self._watcher.failed(failure, history.tries, is_given_up)
        if is_given_up or self._running[task.number]:
            return
        if history.deaths and history.tries == self._limits.tries - 1:
            self._suspects.append(task)
        elif failure.died:
            self._again.append((0.0, task))
        else:
            self._again.append((time.monotonic() + RETRY_SECONDS * 2 ** (history.tries - 1), task))

    def _start_again_stragglers(self) -> None:
        """Start slow tasks a second time if some workers have nothing to do."""
        if not self._is_empty or self._again or self._engine.is_local or len(self._seconds) < LEAST_MEASURED:
            return
        limit = max(STRAGGLER_FACTOR * median(self._seconds), self._limits.straggler_seconds)
        now = time.monotonic()
        for flight in list(self._flights.values()):
            if len(self._flights) >= self._engine.workers:
                return
            if now - flight.since > limit and self._running[flight.task.number] == 1:
                self._watcher.note(
                    f"partition {flight.task.number} has run for {now - flight.since:,.0f} s, and the others "
                    f"took {median(self._seconds):,.0f} s: it is started on another worker, too"
                )
                self._start(flight.task)

    def _reconnect(self) -> None:
        """Wait for the scheduler, and start all tasks in flight again; that is no failure of theirs."""
        self._watcher.note("the scheduler does not answer; waiting for it")
        for flight in self._flights.values():
            self._running[flight.task.number] = 0
        lost = {flight.task.number: flight.task for flight in self._flights.values()}
        self._flights.clear()
        self._again.extendleft((0.0, task) for task in reversed(list(lost.values())))
        try:
            self._engine.reconnect(self._limits.reconnect_seconds)
        except EngineLost:
            raise CorpusError(
                f"the scheduler did not come back within {self._limits.reconnect_seconds:,.0f} s",
                hint="start it, and then the same command again: it continues",
            ) from None
        self._watcher.note("the scheduler is back")
