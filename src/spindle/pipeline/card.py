"""The model card: documentation of a model that people read and no code depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from spindle.models.schema import anything, items, record, table, text, whole


@dataclass(frozen=True)
class Corpus:
    """Files, sentences and tokens that a model was trained or scored on."""

    files: tuple[str, ...] = ()
    sentences: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Card:
    """Data and its licence, options, label sets, and scores with their signature.

    `chosen` holds the values of the options that were left open. `fingerprint` identifies the training: it is
    a digest of the options and the trees. A distilled model names its `teacher` and the `text` that the
    teacher has parsed for it.
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
        """The card for JSON; `from_dict` is the inverse."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Card:
        """The card that `to_dict` wrote."""
        corpora = {
            name: Corpus(**{**values[name], "files": tuple(values[name]["files"])})
            for name in ("training", "development", "text")
            if name in values
        }
        labels = {name: tuple(labels) for name, labels in values["label_sets"].items()}
        return cls(**{**values, **corpora, "label_sets": labels})


_CORPUS = record({"files": items(text()), "sentences": whole(0), "tokens": whole(0)})
SCHEMA = record(
    {},
    {
        **dict.fromkeys(("training", "development", "text"), _CORPUS),
        **dict.fromkeys(("options", "chosen", "scores", "teacher"), table(anything())),
        "licence": text(),
        "label_sets": table(items(text())),
        "fingerprint": text(1_000),
    },
)
"""What a card must look like in a model file."""
