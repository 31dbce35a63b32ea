"""Labels for the words of sentences: numbers in the compiled core, names here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from spindle import _core
from spindle.models import Array, ModelPart

ARRAYS = ("words", "starts", "known", "open", "weights")


class Label(NamedTuple):
    """What a word can be given: a tag; or a morphology, which stands beneath a tag."""

    name: str
    tag: str = ""


class SequenceLearner:
    """Learns labels from sentences in which they are given.

    If the labels stand beneath tags, the sentences must have these tags.
    """

    def __init__(
        self, sentences: Sequence[_core.Sentence], labels: Sequence[Sequence[Label]], bits: int
    ) -> None:
        self._labels = tuple(sorted({label for sentence in labels for label in sentence}))
        numbers = {label: number for number, label in enumerate(self._labels)}
        self._sentences = sentences
        self._gold = [[numbers[label] for label in sentence] for sentence in labels]
        self._lexicon = _core.Lexicon.learn(sentences, self._gold, len(numbers), _tags(self._labels))
        self._trainer = _core.SequenceTrainer(self._lexicon, bits)

    def learn(self, order: Sequence[int]) -> None:
        """Learn from the sentences with these numbers, one after another."""
        self._trainer.learn([self._sentences[at] for at in order], [self._gold[at] for at in order])

    def finish(self) -> SequenceTagger:
        """What has been learnt."""
        arrays = (*self._lexicon.columns(), self._trainer.weights())
        return SequenceTagger(self._labels, dict(zip(ARRAYS, arrays, strict=True)))


class SequenceTagger:
    """Gives every word a label. The weights are used where they lie, in memory or in a mapped file.

    Beside the weights, `arrays` hold a lexicon: the frequent words, hashed; where the labels of each begin;
    these labels; and the labels of all other words.
    """

    def __init__(self, labels: Sequence[Label], arrays: Mapping[str, Array]) -> None:
        self._labels, self._arrays = tuple(labels), dict(arrays)
        words, starts, known, of_others, weights = (self._arrays[name] for name in ARRAYS)
        lexicon = _core.Lexicon(words, starts, known, of_others, len(self._labels), _tags(self._labels))
        self._model = _core.SequenceModel(lexicon, weights)

    def decode(self, sentences: Sequence[_core.Sentence], threads: int) -> list[list[str]]:
        """The names of the best labels of every sentence."""
        names = [label.name for label in self._labels]
        return [[names[label] for label in found] for found in self._model.decode(sentences, threads)]

    def to_part(self) -> ModelPart:
        """The labels, and the arrays by their names."""
        return ModelPart({"labels": [list(label) for label in self._labels]}, self._arrays)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The same again; the weights are not copied."""
        return cls([Label(*label) for label in part.settings["labels"]], part.arrays)


def _tags(labels: Sequence[Label]) -> list[str]:
    """The tags above the labels; none if they are tags themselves."""
    tags = [label.tag for label in labels]
    return tags if any(tags) else []
