"""Kill Spindle with SIGKILL at random moments, resume, and compare with an undisturbed run, byte for byte.

    python benchmarks/killing.py [WORK…] [--moments 100] [--seed 1] [--minutes N]

WORK is one or more of train-linear, train-neural, train-udpipe, distill, parse, convert, index; all by
default. The data are the demo treebank. A run is a fork of this process, which has imported the packages, so
that the moments fall into the work itself. It has a folder of its own, which is also its temporary folder.
After each kill this is checked: no process of the run is left, and the file under the final name is missing
or complete (`parse` writes in place: its file must be a beginning of the complete one). A run is resumed and
killed again up to ten times; then it ends undisturbed, and the results, and the files in the folder, are
compared.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import NoReturn

from measuring import command_line
from spindle.cli.process import run

DATA = files("spindle.models") / "data"
TRAIN, DEV = str(DATA / "demo-train.dbr"), str(DATA / "demo-dev.dbr")
MARK = "SPINDLE_KILLING_RUN"
"""An environment variable that all processes of a run inherit."""
KILLS_OF_A_RUN = 10
END_SECONDS = 20.0
"""The time in which the processes of a killed run must end."""
RUN_SECONDS = 3600
"""Far more than any run takes, also beside other programs."""
SMALL = "--parser neural --epochs 3 --parser-option hidden=16 --threads 1"
SENTENCES = 300
"""The sentences of the text and the treebank that are parsed and converted."""


@dataclass(frozen=True)
class Work:
    """A command; `output` is the file that is compared, `in_place` whether it grows under its name."""

    command: str
    output: str
    resumes: bool = True
    in_place: bool = False


WORKS = {
    "train-linear": Work(f"train {TRAIN} --dev {DEV} -o out --epochs 8 --threads 1", "out"),
    "train-neural": Work(f"train {TRAIN} --dev {DEV} -o out {SMALL}", "out"),
    "train-udpipe": Work(f"train {TRAIN} --dev {DEV} -o out --parser udpipe --epochs 2", "out"),
    "distill": Work(
        f"distill {{shared}}/teacher --text {{shared}}/text --train {TRAIN} --dev {DEV} -o out --epochs 2 "
        "--parser-option hidden=16 --threads 1",
        "out",
    ),
    "parse": Work("parse {shared}/text -o out.ptb --model light --threads 1", "out.ptb", in_place=True),
    "convert": Work("convert {shared}/trees.dbr out.export", "out.export", resumes=False),
    "index": Work("index trees.dbr --threads 1", "trees.dbr.spindle-index", resumes=False),
}


@dataclass
class Found:
    """What was seen of one work; `faults` are sentences."""

    kills: int = 0
    runs: int = 0
    with_file: int = 0
    faults: list[str] = field(default_factory=list)


def prepare(shared: Path, names: Sequence[str], sentences: int = SENTENCES) -> None:
    """Write the inputs that several runs share: a text, trees, and the teacher of a distillation."""
    trees = Path(DEV).read_text(encoding="utf-8") + Path(TRAIN).read_text(encoding="utf-8")
    (shared / "trees.dbr").write_text(trees * (sentences // 2), encoding="utf-8")
    text = "The dog saw the old man in the park .\nIt rains , and the wind blows .\n" * (sentences // 2)
    (shared / "text").write_text(text if "parse" in names else text[:2000], encoding="utf-8")
    if "distill" in names:
        command = f"train {TRAIN} --dev {DEV} -o {shared}/teacher {SMALL}"
        process = Fork(command.split(" "), shared, shared / "errors")
        if process.wait(RUN_SECONDS):
            sys.exit((shared / "errors").read_text(errors="replace"))


class Fork:
    """A fork of this process that does what the command `spindle` does with these arguments."""

    def __init__(self, arguments: list[str], folder: Path, errors: Path) -> None:
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        sys.stdout.flush()
        self._process = os.fork()
        if not self._process:
            self._become(arguments, folder, errors)

    @staticmethod
    def _become(arguments: list[str], folder: Path, errors: Path) -> NoReturn:
        try:
            os.chdir(folder)
            for name, descriptor in ((os.devnull, 1), (str(errors), 2)):
                os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
            # the processes that are started inherit both
            os.environ.update({"TMPDIR": str(folder / "tmp"), MARK: str(folder)})
            tempfile.tempdir = None
            sys.argv = ["spindle", *arguments]
            run()
        except SystemExit:
            atexit._run_exitfuncs()  # ends the process as at the end of a program
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(70)

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, negative after a signal, or None if it still runs after some time."""
        end = time.monotonic() + seconds
        while not (found := os.waitpid(self._process, os.WNOHANG))[0]:
            if time.monotonic() > end:
                return None
            time.sleep(0.002)
        return os.waitstatus_to_exitcode(found[1])

    def kill(self) -> int:
        """End it by SIGKILL; return the exit code."""
        os.kill(self._process, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


class Runner:
    """Starts, kills and resumes the command of one work."""

    def __init__(self, name: str, shared: Path, folder: Path) -> None:
        self.work = WORKS[name]
        self.command = self.work.command.format(shared=shared).split(" ")
        self.folder, self.found = folder, Found()
        self.trees = shared / "trees.dbr"
        whole = folder / "whole"
        start = time.monotonic()
        process = self._start(whole, resume=False)
        self._end(process)
        self.seconds = time.monotonic() - start
        self.expected = (whole / self.work.output).read_bytes()
        self.names = _names(whole)

    def run(self, moments: int, random: Random, end: float) -> Found:
        """Kill `moments` times, or until `end`; return what was seen. No process is left over."""
        try:
            self._run(moments, random, end)
        finally:
            for process in processes_of(self.folder):
                os.kill(process, signal.SIGKILL)
        return self.found

    def _run(self, moments: int, random: Random, end: float) -> None:
        while self.found.kills < moments and time.monotonic() < end:
            self.found.runs += 1
            folder = self.folder / f"run{self.found.runs}"
            for _ in range(min(KILLS_OF_A_RUN, moments - self.found.kills)):
                process = self._start(folder, resume=True)
                if not self._kill(process, random.uniform(0.05, 1.0) * self.seconds):
                    break
                self._look(folder)
            print(f"{self.found.kills} kills, {len(self.found.faults)} faults", file=sys.stderr, flush=True)
            self._end(self._start(folder, resume=True))
            self._compare(folder)

    def _start(self, folder: Path, *, resume: bool) -> Fork:
        if self.command[0] == "index" and not folder.exists():  # the index lies beside its treebank
            folder.mkdir()
            shutil.copy2(self.trees, folder)
        more = ["--resume"] if resume and self.work.resumes else []
        return Fork([*self.command, *more], folder, self.folder / "errors")

    def _kill(self, process: Fork, seconds: float) -> bool:
        """Kill a process after some time; return whether it was still running."""
        code = process.wait(seconds)
        if code is None:
            code = process.kill()
        if code != -signal.SIGKILL:
            self._check_end(code)
            return False
        self.found.kills += 1
        return True

    def _end(self, process: Fork) -> None:
        code = process.wait(RUN_SECONDS)
        self._check_end(process.kill() if code is None else code)

    def _fault(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
        self.found.faults.append(text)

    def _check_end(self, code: int) -> None:
        if code:
            errors = (self.folder / "errors").read_text(errors="replace")
            self._fault(f"exit code {code}: {errors[-500:]}")

    def _look(self, folder: Path) -> None:
        """Check what a kill has left."""
        output = folder / self.work.output
        if output.exists():
            self.found.with_file += 1
            content = output.read_bytes()
            is_beginning = self.work.in_place and self.expected.startswith(content)
            if content != self.expected and not is_beginning:
                self._fault(f"half a file under the final name: {len(content):,} bytes")
        deadline = time.monotonic() + END_SECONDS
        while left := processes_of(folder):
            if time.monotonic() > deadline:
                self._fault(f"processes are left: {left}")
                break
            time.sleep(0.05)

    def _compare(self, folder: Path) -> None:
        if (folder / self.work.output).read_bytes() != self.expected:
            self._fault(f"{folder.name}: the resumed run ended with another file")
        if more := _names(folder) - self.names - {f".{self.work.output}.parse"}:
            self._fault(f"{folder.name}: files are left: {', '.join(sorted(more))}")


def processes_of(folder: Path) -> list[int]:
    """Return the ids of the processes of a run, or of all runs below a folder."""
    marks = f"{MARK}={folder}".encode(), f"{MARK}={folder}/".encode()
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            one = next((one for one in environment.read_bytes().split(b"\0") if one.startswith(marks)), b"")
            if one == marks[0] or one.startswith(marks[1]):
                found.append(int(environment.parent.name))
        except OSError:  # another user's, or it has ended
            continue
    return found


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def main() -> None:
    """Print a table with a row for each work, and the faults."""
    arguments = command_line(__doc__)
    arguments.add_argument("works", metavar="WORK", nargs="*", choices=[*WORKS, []], default=[])
    arguments.add_argument("--moments", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--minutes", type=float, default=1e6, help="for each work")
    chosen = arguments.parse_args()
    names = chosen.works or list(WORKS)
    faults = 0
    print("| work | kills | runs | kills after which the file was there | faults |\n|---|---|---|---|---|")
    for name in names:
        if name in ("train-neural", "distill"):
            import_module("spindle.parsers.neural.trainer")
        shared = Path(tempfile.mkdtemp())
        try:
            prepare(shared, [name])
            runner = Runner(name, shared, shared)
            end = time.monotonic() + 60 * chosen.minutes
            print(f"{name}: a run takes {runner.seconds:.1f} s", file=sys.stderr, flush=True)
            found = runner.run(chosen.moments, Random(chosen.seed), end)
        finally:
            shutil.rmtree(shared)
        shown = f"| {found.kills} | {found.runs} | {found.with_file} | {len(found.faults)} |"
        print(f"| {name} {shown}", flush=True)
        faults += len(found.faults)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
