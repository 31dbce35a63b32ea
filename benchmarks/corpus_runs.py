"""Parse a corpus on the engines: throughput, overhead, memory, the simulator, and a run with failures, drawn.

    python benchmarks/corpus_runs.py memory --model fast      # peak memory over 10 million tokens
    python benchmarks/corpus_runs.py speed [--workers 1 2]    # one process beside workers of Dask
    python benchmarks/corpus_runs.py overhead                 # the same text in one and in many partitions
    python benchmarks/corpus_runs.py simulator                # runs of 1, 2 and 4 workers beside predictions
    python benchmarks/corpus_runs.py failures OUT.svg         # a worker is killed; a time line of the run

The text is random sentences of our own, parsed with the model `light` (--model). Wall time says little on a
busy machine, so the tables have CPU time, of all processes of a run.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import spindle.scale.corpus
import spindle.scale.partitions
from measuring import command_line
from spindle.drawing import Lane, LaneBar, timeline
from spindle.scale import Corpus, Listener, Manifest, parse_corpus
from spindle.scale.jobs import Record
from spindle.scale.planning import Costs, simulate
from spindle.scale.worker import parse_partition

TEXT = (
    "the dog saw the old man in the park it rains and Dr. Smith said “ No ” he left at 3.5 p.m. yesterday "
    "nobody knows why prices of new houses in the north fell by a third last year although banks lend more"
)
WORDS = TEXT.split()
SENTENCE_WORDS = (6, 34)
TOKENS_PER_WORD = 1.1


def write_text(path: Path, tokens: int) -> None:
    """Write a text of about this number of tokens."""
    chance = random.Random(1)
    left = tokens / TOKENS_PER_WORD
    with open(path, "w", encoding="utf-8") as file:
        while left > 0:
            words = chance.choices(WORDS, k=chance.randint(*SENTENCE_WORDS))
            left -= len(words) + 1
            file.write(" ".join(words).capitalize() + ("." if chance.random() < 0.8 else ".\n\n") + " ")


def records(folder: Path) -> list[Record]:
    """Return the records of a corpus, in order."""
    found = Manifest.read(folder).records
    return [found[number] for number in sorted(found)]


@contextmanager
def text_of(tokens: int) -> Iterator[tuple[Path, Path]]:
    """Yield a text, and a folder for outputs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "news.txt")
        write_text(path, tokens)
        yield path, Path(folder)


# ── memory ───────────────────────────────────────────────────────────────────────────────────────────


def measure_memory(tokens: int, model: str, size: str) -> None:
    """Print the peak memory of one process after every tenth of the corpus."""
    with text_of(tokens) as (text, folder):
        out = folder / "out"
        command = [sys.executable, "-m", "spindle", "parse", str(text), "-o", str(out), "--engine", "local"]
        options = ["--model", model, "--threads", "1", "--partition-size", size]
        subprocess.run([*command, *options], check=True)
        found = records(out)
    print("| partitions | tokens | peak memory, MB | CPU seconds |\n|---|---|---|---|")
    done, cpu = 0, 0.0
    for number, record in enumerate(found, start=1):
        done, cpu = done + record.tokens, cpu + record.cpu
        if number * 10 // len(found) > (number - 1) * 10 // len(found):
            print(f"| {number:,} | {done:,} | {record.memory / 1e6:.0f} | {cpu:.0f} |")


# ── speed ────────────────────────────────────────────────────────────────────────────────────────────


def children_cpu() -> float:
    """Return the CPU seconds of all children of this process that have ended, and of their children."""
    times = os.times()
    return times.children_user + times.children_system


def spindle_cpu(text: Path, output: Path, model: str, threads: int, *options: str) -> float:
    """Return the CPU seconds of `spindle parse`, and of all processes that it starts."""
    command = [sys.executable, "-m", "spindle", "parse", str(text), "-o", str(output), "--model", model, "-q"]
    before = children_cpu()
    subprocess.run([*command, "--threads", str(threads), *options], check=True)
    return children_cpu() - before


def measure_speed(tokens: int, model: str, size: str, workers: list[int], rounds: int) -> None:
    """Print the CPU time of one process with n threads, and of n workers with one thread each, in turn."""
    print(
        "| processes | threads | CPU s | start, CPU s | tokens per CPU s | efficiency | without start |\n"
        "|---|---|---|---|---|---|---|"
    )
    with text_of(tokens) as (text, folder):
        short = folder / "short.txt"
        short.write_text("It rains.\n")
        for count in workers:
            dask = ["--engine", "dask", "--workers", str(count), "--partition-size", size]
            for at in range(rounds):
                name = f"{count}-{at}"
                found = [
                    (
                        spindle_cpu(short, folder / f"{kind}-short-{name}", model, threads, *options),
                        spindle_cpu(text, folder / f"{kind}-{name}", model, threads, *options),
                    )
                    for kind, threads, options in (("one", count, []), ("dask", 1, dask))
                ]
                done = sum(record.tokens for record in records(folder / f"dask-{name}"))
                (start, base), _ = found
                for kind, (empty, cpu) in zip(("one", f"{count} of Dask"), found, strict=True):
                    whole, parsing = base / cpu, (base - start) / (cpu - empty)
                    figures = f"{cpu:.1f} | {empty:.1f} | {done / (cpu - empty):,.0f}"
                    last = f"{whole:.1%} | {parsing:.1%}" if kind != "one" else " | "
                    print(f"| {kind} | {count} | {figures} | {last} |", flush=True)


# ── overhead ─────────────────────────────────────────────────────────────────────────────────────────

SENTENCE = "The dog saw the old man in the park.\n\n"


class Spent(NamedTuple):
    """The seconds of a run: wall time, CPU time of this process, and CPU time of the workers."""

    wall: float
    coordinator: float
    workers: float


def measure_overhead(partitions: int, model: str, rounds: int) -> None:
    """Print what a partition costs: the same sentences, each in a partition of its own, or all in one."""
    spindle.scale.partitions.MIN_SIZE = 1
    print("| engine | partitions | wall ms | CPU ms, coordinator | CPU ms, worker |\n|---|---|---|---|---|")
    engines = ["local", "dask", *(["ray"] if find_spec("ray") else [])]
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        text.write_text(SENTENCE * partitions)
        for engine in engines:
            each = []
            for at in range(rounds):
                many = _spent(text, Path(folder, f"{engine}-many-{at}"), model, engine, len(SENTENCE))
                few = _spent(text, Path(folder, f"{engine}-few-{at}"), model, engine, 1 << 20)
                each.append([(a - b) / (partitions - 1) * 1000 for a, b in zip(many, few, strict=True)])
            figures = " | ".join(f"{median(column):.1f}" for column in zip(*each, strict=True))
            print(f"| {engine} | {partitions} | {figures} |", flush=True)


def _spent(text: Path, out: Path, model: str, engine: str, size: int) -> Spent:
    own, children, start = time.process_time(), children_cpu(), time.perf_counter()
    options: dict[str, Any] = {} if engine == "local" else {"workers": 1}
    corpus = parse_corpus(text, out, model, engine=engine, threads=1, partition_size=size, **options)
    assert corpus.is_finished
    wall = time.perf_counter() - start
    return Spent(wall, time.process_time() - own, children_cpu() - children)


# ── the simulator ────────────────────────────────────────────────────────────────────────────────────


def seconds_of(number: int) -> float:
    """Return how long a worker sleeps over a partition."""
    return random.Random(number).uniform(1, 6)


def sleeps(task: Any, on_tokens: Any = None) -> Any:
    """Parse a partition, and sleep: so four workers are as fast as four cores on any machine."""
    seconds = seconds_of(task.number)
    time.sleep(seconds)
    found = parse_partition(task, on_tokens)
    if isinstance(found, Record):
        found.started, found.seconds = found.started - seconds, found.seconds + seconds
    return found


def measure_simulator(partitions: int, model: str, workers: list[int]) -> None:
    """Print how long runs take whose partitions take known times, and what the simulator predicts."""
    spindle.scale.partitions.MIN_SIZE = 1
    spindle.scale.corpus.parse_partition = sleeps  # type: ignore[attr-defined]
    known = [seconds_of(number) for number in range(partitions)]
    print("| workers | partitions | predicted s | real s | difference |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        text.write_text(SENTENCE * partitions)
        for count in workers:
            out = Path(folder, str(count))
            options: dict[str, Any] = {"engine": "dask", "workers": count, "threads": 1}
            parse_corpus(text, out, model, partition_size=len(SENTENCE), **options)
            found = records(out)
            real = max(one.started + one.seconds for one in found) - min(one.started for one in found)
            predicted = simulate(known, count, Costs(1.0, worker_seconds=0.0)).seconds
            figures = f"{predicted:.1f} | {real:.1f} | {real / predicted - 1:+.1%}"
            print(f"| {count} | {len(found)} | {figures} |", flush=True)


# ── a run with failures ──────────────────────────────────────────────────────────────────────────────


class Killer(Listener):
    """Kills workers of Dask with SIGKILL when some partitions are done."""

    def __init__(self, after: set[int]) -> None:
        self._after, self._done = after, 0
        self.events: list[tuple[float, str]] = []

    def finished(self, record: Record, size: int) -> None:
        self._done += 1
        if self._done in self._after:
            number = int(record.process.rpartition(":")[2])
            threading.Timer(0.3, self._kill, [number, record.worker]).start()

    def _kill(self, number: int, worker: str) -> None:
        os.kill(number, signal.SIGKILL)
        self.events.append((time.time(), f"killed {worker}"))


def draw_failures(tokens: int, model: str, size: str, path: Path) -> None:
    """Kill workers in the middle of a run, interrupt it and continue it; draw who did what and when."""
    with text_of(tokens) as (text, folder):
        out, killer = folder / "out", Killer({3})
        corpus: Corpus = parse_corpus(
            text, out, model, engine="dask", workers=2, threads=1, partition_size=size, listener=killer
        )
        assert corpus.is_finished
        found, events = records(out), Manifest.read(out).events
    start = min(record.started for record in found)
    lanes: dict[str, list[LaneBar]] = {}
    for record in found:
        bar = LaneBar(record.started - start, record.started + record.seconds - start, str(record.number))
        lanes.setdefault(record.worker.rpartition("/")[2], []).append(bar)
    deaths: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        deaths.setdefault(event["worker"].rpartition("/")[2], []).append(event)
    for name, lost in deaths.items():
        numbers = ", ".join(str(event["number"]) for event in lost)
        lanes.setdefault(name, []).append(LaneBar(lost[0]["time"] - start, None, f"killed; {numbers} lost"))
    chart = timeline(
        "A corpus on two workers, of which one is killed with -9",
        [Lane(name, bars) for name, bars in lanes.items()],
        f"{len(found)} partitions, tries lost: {len(events)}, all parts there; seconds since the start",
    )
    path.write_text(chart, encoding="utf-8")
    print(f"{len(found)} partitions, {len(events)} tries lost, {len(lanes)} workers: {path}")


def main() -> None:
    """Run one of the measurements."""
    arguments = command_line(__doc__)
    arguments.add_argument("what", choices=["memory", "speed", "overhead", "simulator", "failures"])
    arguments.add_argument("output", nargs="?", type=Path)
    arguments.add_argument("--tokens", type=int)
    arguments.add_argument("--model", default="light")
    arguments.add_argument("--partition-size")
    arguments.add_argument("--partitions", type=int)
    arguments.add_argument("--workers", type=int, nargs="+")
    arguments.add_argument("--rounds", type=int, default=1)
    chosen = arguments.parse_args()
    size = chosen.partition_size
    if chosen.what == "memory":
        measure_memory(chosen.tokens or 10_000_000, chosen.model, size or "1MB")
    elif chosen.what == "speed":
        tokens = chosen.tokens or 2_000_000
        measure_speed(tokens, chosen.model, size or "4MB", chosen.workers or [1, 2], chosen.rounds)
    elif chosen.what == "overhead":
        measure_overhead(chosen.partitions or 200, chosen.model, chosen.rounds)
    elif chosen.what == "simulator":
        measure_simulator(chosen.partitions or 40, chosen.model, chosen.workers or [1, 2, 4])
    elif chosen.output is None:
        arguments.error("name the picture: failures OUT.svg")
    else:
        draw_failures(chosen.tokens or 400_000, chosen.model, size or "100kB", chosen.output)


if __name__ == "__main__":
    main()
