"""Running the application: an address, a port, and a stop that lets begun requests finish."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import uvicorn

from spindle.errors import SpindleError
from spindle.web.app import create_app
from spindle.web.guard import LOOPBACK
from spindle.web.service import Service

HEADER_BYTES = 64 << 10
"""The size of the headers of a request."""
GRACE = 10
"""How many seconds begun requests get when the server is stopped."""


@dataclass(frozen=True)
class Address:
    """Where a server listens; port 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 8090

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        return self.host in LOOPBACK or self.host.startswith("127.")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


def serve(
    service: Service,
    address: Address = Address(),
    *,
    origins: Sequence[str] = (),
    on_start: Callable[[Address], None] = lambda address: None,
) -> None:
    """Serve until Ctrl-C or SIGTERM; `on_start` gets the address as soon as connections are accepted."""
    listening = _listen(address)
    with listening:
        bound = Address(address.host, listening.getsockname()[1])
        hosts = LOOPBACK | {address.host} if address.is_local else None
        config = uvicorn.Config(
            create_app(service, hosts=hosts, origins=origins),
            log_config=None,
            access_log=False,
            server_header=False,
            http=_protocol(),
            lifespan="on",
            timeout_graceful_shutdown=GRACE,
        )
        _Server(config, lambda: on_start(bound)).run(sockets=[listening])


def _listen(address: Address) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, name = found[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(name)
            listening.listen(2048)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        hint = "choose another port, or 0 for any that is free"
        raise SpindleError(f"cannot listen at {address}: {error.strerror or error}", hint=hint) from None
    return listening


def _protocol() -> type[asyncio.Protocol] | Literal["auto"]:
    """Return uvicorn's fast protocol, with a limit for headers, which the slow one has; "auto" without it."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "auto"

    class Bounded(HttpToolsProtocol):
        """Closes a connection whose headers do not end."""

        header_bytes: int | None = 0  # those received so far; None while a body is received

        def data_received(self, data: bytes) -> None:
            """Take some bytes of a request."""
            if self.header_bytes is not None:
                self.header_bytes += len(data)
            super().data_received(data)
            if self.header_bytes is not None and self.header_bytes > HEADER_BYTES:
                self.send_400_response("The headers of the request are too long.")

        def on_headers_complete(self) -> None:
            """Begin the body of a request."""
            self.header_bytes = None
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            """End a request."""
            self.header_bytes = 0
            super().on_message_complete()

    return Bounded


class _Server(uvicorn.Server):
    """A server that ends normally when it is stopped by a signal."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[int, Any] = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
