"""What is done of a training, on disk: so that an interrupted one goes on where it was.

The checkpoint is a file beside the model, of the same format. It is replaced, never half written, whenever
a stage or an epoch is done, and goes when the model is there. Each stage is kept as it would be in the model,
and the tags that jackknifing gave as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy

from spindle.errors import ModelError
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.trees import Token

KIND = "checkpoint"


class Storable(Protocol):
    """What can be put into a part."""

    def to_part(self) -> ModelPart:
        """All that it has learned."""


Stage = TypeVar("Stage", bound=Storable)


@dataclass
class Checkpoint:
    """The parts that are done; `path` is None if nothing is to be kept."""

    path: Path | None
    fingerprint: str
    parts: dict[str, ModelPart] = field(default_factory=dict)
    epochs: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def open(cls, path: Path | None, fingerprint: str, resume: bool) -> Checkpoint:
        """The checkpoint of a training: the one that is there if it is to be resumed, else an empty one."""
        checkpoint = cls(path, fingerprint)
        if path is None or not resume or not path.exists():
            return checkpoint
        model = read_model(path, KIND)
        if model.card["fingerprint"] != fingerprint:
            raise ModelError(
                f"{path}: the interrupted training had other options or other trees; "
                "repeat them to resume it, or start anew without --resume"
            )
        checkpoint.parts.update(model.parts)
        checkpoint.epochs += model.card["epochs"]
        return checkpoint

    def keep(self, name: str, part: ModelPart) -> None:
        """Add a part and write everything down."""
        self.parts[name] = part
        self.write()

    def write(self) -> None:
        """Write down what there is."""
        if self.path is not None:
            card = {"fingerprint": self.fingerprint, "epochs": self.epochs}
            write_model(self.path, ModelFile(KIND, card, self.parts))

    def remove(self) -> None:
        """Delete the file: the training is finished."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def stage(self, name: str, restore: Callable[[ModelPart], Stage], train: Callable[[], Stage]) -> Stage:
        """The stage from the checkpoint, or a newly trained one, which is kept."""
        if name in self.parts:
            return restore(self.parts[name])
        stage = train()
        self.keep(name, stage.to_part())
        return stage


_COLUMNS = ("tag", "morph")


def tokens_to_part(sentences: Sequence[Sequence[Token]]) -> ModelPart:
    """What a tagger said, without the words. The treebank's lemmas are not what it said: they stay behind."""
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
    """The words with what the tagger said of them. The inverse of `tokens_to_part`."""
    tags, morphs = (
        [part.settings[name][number] for number in part.arrays[name].tolist()] for name in _COLUMNS
    )
    said = zip(tags, morphs, strict=True)

    def tagged(token: Token) -> Token:
        tag, morph = next(said)
        return Token(token.form, tag, morph=morph)

    return [tuple(map(tagged, sentence)) for sentence in sentences]
