"""Programs of other people: each run in a folder of its own, within limits, and gone when we are done.

A program never sees a shell: it gets its arguments as they are. It leads a process group, which is killed as
a whole when the program ends, takes too long, or we are interrupted, so that nothing it has started stays
behind. (What makes itself independent on purpose, as a daemon does, escapes.)
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from spindle.errors import ParserError

SHOWN = 2_000
"""How many characters of what a program said last stand in an error."""
KEPT = 20_000
"""How many are kept in a log, of each of its streams."""

# Set between fork and exec, by a process that does nothing else: code run there by ourselves could block for
# ever on a lock that another thread of ours was holding. On Linux the program dies with us even if we are
# killed without a chance to end it.
_LAUNCHER = """
import os, resource, signal, sys
parent, size = int(sys.argv[1]), int(sys.argv[2])
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
if size:
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Limits(NamedTuple):
    """What a program may use: seconds by the clock, megabytes of address space. None: all it likes."""

    seconds: float | None = None
    megabytes: int | None = None


def run(name: str, command: Sequence[str], folder: Path, limits: Limits, output: Path | None = None) -> str:
    """Run a program in a folder and give back what it said; `name` is what errors call it.

    Its standard output goes to the file `output`, if there is one. A program that cannot be started, fails
    or takes too long is a `ParserError` that shows what it said last.
    """
    if shutil.which(command[0]) is None:
        raise ParserError(f"{name}: there is no program {command[0]!r} to run")
    launched = [*_launcher(limits), *command]
    heard, complaints = output or folder / "stdout.txt", folder / "stderr.txt"
    with open(heard, "wb") as out, open(complaints, "wb") as err:
        # what it leaves in its folder for temporary files goes with ours
        process = subprocess.Popen(
            launched,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            code = process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if code != 0:
        said = _tail(complaints, SHOWN) or ("" if output else _tail(heard, SHOWN))
        raise ParserError(_failure(name, code, limits) + (f"; it said last:\n{said}" if said else ""))
    streams = [complaints] if output else [heard, complaints]
    return "\n".join([f"$ {shlex.join(command)}", *filter(None, (_tail(each, KEPT) for each in streams))])


def _launcher(limits: Limits) -> list[str]:
    size = (limits.megabytes or 0) << 20
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), str(size)]


def _failure(name: str, code: int | None, limits: Limits) -> str:
    if code is None:
        return f"{name} was stopped after {limits.seconds:g} seconds; a higher timeout would let it go on"
    allowed = "" if limits.megabytes is None else f", with {limits.megabytes:,} MB of memory allowed"
    if code > 0:
        return f"{name} failed with exit code {code}{allowed}"
    with suppress(ValueError):
        return f"{name} was ended by signal {signal.Signals(-code).name}{allowed}"
    return f"{name} was ended by signal {-code}{allowed}"


def _tail(path: Path, size: int) -> str:
    """The end of a text file, whatever it holds."""
    with open(path, "rb") as file:
        file.seek(max(path.stat().st_size - 4 * size, 0))
        text = file.read().decode("utf-8", "replace").strip()
    return text if len(text) <= size else f"…{text[-size:]}"
