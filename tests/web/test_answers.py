"""JSON as the server reads and writes it, and the fast way of reading words."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from hypothesis import given
from hypothesis import strategies as st

from spindle.web.answers import from_json, to_json
from spindle.web.parse_api import _token, token_lists
from spindle.web.reading import Refusal

records = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), 1 << 63)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
words: st.SearchStrategy[Any] = st.text(st.sampled_from("aé句\t\n\r\ud800 ."), max_size=3) | st.sampled_from(
    ["", None, 1, {}, []]
)


@given(records)
def test_what_is_written_is_read(record: Any) -> None:
    assert from_json(to_json(record)) == record == json.loads(to_json(record))


def test_what_orjson_refuses() -> None:
    assert json.loads(to_json({"tree": "(NN \ud800)", 1: "one"})) == {"tree": "(NN \ud800)", "1": "one"}
    assert from_json(b'{"text": "\\ud800"}') == {"text": "\ud800"}
    with pytest.raises(ValueError, match="char 1"):
        from_json(b"{tokens: []}")


@given(st.lists(words, max_size=4))
def test_words_are_read_the_same_fast_and_slowly(given_words: list[Any]) -> None:
    def outcome(read: Any) -> Any:
        try:
            return read()
        except Refusal as refusal:
            return refusal.status, refusal.message

    slowly = outcome(lambda: tuple(_token(word, f"tokens[0][{at}]") for at, word in enumerate(given_words)))
    assert outcome(lambda: next(token_lists([given_words])).tokens) == slowly
