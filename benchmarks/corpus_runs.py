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
TOKENS_PER_WORD = 1.0


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


class Spent(NamedTuple):
    """The seconds of a run: wall time, CPU time of this process, and CPU time of the processes it started."""

    wall: float
    coordinator: float
    workers: float

    @classmethod
    def since(cls, before: Spent | None = None) -> Spent:
        """Return the seconds since `before`; without it, a point to start from."""
        times = os.times()
        now = cls(time.perf_counter(), times.user + times.system, times.children_user + times.children_system)
        return now if before is None else cls(*(a - b for a, b in zip(now, before, strict=True)))

    @property
    def cpu(self) -> float:
        """The CPU seconds of all processes."""
        return self.coordinator + self.workers


def spindle_parse(text: Path, output: Path, model: str, threads: int, *options: str) -> Spent:
    """Run `spindle parse` as a process of its own."""
    command = [sys.executable, "-m", "spindle", "parse", str(text), "-o", str(output), "--model", model, "-q"]
    before = Spent.since()
    subprocess.run([*command, "--threads", str(threads), *options], check=True)
    return Spent.since(before)


WAIT_SECONDS = 40.0
SETTLED_SECONDS = 10.0
"""The time after which a cluster that was started has nothing more to do."""


class Clock(Listener):
    """Notes the CPU time of this process, twice a second."""

    def __init__(self) -> None:
        self.times: list[tuple[float, float]] = []

    def tick(self) -> None:
        self.times.append((time.perf_counter(), time.process_time()))


def waits(task: Any, on_tokens: Any = None) -> Any:
    """Parse a partition, and sleep; the CPU time is that of the sleep."""
    found = parse_partition(task, on_tokens)
    before = time.process_time()
    time.sleep(WAIT_SECONDS)
    if isinstance(found, Record):
        found.cpu = time.process_time() - before
    return found


def watching(model: str, workers: int) -> float:
    """Return the CPU seconds that each second costs while workers sleep, in all processes."""
    spindle.scale.corpus.parse_partition = waits  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        text, out, clock = write_sentences(Path(folder, "in"), workers), Path(folder, "out"), Clock()
        options: dict[str, Any] = {"engine": "dask", "workers": workers, "threads": 1}
        parse_corpus(text, out, model, partition_size=len(SENTENCE), listener=clock, **options)
        in_workers = sum(record.cpu for record in records(out))
    spindle.scale.corpus.parse_partition = parse_partition  # type: ignore[attr-defined]
    end = clock.times[0][0] + WAIT_SECONDS
    settled = [one for one in clock.times if clock.times[0][0] + SETTLED_SECONDS < one[0] < end]
    (first, cpu), (last, more) = settled[0], settled[-1]
    return (more - cpu) / (last - first) + in_workers / WAIT_SECONDS


def measure_speed(tokens: int, model: str, size: str, workers: list[int], rounds: int) -> None:
    """Print the CPU time of one process with n threads, and of n workers with one thread each, in turn.

    On a busy machine a run takes much longer than its CPU time, and Dask's heartbeats go on all the while.
    In the last column they cost as much as in a run that takes as long as its CPU time.
    """
    print(
        "| processes | threads | wall s | CPU s | of the start | tokens per CPU s | efficiency |"
        " with a core each |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    with text_of(tokens) as (text, folder):
        short = folder / "short.txt"
        short.write_text("It rains.\n")
        for count in workers:
            rate = watching(model, count)
            print(f"watching {count} workers: {1000 * rate:.1f} CPU ms a second")
            dask = ["--engine", "dask", "--workers", str(count), "--partition-size", size]
            for at in range(rounds):
                name = f"{count}-{at}"
                empty, base = (
                    spindle_parse(one, folder / f"one-{name}", model, count) for one in (short, text)
                )
                (folder / f"one-{name}").unlink()
                start, many = (
                    spindle_parse(one, folder / f"{one.stem}-{name}", model, 1, *dask)
                    for one in (short, text)
                )
                found = records(folder / f"news-{name}")
                done, in_workers = sum(one.tokens for one in found), sum(one.cpu for one in found)
                begin = min(one.started for one in found)
                wall = max(one.started + one.seconds for one in found) - begin
                needed, spent = base.cpu - empty.cpu, many.cpu - start.cpu
                with_cores = spent - rate * (wall - in_workers / count)
                for kind, whole, first, cpu, last in (
                    ("one", base, empty, needed, " | "),
                    (
                        f"{count} of Dask",
                        many,
                        start,
                        spent,
                        f"{needed / spent:.1%} | {needed / with_cores:.1%}",
                    ),
                ):
                    figures = f"{whole.wall:.0f} | {whole.cpu:.1f} | {first.cpu:.1f} | {done / cpu:,.0f}"
                    print(f"| {kind} | {count} | {figures} | {last} |", flush=True)


# ── overhead ─────────────────────────────────────────────────────────────────────────────────────────

SENTENCE = "The dog saw the old man in the park.\n\n"


def write_sentences(folder: Path, count: int) -> Path:
    """Write files of one sentence, each of which can be a partition; return their folder."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:05d}.txt").write_text(SENTENCE)
    return folder


def measure_overhead(partitions: int, model: str, rounds: int) -> None:
    """Print what a partition costs: the same sentences, each in a partition of its own, or all in one."""
    print("| engine | partitions | wall ms | CPU ms, coordinator | CPU ms, worker |\n|---|---|---|---|---|")
    engines = ["local", "dask", *(["ray"] if find_spec("ray") else [])]
    with tempfile.TemporaryDirectory() as folder:
        text = write_sentences(Path(folder, "in"), partitions)
        for engine in engines:
            each = []
            for at in range(rounds):
                many = run(text, Path(folder, f"{engine}-many-{at}"), model, engine, len(SENTENCE))
                few = run(text, Path(folder, f"{engine}-few-{at}"), model, engine, 1 << 20)
                each.append([(a - b) / (partitions - 1) * 1000 for a, b in zip(many, few, strict=True)])
            figures = " | ".join(f"{median(column):.1f}" for column in zip(*each, strict=True))
            print(f"| {engine} | {partitions} | {figures} |", flush=True)


def run(text: Path, out: Path, model: str, engine: str, size: int, workers: int = 1) -> Spent:
    """Parse a folder of sentences in this process."""
    before = Spent.since()
    options: dict[str, Any] = {} if engine == "local" else {"workers": workers}
    corpus = parse_corpus(text, out, model, engine=engine, threads=1, partition_size=size, **options)
    assert corpus.is_finished
    assert corpus.partitions == (1 if size > len(SENTENCE) else len(list(text.iterdir())))
    return Spent.since(before)


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
    spindle.scale.corpus.parse_partition = sleeps  # type: ignore[attr-defined]
    known = [seconds_of(number) for number in range(partitions)]
    print("| workers | partitions | predicted s | real s | difference |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        text = write_sentences(Path(folder, "in"), partitions)
        for count in workers:
            out = Path(folder, str(count))
            options: dict[str, Any] = {"engine": "dask", "workers": count, "threads": 1}
            parse_corpus(text, out, model, partition_size=len(SENTENCE), **options)
            found = records(out)
            assert len(found) == partitions
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
    spindle.scale.partitions.MIN_SIZE = 1
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
