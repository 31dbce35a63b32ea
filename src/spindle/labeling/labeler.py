"""Labels for arcs, from a model in the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Self

from spindle import _core
from spindle.errors import ModelError
from spindle.models import Part
from spindle.models.epochs import Progress, run_epochs
from spindle.models.frequency import by_frequency
from spindle.models.model_file import Array
from spindle.models.seen import as_seen
from spindle.trees import Token

FEATURES = 2
"""Goes up when the core looks at other features: weights that were learnt with others mean nothing."""

Sentences = Sequence[Sequence[Token]]
Heads = Sequence[Sequence[int]]


class Labeler:
    """Predicts an encoded label for every arc of a dependency tree.

    For each head the labels of its modifiers, from left to right, are chosen together. Labels are opaque: any
    encoding will do. Heads may be anything that a parser says; what is no tree gets labels all the same.
    """

    BITS = 21

    def __init__(self, labels: Sequence[str], arrays: Mapping[str, Array]) -> None:
        self._labels, self._arrays = tuple(labels), dict(arrays)
        self._core = _core.Labeler(self._arrays, len(self._labels))
        # the last one is for an arc of a kind that training had none of, whose number is -1
        self._names = (*self._labels, "")

    @classmethod
    def train(
        cls,
        sentences: Sentences,
        heads: Heads,
        labels: Sequence[Sequence[str]],
        *,
        epochs: int = 8,
        bits: int = BITS,
        seed: int = 1,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from gold arcs and labels, over tokens that are tagged as they will be.

        The table of weights has 2 to the power of `bits` places, of two bytes each.
        """
        names = by_frequency(chain.from_iterable(labels))
        numbers = {label: number for number, label in enumerate(names)}
        training = _core.LabelerTrainer(
            list(map(as_seen, sentences)),
            heads,
            [[numbers[label] for label in of_sentence] for of_sentence in labels],
            label_count=len(names),
            bits=bits,
            epochs=epochs,
            seed=seed,
        )
        run_epochs(epochs, lambda: training.run_epoch(threads), progress)
        return cls(names, training.arrays())

    def label(self, sentences: Sentences, heads: Heads, threads: int = 1) -> list[list[str]]:
        """A label for every token of every sentence."""
        labels, _ = self._core.label(list(map(as_seen, sentences)), heads, False, threads)
        return self._named(labels)

    def label_with_confidences(
        self, sentences: Sentences, heads: Heads, threads: int = 1
    ) -> tuple[list[list[str]], list[list[float]]]:
        """Labels, and how probable each of them is if its arc is right."""
        labels, confidences = self._core.label(list(map(as_seen, sentences)), heads, True, threads)
        return self._named(labels), confidences

    def to_part(self) -> Part:
        """All that was learned."""
        return Part({"labels": list(self._labels), "features": FEATURES}, self._arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        """The labeler again; its weights are used where they lie."""
        if part.settings.get("features") != FEATURES:
            raise ModelError("its labels were learnt by another version of Spindle: train it again")
        return cls(part.settings["labels"], part.arrays)

    def _named(self, labels: list[list[int]]) -> list[list[str]]:
        names = self._names
        return [[names[number] for number in of_sentence] for of_sentence in labels]
