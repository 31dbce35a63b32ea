"""Runs a program and ends whatever it has started: `python supervisor.py PARENT BYTES PROGRAM ARGUMENT…`.

This is a process of its own, which does nothing else, for two reasons. Limits must be set between fork and
exec, where code of a process with threads could block for ever on a lock that another thread holds. And
somebody must be left to clear up: on Linux it adopts what the program leaves behind, daemons too, so that it
can end them and no zombie stays, and it hears when its parent is gone, however that came about. It ends as
the program did; told to end by SIGTERM, it ends the program first.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

PARENT_DEATH_SIGNAL, CHILD_SUBREAPER = 1, 36  # of prctl
NOT_STARTED = 127


def main(parent: int, size: int, command: list[str]) -> int:
    """Run the command with so many bytes of address space (0: all it likes); the code that it ends with."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    _ask_for(PARENT_DEATH_SIGNAL, signal.SIGTERM)
    _ask_for(CHILD_SUBREAPER, 1)
    if os.getppid() != parent:  # it is gone already
        return 1
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until there is something to end
    program = os.fork()
    if program == 0:
        _become(command, size)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        _, status = os.waitpid(program, 0)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_everything(program)
    return os.waitstatus_to_exitcode(status)


def _ask_for(what: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(what, value)


def _become(command: list[str], size: int) -> NoReturn:
    try:
        os.setpgid(0, 0)
        _ask_for(PARENT_DEATH_SIGNAL, signal.SIGKILL)  # should the supervisor be killed
        for number in (signal.SIGTERM, signal.SIGPIPE):  # what we do with them is not for the program
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if size:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(NOT_STARTED)


def _end_everything(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            # those that a killed process has started become ours, and are there the next time round
            for child in _children():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> Iterator[int]:
    """The processes that are ours, where the system tells."""
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208
        with suppress(OSError):
            if name.isdecimal():
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    _, parent, *_ = file.read().rpartition(")")[2].split()
                if int(parent) == os.getpid():
                    yield int(name)


if __name__ == "__main__":
    code = main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    if code < 0:  # as the program was ended by a signal, so are we
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # some have no other action
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
