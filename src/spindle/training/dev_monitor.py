"""Trying out the parser on the development trees while it learns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from spindle.evaluation import Score, evaluate
from spindle.models import ModelPart
from spindle.pipeline.confidence import Calibration, right_nodes
from spindle.pipeline.parser import Parser
from spindle.pipeline.sentence import Input, Sentence
from spindle.reduction import Mode
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import TrainingLog
from spindle.trees import Tree
from spindle.trees.wrapper import WRAPPER_LABELS


class DevMonitor:
    """Looks on while the parser learns: parses the development trees after every epoch, keeps the best."""

    def __init__(
        self, parser: Parser, dev: Sequence[Tree], threads: int, checkpoint: Checkpoint, log: TrainingLog
    ) -> None:
        self._parser, self._checkpoint, self._log = parser, checkpoint, log
        self._threads = threads
        conventions = parser.conventions
        self.gold = [conventions.gold(tree) for tree in dev]
        self.sentences = [Sentence.of(tree) for tree in self.gold]
        if parser.card.chosen.get("tags") != "gold":
            self.sentences = [sentence.without_tags() for sentence in self.sentences]
        if parser.tagger is not None and self.sentences:
            # the same for all epochs, so it is done once
            tagged = parser.tagger.tag([sentence.tokens for sentence in self.sentences], self._threads)
            self.sentences = [
                replace(sentence, tokens=tuple(tokens))
                for sentence, tokens in zip(self.sentences, tagged, strict=True)
            ]

    def progress(self, done: int, of: int, loss: float) -> None:
        """Pass it on."""
        self._log.progress(done, of, loss)

    def say(self, text: str) -> None:
        """Pass it on."""
        self._log.say(text)

    def note(self, text: str) -> None:
        """Keep it."""
        self._log.note(text)

    def epoch(self, number: int, loss: float, state: Callable[[], ModelPart] | None = None) -> float | None:
        """Score the development trees; keep the parser if it has never been better."""
        record: dict[str, Any] = {"epoch": number, "loss": loss}
        if self.gold:
            record |= figures(self.score(self._parser))
        earlier = best_epoch(self._checkpoint.epochs)
        self._checkpoint.epochs.append(record)
        if earlier is None or best_epoch(self._checkpoint.epochs) is record:
            self._checkpoint.parts["best"] = self._parser.backend.to_part()
        if state is not None:
            self._checkpoint.parts["state"] = state()
            self._checkpoint.write()
        self._log.epoch(record)
        return record.get("f1")

    @property
    def stalled(self) -> int:
        """How many epochs there have been since the best one."""
        return since_the_best(self._checkpoint.epochs)

    def score(self, parser: Parser) -> Score:
        """The score of a parser on the development trees."""
        trees = parser.parse_many(self.sentences, threads=self._threads)
        scheme = "evalb" if parser.mode is Mode.CONTINUOUS else "discodop"
        return evaluate(self.gold, [tree for tree in trees if tree is not None], scheme)

    def calibration(self, parser: Parser) -> Calibration:
        """What turns the parser's confidences into probabilities, as far as the development trees tell."""
        bare = replace(parser, calibration=Calibration())
        return Calibration.fit(list(judged(bare, self.sentences, self.gold, self._threads)))

    def signature(self, score: Score) -> str:
        """How the score was computed, and where punctuation was attached."""
        return f"{score.signature}|attached:{self._parser.conventions.punctuation}"


def judged(
    parser: Parser, sentences: Iterable[Input], gold: Iterable[Tree], threads: int
) -> Iterator[tuple[float, bool]]:
    """The confidence of every constituent that a parser finds, the wrapper aside, and whether it is right."""
    analyses = parser.analyse(sentences, threads=threads, confidences=True)
    for analysis, tree in zip(analyses, gold, strict=True):
        for best in analysis.candidates[:1]:
            if best.confidences is not None:
                rated = zip(best.confidences, right_nodes(best.tree, tree), strict=True)
                has_wrapper = any(label in WRAPPER_LABELS for label in best.tree.labels[:1])
                yield from islice(rated, has_wrapper, None)


def figures(score: Score) -> dict[str, Any]:
    """The figures that are worth keeping of every epoch."""
    names = ("precision", "recall", "f1", "exact", "tags", "disc_f1")
    values = {name: getattr(score, name) for name in names}
    return {name: round(value, 4) for name, value in values.items() if value is not None}


def best_epoch(epochs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The epoch with the highest F1, the earliest of several; without development trees the last one."""
    if not epochs:
        return None
    return max(epochs, key=lambda record: record["f1"]) if "f1" in epochs[-1] else epochs[-1]


def since_the_best(epochs: Sequence[dict[str, Any]]) -> int:
    """How many epochs came after that one; none as long as nothing at all is right.

    >>> since_the_best([{"f1": 80.0}, {"f1": 82.0}, {"f1": 81.5}, {"f1": 82.0}]), since_the_best([])
    (2, 0)
    >>> since_the_best([{"loss": 2.5}, {"loss": 2.1}]), since_the_best([{"f1": 0.0}, {"f1": 0.0}])
    (0, 0)
    """
    best = best_epoch(epochs)
    return 0 if best is None or not best.get("f1") else len(epochs) - 1 - epochs.index(best)
