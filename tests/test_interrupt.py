"""Ctrl-C and SIGTERM end the program within a second, also while the core works on a very long sentence."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

from spindle import _core
from spindle.parsers.in_order import in_order

SECONDS = 6.0
"""A second on a free machine; tests run beside other programs."""
WITH_PARSING_SECONDS = 40.0
"""Some steps of a parse do not ask for signals yet; without any, this sentence would take minutes."""


def test_the_core_can_be_stopped_from_another_thread() -> None:
    table = numpy.random.default_rng(1).normal(size=(3001, 3000)).astype(numpy.float32)
    stop = _core.Stop()
    threading.Timer(0.3, stop.set).start()
    start = time.monotonic()
    with stop.following(), pytest.raises(InterruptedError):
        _core.projective_marginals(table)  # takes more than a minute
    assert time.monotonic() - start < SECONDS


def test_a_caller_that_stops_early_stops_the_threads() -> None:
    table = numpy.random.default_rng(1).normal(size=(3001, 3000)).astype(numpy.float32)

    def work(item: int) -> int:
        if item:
            _core.projective_marginals(table)
        return item

    results = in_order(work, range(9), threads=2)
    assert next(results) == 0
    start = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < SECONDS


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_parse_of_a_very_long_sentence(number: int, threads: int, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("Trees grow and the wind blows " * 1667 + "\n")
    started = "import os, sys; print(flush=True); from spindle.cli import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", started, "parse", str(text), "--input", "tokens", "--model", "fast"),
            *("--max-length", "100000", "--threads", str(threads), "-o", os.devnull),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(4)
    assert process.poll() is None, process.communicate()
    start = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=60)
    assert time.monotonic() - start < WITH_PARSING_SECONDS
    assert process.returncode == (130 if number == signal.SIGINT else 143)
