"""Trainings that a page starts: each in a process of its own, one at a time.

What a training has reported is kept by the server, so that a page which is loaded again shows it. A
training that is cancelled, or ends with the server, leaves a checkpoint in the work folder. Started again
with the same name, trees and options, it goes on from there.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Lock, Thread
from time import monotonic, time
from typing import Any, Literal

from spindle.errors import SpindleError
from spindle.models import read_model
from spindle.pipeline import ParsingFace, load
from spindle.training import TrainOptions, Treebank, train_parser
from spindle.training.held_out import hold_out
from spindle.training.listener import NullListener
from spindle.training.run import fingerprint, sidecar
from spindle.trees import Tree
from spindle.web.reading import Refusal, shown
from spindle.web.worker import start_worker

KEPT = 20
"""The number of trainings that the server remembers."""
MESSAGES = 50
"""The number of messages of a training that are kept."""
PAUSE = 0.2
"""Seconds between two reports of progress."""
LEAST_DEV = 20
"""Development trees are held out if there are at least this many trees."""

Status = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Order:
    """What to train: the name of the model, its file, the trees, and the options."""

    name: str
    path: Path
    trees: Sequence[Tree]
    source: str
    """Where the trees come from, for the model card."""
    dev_percent: float
    options: dict[str, Any]


@dataclass(eq=False)
class Training:
    """A training and what it has reported."""

    id: str
    name: str
    path: Path
    trees: int
    source: str
    process: SpawnProcess
    status: Status = "running"
    stage: str = ""
    done: int = 0
    of: int = 0
    messages: list[str] = field(default_factory=list)
    epochs: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    scores: dict[str, Any] = field(default_factory=dict)
    started: float = field(default_factory=time)
    ended: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what a page shows."""
        return {
            "id": self.id,
            "name": self.name,
            "trees": self.trees,
            "source": self.source,
            "status": self.status,
            "stage": self.stage,
            "done": self.done,
            "of": self.of,
            "messages": self.messages,
            "epochs": self.epochs,
            "error": self.error,
            "scores": self.scores,
            "seconds": round((self.ended or time()) - self.started, 1),
        }

    def receive(self, kind: str, value: Any) -> None:
        """Take a report of the process."""
        if kind == "progress":
            self.done, self.of = value
        elif kind == "stage":
            self.stage, self.done, self.of = value, 0, 0
        elif kind == "epoch":
            self.epochs.append(value)
        elif kind == "say":
            self.messages = [*self.messages, value][-MESSAGES:]
        elif kind == "failed":
            self.error = value
        elif kind == "finished":
            self.scores = value


class Trainings:
    """The trainings of a server; `on_model` gets every new model with its name."""

    def __init__(self, on_model: Callable[[str, ParsingFace], None]) -> None:
        self._on_model = on_model
        self._trainings: list[Training] = []
        self._numbers = count(1)
        self._lock = Lock()

    def __iter__(self) -> Any:
        return iter(reversed(list(self._trainings)))

    def __getitem__(self, id: str) -> Training:
        for training in self._trainings:
            if training.id == id:
                return training
        raise Refusal(404, f"there is no training {shown(id)}")

    def start(self, order: Order) -> Training:
        """Start a process that trains a model."""
        with self._lock:
            for other in self._trainings:
                if other.status == "running":
                    raise Refusal(409, f"{other.name} is being trained; wait, or cancel it")
            context = multiprocessing.get_context("spawn")
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_train, args=(sender, order), daemon=True)
            process.start()
            sender.close()
            id, trees = str(next(self._numbers)), len(order.trees)
            training = Training(id, order.name, order.path, trees, order.source, process)
            self._trainings = [*self._trainings, training][-KEPT:]
        Thread(target=self._follow, args=(training, receiver), daemon=True).start()
        return training

    def _follow(self, training: Training, receiver: Connection) -> None:
        """Take the reports of a process until it ends; then offer its model."""
        with suppress(EOFError, OSError):
            while True:
                training.receive(*receiver.recv())
        receiver.close()
        training.process.join()
        status: Status = "done" if training.scores.get("is_complete") else "failed"
        if training.status == "cancelled":
            status = "cancelled"
        elif status == "done":
            try:
                self._on_model(training.name, load(training.path))
            except SpindleError as error:
                status, training.error = "failed", str(error)
        elif not training.error:
            training.error = f"the training has ended with the exit code {training.process.exitcode}"
        training.ended = time()
        training.status = status

    def cancel(self, id: str) -> Training:
        """Stop a training; its checkpoint stays."""
        training = self[id]
        with self._lock:
            if training.status != "running":
                raise Refusal(409, f"this training is {training.status} already")
            training.status = "cancelled"
        training.process.terminate()
        return training

    def close(self) -> None:
        """Stop the training that runs."""
        for training in self._trainings:
            if training.status == "running":
                training.status = "cancelled"
                training.process.terminate()
            training.process.join()


# ── in the training process ──────────────────────────────────────────────────────────────────────────


class _Reports(NullListener):
    """Sends the reports of a training to the server."""

    def __init__(self, sender: Connection) -> None:
        self._sender = sender
        self._last = 0.0

    def say(self, text: str) -> None:
        self._sender.send(("say", text))

    def stage(self, name: str) -> None:
        self._sender.send(("stage", name))

    def progress(self, done: int, of: int, loss: float | None) -> None:
        if done >= of or monotonic() - self._last > PAUSE:
            self._last = monotonic()
            self._sender.send(("progress", (done, of)))

    def epoch(self, record: dict[str, Any]) -> None:
        self._sender.send(("epoch", record))


def _train(sender: Connection, order: Order) -> None:
    """Train, behind the server in everything; errors are reported as their one line."""
    start_worker()
    if hasattr(os, "nice"):
        os.nice(10)
    reports = _Reports(sender)
    try:
        train, dev = Treebank(tuple(order.trees), (order.source,)), Treebank()
        options = TrainOptions(**order.options)
        if order.dev_percent and len(order.trees) >= LEAST_DEV:
            train, dev, message = hold_out(train, order.dev_percent, options.seed)
            reports.say(message)
        resume = _can_resume(order.path, fingerprint(train, dev, options))
        parser = train_parser(train, dev, options, output=order.path, resume=resume, listener=reports)
        sender.send(("finished", {**parser.card.scores, "is_complete": True}))
    except (SpindleError, OSError, MemoryError) as error:
        sender.send(("failed", str(error) or type(error).__name__))


def _can_resume(path: Path, wanted: str) -> bool:
    """Return whether the checkpoint beside a model is that of the same training."""
    checkpoint = sidecar(path, "checkpoint")
    if not checkpoint.exists():
        return False
    try:
        return bool(read_model(checkpoint, "checkpoint").card.get("fingerprint") == wanted)
    except SpindleError:
        return False
