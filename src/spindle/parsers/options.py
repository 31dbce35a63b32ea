"""Typed options of a parser: one frozen dataclass per backend.

Values come as Python objects, or as text from the command line and from model files. Both are converted to
the type of the field and checked:

    >>> @dataclass(frozen=True)
    ... class ChainOptions(BackendOptions):
    ...     epochs: int = option(6, "passes over the training data", at_least=1)
    ...     dropout: float | None = option(None, "share of the inputs set to zero", at_least=0, below=1)
    >>> ChainOptions.read({"epochs": "3", "dropout": "auto"}, "chain")
    ChainOptions(epochs=3, dropout=None)
    >>> ChainOptions.read({"epochs": "none"}, "chain")
    Traceback (most recent call last):
    spindle.errors.ParserError: epochs of chain cannot be 'none'; choose a whole number of at least 1
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, NamedTuple, Self, get_args, get_origin, get_type_hints

from spindle.errors import ParserError

AUTO = "auto"
"""How text writes None: the value is chosen by the parser or by the training."""


class Bounds(NamedTuple):
    """The values that a number may take; None for no limit."""

    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None
    above: float | None = None

    def allow(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        return (
            math.isfinite(number)
            and (self.at_least is None or number >= self.at_least)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
            and (self.above is None or number > self.above)
        )

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"from {self.at_least:,.15g} to {self.at_most:,.15g}"
        lower = (("of at least", self.at_least), ("above", self.above))
        upper = (("up to", self.at_most), ("below", self.below))
        return " and ".join(f"{name} {limit:,.15g}" for name, limit in (*lower, *upper) if limit is not None)


def option(
    default: Any,
    help: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> Any:
    """A field of a `BackendOptions` class: its default, a line of help, and the bounds of a number."""
    bounds = Bounds(at_least=at_least, at_most=at_most, above=above, below=below)
    return field(default=default, metadata={"help": help, "bounds": bounds})


@dataclass(frozen=True)
class BackendOptions:
    """The options of a backend; subclasses add fields of type int, float, str or a StrEnum.

    A field whose type also allows None leaves the value to the backend.
    """

    @classmethod
    def read(cls, given: Mapping[str, Any], backend: str) -> Self:
        """The options with these values; a `ParserError` that names the backend for any that does not fit."""
        known = {one.name: one for one in fields(cls)}
        for name in given:
            if name not in known:
                owned = ", ".join(known) or "no options"
                raise ParserError(f"{name} does not apply to {backend}, which has {owned}")
        types = get_type_hints(cls)
        return cls(**{name: _read(known[name], types[name], value, backend) for name, value in given.items()})

    def to_dict(self) -> dict[str, Any]:
        """The values for JSON; `read` is the inverse."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def describe(cls) -> list[OptionHelp]:
        """Name, default, choices and meaning of every option."""
        types = get_type_hints(cls)
        return [
            OptionHelp(
                one.name,
                AUTO if one.default is None and _is_number(types[one.name]) else str(one.default or ""),
                _choices(types[one.name]),
                one.metadata.get("help", ""),
            )
            for one in fields(cls)
        ]


class OptionHelp(NamedTuple):
    """What a user is shown of an option."""

    name: str
    default: str
    choices: tuple[str, ...]
    meaning: str


def _read(one: Field[Any], declared: Any, value: Any, backend: str) -> Any:
    kinds = get_args(declared) if get_origin(declared) is UnionType else (declared,)
    if NoneType in kinds and (value is None or value == AUTO):
        return None
    kind = next(kind for kind in kinds if kind is not NoneType)
    bounds: Bounds = one.metadata.get("bounds", Bounds())
    try:
        converted = _convert(kind, value)
    except ValueError:
        converted = None
    if converted is None or (kind in (int, float) and not bounds.allow(converted)):
        auto = f", or {AUTO}" if NoneType in kinds and kind in (int, float) else ""
        expected = _expected(kind, bounds)
        raise ParserError(f"{one.name} of {backend} cannot be {str(value)!r}; choose {expected}{auto}")
    return converted


def _convert(kind: Any, value: Any) -> Any:
    """The value as an object of a type; None if that loses something."""
    if isinstance(value, bool):
        return None
    if kind is int and isinstance(value, float):
        return int(value) if value.is_integer() else None
    return kind(value) if isinstance(value, int | float | str) else None


def _expected(kind: Any, bounds: Bounds) -> str:
    if issubclass(kind, StrEnum):
        return f"from {', '.join(kind)}"
    noun = {int: "a whole number", float: "a number"}.get(kind, "a text")
    return f"{noun} {bounds}".rstrip()


def _is_number(declared: Any) -> bool:
    return int in (declared, *get_args(declared)) or float in (declared, *get_args(declared))


def _choices(declared: Any) -> tuple[str, ...]:
    for kind in (declared, *get_args(declared)):
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return tuple(kind)
    return ()
