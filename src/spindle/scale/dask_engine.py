"""The engine `dask`: a cluster of the package distributed, one of its own or one at an address."""

from __future__ import annotations

import math
import os
import time
import uuid
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from spindle.scale.engines import AnyTask, Ended, Engine, EngineLost, Result, Work, missing_package
from spindle.scale.jobs import CorpusError, Failure
from spindle.scale.worker import threads_of_worker

CONNECT_SECONDS = 30.0
PROBE_SECONDS = 2.0
CHECK_SECONDS = 5.0
"""The time between two looks at the scheduler while no task ends."""
COUNT_SECONDS = 1.0
"""How long the number of workers is taken as known: a cluster of thousands takes time to describe itself."""
_OWN_CLUSTER = {
    # a partition whose worker died comes back at once, so that it is tried as often as was asked for
    "distributed.scheduler.allowed-failures": 0,
    # on a busy machine a worker takes longer to start again than the 15 seconds of the default
    "distributed.deploy.lost-worker-timeout": "10 minutes",
    # What Dask watches costs CPU time while a worker parses: all threads a hundred times a second for its
    # dashboard, the delay of its event loop fifty times, and its memory ten times.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    # without MALLOC_TRIM_THRESHOLD_, by which a worker of Dask gives the memory of every freed array back to
    # the system, and asks for it again
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), 1
    ),
}


def on_dask(work: Work, task: AnyTask) -> Result:
    """Run a task in a worker of Dask, on the threads that the worker was given."""
    from distributed import get_worker

    worker = get_worker()
    with threads_of_worker(worker.state.nthreads, worker.address):
        return work(task)


class DaskEngine(Engine):
    """Runs tasks on a Dask cluster. The processes of a cluster of its own listen on the loopback address."""

    name = "dask"

    def __init__(self, scheduler: str | None, workers: int | None, threads: int | None) -> None:
        try:
            import dask
            import distributed
        except ImportError:
            raise missing_package("dask") from None
        self._distributed = distributed
        self._ended: SimpleQueue[int] = SimpleQueue()
        self._futures: dict[int, tuple[Any, int]] = {}
        self._tickets = 0
        self._checked = time.monotonic()
        self._count, self._counted = 0, -math.inf
        self._cluster: Any = None
        self._config: Any = None
        if scheduler is None:
            count = workers or os.cpu_count() or 1
            each = threads or max((os.cpu_count() or 1) // count, 1)
            self._config = dask.config.set(_OWN_CLUSTER)
            self._cluster = distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=each,
                dashboard_address="127.0.0.1:0",
                host="127.0.0.1",
                silence_logs=50,
            )
            scheduler = self._cluster.scheduler_address
        self._address = scheduler
        try:
            self._client = self._connect(CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            self._close_cluster()
            raise CorpusError(
                f"{scheduler}: no Dask scheduler answers ({error})", hint="give its address, tcp://HOST:8786"
            ) from None

    def _connect(self, seconds: float) -> Any:
        return self._distributed.Client(self._address, timeout=seconds, set_as_default=False)

    @property
    def workers(self) -> int:
        """The number of workers that the scheduler knows."""
        now = time.monotonic()
        if now > self._counted + COUNT_SECONDS:
            self._count, self._counted = len(self._addresses()), now
        return max(self._count, 1)

    @property
    def memory_limit(self) -> int | None:
        """The smallest limit of a worker."""
        workers = self._client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return min((one["memory_limit"] for one in workers if one.get("memory_limit")), default=None)

    def _addresses(self) -> list[str]:
        return list(self._client.scheduler_info(n_workers=-1).get("workers", {}))

    def submit(self, work: Work, task: AnyTask, avoid: frozenset[str]) -> int:
        """Send a task to the scheduler."""
        self._tickets += 1
        ticket = self._tickets
        others = [address for address in self._addresses() if address not in avoid] if avoid else []
        try:
            future = self._client.submit(
                on_dask,
                work,
                task,
                key=f"spindle-{task.number}-{uuid.uuid4().hex}",
                pure=False,
                workers=others or None,
                allow_other_workers=bool(others),
            )
        except (OSError, RuntimeError, ValueError) as error:  # the client is closed
            raise EngineLost from error
        self._futures[ticket] = future, task.number
        future.add_done_callback(lambda _: self._ended.put(ticket))
        return ticket

    def has_others(self, avoid: frozenset[str]) -> bool:
        """Return whether there are workers beside those to avoid."""
        return not avoid.issuperset(self._addresses())

    def wait(self, seconds: float) -> list[Ended]:
        """Return the tasks that have ended."""
        try:
            tickets = [self._ended.get(timeout=seconds)]
        except Empty:
            tickets = []
            if time.monotonic() - self._checked > CHECK_SECONDS:
                self._checked = time.monotonic()
                self._check()
        while not self._ended.empty():
            tickets.append(self._ended.get())
        return [Ended(ticket, self._result(ticket)) for ticket in tickets if ticket in self._futures]

    def _check(self) -> None:
        if self._client.status != "running":
            raise EngineLost

    def _result(self, ticket: int) -> Result:
        future, number = self._futures[ticket]
        if future.status in ("cancelled", "lost", "pending"):
            raise EngineLost
        del self._futures[ticket]
        if future.status == "finished":
            try:
                found: Result = future.result(timeout=CONNECT_SECONDS)
            except (OSError, self._distributed.CancelledError) as error:
                raise EngineLost from error
            return found
        raised = future.exception(timeout=CONNECT_SECONDS)
        if isinstance(raised, self._distributed.scheduler.KilledWorker):
            last = getattr(raised.last_worker, "address", "")
            return Failure(number, f"the worker {last} ended in the middle of it", str(last), died=True)
        return Failure(number, f"{type(raised).__name__}: {raised}")

    def forget(self, ticket: int) -> None:
        """Cancel a task, if it has not begun."""
        found = self._futures.pop(ticket, None)
        if found is not None and self._client.status == "running":
            found[0].cancel()

    def reconnect(self, seconds: float) -> None:
        """Connect to a scheduler at the same address; the tasks of the old one are forgotten."""
        self._futures.clear()
        self._ended = SimpleQueue()
        end = time.monotonic() + seconds
        self._close_client()
        while True:
            try:
                self._client = self._connect(PROBE_SECONDS)
                return
            except (OSError, ValueError):
                if time.monotonic() > end:
                    raise EngineLost from None
                time.sleep(PROBE_SECONDS / 4)

    def _close_client(self) -> None:
        with suppress(OSError, RuntimeError):
            self._client.close(timeout=PROBE_SECONDS)

    def close(self) -> None:
        """Disconnect, and stop a cluster of its own."""
        self._close_client()
        self._close_cluster()

    def _close_cluster(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._config.__exit__(None, None, None)
