"""The options of a training, under the names they have on the command line and in config files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from spindle.errors import ParserError, SpindleError
from spindle.heads import HeadRules
from spindle.parsers import Backend, FitSettings, find_parser, name_of
from spindle.parsers.linear import LabelerFeatures
from spindle.parsers.options import AUTO
from spindle.parsers.packages import without_folder
from spindle.pipeline.conventions import Punctuation
from spindle.reduction import Encoding, Mode
from spindle.training.treebank import MAX_LENGTH

TRY_HEADS = "try"
"""As head rules: compare several on the development trees."""
MAX_SHRINK = 8
"""Weight tables can be halved this many times before they are useless."""


class TagSource(StrEnum):
    """The tags that the stages after the tagger are trained on."""

    GOLD = "gold"
    """Those of the treebank; the model has no tagger and needs tagged input."""
    PREDICTED = "predicted"
    """Those of a tagger that has seen the same sentences."""
    JACKKNIFE = "jackknife"
    """Those of taggers that have not seen the sentences, as when parsing."""


class FunctionPolicy(StrEnum):
    """What happens to functions (NP-SBJ, edge labels)."""

    STRIP = "strip"
    PREDICT = "predict"


ENUMS: dict[str, type[StrEnum]] = {
    "encoding": Encoding,
    "mode": Mode,
    "tags": TagSource,
    "punct": Punctuation,
    "functions": FunctionPolicy,
    "labeler_features": LabelerFeatures,
}
"""The options that take one of a few values. Text is converted to the enum."""


@dataclass(frozen=True)
class TrainOptions:
    """All options. None leaves the choice to the training, which reports it.

    `parser` is the name of a backend or a class. `order`, `encoder` and `epochs` are shorthand for entries of
    `parser_options`, which are the backend's own; an option that the backend lacks is refused. `heads` is the
    name of a table, a file, the rules themselves, or "try". `rerank` trains a model, too, that chooses among
    the best trees. `shrink` halves every weight table this many times. Trees of more than `max_length` words
    are left out. `text` names files with the raw text of the treebank: plain text, or CoNLL-U with
    `SpaceAfter=No`.
    """

    parser: str | type[Backend] = "linear"
    order: str | None = None
    encoder: str | None = None
    epochs: int | None = None
    parser_options: Mapping[str, Any] = field(default_factory=dict)
    encoding: Encoding | None = None
    one_shot: bool | None = None
    labeler_features: LabelerFeatures | None = None
    heads: str | Path | HeadRules | None = None
    mode: Mode | None = None
    tags: TagSource | None = None
    punct: Punctuation | None = None
    functions: FunctionPolicy = FunctionPolicy.STRIP
    unaries: bool = True
    rerank: bool = False
    shrink: int = 0
    max_length: int = MAX_LENGTH
    licence: str = ""
    text: tuple[str | Path, ...] = ()
    seed: int = 1
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)

    def __post_init__(self) -> None:
        files = (self.text,) if isinstance(self.text, str | Path) else self.text
        object.__setattr__(self, "text", tuple(files))
        for name, enum in ENUMS.items():
            value = getattr(self, name)
            if value == AUTO and name != "functions":
                object.__setattr__(self, name, None)
                continue
            if value is None or isinstance(value, enum):
                continue
            if value not in list(enum):
                raise SpindleError(f"{name} cannot be {value!r}; choose from {', '.join(enum)}")
            object.__setattr__(self, name, enum(value))
        if not 0 <= self.seed < 1 << 64:
            raise SpindleError(f"seed cannot be {self.seed}; choose a number from 0 to 2^64 - 1")
        if not 0 <= self.shrink <= MAX_SHRINK:
            raise SpindleError(f"shrink cannot be {self.shrink}; choose a number from 0 to {MAX_SHRINK}")
        for name in ("epochs", "threads", "max_length"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SpindleError(f"{name} cannot be {value}; choose a number of at least 1")

    @property
    def backend(self) -> type[Backend]:
        """The class of the backend."""
        return find_parser(self.parser) if isinstance(self.parser, str) else self.parser

    def fit_settings(self, mode: Mode, encoding: Encoding) -> FitSettings:
        """The settings for the backend, with the mode and the encoding that were chosen."""
        shorthand = {"order": self.order, "encoder": self.encoder, "epochs": self.epochs}
        given = {name: value for name, value in shorthand.items() if value is not None}
        return FitSettings(
            mode=mode,
            encoding=encoding,
            one_shot=self.backend.one_shot if self.one_shot is None else self.one_shot,
            seed=self.seed,
            threads=self.threads,
            shrink=self.shrink,
            options=self.backend.Options.read({**self.parser_options, **given}, name_of(self.backend)),
        )

    def check(self) -> None:
        """Raise a `ParserError` for every option that the backend lacks."""
        backend, name = self.backend, name_of(self.backend)
        if self.one_shot and "labels" not in backend.predicts:
            raise ParserError(f"one-shot labels do not apply to {name}, which cannot label its arcs")
        if self.mode is Mode.DISCONTINUOUS and not backend.is_nonprojective:
            raise ParserError(f"{name} cannot give crossing arcs, so its mode must be continuous")
        if self.shrink and not backend.can_shrink:
            raise ParserError(f"shrink does not apply to {name}, which has no weight tables to halve")
        settings = self.fit_settings(self.mode or Mode.CONTINUOUS, self.encoding or Encoding.DIRECT)
        predicted = backend.will_predict(settings)
        if self.one_shot is False and "labels" in predicted:
            raise ParserError(f"two-stage labels do not apply to {name}, which always labels its arcs itself")
        if self.labeler_features is not None and "labels" in predicted:
            raise ParserError(
                f"labeler features do not apply to {name} with these options, which labels its arcs itself"
            )
        if not self.unaries and "chains" in predicted:
            raise ParserError(f"{name} predicts unary chains by itself, so they cannot be left out")
        if self.rerank and not backend.gives_k_best:
            raise ParserError(f"rerank does not apply to {name}, which gives only its best tree")
        if self.tags is not None and "tags" in predicted:
            raise ParserError(f"{name} tags by itself, so the tags to learn from cannot be chosen")
        backend.check(settings.options)

    def to_dict(self) -> dict[str, Any]:
        """The options that a model depends on, for JSON, without paths of this machine."""
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        values["parser"] = name_of(self.backend)
        values["parser_options"] = dict(self.parser_options)
        values["encoder"] = self.encoder and without_folder(self.encoder)
        values["heads"] = _name_of_rules(self.heads)
        del values["threads"], values["licence"], values["text"]
        if self.text:
            values["text"] = [Path(file).name for file in self.text]
        return values


def _name_of_rules(heads: str | Path | HeadRules | None) -> str | None:
    if isinstance(heads, HeadRules):
        return heads.name
    return None if heads is None else Path(heads).name
