"""What a training reports: to a listener, and to a log of JSON lines beside the model."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from spindle.outputs import appending

_logger = logging.getLogger("spindle.training")


class Listener(Protocol):
    """Receives the reports of a training."""

    def say(self, text: str) -> None:
        """A choice that was made, or something that was dropped."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def progress(self, done: int, of: int, loss: float | None) -> None:
        """How much of the stage, or of its epoch, is done."""

    def epoch(self, record: dict[str, Any]) -> None:
        """The figures of an epoch."""


class NullListener:
    """A listener that does nothing; subclass it to receive some reports."""

    def say(self, text: str) -> None:
        """Do nothing."""

    def stage(self, name: str) -> None:
        """Do nothing."""

    def progress(self, done: int, of: int, loss: float | None) -> None:
        """Do nothing."""

    def epoch(self, record: dict[str, Any]) -> None:
        """Do nothing."""


class LoggingListener(NullListener):
    """Passes the reports of a training to the logger `spindle.training`: the default listener."""

    def say(self, text: str) -> None:
        """Log a choice, or something that was dropped."""
        _logger.info("%s", text)

    def stage(self, name: str) -> None:
        """Log that a stage begins."""
        _logger.info("training: %s", name)

    def epoch(self, record: dict[str, Any]) -> None:
        """Log the figures of an epoch."""
        _logger.info("%s", epoch_line(record))


def epoch_line(record: dict[str, Any]) -> str:
    """Return the figures of an epoch in one line.

    >>> epoch_line({"epoch": 3, "loss": 0.25, "f1": 81.234})
    'epoch 3, loss 0.25, dev F1 81.23'
    """
    figures = [f"epoch {record['epoch']}", f"loss {record['loss']:.4g}"]
    if "f1" in record:
        figures.append(f"dev F1 {record['f1']:.2f}")
    if "disc_f1" in record:
        figures.append(f"disc. F1 {record['disc_f1']:.2f}")
    return ", ".join(figures)


class TrainingLog:
    """Passes reports on to a listener and writes all but progress to a file, one JSON object a line.

    A resumed training appends to the file.
    """

    def __init__(self, listener: Listener, path: Path | None, resumed: bool = False) -> None:
        self._listener, self._path, self._start = listener, path, perf_counter()
        if path is not None and not resumed:
            path.unlink(missing_ok=True)  # the log of an earlier training; no empty file if this one fails

    def say(self, text: str) -> None:
        """Report a choice or something that was dropped."""
        self._listener.say(text)
        self._write({"event": "note", "text": text})

    def note(self, text: str) -> None:
        """Write the output of an external program to the file only."""
        self._write({"event": "output", "text": text})

    def stage(self, name: str) -> None:
        """Report that a stage begins."""
        self._listener.stage(name)
        self._write({"event": "stage", "stage": name})

    def progress(self, done: int, of: int, loss: float | None = None) -> None:
        """Report how much is done."""
        self._listener.progress(done, of, loss)

    def epoch(self, record: dict[str, Any]) -> None:
        """Report the figures of an epoch."""
        self._listener.epoch(record)
        self._write({"event": "epoch", **record})

    def finish(self, scores: dict[str, Any]) -> None:
        """Write the final scores to the file."""
        self._write({"event": "finished", **scores})

    def _write(self, record: dict[str, Any]) -> None:
        if self._path is not None:
            record["seconds"] = round(perf_counter() - self._start, 3)
            with appending(self._path) as file:
                file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
