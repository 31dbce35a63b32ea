"""Processes beside the server: only the server stops them, and they end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from threading import Thread


def start_worker() -> None:
    """Prepare this process: ignore Ctrl-C, which the server handles, and end if the server is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_server, daemon=True).start()


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    os._exit(1)
