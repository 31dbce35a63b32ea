"""Programs of other people: each run in a folder of its own, within limits, and gone when we are done.

A program never sees a shell: it gets its arguments as they are. A supervisor runs it, and kills it with all
that it has started when it ends, takes too long, or we are interrupted or gone, so that nothing stays behind.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from spindle.errors import ParserError

SHOWN = 2_000
"""How many characters of what a program said last stand in an error."""
KEPT = 20_000
"""How many are kept in a log, of each of its streams."""
PATIENCE = 10
"""How many seconds the supervisor has for ending a program."""
_FRAMES = re.compile(r"(?m)^\s+(at \S+\(.*\)|\.\.\. \d+ more)(\n|\Z)")


class Limits(NamedTuple):
    """What a program may use: seconds by the clock, megabytes of address space. None: all it likes.

    A program that was told the megabytes and keeps to them by itself is not also limited by the system.
    """

    seconds: float | None = None
    megabytes: int | None = None
    keeps_to_megabytes: bool = False


def run(
    name: str,
    command: Sequence[str],
    folder: Path,
    limits: Limits,
    hear: Callable[[str], None],
    output: Path | None = None,
) -> None:
    """Run a program in a folder; `name` is what errors call it, and `hear` is told what it said.

    Its standard output goes to the file `output`, if there is one. A program that cannot be started, fails
    or takes too long is a `ParserError` that shows what it said last.
    """
    if shutil.which(command[0]) is None:
        raise ParserError(f"{name}: there is no program {command[0]!r} to run")
    launched = [*_supervisor(limits), *command]
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
            _end(process)
    streams = [complaints] if output else [heard, complaints]
    hear("\n".join([f"$ {shlex.join(command)}", *filter(None, (_tail(each, KEPT) for each in streams))]))
    if code != 0:
        said = _last(complaints) or ("" if output else _last(heard))
        raise ParserError(_failure(name, code, limits) + (f"; it said last:\n{said}" if said else ""))


def _supervisor(limits: Limits) -> list[str]:
    script = Path(__file__).with_name("supervisor.py")
    size = 0 if limits.keeps_to_megabytes else (limits.megabytes or 0) << 20
    return [sys.executable, "-I", "-S", str(script), str(os.getpid()), str(size)]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have the supervisor end its program, and with it itself."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:  # nobody can end a process that waits for a dead disk, for example
        process.kill()
        process.wait()


def _failure(name: str, code: int | None, limits: Limits) -> str:
    if code is None:
        return f"{name} was stopped after {limits.seconds:g} seconds; a higher timeout would let it go on"
    allowed = "" if limits.megabytes is None else f", with {limits.megabytes:,} MB of memory allowed"
    if code > 0:
        return f"{name} failed with exit code {code}{allowed}"
    with suppress(ValueError):
        return f"{name} was ended by signal {signal.Signals(-code).name}{allowed}"
    return f"{name} was ended by signal {-code}{allowed}"


def _last(path: Path) -> str:
    """The end of what a program said; of Java's errors what they are, not where in the program they are."""
    text = _FRAMES.sub("", _tail(path, KEPT)).strip()
    return text if len(text) <= SHOWN else f"…{text[-SHOWN:]}"


def _tail(path: Path, size: int) -> str:
    """The end of a text file, whatever it holds."""
    with open(path, "rb") as file:
        file.seek(max(path.stat().st_size - 4 * size, 0))
        text = file.read().decode("utf-8", "replace").strip()
    return text if len(text) <= size else f"…{text[-size:]}"
