"""What a model tells about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Corpus:
    """What a model was trained or tested on."""

    files: tuple[str, ...] = ()
    sentences: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Card:
    """The model's card: data and its licence, choices, label sets, and scores with their signature.

    `chosen` are the values that were found where an option left the choice open. `fingerprint` tells one
    training from another: it is a digest of the choices and the trees. A parser that has learnt from another
    one has that as its `teacher`, and the `text` on which it was taught.
    """

    training: Corpus = Corpus()
    development: Corpus = Corpus()
    licence: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)
    label_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    teacher: Mapping[str, Any] = field(default_factory=dict)
    text: Corpus = Corpus()

    def to_dict(self) -> dict[str, Any]:
        """The card as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Card:
        """The inverse of `to_dict`."""
        corpora = {
            name: Corpus(**{**values[name], "files": tuple(values[name]["files"])})
            for name in _CORPORA
            if name in values  # only what was taught has a text
        }
        labels = {name: tuple(labels) for name, labels in values["label_sets"].items()}
        return cls(**{**values, **corpora, "label_sets": labels})


_CORPORA = ("training", "development", "text")
