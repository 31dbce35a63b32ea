"""Every option of every backend: given as text or as a Python value, stored and read again, or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from enum import StrEnum
from types import NoneType
from typing import Any, NamedTuple, get_args, get_type_hints

import pytest

from spindle.errors import ParserError
from spindle.parsers import PARSERS, BackendOptions, find_parser
from spindle.parsers.options import AUTO, Bounds


class Option(NamedTuple):
    """An option of a backend: the type of its values, whether None is one of them, and their bounds."""

    backend: str
    name: str
    kind: type[Any]
    can_be_none: bool
    default: Any
    bounds: Bounds

    @property
    def owner(self) -> type[BackendOptions]:
        return find_parser(self.backend).Options

    def read(self, value: object) -> Any:
        return getattr(self.owner.read({self.name: value}, self.backend), self.name)

    def right_values(self) -> Iterator[Any]:
        if issubclass(self.kind, StrEnum):
            yield from self.kind
        elif self.kind is str:
            yield from ("a text", "with = and é", "")
        else:
            limits = (self.bounds.at_least, self.bounds.at_most, (self.bounds.above or 0) + 1, self.default)
            for limit in limits:
                if limit is not None and self.bounds.allow(limit):
                    yield self.kind(limit)

    def wrong_values(self) -> Iterator[Any]:
        yield from (True, ["a", "list"], {"a": "dictionary"})
        if not self.can_be_none:
            yield None
        if self.kind is str:
            return
        yield from ("", "no such value")
        if self.kind in (int, float):
            yield from ("nan", "inf", float("nan"), float("inf"), "1;epochs=9")
            below, above = self.bounds.at_least, self.bounds.at_most
            outside = (None if below is None else below - 1, None if above is None else above + 1)
            for number in (*outside, self.bounds.above, self.bounds.below):
                if number is not None:
                    yield from (number, str(number))
        if self.kind is int:
            yield from (1.5, "1.5")


def every_option() -> Iterator[Option]:
    for backend in PARSERS:
        options = find_parser(backend).Options
        types = get_type_hints(options)
        for one in fields(options):
            kinds = get_args(types[one.name]) or (types[one.name],)
            (kind,) = (kind for kind in kinds if kind is not NoneType)
            yield Option(
                backend, one.name, kind, NoneType in kinds, one.default, one.metadata.get("bounds", Bounds())
            )


EVERY_OPTION = pytest.mark.parametrize(
    "option", [pytest.param(one, id=f"{one.backend}-{one.name}") for one in every_option()]
)


@EVERY_OPTION
def test_values_and_their_text_are_equivalent_and_stored(option: Option) -> None:
    values = list(option.right_values())
    assert values
    for value in values:
        assert option.read(value) == option.read(str(value)) == value
        assert isinstance(option.read(str(value)), option.kind)
        options = option.owner.read({option.name: value}, option.backend)
        assert option.owner.read(options.to_dict(), option.backend) == options
        assert option.owner.read(json.loads(json.dumps(options.to_dict())), option.backend) == options
    if option.can_be_none:
        assert option.read(None) is option.read(AUTO) is None
        options = option.owner.read({option.name: None}, option.backend)
        assert option.owner.read(json.loads(json.dumps(options.to_dict())), option.backend) == options


@EVERY_OPTION
def test_a_wrong_value_is_refused_by_name(option: Option) -> None:
    for value in option.wrong_values():
        with pytest.raises(ParserError, match=f"^{option.name} of {option.backend} cannot be .*; choose "):
            option.read(value)


@pytest.mark.parametrize("backend", PARSERS)
def test_defaults_are_allowed_and_described(backend: str) -> None:
    options = find_parser(backend).Options
    assert options.read(options().to_dict(), backend) == options.read({}, backend) == options()
    described = options.describe()
    assert [one.name for one in described] == [one.name for one in fields(options)]
    for one in described:
        assert one.meaning
        assert not one.choices or one.default in one.choices
    with pytest.raises(ParserError, match=f"^nonsense does not apply to {backend}, which has "):
        options.read({"nonsense": "1"}, backend)


@pytest.mark.parametrize(
    ("backend", "given"),
    [
        ("linear", {"order": "full", "epochs": "5", "bits": "14", "candidates": "4", "starts": "1"}),
        ("command", {"train_command": "a {train}", "parse_command": "b {input}", "format": "conllu"}),
        (
            "malt",
            {"jar": "m.jar", "algorithm": "2planar", "learner": "libsvm", "pseudo_projective": "head+path"},
        ),
        ("mst", {"jar": "a.jar:b.jar", "decode_type": "non-proj", "order": "1", "epochs": "3"}),
        ("zpar", {"folder": "zpar", "epochs": "2", "timeout": "1.5", "memory": "300"}),
        ("turbo", {"binary": "TurboParser", "order": "basic", "epochs": "2"}),
        ("udpipe", {"transition_system": "link2", "beam": "3", "l2": "0.3", "learning_rate": "0.01"}),
        ("spacy", {"epochs": "2", "width": "32", "depth": "1", "dropout": "0"}),
        ("oracle", {"gives": "heads,labels"}),
    ],
)
def test_options_of_earlier_versions_are_read(backend: str, given: dict[str, str]) -> None:
    options = find_parser(backend).Options.read(given, backend).to_dict()
    for name, text in given.items():
        value = options[name]
        assert value == (float(text) if isinstance(value, float) else type(value)(text))
        assert isinstance(value, float) or str(value) == text
