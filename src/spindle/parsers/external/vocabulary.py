"""Words, characters, tags and labels as numbers, for the networks of other projects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy

from spindle.models import Array
from spindle.models.schema import Schema, items, text
from spindle.parsers.backend import Example
from spindle.parsers.external.exchange import safe_text, shown_labels, unescape_label
from spindle.parsers.neural.batches import pad
from spindle.trees import Token

UNKNOWN, ROOT, FIRST = 1, 2, 3
"""The numbers with a meaning of their own, beside 0 for padding; those of a vocabulary start at `FIRST`."""
RARE = 2
"""A word that occurs less often is unknown, so that the parser learns what to do with unknown words."""
LONGEST_WORD = 40
"""The number of characters that are read of a word."""


class Batch(NamedTuple):
    """Sentences as numbers, padded with zeros, each with the artificial root in front; the longest first.

    `words`, `lemmas` and `tags` have the shape `[sentences, words + 1]`, `characters` has one more axis.
    `lengths` counts the root.
    """

    words: Array
    lemmas: Array
    tags: Array
    characters: Array
    lengths: Array


class Gold(NamedTuple):
    """The heads and labels of a batch, `[sentences, words]`; head 0 is the root."""

    heads: Array
    labels: Array


@dataclass(frozen=True)
class Vocabulary:
    """What occurs in the training sentences; strings are escaped as for other programs."""

    words: Sequence[str]
    lemmas: Sequence[str]
    tags: Sequence[str]
    characters: Sequence[str]
    labels: Sequence[str]

    @classmethod
    def learn(cls, examples: Iterable[Example], *, labelled: bool) -> Self:
        """Return the vocabulary of training sentences."""
        words, lemmas, tags, characters, labels = (Counter[str]() for _ in range(5))
        for example in examples:
            forms = [safe_text(token.form) for token in example.tokens]
            words.update([form.lower() for form in forms])
            lemmas.update([safe_text(token.lemma).lower() for token in example.tokens])
            tags.update([safe_text(token.tag) for token in example.tokens])
            characters.update("".join(forms))
            labels.update(shown_labels(example, labelled))
        return cls(_frequent(words), _frequent(lemmas), _frequent(tags), list(characters), list(labels))

    @classmethod
    def schema(cls) -> dict[str, Schema]:
        """Return what the fields must look like in a model file."""
        # without labels the network would have nothing to choose from
        return {name: items(text(), at_least=name == "labels") for name in cls.__dataclass_fields__}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for a model file; the inverse is the constructor."""
        return asdict(self)

    def size(self, name: str) -> int:
        """Return how many numbers a field needs."""
        return FIRST + len(getattr(self, name))

    @cached_property
    def label_names(self) -> list[str]:
        """The labels as they are in trees."""
        return list(map(unescape_label, self.labels))

    @cached_property
    def _numbers(self) -> dict[str, dict[str, int]]:
        return {
            name: {one: number for number, one in enumerate(known, start=0 if name == "labels" else FIRST)}
            for name, known in self.to_dict().items()
        }

    def batch(self, sentences: Sequence[Sequence[Token]]) -> Batch:
        """Return sentences as numbers; they must be sorted by length."""
        known = self._numbers
        forms = [[safe_text(token.form) for token in tokens] for tokens in sentences]
        lemmas = [[safe_text(token.lemma).lower() for token in tokens] for tokens in sentences]
        tags = [[safe_text(token.tag) for token in tokens] for tokens in sentences]
        spelled = [
            pad([numpy.array([ROOT]), *(_numbered(form[:LONGEST_WORD], known["characters"]) for form in one)])
            for one in forms
        ]
        widest = max(one.shape[1] for one in spelled)
        return Batch(
            _rooted([[form.lower() for form in one] for one in forms], known["words"]),
            _rooted(lemmas, known["lemmas"]),
            _rooted(tags, known["tags"]),
            pad([numpy.pad(one, ((0, 0), (0, widest - one.shape[1]))) for one in spelled]),
            numpy.array([len(tokens) + 1 for tokens in sentences]),
        )

    def gold(self, examples: Sequence[Example], *, labelled: bool) -> Gold:
        """Return the heads and labels of training sentences; all labels must be known."""
        heads = [numpy.array(example.heads) + 1 for example in examples]
        labels = [_numbered(shown_labels(example, labelled), self._numbers["labels"]) for example in examples]
        return Gold(pad(heads), pad(labels))


def _frequent(counts: Mapping[str, int]) -> list[str]:
    return [one for one, count in counts.items() if count >= RARE]


def _numbered(names: Iterable[str], numbers: Mapping[str, int]) -> Array:
    return numpy.array([numbers.get(name, UNKNOWN) for name in names], dtype=numpy.int64)


def _rooted(sentences: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> Array:
    return pad([numpy.insert(_numbered(names, numbers), 0, ROOT) for names in sentences])
