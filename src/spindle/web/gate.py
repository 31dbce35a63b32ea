"""How many requests are worked on at a time: beyond that, a client is told to come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from spindle.web.limits import Limits
from spindle.web.reading import Refusal

RETRY = {"Retry-After": "1"}


class Gate:
    """Counts the requests that are worked on or wait, in all and by client."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_client: Counter[str] = Counter()
        self.inside = 0

    @contextmanager
    def admitted(self, client: str) -> Iterator[None]:
        """Count a request as long as it is worked on; refuse it if there are too many already."""
        if self._by_client[client] >= self._limits.client_requests:
            raise Refusal(429, f"{self._limits.client_requests} of your requests wait already", RETRY)
        if self.inside >= self._limits.requests:
            raise Refusal(503, f"{self.inside} requests wait already; try again in a second", RETRY)
        self.inside += 1
        self._by_client[client] += 1
        try:
            yield
        finally:
            self.inside -= 1
            self._by_client[client] -= 1
            if not self._by_client[client]:
                del self._by_client[client]
