"""The engine `ray`: a pool of actors, on a Ray cluster or on this machine."""

from __future__ import annotations

import os
from collections import deque
from typing import Any

from spindle.scale.engines import AnyTask, Ended, Engine, EngineLost, Result, Work, missing_package
from spindle.scale.jobs import CorpusError, Failure
from spindle.scale.worker import threads_of_worker


class _Actor:
    """A worker of Ray, which keeps its model from task to task."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def run(self, work: Work, task: AnyTask) -> Result:
        """Run a task."""
        with threads_of_worker(self._threads, None):
            return work(task)


class RayEngine(Engine):
    """Runs tasks on Ray actors. Each actor has `threads` cores; a dead one is replaced."""

    name = "ray"

    def __init__(self, address: str | None, workers: int | None, threads: int | None) -> None:
        try:
            import ray
        except ImportError:
            raise missing_package("ray") from None
        self._ray = ray
        self._threads = threads or 1
        self._started = not ray.is_initialized()
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self._started and address is not None:
                ray.init(address=address, **quiet)
            elif self._started:
                cores = (workers or os.cpu_count() or 1) * self._threads
                here = "127.0.0.1"
                ray.init(num_cpus=cores, include_dashboard=False, _node_ip_address=here, **quiet)
        except (OSError, ConnectionError, ValueError) as error:
            hint = "give the address of the head node, HOST:6379, or auto"
            raise CorpusError(f"{address}: no Ray cluster answers ({error})", hint=hint) from None
        cores = int(ray.cluster_resources().get("CPU", 1))
        self._count = workers or max(cores // self._threads, 1)
        self._class = ray.remote(_Actor)
        self._actors: list[Any] = [self._new_actor() for _ in range(self._count)]
        self._at: list[deque[int]] = [deque() for _ in self._actors]
        self._failed_on: dict[str, int] = {}
        self._flights: dict[int, tuple[Any, int, Any, int]] = {}
        self._tickets = 0

    def _new_actor(self) -> Any:
        options = self._class.options(num_cpus=self._threads, max_restarts=0, max_task_retries=0)
        return options.remote(self._threads)

    @property
    def workers(self) -> int:
        """The number of actors."""
        return self._count

    def submit(self, work: Work, task: AnyTask, avoid: frozenset[str]) -> int:
        """Give a task to the actor with the fewest tasks."""
        self._tickets += 1
        bad = {self._failed_on[worker] for worker in avoid if worker in self._failed_on}
        at = min(range(self._count), key=lambda one: (one in bad, len(self._at[one])))
        reference = self._actors[at].run.remote(work, task)
        self._flights[self._tickets] = reference, at, self._actors[at], task.number
        self._at[at].append(self._tickets)
        return self._tickets

    def wait(self, seconds: float) -> list[Ended]:
        """Return the tasks that have ended."""
        if not self._ray.is_initialized():
            raise EngineLost
        tickets = {flight[0]: ticket for ticket, flight in self._flights.items()}
        ready, _ = self._ray.wait(list(tickets), num_returns=len(tickets), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(list(tickets), num_returns=1, timeout=seconds)
        return [Ended(tickets[one], self._result(tickets[one])) for one in ready]

    def _result(self, ticket: int) -> Result:
        reference, at, actor, number = self._flights.pop(ticket)
        self._at[at].remove(ticket)
        try:
            found: Result = self._ray.get(reference)
        except self._ray.exceptions.RayActorError:
            if self._actors[at] is actor:  # other tasks of the dead actor come back later
                self._actors[at] = self._new_actor()
            return Failure(number, "the worker ended in the middle of it", died=True)
        except self._ray.exceptions.RayError as error:
            return Failure(number, f"{type(error).__name__}: {error}")
        if isinstance(found, Failure) and found.worker:
            self._failed_on[found.worker] = at
        return found

    def forget(self, ticket: int) -> None:
        """Cancel a task, if it has not begun."""
        found = self._flights.pop(ticket, None)
        if found is not None:
            self._at[found[1]].remove(ticket)
            self._ray.cancel(found[0])

    def close(self) -> None:
        """Stop the actors, and Ray if it was started here."""
        for actor in self._actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()
