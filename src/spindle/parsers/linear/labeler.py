"""The labeler: encoded labels for the arcs of dependency trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import ClassVar, Self

from spindle import _core
from spindle.models import Array, ModelPart
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import LinearStage, Progress, vocabulary
from spindle.trees import Token

Sentences = Sequence[Sequence[Token]]
Heads = Sequence[Sequence[int]]


class LabelerFeatures(StrEnum):
    """The features from which labels are predicted."""

    OWN = "own"
    """Words, tags and morphology around an arc, siblings, grandparent and yield."""
    PAPER = "paper"
    """The features of TurboParser for arcs, and the four features of the paper for pairs of modifiers."""


class Labeler(LinearStage[str, _core.Labeler]):
    """Predicts an encoded label for every arc of a dependency tree.

    The labels of a head's modifiers, from left to right, are predicted jointly. Labels are opaque, so any
    encoding works. Heads need not form a tree.
    """

    TABLE_BITS = 21
    FEATURES = 3
    WITHOUT_ATTRIBUTES = 2
    TEMPLATES: ClassVar[int] = 0
    """The number of the features in the core."""

    def __init__(self, classes: Iterable[str], arrays: Mapping[str, Array], attributes: bool = True) -> None:
        super().__init__(classes, arrays, attributes)
        # number -1, the last entry, is the label of an arc for whose kind training has no label
        self._names = (*self._classes, "")

    @staticmethod
    def _load_model(classes: Sequence[str], arrays: dict[str, Array]) -> _core.Labeler:
        return _core.Labeler(arrays, len(classes))

    @staticmethod
    def with_features(features: LabelerFeatures) -> type[Labeler]:
        """Return the class of labelers with these features."""
        return PaperLabeler if features is LabelerFeatures.PAPER else Labeler

    @classmethod
    def from_part(cls, part: ModelPart) -> Labeler:
        """Load a labeler with any features."""
        of_paper = (PaperLabeler.FEATURES, PaperLabeler.WITHOUT_ATTRIBUTES)
        kind = PaperLabeler if part.settings.get("features") in of_paper else Labeler
        return super(Labeler, kind).from_part(part)

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
            templates=cls.TEMPLATES,
        )
        return cls._run(numbers, trainer, lambda: trainer.run_epoch(threads), epochs, progress)

    def label(self, sentences: Sentences, heads: Heads, threads: int = 1) -> list[list[str]]:
        """Return a label for every token of every sentence."""
        numbers, _ = self._model.label(list(map(self._hashed, sentences)), heads, False, threads)
        return self._named(numbers)

    def label_with_confidences(
        self, sentences: Sentences, heads: Heads, threads: int = 1
    ) -> tuple[list[list[str]], list[list[float]]]:
        """Return the labels, and the probability of each, given its arc."""
        numbers, confidences = self._model.label(list(map(self._hashed, sentences)), heads, True, threads)
        return self._named(numbers), confidences

    def _named(self, numbers: list[list[int]]) -> list[list[str]]:
        names = self._names
        return [[names[number] for number in of_sentence] for of_sentence in numbers]


class PaperLabeler(Labeler):
    """A labeler with the features of the paper."""

    FEATURES = 1003
    WITHOUT_ATTRIBUTES = 1002
    TEMPLATES = 1

    @staticmethod
    def _load_model(classes: Sequence[str], arrays: dict[str, Array]) -> _core.Labeler:
        return _core.Labeler(arrays, len(classes), PaperLabeler.TEMPLATES)
