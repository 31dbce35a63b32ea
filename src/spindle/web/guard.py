"""What holds for every answer: security headers, allowed hosts and origins, a line in the log, figures."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spindle.web.errors import error_response
from spindle.web.metrics import Metrics
from spindle.web.reading import Refusal, shown

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page may load nothing from elsewhere and run no script in its text."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_logger = logging.getLogger("spindle.web.access")


class Guard:
    """Checks every request and completes every answer.

    `hosts` are the names by which the server may be addressed; None allows all. A page elsewhere whose name
    was made to point to this machine would use another name. `paths` are the addresses by their endpoints.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        hosts: frozenset[str] | None,
        origins: Sequence[str],
        paths: Mapping[Any, str],
    ) -> None:
        self.app, self.metrics, self.hosts, self.origins, self.paths = app, metrics, hosts, origins, paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, size = perf_counter(), 500, 0

        async def complete(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            if refusal := self._refusal(Headers(scope=scope)):
                await error_response(refusal)(scope, receive, complete)
            else:
                await self.app(scope, receive, complete)
        finally:
            seconds = perf_counter() - start
            path = self.paths.get(scope.get("endpoint"), "other")  # clients cannot make up metrics
            self.metrics.observe(_method(scope), path, status, seconds)
            client = scope.get("client")
            _logger.info(
                "%s",
                json.dumps(
                    {
                        "method": _method(scope),
                        "path": path,
                        "status": status,
                        "bytes": size,
                        "ms": round(seconds * 1000, 1),
                        "client": client[0] if client else None,
                    }
                ),
            )

    def _refusal(self, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        if self.hosts is not None and _hostname(f"//{host}") not in self.hosts:
            return Refusal(421, f"this server is not called {shown(host)}; it answers on this machine only")
        origin = headers.get("origin")
        if origin is None or origin in self.origins or "*" in self.origins:
            return None
        if urlsplit(origin).netloc == host:
            return None
        return Refusal(403, f"pages of {shown(origin)} may not use this server; its start can allow that")


def _hostname(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _method(scope: Scope) -> str:
    method: str = scope["method"]
    return method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS") else "other"
