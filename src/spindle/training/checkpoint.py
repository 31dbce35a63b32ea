"""The state of an unfinished training on disk, from which it can be resumed.

The checkpoint is a file beside the model, in the same format. It is replaced atomically whenever a stage or
an epoch is done, and removed when the model is written. Stages are stored as in the model, and the tags of
jackknifing as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy

from spindle.errors import Hint, ModelError, Setting
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.models.schema import SchemaError, anything, items, record, table, text
from spindle.trees import Token

KIND = "checkpoint"
_CARD = record({"fingerprint": text(), "epochs": items(table(anything()))})


class Storable(Protocol):
    """An object that can be stored in a model part."""

    def to_part(self) -> ModelPart:
        """Return everything that was learned."""


Stage = TypeVar("Stage", bound=Storable)


@dataclass
class Checkpoint:
    """The finished parts and epochs; with `path` None nothing is written.

    `scope` is the beginning of the names of all stages.
    """

    path: Path | None
    fingerprint: str
    parts: dict[str, ModelPart] = field(default_factory=dict)
    epochs: list[dict[str, Any]] = field(default_factory=list)
    scope: str = ""

    @classmethod
    def open(cls, path: Path | None, fingerprint: str, resume: bool) -> Checkpoint:
        """Read the checkpoint of a training that is to be resumed, or start an empty one."""
        checkpoint = cls(path, fingerprint)
        if path is None or not resume or not path.exists():
            return checkpoint
        model = read_model(path, KIND)
        try:
            _CARD(dict(model.card), "the checkpoint")
        except SchemaError as error:
            raise ModelError(f"{path}: {error}", hint=Hint("start anew without {}", Setting.RESUME)) from None
        if model.card["fingerprint"] != fingerprint:
            raise ModelError(
                f"{path}: the interrupted training had other options or other trees",
                hint=Hint("repeat them, or start anew without {}", Setting.RESUME),
            )
        checkpoint.parts.update(model.parts)
        checkpoint.epochs += model.card["epochs"]
        return checkpoint

    def keep(self, name: str, part: ModelPart) -> None:
        """Add a part and write the file."""
        self.parts[name] = part
        self.write()

    def write(self) -> None:
        """Write the file."""
        if self.path is not None:
            card = {"fingerprint": self.fingerprint, "epochs": self.epochs}
            write_model(self.path, ModelFile(KIND, card, self.parts))

    def remove(self) -> None:
        """Delete the file of a finished training."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def within(self, scope: str) -> Checkpoint:
        """Return the same checkpoint for a training inside this one, with names of its own."""
        return replace(self, scope=scope)

    def stage(self, name: str, restore: Callable[[ModelPart], Stage], train: Callable[[], Stage]) -> Stage:
        """Return the stage from the checkpoint, or train and keep it."""
        name = self.scope + name
        if name in self.parts:
            return restore(self.parts[name])
        stage = train()
        self.keep(name, stage.to_part())
        return stage


_COLUMNS = ("tag", "morph")


def tokens_to_part(sentences: Sequence[Sequence[Token]]) -> ModelPart:
    """Store predicted tags and morphology, without the words. Lemmas are not predicted and not stored."""
    tables: dict[str, list[str]] = {}
    arrays = {}
    for column in _COLUMNS:
        numbers: dict[str, int] = {}
        values = [
            numbers.setdefault(getattr(token, column), len(numbers))
            for sentence in sentences
            for token in sentence
        ]
        tables[column], arrays[column] = list(numbers), numpy.array(values, dtype=numpy.int32)
    return ModelPart(tables, arrays)


def tokens_from_part(part: ModelPart, sentences: Sequence[Sequence[Token]]) -> list[tuple[Token, ...]]:
    """Return the words with the stored tags and morphology. The inverse of `tokens_to_part`."""
    tags, morphs = (
        [part.settings[name][number] for number in part.arrays[name].tolist()] for name in _COLUMNS
    )
    columns = zip(tags, morphs, strict=True)

    def tagged(token: Token) -> Token:
        tag, morph = next(columns)
        return Token(token.form, tag, morph=morph)

    return [tuple(map(tagged, sentence)) for sentence in sentences]
