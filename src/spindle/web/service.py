"""What all requests of a server share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar

from starlette.requests import Request

from spindle.web.comparisons import Comparisons
from spindle.web.gate import Gate
from spindle.web.limits import Limits
from spindle.web.metrics import Metrics
from spindle.web.models import ServedModels
from spindle.web.trainings import Trainings
from spindle.web.treebanks import Treebanks
from spindle.web.work_folder import WorkFolder

WORKERS = 2
"""The number of threads for work other than parsing."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass
class Service:
    """The models, limits and figures of a server, and threads for its work."""

    models: ServedModels
    limits: Limits = Limits()  # noqa: RUF009
    token: str | None = None
    work: WorkFolder | None = None
    """The folder that requests may write into; without it, nothing is written."""
    gate: Gate = field(init=False)
    treebanks: Treebanks = field(init=False)
    trainings: Trainings = field(init=False)
    comparisons: Comparisons = field(default_factory=Comparisons)
    metrics: Metrics = field(default_factory=Metrics)
    _threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self.limits)
        self.treebanks = Treebanks(self.limits.treebanks)
        self.trainings = Trainings(self.models.add)
        self._threads = ThreadPoolExecutor(WORKERS, "spindle-work")

    @staticmethod
    def of(request: Request) -> Service:
        """Return the service that a request is for."""
        service = request.app.state.service
        assert isinstance(service, Service)
        return service

    async def run(
        self, function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Run a function on a thread, so that other requests are answered meanwhile."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(function, *args, **kwargs))

    def close(self) -> None:
        """Finish what was begun, and stop all threads."""
        self.trainings.close()
        self.models.close()
        self.treebanks.close()
        self._threads.shutdown(cancel_futures=True)
        if self.work is not None:
            self.work.close()
