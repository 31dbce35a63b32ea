"""The labeler: encoded labels for the arcs of dependency trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Self

from spindle import _core
from spindle.models import Array
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import LinearStage, Progress, vocabulary
from spindle.trees import Token

Sentences = Sequence[Sequence[Token]]
Heads = Sequence[Sequence[int]]


class Labeler(LinearStage[str, _core.Labeler]):
    """Predicts an encoded label for every arc of a dependency tree.

    The labels of a head's modifiers, from left to right, are predicted jointly. Labels are opaque, so any
    encoding works. Heads need not form a tree.
    """

    TABLE_BITS = 21
    FEATURES = 2

    def __init__(self, classes: Iterable[str], arrays: Mapping[str, Array]) -> None:
        super().__init__(classes, arrays)
        # number -1, the last entry, is the label of an arc for whose kind training has no label
        self._names = (*self._classes, "")

    @staticmethod
    def _load_model(classes: Sequence[str], arrays: dict[str, Array]) -> _core.Labeler:
        return _core.Labeler(arrays, len(classes))

    @classmethod
    def train(
        cls,
        sentences: Sentences,
        heads: Heads,
        labels: Sequence[Sequence[str]],
        *,
        epochs: int = 8,
        bits: int = TABLE_BITS,
        seed: int = 1,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Train on gold arcs and labels, over tokens with the tags that the labeler will see later."""
        numbers = vocabulary(chain.from_iterable(labels))
        trainer = _core.LabelerTrainer(
            list(map(hashed_sentence, sentences)),
            heads,
            [[numbers[label] for label in of_sentence] for of_sentence in labels],
            label_count=len(numbers),
            bits=bits,
            epochs=epochs,
            seed=seed,
        )
        return cls._run(numbers, trainer, lambda: trainer.run_epoch(threads), epochs, progress)

    def label(self, sentences: Sentences, heads: Heads, threads: int = 1) -> list[list[str]]:
        """Return a label for every token of every sentence."""
        numbers, _ = self._model.label(list(map(hashed_sentence, sentences)), heads, False, threads)
        return self._named(numbers)

    def label_with_confidences(
        self, sentences: Sentences, heads: Heads, threads: int = 1
    ) -> tuple[list[list[str]], list[list[float]]]:
        """Return the labels, and the probability of each, given its arc."""
        numbers, confidences = self._model.label(list(map(hashed_sentence, sentences)), heads, True, threads)
        return self._named(numbers), confidences

    def _named(self, numbers: list[list[int]]) -> list[list[str]]:
        names = self._names
        return [[names[number] for number in of_sentence] for of_sentence in numbers]
