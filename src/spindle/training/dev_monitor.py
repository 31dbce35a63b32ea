"""Scores the parser on the development trees after every epoch, and keeps the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from spindle.evaluation import Score, evaluate
from spindle.evaluation.pairing import Absent
from spindle.models import ModelPart
from spindle.pipeline import Input, Parser, Sentence
from spindle.pipeline.confidence import Calibration, right_nodes
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import TrainingLog
from spindle.trees import Tree
from spindle.trees.wrapper import WRAPPER_LABELS


class DevMonitor:
    """The `Monitor` of a backend in training.

    The development sentences are tagged once, because the tagger does not change between epochs.
    """

    def __init__(
        self,
        parser: Parser,
        dev: Sequence[Tree],
        threads: int,
        checkpoint: Checkpoint,
        log: TrainingLog,
    ) -> None:
        self._parser, self._checkpoint, self._log, self._threads = parser, checkpoint, log, threads
        self.gold = [parser.settings.conventions.gold(tree) for tree in dev]
        self.sentences = [Sentence.of(tree) for tree in self.gold]
        if not parser.settings.needs_tags:
            self.sentences = [sentence.without_tags() for sentence in self.sentences]
        if parser.stages.tagger is not None and self.sentences:
            tagged = parser.stages.tagger.tag([sentence.tokens for sentence in self.sentences], threads)
            self.sentences = [
                replace(sentence, tokens=tuple(tokens))
                for sentence, tokens in zip(self.sentences, tagged, strict=True)
            ]

    # ── the monitor of the backend ───────────────────────────────────────────────────────────────────

    def progress(self, done: int, of: int, loss: float) -> None:
        """Report progress."""
        self._log.progress(done, of, loss)

    def say(self, text: str) -> None:
        """Report a message."""
        self._log.say(text)

    def note(self, text: str) -> None:
        """Write a message to the log only."""
        self._log.note(text)

    def epoch(self, number: int, loss: float, state: Callable[[], ModelPart] | None = None) -> float | None:
        """Score the development trees; keep the parser if it is the best so far."""
        record: dict[str, Any] = {"epoch": number, "loss": loss}
        if self.gold:
            record |= figures(self.score(self._parser))
        self._checkpoint.epochs.append(record)
        if best_epoch(self._checkpoint.epochs) is record:
            self._checkpoint.parts["best"] = self._parser.backend.to_part()
        if state is not None:
            self._checkpoint.parts["state"] = state()
            self._checkpoint.write()
        self._log.epoch(record)
        return record.get("f1")

    @property
    def stalled(self) -> int:
        """The number of epochs since the best one."""
        return epochs_since_best(self._checkpoint.epochs)

    # ── scores ───────────────────────────────────────────────────────────────────────────────────────

    def score(self, parser: Parser) -> Score:
        """Score a parser on the development trees."""
        trees = parser.parse_many(self.sentences, threads=self._threads)
        return evaluate(self.gold, [Absent.UNPARSED if tree is None else tree for tree in trees])

    def calibration(self, parser: Parser) -> Calibration:
        """Fit a calibration of the parser's confidences on the development trees."""
        settings = replace(parser.settings, calibration=Calibration())
        uncalibrated = replace(parser, settings=settings)
        return Calibration.fit(list(outcomes(uncalibrated, self.sentences, self.gold, self._threads)))

    def signature(self, score: Score) -> str:
        """How the score was computed, and where punctuation was attached."""
        return f"{score.signature}|attached:{self._parser.settings.conventions.punctuation}"


def outcomes(
    parser: Parser, sentences: Iterable[Input], gold: Iterable[Tree], threads: int
) -> Iterator[tuple[float, bool]]:
    """Yield the confidence of every constituent of the parsed trees, and whether it is correct.

    Wrappers are left out.
    """
    analyses = parser.analyse(sentences, threads=threads, confidences=True)
    for analysis, tree in zip(analyses, gold, strict=True):
        for best in analysis.candidates[:1]:
            if best.confidences is not None:
                rated = zip(best.confidences, right_nodes(best.tree, tree), strict=True)
                has_wrapper = any(label in WRAPPER_LABELS for label in best.tree.labels[:1])
                yield from islice(rated, has_wrapper, None)


def figures(score: Score) -> dict[str, Any]:
    """The figures of an epoch that are logged."""
    names = ("precision", "recall", "f1", "exact", "tags", "disc_f1")
    values = {name: getattr(score, name) for name in names}
    return {name: round(value, 4) for name, value in values.items() if value is not None}


def best_epoch(epochs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The epoch with the highest F1, the earliest of several; without development trees the last one."""
    if not epochs:
        return None
    return max(epochs, key=lambda record: record["f1"]) if "f1" in epochs[-1] else epochs[-1]


def epochs_since_best(epochs: Sequence[dict[str, Any]]) -> int:
    """The number of epochs after the best one; 0 as long as F1 is 0.

    >>> epochs_since_best([{"f1": 80.0}, {"f1": 82.0}, {"f1": 81.5}, {"f1": 82.0}]), epochs_since_best([])
    (2, 0)
    >>> epochs_since_best([{"loss": 2.5}, {"loss": 2.1}]), epochs_since_best([{"f1": 0.0}, {"f1": 0.0}])
    (0, 0)
    """
    best = best_epoch(epochs)
    return 0 if best is None or not best.get("f1") else len(epochs) - 1 - epochs.index(best)
