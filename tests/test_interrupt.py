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
CPU_SECONDS = 3.0
"""The CPU time, of all threads, that a program may use after a signal; the aim is 1, and 1.1 was measured."""


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


def used(process: int) -> float:
    """Return the CPU seconds of a running process."""
    columns = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")


def signalled(number: int, after: float, *arguments: object) -> tuple[int, float]:
    """Start Spindle, send a signal when it has used some CPU time; return its exit code, and its CPU time
    from then to its end. Other programs that need the processor do not change it.
    """
    started = "import sys; from spindle.cli import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", started, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while used(process.pid) < after:
        time.sleep(0.02)
        assert process.poll() is None, "it ended before the signal"
    before = used(process.pid)
    process.send_signal(number)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime - before


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("number", "threads"), [(signal.SIGINT, 1), (signal.SIGTERM, 2)])
def test_signals_end_a_parse_of_a_very_long_sentence(number: int, threads: int, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("Trees grow and the wind blows " * 1667 + "\n")
    options = ("--input", "tokens", "--model", "light", "--max-length", "100000", "--threads", threads)
    code, seconds = signalled(number, 3, "parse", text, *options, "-o", os.devnull)
    assert code == 128 + number
    assert seconds < CPU_SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_signal_ends_a_training_on_a_very_long_sentence(tmp_path: Path) -> None:
    tree = "(S " + "(NP (DT the) (NN wind)) (VB blows) " * 1500 + ")\n"
    (tmp_path / "train").write_text(tree * 2)
    options = ("--tags", "gold", "--one-shot", "--no-unaries", "--from", "bracket", "--threads", "1")
    length = ("--max-length", "100000")
    code, seconds = signalled(
        signal.SIGTERM, 3, "train", tmp_path / "train", *options, *length, "-o", tmp_path / "m"
    )
    assert code == 128 + signal.SIGTERM
    assert seconds < CPU_SECONDS
