"""Runs a program and ends whatever it has started: `supervisor.py PARENT BYTES OUTPUT PROGRAM ARGUMENT…`.

This is a separate process for two reasons. Limits must be set between fork and exec, where a process with
threads could block forever on a lock that another thread holds. And a process must remain that cleans up: on
Linux the supervisor adopts the processes that the program leaves behind, daemons included, and ends them
without leaving zombies; and it gets a signal when its parent ends for any reason. It exits with the exit code
or the signal of the program. On SIGTERM it ends the program first.
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


def main(parent: int, size: int, output: int, command: list[str]) -> int:
    """Run the command with `size` bytes of address space, files of up to `output` bytes (0: no limit).

    Returns its exit code.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    _prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
    _prctl(CHILD_SUBREAPER, 1)
    if os.getppid() != parent:  # the parent ended before the signal was set
        return 1
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until there is a program to end
    program = os.fork()
    if program == 0:
        _become(command, size, output)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        _, status = os.waitpid(program, 0)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_everything(program)
    return os.waitstatus_to_exitcode(status)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def _become(command: list[str], size: int, output: int) -> NoReturn:
    try:
        os.setpgid(0, 0)
        _prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)  # in case the supervisor is killed
        # the program must not inherit our handlers
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if size:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        if output:
            resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(NOT_STARTED)


def _end_everything(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            # children of a killed process become ours and are found in the next round
            for child in _children():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> Iterator[int]:
    """Yield the ids of our child processes, if the system lists them."""
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208
        with suppress(OSError):
            if name.isdecimal():
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    _, parent, *_ = file.read().rpartition(")")[2].split()
                if int(parent) == os.getpid():
                    yield int(name)


if __name__ == "__main__":
    code = main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
    if code < 0:  # the program was ended by a signal: end by the same one
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # the action of some signals cannot be changed
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
