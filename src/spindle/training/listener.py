"""What a training says: to whoever listens, and to a log of JSON lines beside the model."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol


class Listener(Protocol):
    """Hears how a training goes."""

    def say(self, text: str) -> None:
        """Hear of a choice that was made, or of something that was dropped."""

    def stage(self, name: str) -> None:
        """Hear that another stage begins."""

    def progress(self, done: int, of: int, loss: float | None) -> None:
        """Hear how much of the stage, or of its epoch, is done."""

    def epoch(self, record: dict[str, Any]) -> None:
        """Hear the figures of an epoch."""


class NullListener:
    """A listener that does nothing."""

    def say(self, text: str) -> None:
        """Ignore it."""

    def stage(self, name: str) -> None:
        """Ignore it."""

    def progress(self, done: int, of: int, loss: float | None) -> None:
        """Ignore it."""

    def epoch(self, record: dict[str, Any]) -> None:
        """Ignore it."""


class TrainingLog:
    """Passes everything on and writes all but progress down, a JSON object a line; resuming goes on in it."""

    def __init__(self, listener: Listener, path: Path | None, goes_on: bool = False) -> None:
        self._listener, self._path, self._start = listener, path, perf_counter()
        if path is not None and not goes_on:
            path.write_text("", encoding="utf-8")

    def say(self, text: str) -> None:
        """Say what was chosen or dropped."""
        self._listener.say(text)
        self._write({"event": "note", "text": text})

    def note(self, text: str) -> None:
        """Write down, but do not say, what another program has said."""
        self._write({"event": "output", "text": text})

    def stage(self, name: str) -> None:
        """Say that a stage begins."""
        self._listener.stage(name)
        self._write({"event": "stage", "stage": name})

    def progress(self, done: int, of: int, loss: float | None = None) -> None:
        """Say how much is done."""
        self._listener.progress(done, of, loss)

    def epoch(self, record: dict[str, Any]) -> None:
        """Give the figures of an epoch."""
        self._listener.epoch(record)
        self._write({"event": "epoch", **record})

    def finish(self, scores: dict[str, Any]) -> None:
        """Write down how it ended."""
        self._write({"event": "finished", **scores})

    def _write(self, record: dict[str, Any]) -> None:
        if self._path is not None:
            record["seconds"] = round(perf_counter() - self._start, 3)
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
