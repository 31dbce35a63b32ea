"""Schemas of what a model file stores as JSON: types, bounds and lengths, checked before anything uses it.

A model may come from a stranger, so every value is checked once, when the file is read. A schema is a
function that raises a `SchemaError` for a value that does not fit; schemas are built from others:

    >>> options = record({"epochs": whole(1, 100), "order": choice("basic", "full")})
    >>> options({"epochs": 6, "order": "full"}, "options")
    >>> options({"epochs": 0, "order": "full"}, "options")
    Traceback (most recent call last):
    spindle.models.schema.SchemaError: options.epochs is 0, not a whole number from 1 to 100
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol


class Schema(Protocol):
    """Checks a value; `place` is where the value stands, for the error."""

    def __call__(self, value: Any, place: str, /) -> None:
        """Raise a `SchemaError` for a value that does not fit."""


MOST_CHARACTERS = 100_000
"""The longest text by default."""
MOST_ITEMS = 2_000_000
"""The longest list by default."""
MOST_DEPTH = 16
"""How deeply lists and objects may be nested."""
LARGEST = 2**63 - 1
"""The largest whole number: more does not fit into an array."""
SHOWN = 60
"""The number of characters of a wrong value in an error."""


class SchemaError(ValueError):
    """A value that does not fit its schema."""


def _wrong(value: Any, place: str, expected: str) -> SchemaError:
    shown = ascii(value) if isinstance(value, str | int | float | bool | None) else f"a {_name(value)}"
    if len(shown) > SHOWN:
        shown = f"{shown[:SHOWN]}…"
    return SchemaError(f"{place} is {shown}, not {expected}")


def _name(value: Any) -> str:
    return "table" if isinstance(value, dict) else type(value).__name__


def text(most: int = MOST_CHARACTERS) -> Schema:
    """A text that UTF-8 can represent, of at most `most` characters."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, str):
            raise _wrong(value, place, "a text")
        if len(value) > most:
            raise SchemaError(f"{place} has {len(value):,} characters; at most {most:,} are allowed")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _wrong(value, place, "a text that UTF-8 can represent") from None

    return check


def whole(at_least: int = -LARGEST, at_most: int = LARGEST) -> Schema:
    """A whole number within bounds."""

    def check(value: Any, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not at_least <= value <= at_most:
            raise _wrong(value, place, f"a whole number from {at_least:,} to {at_most:,}")

    return check


def number(at_least: float = -1e30, at_most: float = 1e30) -> Schema:
    """A finite number within bounds."""

    def check(value: Any, place: str) -> None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not at_least <= value <= at_most:  # NaN is neither
            raise _wrong(value, place, f"a number from {at_least:g} to {at_most:g}")

    return check


def flag() -> Schema:
    """True or false."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, bool):
            raise _wrong(value, place, "true or false")

    return check


def choice(*allowed: str) -> Schema:
    """One of some texts."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, str) or value not in allowed:
            raise _wrong(value, place, f"one of {', '.join(allowed)}")

    return check


def nullable(schema: Schema) -> Schema:
    """Null, or what fits the schema."""

    def check(value: Any, place: str) -> None:
        if value is not None:
            schema(value, place)

    return check


def items(schema: Schema, at_least: int = 0, at_most: int = MOST_ITEMS) -> Schema:
    """A list whose items fit a schema."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, list | tuple):
            raise _wrong(value, place, "a list")
        if not at_least <= len(value) <= at_most:
            raise SchemaError(f"{place} has {len(value):,} items; {at_least:,} to {at_most:,} are allowed")
        for position, item in enumerate(value):
            schema(item, f"{place}[{position}]")

    return check


def pair(first: Schema, second: Schema) -> Schema:
    """A list of two."""

    def check(value: Any, place: str) -> None:
        items(anything(), 2, 2)(value, place)
        first(value[0], f"{place}[0]")
        second(value[1], f"{place}[1]")

    return check


def record(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """A table with these names, and no others."""
    known = {**needed, **(optional or {})}

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(value, place, "a table")
        for name in needed:
            if name not in value:
                raise SchemaError(f"{place} has no {name}")
        for name, one in value.items():
            if name not in known:
                raise SchemaError(f"{place} has an unknown entry {ascii(name)[:SHOWN]}")
            known[name](one, f"{place}.{name}")

    return check


def table(schema: Schema, names: Schema | None = None, at_most: int = MOST_ITEMS) -> Schema:
    """A table with any names, whose values fit a schema."""
    check_name = names or text(1_000)

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(value, place, "a table")
        if len(value) > at_most:
            raise SchemaError(f"{place} has {len(value):,} entries; at most {at_most:,} are allowed")
        for name, one in value.items():
            check_name(name, f"a name in {place}")
            schema(one, f"{place}.{name}")

    return check


def anything(depth: int = MOST_DEPTH, most: int = MOST_CHARACTERS) -> Schema:
    """Any JSON value with finite numbers and texts that UTF-8 can represent, not nested too deeply."""

    def check(value: Any, place: str) -> None:
        if depth == 0:
            raise SchemaError(f"{place} is nested more than {MOST_DEPTH} times")
        if value is None or isinstance(value, bool):
            return
        if isinstance(value, str):
            text(most)(value, place)
        elif isinstance(value, int):
            whole()(value, place)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise _wrong(value, place, "a finite number")
        elif isinstance(value, list | tuple):
            items(anything(depth - 1, most))(value, place)
        elif isinstance(value, dict):
            table(anything(depth - 1, most))(value, place)
        else:
            raise _wrong(value, place, "a JSON value")

    return check


def like(default: Any) -> Schema:
    """The fields of a dataclass, each of the type that it has in `default`; all may be missing."""
    return record({}, {one.name: _like_value(getattr(default, one.name)) for one in fields(default)})


def _like_value(default: Any) -> Schema:
    if isinstance(default, bool):
        return flag()
    if isinstance(default, str):
        return text()
    if isinstance(default, int):
        return whole()
    if isinstance(default, float):
        return number()
    if isinstance(default, frozenset | list | tuple):
        return items(text())
    return anything()
