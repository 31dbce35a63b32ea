"""The command as a process of its own: `spindle` and `python -m spindle` start here."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import NoReturn

from spindle.cli import main

YOUNG_OBJECTS = 10_000
"""The number of new objects after which Python looks for garbage in cycles. With Python's own 700 the search
takes a tenth of the time to the first tree, because imports and models only add objects."""


def run() -> NoReturn:
    """Run the command, and leave the memory of a finished process to the operating system."""
    gc.set_threshold(YOUNG_OBJECTS, 20, 20)
    status: list[int] = []
    # callbacks run in reverse order, so this is the last one: temporary folders are gone by then
    atexit.register(_leave, status)
    try:
        main()
    except SystemExit as done:
        if isinstance(done.code, int):
            status.append(done.code)
        raise
    raise AssertionError("main always ends with SystemExit")


def _leave(status: list[int]) -> None:
    """End the process without freeing models and modules one by one."""
    if not status:  # an error without an exit status, which Python reports
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # Python reports it, and sets the status
        return
    os._exit(status[0])
