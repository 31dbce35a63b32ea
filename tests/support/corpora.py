"""Corpora to parse in tests: texts of our own, what one process makes of them, and workers that fail."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from random import Random

import pytest

from spindle.cli import main
from spindle.scale.jobs import Failure, Record, Task
from spindle.scale.worker import parse_partition

SENTENCES = [
    *("The dog saw the old man in the park.", "It rains, and the wind blows.", "Nobody saw the thief!"),
    *(
        "Dr. Low left at 3.5 p.m. yesterday.",
        "“Why?” she asked.",
        "A cat slept under the table.",
        "Größe zählt.",
    ),
]


def write_texts(folder: Path, files: int, size: int, seed: int = 1) -> list[str]:
    """Write text files of about `size` bytes each; return their names."""
    random = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for number in range(files):
        text = ""
        while len(text) < size:
            text += " ".join(random.choices(SENTENCES, k=random.randint(1, 4))) + random.choice(
                ("\n", "\n\n")
            )
        path = folder / f"news{number}.txt"
        path.write_text(text, encoding="utf-8")
        names.append(str(path))
    return names


def in_one_process(inputs: list[str], output: Path, *options: str) -> bytes:
    """Return the output of `spindle parse` without an engine."""
    with pytest.raises(SystemExit) as ended:
        main(["parse", *inputs, "-o", str(output), "--model", "light", "--threads", "1", "-q", *options])
    assert not ended.value.code
    return output.read_bytes()


def joined(folder: Path) -> bytes:
    """Return the parts of a corpus, one after the other."""
    parts = sorted(path for path in folder.glob("part-*") if ".errors." not in path.name)
    return b"".join(path.read_bytes() for path in parts)


# ── workers that fail: functions that a worker imports by name ────────────────────────────────────────


def dies_on_two(task: Task) -> Record | Failure:
    """End the worker on partition 2."""
    if task.number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return parse_partition(task)


def is_slow_once(task: Task) -> Record | Failure:
    """Sleep for a long time before the last partition, but only when it is tried for the first time."""
    if task.is_last:
        with contextlib.suppress(FileExistsError):
            (Path(task.job.folder) / ".part-was-slow.unfinished").touch(exist_ok=False)
            time.sleep(30)
    return parse_partition(task)


def takes_its_time(task: Task) -> Record | Failure:
    """Sleep a little, so that a test can do something in the middle of a run."""
    time.sleep(0.3)
    return parse_partition(task)


def sleeps_and_parses(task: Task) -> Record | Failure:
    """Sleep for a time that depends on the partition, as a part of its work."""
    seconds = 0.5 + task.number % 3
    time.sleep(seconds)
    found = parse_partition(task)
    if isinstance(found, Record):
        found.started, found.seconds = found.started - seconds, found.seconds + seconds
    return found
