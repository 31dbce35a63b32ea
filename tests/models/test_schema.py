"""Schemas accept what fits and name the place of what does not."""

from typing import Any

import pytest

from spindle.models.schema import (
    Schema,
    SchemaError,
    anything,
    choice,
    flag,
    items,
    number,
    pair,
    record,
    table,
    text,
    whole,
)

DEEP: Any = 1
for _ in range(100):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        (text(3), "abcd", "4 characters"),
        (text(), "\ud800", "UTF-8"),
        (text(), 1, "place is 1, not a text"),
        (whole(0, 5), 6, "from 0 to 5"),
        (whole(0, 5), True, "True"),
        (whole(0, 5), 1.0, "whole number"),
        (number(0, 1), float("nan"), "nan"),
        (number(0, 1), float("inf"), "inf"),
        (number(), 10**400, "a number"),
        (number(), "1", "a number"),
        (flag(), 1, "true or false"),
        (choice("a"), "b", "one of a"),
        (choice("a"), ["a"], "one of a"),
        (items(text(), 1), [], "0 items"),
        (items(text()), ["a", 1], r"place\[1\]"),
        (items(text()), "ab", "a list"),
        (pair(text(), text()), ["a"], "1 items"),
        (record({"a": text()}), {}, "no a"),
        (record({}), {"b\x1b": 1}, r"unknown entry 'b\\x1b'"),
        (table(whole()), {"a": "b"}, r"place\.a"),
        (anything(), DEEP, "nested"),
        (anything(), {"a": [float("-inf")]}, "finite"),
        (anything(), {"\udc80": 1}, "UTF-8"),
        (anything(), [1 << 70], "whole number"),
    ],
)
def test_what_does_not_fit(schema: Schema, value: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said) as raised:
        schema(value, "place")
    assert str(raised.value).isprintable()
