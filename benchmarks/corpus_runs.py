"""Parse a corpus on the engines: throughput, overhead, memory, and a run with failures, drawn.

    python benchmarks/corpus_runs.py memory [--tokens 10000000]  # peak memory, partition by partition
    python benchmarks/corpus_runs.py speed [--workers 1 2]       # one process beside workers of Dask
    python benchmarks/corpus_runs.py overhead                    # the same corpus in few and many partitions
    python benchmarks/corpus_runs.py failures OUT.svg            # workers are killed; a time line of the run

The text is random sentences of our own, parsed with the model `light` (--model). Wall time says little on a
busy machine, so the tables have CPU time as well.
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
from pathlib import Path
from typing import Any

from measuring import command_line
from spindle.drawing import Lane, LaneBar, timeline
from spindle.scale import Corpus, Listener, Manifest, parse_corpus
from spindle.scale.jobs import Record
from spindle.scale.planning import Costs, simulate

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
    """Return the CPU seconds of this process and of all its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure_speed(tokens: int, model: str, size: str, workers: list[int], rounds: int) -> None:
    """Print tokens per second of one process with n threads, and of n workers with one thread each."""
    print("| processes | threads | wall s | simulated s | CPU s of parsing | tokens per CPU s | efficiency |")
    print("|---|---|---|---|---|---|---|")
    with text_of(tokens) as (text, folder):
        for count in workers:
            alone = [_one_process(text, folder / "one.ptb", model, count) for _ in range(rounds)]
            many = [_workers(text, folder / f"out{count}-{n}", model, size, count) for n in range(rounds)]
            base = min(alone, key=lambda one: one[1])
            total, spent, wall, simulated = min(many, key=lambda one: one[1])
            print(
                f"| one | {count} | {base[0]:.1f} | | {base[1]:.1f} | {total / base[1]:,.0f} | |", flush=True
            )
            figures = f"{wall:.1f} | {simulated:.1f} | {spent:.1f} | {total / spent:,.0f}"
            print(f"| {count} of Dask | {count} | {figures} | {base[1] / spent:.0%} |", flush=True)


def _one_process(text: Path, output: Path, model: str, threads: int) -> tuple[float, float]:
    """Return wall and CPU seconds of `spindle parse`, without the time that an empty text takes."""
    command = [sys.executable, "-m", "spindle", "parse", "-o", str(output), "--model", model, "-q"]
    seconds = []
    empty = output.with_name("empty.txt")
    empty.write_text("It rains.\n")
    for one in (text, empty):
        start, cpu = time.perf_counter(), children_cpu()
        subprocess.run([*command, str(one), "--threads", str(threads)], check=True)
        seconds.append((time.perf_counter() - start, children_cpu() - cpu))
    return seconds[0][0] - seconds[1][0], seconds[0][1] - seconds[1][1]


def _workers(text: Path, out: Path, model: str, size: str, count: int) -> tuple[int, float, float, float]:
    """Return tokens, CPU seconds, the time from the first partition to the last, and that of a simulation.

    Loading the model is left out; the simulation has the partitions' own times, in their order.
    """
    parse_corpus(text, out, model, engine="dask", workers=count, threads=1, partition_size=size)
    found = records(out)
    start = min(record.started + record.loading for record in found)
    end = max(record.started + record.seconds for record in found)
    cpu = sum(record.cpu - record.loading_cpu for record in found)
    in_order = sorted(found, key=lambda record: record.started)
    durations = [record.seconds - record.loading for record in in_order]
    costs = Costs(1.0, worker_seconds=0.0, overhead_seconds=0.0)
    simulated = simulate(durations, count, costs).seconds
    return sum(record.tokens for record in found), cpu, end - start, simulated


# ── overhead ─────────────────────────────────────────────────────────────────────────────────────────


def measure_overhead(tokens: int, model: str, sizes: list[str]) -> None:
    """Print the CPU time of a corpus by the size of its partitions, in this process and for Dask."""
    print("| engine | partition size | partitions | CPU s of parsing | CPU s in all | CPU ms per partition |")
    print("|---|---|---|---|---|---|")
    with text_of(tokens) as (text, folder):
        for engine in ("local", "dask"):
            base: tuple[int, float] | None = None
            for size in sizes:
                out = folder / f"{engine}-{size}"
                command = [sys.executable, "-m", "spindle", "parse", str(text), "-o", str(out), "-q"]
                options = ["--engine", engine, "--model", model, "--threads", "1", "--partition-size", size]
                more = ["--workers", "1"] if engine == "dask" else []
                before = children_cpu()
                subprocess.run([*command, *options, *more], check=True)
                cpu = children_cpu() - before
                found = records(out)
                base = base or (len(found), cpu)
                extra = len(found) - base[0]
                each = f"{1000 * (cpu - base[1]) / extra:.1f}" if extra else ""
                parsing = sum(record.cpu for record in found)
                print(
                    f"| {engine} | {size} | {len(found)} | {parsing:.1f} | {cpu:.1f} | {each} |", flush=True
                )


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
    arguments.add_argument("what", choices=["memory", "speed", "overhead", "failures"])
    arguments.add_argument("output", nargs="?", type=Path)
    arguments.add_argument("--tokens", type=int)
    arguments.add_argument("--model", default="light")
    arguments.add_argument("--partition-size")
    arguments.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--rounds", type=int, default=1)
    chosen = arguments.parse_args()
    tokens = chosen.tokens or (10_000_000 if chosen.what == "memory" else 400_000)
    size = chosen.partition_size
    if chosen.what == "memory":
        measure_memory(tokens, chosen.model, size or "1MB")
    elif chosen.what == "speed":
        measure_speed(tokens, chosen.model, size or "200kB", chosen.workers, chosen.rounds)
    elif chosen.what == "overhead":
        measure_overhead(tokens, chosen.model, [size] if size else ["2MB", "200kB", "66kB"])
    elif chosen.output is None:
        arguments.error("name the picture: failures OUT.svg")
    else:
        draw_failures(tokens, chosen.model, size or "100kB", chosen.output)


if __name__ == "__main__":
    main()
