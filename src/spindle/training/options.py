"""What a user may choose about a training; the names are those of the command line and of config files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from spindle.errors import ParserError, SpindleError
from spindle.parsers import Backend, find_parser, name_of
from spindle.parsers.packages import without_folder

Tags = Literal["gold", "predicted", "jackknife"]
Punct = Literal["auto", "leave", "move", "restore"]
Functions = Literal["strip", "predict"]
CHOICES: Mapping[str, tuple[str, ...]] = {
    "encoding": ("direct", "delta", "hn"),
    "mode": ("continuous", "discontinuous"),
    "tags": get_args(Tags),
    "punct": get_args(Punct),
    "functions": get_args(Functions),
}

AUTO = "auto"
"""The default of a number that depends on others."""
WHOLE = re.compile("[0-9]+")
DECIMAL = re.compile(r"[0-9]*\.?[0-9]+(e-?[0-9]+)?")

SMALLEST = 8
"""How often tables of weights can be halved before nothing is left to learn with."""


@dataclass(frozen=True)
class TrainOptions:
    """All choices; None leaves one to the pipeline, which says aloud what it took.

    `parser` is the name of a parser or a class of one's own. `order`, `encoder`, `epochs` and whatever is in
    `parser_options` go to it, and must be options that it has. `shrink` halves the tables of weights so many
    times.
    """

    parser: str | type[Backend] = "linear"
    order: str | None = None
    encoder: str | None = None
    epochs: int | None = None
    parser_options: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    one_shot: bool | None = None
    heads: str | None = None
    mode: str | None = None
    tags: str | None = None
    punct: str = "auto"
    functions: str = "strip"
    unaries: bool = True
    shrink: int = 0
    licence: str = ""
    seed: int = 1
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise SpindleError(f"{name} cannot be {value!r}; choose from {', '.join(choices)}")
        if not 0 <= self.seed < 1 << 64:
            raise SpindleError(f"seed cannot be {self.seed}; choose a number from 0 to 2^64 - 1")
        if not 0 <= self.shrink <= SMALLEST:
            raise SpindleError(f"shrink cannot be {self.shrink}; choose a number from 0 to {SMALLEST}")
        for name in ("epochs", "threads"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SpindleError(f"{name} cannot be {value}; choose a number above 0")

    @property
    def backend(self) -> type[Backend]:
        """The parser that was chosen."""
        return find_parser(self.parser) if isinstance(self.parser, str) else self.parser

    def check(self) -> None:
        """Refuse options that the chosen parser does not have."""
        backend = self.backend
        name = name_of(backend)
        if self.one_shot and "labels" not in backend.predicts:
            raise ParserError(f"one-shot does not apply to {name}, which cannot label its arcs")
        if self.mode == "discontinuous" and not backend.is_nonprojective:
            raise ParserError(f"{name} cannot give crossing arcs, so its mode must be continuous")
        backend.check(self.backend_options())

    def backend_options(self) -> dict[str, str]:
        """The value of every option that the parser has; an error for one that it has not."""
        backend = self.backend
        name = name_of(backend)
        own = {
            "order": self.order,
            "encoder": self.encoder,
            "epochs": None if self.epochs is None else str(self.epochs),
        }
        given = {**self.parser_options, **{key: value for key, value in own.items() if value is not None}}
        for key, value in given.items():
            if key not in backend.options:
                known = ", ".join(backend.options) or "no options of its own"
                raise ParserError(f"{key} does not apply to {name}, which has {known}")
            choices = backend.options[key]
            # a single value is a default that another may replace
            if len(choices) > 1 and value not in choices:
                raise ParserError(f"{key} of {name} cannot be {value!r}; choose from {', '.join(choices)}")
            if len(choices) != 1 or value == choices[0]:
                continue
            default = choices[0]
            or_auto = f", or {AUTO}" if default == AUTO else ""
            if key in backend.shares:
                if not (DECIMAL.fullmatch(value) and float(value) < 1):
                    raise ParserError(
                        f"{key} of {name} cannot be {value!r}; choose a number below 1{or_auto}"
                    )
            elif default.isdecimal() or default == AUTO:
                if not (WHOLE.fullmatch(value) and int(value) > 0):
                    raise ParserError(
                        f"{key} of {name} cannot be {value!r}; choose a number above 0{or_auto}"
                    )
            elif DECIMAL.fullmatch(default) and not DECIMAL.fullmatch(value):
                raise ParserError(f"{key} of {name} cannot be {value!r}; choose a number such as {default}")
        defaults = {key: choices[0] for key, choices in backend.options.items() if choices}
        return {**defaults, **given}

    def to_dict(self) -> dict[str, Any]:
        """The choices that a model depends on, as JSON can hold them."""
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        values["parser"] = name_of(self.backend)
        values["parser_options"] = dict(self.parser_options)
        values["encoder"] = self.encoder and without_folder(self.encoder)
        del values["threads"], values["licence"]
        return values
