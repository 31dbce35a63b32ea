"""Rows of a table to parse: raw text or words in one column, and the sentences that they have."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from spindle.errors import Hint, Setting, SpindleError, TreebankError
from spindle.pipeline.sentence import InRow, Sentence
from spindle.tables import Row
from spindle.trees import Token

TEXT_FIELD = "text"
"""The column of raw text, unless another one is named."""
COLUMNS_SHOWN = 20
"""The number of columns that a message names."""
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True)
class RowFields:
    """The columns that are read: raw text in `text`, or words in `tokens`; `id` names the row.

    Without `text` and `tokens`, the text is in the column `text`. `tags` has a tag for every word of
    `tokens`. `reserved` are the names of columns that will be added, which a row must not have.
    """

    text: str | None = None
    tokens: str | None = None
    id: str | None = None
    reserved: frozenset[str] = frozenset()
    tags: str | None = None

    def __post_init__(self) -> None:
        if self.text is not None and self.tokens is not None:
            raise SpindleError("a row has raw text or words; name one of the two columns")
        if self.tags is not None and self.tokens is None:
            raise SpindleError("a row has tags beside words; name the column of words, too")

    @property
    def is_named(self) -> bool:
        """Whether the column that is parsed was named."""
        return self.text is not None or self.tokens is not None

    @property
    def parsed(self) -> str:
        """The column that is parsed."""
        return self.tokens or self.text or TEXT_FIELD


def row_sentences(
    row: Row, fields: RowFields, split: Callable[[str], Iterable[Sentence]]
) -> Iterator[Sentence]:
    """Yield the sentences of a row, at least one: that of a row without words is empty.

    `split` returns the sentences of a text. A row whose columns are missing or have values of another type
    raises a `TreebankError`, which does not know the place of the row.
    """
    if taken := next((name for name in row if name in fields.reserved), None):
        hint = Hint("set {}", Setting.COLUMN_PREFIX)
        raise TreebankError(f"the table has a column {taken!r} already", hint=hint)
    setting = Setting.TEXT_COLUMN if fields.tokens is None else Setting.TOKENS_COLUMN
    value = _value(row, fields.parsed, setting)
    name = "" if fields.id is None else _name(_value(row, fields.id, Setting.ID_COLUMN), fields.id)
    if fields.tokens is not None:
        tags = None if fields.tags is None else _value(row, fields.tags, Setting.TAGS_COLUMN)
        found: Iterable[Sentence] = _sentences_of_words(value, fields, tags)
    elif isinstance(value, str):
        found = (sentence for sentence in split(value) if sentence.tokens)
    elif value is None:
        found = ()
    else:
        raise TreebankError(f"the column {fields.parsed!r} has a {_type(value)} instead of text")
    return _placed(found, row, name)


def _placed(sentences: Iterable[Sentence], row: Row, name: str) -> Iterator[Sentence]:
    """Yield the sentences with their place; one without words if there are none."""
    number, waiting = 1, Sentence(())
    for number, sentence in enumerate(sentences, start=1):
        if number > 1:
            yield _at(waiting, row, name, number - 1, is_last=False)
        waiting = sentence
    yield _at(waiting, row, name, number, is_last=True)


def _at(sentence: Sentence, row: Row, name: str, number: int, *, is_last: bool) -> Sentence:
    id = f"{name}.{number}" if name else ""
    return replace(sentence, id=id, place=InRow(row, number, is_last))


def _value(row: Row, name: str, setting: Setting) -> Any:
    try:
        return row[name]
    except KeyError:
        known = list(map(repr, row)) or ["none"]
        shown = ", ".join(known[:COLUMNS_SHOWN]) + (", …" if len(known) > COLUMNS_SHOWN else "")
        hint = Hint(f"set {{}} to one of {shown}", setting)
        raise TreebankError(f"there is no column {name!r}", hint=hint) from None


def _name(value: object, field: str) -> str:
    if value is None or isinstance(value, list | dict):
        raise TreebankError(f"the column {field!r} has a {_type(value)} instead of an id")
    return str(value)


def _type(value: object) -> str:
    names = {type(None): "null", dict: "object", bool: "truth value", int: "number", float: "number"}
    return names.get(type(value), type(value).__name__)


# ── words ────────────────────────────────────────────────────────────────────────────────────────────


def _sentences_of_words(value: Any, fields: RowFields, tags: Any) -> Iterator[Sentence]:
    """Return the sentences of a list of words, of a list of such lists, or of words between blanks."""
    words = _lists(value, fields.tokens, "word")
    if fields.tags is None:
        return (Sentence(tuple(map(Token, one))) for one in words if one)
    of_words, of_tags = list(map(len, words)), list(map(len, found := _lists(tags, fields.tags, "tag")))
    if of_words != of_tags:
        raise TreebankError(
            f"the column {fields.tags!r} has {sum(of_tags)} tags in {len(of_tags)} sentences, and the column"
            f" {fields.tokens!r} {sum(of_words)} words in {len(of_words)}"
        )
    return (
        Sentence(tuple(map(Token, one, its_tags))) for one, its_tags in zip(words, found, strict=True) if one
    )


def _lists(value: Any, field: str | None, what: str) -> list[list[str]]:
    """Return the words or tags of every sentence in a column."""
    if isinstance(value, str):
        value = _from_text(value)
    if value is None:
        value = []
    if not isinstance(value, list):
        raise TreebankError(f"the column {field!r} has a {_type(value)} instead of {what}s")
    lists = value if all(isinstance(one, list) for one in value) else [value]
    for one in lists:
        for number, word in enumerate(one, start=1):
            if not isinstance(word, str) or not word:
                wrong = f"an empty {what}" if word == "" else f"a {_type(word)} instead of a {what}"
                raise TreebankError(f"the column {field!r} has {wrong} at place {number}")
    return lists


def _from_text(text: str) -> Any:
    """Return the items of every line; a list that a CSV file holds as JSON becomes that list."""
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            if isinstance(found, list):
                return found
    return [[word for word in _BLANKS.split(line) if word] for line in text.splitlines()]
