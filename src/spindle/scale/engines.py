"""Engines run tasks on workers. An engine starts tasks and says how they ended; `run.py` does the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from spindle.scale.jobs import CorpusError, Counted, Failure, Record, Summed

Result = Record | Counted | Summed | Failure
Work = Callable[..., Result]
"""What a worker does with a task: `parse_partition`, `count_partition`, or a sum over a part."""


class AnyTask(Protocol):
    """A task: something with a number that can be sent to a worker."""

    @property
    def number(self) -> int:
        """The number of the partition or part."""


OnTokens = Callable[[int], None]
ENGINES = ("local", "dask", "ray")


class EngineLost(Exception):
    """The scheduler has gone; the tasks in flight will never end."""


class Ended(NamedTuple):
    """A task that has ended, by the number that `submit` gave it."""

    ticket: int
    result: Result


class Engine(ABC):
    """Runs tasks. The methods are called from one thread."""

    name: str
    is_local: bool = False
    """Whether tasks run in this process, one by one, when they are waited for."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """The number of workers, which may change."""

    @property
    def memory_limit(self) -> int | None:
        """The bytes that the engine allows a worker; None if it does not say."""
        return None

    @property
    def in_flight(self) -> int:
        """The number of tasks that keep all workers busy: for each, one that runs and one that waits."""
        return 2 * max(self.workers, 1)

    @abstractmethod
    def submit(self, work: Work, task: AnyTask, avoid: frozenset[str]) -> int:
        """Start a task, if possible not on the workers to avoid; return its ticket."""

    @abstractmethod
    def wait(self, seconds: float) -> list[Ended]:
        """Return the tasks that have ended; wait for the first for so long. Raises `EngineLost`."""

    def has_others(self, avoid: frozenset[str]) -> bool:
        """Return whether there are workers beside those to avoid."""
        return True

    def forget(self, ticket: int) -> None:  # noqa: B027 - an engine may not be able to
        """Stop a task that is not needed any more, if that is possible."""

    def reconnect(self, seconds: float) -> None:
        """Wait for the scheduler to come back; raises `EngineLost` if it does not."""
        raise EngineLost

    @abstractmethod
    def close(self) -> None:
        """Stop what the engine started."""


class LocalEngine(Engine):
    """Runs tasks in this process, which parses on all threads."""

    name = "local"
    is_local = True
    workers = 1
    in_flight = 1

    def __init__(self, on_tokens: OnTokens) -> None:
        self._on_tokens = on_tokens
        self._waiting: list[tuple[int, Work, AnyTask]] = []
        self._tickets = 0

    def submit(self, work: Work, task: AnyTask, avoid: frozenset[str]) -> int:
        """Keep a task until it is waited for."""
        self._tickets += 1
        self._waiting.append((self._tickets, work, task))
        return self._tickets

    def wait(self, seconds: float) -> list[Ended]:
        """Run the tasks."""
        waiting, self._waiting = self._waiting, []
        return [Ended(ticket, work(task, self._on_tokens)) for ticket, work, task in waiting]

    def close(self) -> None:
        """There is nothing to stop."""


def open_engine(
    name: str,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    on_tokens: OnTokens = lambda _: None,
) -> Engine:
    """Return the engine of this name.

    `scheduler` is the address of a cluster; without one, Dask and Ray start `workers` processes here, each
    with `threads` threads.
    """
    if name == "local":
        if scheduler is not None or workers is not None:
            raise CorpusError("the engine local has no scheduler and no workers", hint="use dask or ray")
        return LocalEngine(on_tokens)
    if scheduler is not None and workers is not None and name == "dask":
        raise CorpusError(
            "the workers of a cluster are started with its scheduler", hint="leave `workers` out"
        )
    if name == "dask":
        from spindle.scale.dask_engine import DaskEngine

        return DaskEngine(scheduler, workers, threads)
    if name == "ray":
        from spindle.scale.ray_engine import RayEngine

        return RayEngine(scheduler, workers, threads)
    raise CorpusError(f"there is no engine {name!r}", hint=f"choose one of {', '.join(ENGINES)}")


def missing_package(name: str) -> Any:
    """Return the error for an engine whose package is not installed."""
    return CorpusError(
        f"{name} is not installed", hint=f"install it with `pip install 'spindle-parser[{name}]'`"
    )
