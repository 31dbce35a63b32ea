"""Runs external programs, each in its own folder and within limits.

No shell is involved: programs get their arguments unchanged. A supervisor process runs the program. It kills
all processes that the program has started when the program ends, when it takes too long, and when Spindle is
interrupted or ends.
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

SHOWN_CHARACTERS = 2_000
"""The number of characters of a program's last output in an error."""
LOGGED_CHARACTERS = 20_000
"""The number of characters in the log, for each output stream."""
END_SECONDS = 10
"""The time in which the supervisor must have ended a program."""
_FRAMES = re.compile(r"(?m)^\s+(at \S+\(.*\)|\.\.\. \d+ more)(\n|\Z)")


class Limits(NamedTuple):
    """The seconds and the megabytes of address space that a program may use; None for no limit.

    `keeps_to_megabytes` means that the program limits its memory itself, so the system does not. `output` is
    the megabytes of each file that it may write.
    """

    seconds: float | None = None
    megabytes: int | None = None
    keeps_to_megabytes: bool = False
    output: int | None = None


def run(
    name: str,
    command: Sequence[str],
    folder: Path,
    limits: Limits,
    log: Callable[[str], None],
    output: Path | None = None,
) -> None:
    """Run a program in a folder and pass its command and output to `log`.

    Standard output is written to the file `output` if that is given. A program that cannot be started, fails
    or takes too long raises a `ParserError` with its name and its last output.
    """
    if shutil.which(command[0]) is None:
        raise ParserError(f"{name}: there is no program {command[0]!r}")
    launched = [*_supervisor(limits), *command]
    stdout, stderr = output or folder / "stdout.txt", folder / "stderr.txt"
    with open(stdout, "wb") as out, open(stderr, "wb") as err:
        # temporary files of the program are deleted together with the folder
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
    streams = [stderr] if output else [stdout, stderr]
    outputs = (_tail(stream, LOGGED_CHARACTERS) for stream in streams)
    log("\n".join([f"$ {shlex.join(command)}", *filter(None, outputs)]))
    if code != 0:
        last = _last_output(stderr) or ("" if output else _last_output(stdout))
        raise ParserError(_failure(name, code, limits) + (f"; its last output:\n{last}" if last else ""))


def _supervisor(limits: Limits) -> list[str]:
    script = Path(__file__).with_name("supervisor.py")
    size = 0 if limits.keeps_to_megabytes else (limits.megabytes or 0) << 20
    return [
        sys.executable,
        "-I",
        "-S",
        str(script),
        str(os.getpid()),
        str(size),
        str((limits.output or 0) << 20),
    ]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Make the supervisor end its program and then itself."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:  # for example if a process waits for a dead disk
        process.kill()
        process.wait()


def _failure(name: str, code: int | None, limits: Limits) -> str:
    if code is None:
        return f"{name} was stopped after {limits.seconds:g} seconds; give it a higher timeout"
    allowed = "" if limits.megabytes is None else f", with {limits.megabytes:,} MB of memory allowed"
    if code > 0:
        return f"{name} failed with exit code {code}{allowed}"
    if -code == signal.SIGXFSZ and limits.output is not None:
        return f"{name} was ended because it wrote more than {limits.output:,} MB; raise its option output"
    with suppress(ValueError):
        return f"{name} was ended by signal {signal.Signals(-code).name}{allowed}"
    return f"{name} was ended by signal {-code}{allowed}"


def _last_output(path: Path) -> str:
    """Return the end of a program's output, without the stack frames of Java's errors."""
    text = _FRAMES.sub("", _tail(path, LOGGED_CHARACTERS)).strip()
    return text if len(text) <= SHOWN_CHARACTERS else f"…{text[-SHOWN_CHARACTERS:]}"


def _tail(path: Path, size: int) -> str:
    """Return the end of a text file, which may contain bytes that are no text."""
    with open(path, "rb") as file:
        file.seek(max(path.stat().st_size - 4 * size, 0))
        text = file.read().decode("utf-8", "replace").strip()
    return text if len(text) <= size else f"…{text[-size:]}"
