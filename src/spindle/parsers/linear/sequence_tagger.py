"""A sequence model over the words of a sentence; the tagger has one for tags and one for morphology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from spindle import _core
from spindle.models import Array
from spindle.models.schema import pair, text
from spindle.parsers.linear.stage import LinearStage

ARRAYS = ("words", "starts", "known", "open", "weights")
"""The lexicon (hashes of frequent words, the start of each word's labels in `known`, these labels, and the
labels of all other words), and the weights."""


class Label(NamedTuple):
    """A tag, or a morphology that only words with the tag `tag` can have."""

    name: str
    tag: str = ""


class SequenceTraining:
    """Trains a sequence tagger on sentences with gold labels.

    If labels depend on tags, the sentences must have these tags.
    """

    def __init__(
        self, sentences: Sequence[_core.Sentence], labels: Sequence[Sequence[Label]], bits: int
    ) -> None:
        self._labels = tuple(sorted({label for of_sentence in labels for label in of_sentence}))
        numbers = {label: number for number, label in enumerate(self._labels)}
        self._sentences = sentences
        self._gold = [[numbers[label] for label in of_sentence] for of_sentence in labels]
        self._lexicon = _core.Lexicon.learn(sentences, self._gold, len(numbers), _tags(self._labels))
        self._trainer = _core.SequenceTrainer(self._lexicon, bits)

    def run_epoch(self, order: Sequence[int]) -> None:
        """Train on the sentences with these indices, in this order."""
        self._trainer.learn([self._sentences[at] for at in order], [self._gold[at] for at in order])

    def finish(self) -> SequenceTagger:
        """Return the trained tagger."""
        arrays = (*self._lexicon.columns(), self._trainer.weights())
        return SequenceTagger(self._labels, dict(zip(ARRAYS, arrays, strict=True)))


class SequenceTagger(LinearStage[Label, _core.SequenceModel]):
    """Predicts a label for every word of a sentence, all labels of the sentence jointly."""

    TABLE_BITS = 20
    CLASS = staticmethod(pair(text(1_000), text(1_000)))

    @staticmethod
    def _load_model(classes: Sequence[Label], arrays: dict[str, Array]) -> _core.SequenceModel:
        words, starts, known, of_others, weights = (arrays[name] for name in ARRAYS)
        lexicon = _core.Lexicon(words, starts, known, of_others, len(classes), _tags(classes))
        return _core.SequenceModel(lexicon, weights)

    @staticmethod
    def _class_from_json(stored: Any) -> Label:
        return Label(*stored)

    def decode(self, sentences: Sequence[_core.Sentence], threads: int) -> list[list[str]]:
        """Return the names of the best labels of every sentence."""
        names = [label.name for label in self._classes]
        return [[names[number] for number in found] for found in self._model.decode(sentences, threads)]


def _tags(labels: Sequence[Label]) -> list[str]:
    """Return the tag of every label; an empty list if labels do not depend on tags."""
    tags = [label.tag for label in labels]
    return tags if any(tags) else []
