"""Runs numbered attempts in forked processes, so that a crash, a hang or a lack of memory is one fault."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import resource
import signal
import struct
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

Attempt = Callable[[int], str]
"""Tries something; returns its outcome, and raises an AssertionError for a fault."""
FACT = struct.Struct("qd")
"""What a worker tells about itself in shared memory: the number that it tries, and since when."""
NOTHING = -1
POLL_SECONDS = 0.02


@dataclass
class Campaign:
    """What was seen: how often each outcome occurred, all faults, and the peak memory of a worker in MB."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    peak: int = 0

    def add(self, other: Campaign) -> None:
        """Add what was seen in another campaign."""
        self.outcomes += other.outcomes
        self.faults += other.faults
        self.peak = max(self.peak, other.peak)


def run_forked(
    attempt: Attempt, count: int, folder: Path, *, seconds: float, workers: int = 1, memory: int = 0
) -> Campaign:
    """Call `attempt` with every number below `count`.

    A worker that tries one number for more than `seconds`, or that ends by itself, is replaced, and the
    number is a fault. `memory` limits the address space of a worker to that many bytes more than it has.
    `folder` is for the notes of the workers.
    """
    seen = Campaign()
    pool = [_Worker(attempt, range(at, count, workers), folder, at, memory) for at in range(workers)]
    while pool:
        time.sleep(POLL_SECONDS)
        for worker in list(pool):
            number, since = worker.now()
            if worker.process.exitcode is None:
                if number == NOTHING or time.monotonic() - since < seconds:
                    continue
                worker.process.kill()
                worker.process.join()
                seen.faults.append(f"{number}: took more than {seconds} s")
            elif worker.process.exitcode:
                code = worker.process.exitcode
                how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
                seen.faults.append(f"{number}: ended the process with {how}")
            pool.remove(worker)
            worker.collect(seen)
            if number != NOTHING:
                step = worker.numbers.step
                rest = range(number + step, count, step)
                pool.append(_Worker(attempt, rest, folder, worker.place, memory))
    return seen


class _Worker:
    """A forked process that tries the numbers of a range."""

    def __init__(self, attempt: Attempt, numbers: range, folder: Path, place: int, memory: int) -> None:
        self.numbers, self.place, self._memory = numbers, place, memory
        self._notes = folder / f"worker-{place}"
        self._notes.write_text("")
        self._shared = mmap.mmap(-1, FACT.size)
        self._tell(NOTHING)
        fork = multiprocessing.get_context("fork")
        self.process: BaseProcess = fork.Process(target=self._work, args=(attempt,))
        self.process.start()

    def now(self) -> tuple[int, float]:
        """Return the number that is tried and when it was begun."""
        number, since = FACT.unpack(self._shared[:])
        return int(number), float(since)

    def collect(self, seen: Campaign) -> None:
        """Add the outcomes and the faults of an ended worker."""
        for line in self._notes.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition(" ")
            if kind == "fault":
                seen.faults.append(text)
            elif kind == "peak":
                seen.peak = max(seen.peak, int(text))
            else:
                seen.outcomes[kind] += 1

    def _tell(self, number: int) -> None:
        self._shared[:] = FACT.pack(number, time.monotonic())

    def _work(self, attempt: Attempt) -> None:
        if self._memory:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
            resource.setrlimit(resource.RLIMIT_AS, (used + self._memory, resource.RLIM_INFINITY))
        with open(self._notes, "w", encoding="utf-8", buffering=1) as notes:
            for number in self.numbers:
                self._tell(number)
                try:
                    print(attempt(number), file=notes)
                except AssertionError as error:
                    print("fault", f"{number}: {error!a}"[:1000], file=notes)
            print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=notes)
        self._tell(NOTHING)
        os._exit(0)
