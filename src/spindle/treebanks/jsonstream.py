"""JSON as a flat stream of values: memory does not grow with the length of a list.

A source has one object or several, such as one on each line. The values of an object are yielded one by one,
and so are the items of its lists whose names are given. A malformed item costs only itself. Where brackets
do not match, reading ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.limited import Limited
from spindle.treebanks.source import Source

_INSIDE = r'[^"\\]*(?:\\.[^"\\]*)*'
_MARK = re.compile(f'"{_INSIDE}"' + r'|["{}\[\],:]', re.DOTALL)  # a whole string, or a mark
_REST = re.compile(_INSIDE, re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


class JsonValue(NamedTuple):
    """A value of an object, or an item of one of its lists, and the line where it begins.

    After the last value of an object comes one without a name. Items of an outermost list have no name, too.
    """

    name: str
    value: Any
    line: int


def json_values(source: Source, lists: frozenset[str]) -> Iterator[JsonValue | TreebankError]:
    """Yield the values of all objects; those of the named lists one by one."""
    scanner = _Scanner(source, lists)
    pieces = Limited(source.pieces(), source.name, "value")
    try:
        for piece in pieces:
            for found in scanner.feed(piece):
                pieces.restart()
                yield found
        scanner.finish()
    except TreebankError as error:
        yield error


class _Scanner:
    """Finds the ends of values by their brackets; `json` reads them."""

    def __init__(self, source: Source, lists: frozenset[str]) -> None:
        self._source, self._lists = source, lists
        self._open: list[str] = []
        """The brackets that are open."""
        self._level = 1
        """How many brackets are open around the value: 2 for items of a list."""
        self._name: str | None = None
        self._parts: list[str] = []
        """What has been read of the value."""
        self._line = self._start_line = 1
        self._in_string = self._is_listed = False
        self._ignored = 0
        """The number of characters at the start of the next piece that a backslash escapes."""

    def feed(self, piece: str) -> Iterator[JsonValue | TreebankError]:
        """Read a piece of text and yield the values that it completes."""
        start = at = 0
        if self._in_string:
            at = self._end_of_string(piece, self._ignored)
        for match in _MARK.finditer(piece, at) if not self._in_string else ():
            at, mark = match.start(), match[0]
            if mark == '"':  # the string goes on in the next piece
                self._in_string = True
                self._end_of_string(piece, at + 1)
                break
            if mark[0] == '"':
                continue
            if mark in "{[":
                if self._opens(mark, piece[start:at]):
                    start = self._begin(piece, at)
            elif mark in "}]":
                if not self._open or _CLOSING[self._open[-1]] != mark:
                    raise self._error(f"broken JSON: {mark!r} closes nothing", self._line_at(piece, at))
                if len(self._open) == self._level:
                    yield from self._value(piece[start:at], is_last=True)
                    start = self._begin(piece, at)
                    yield from self._closed()
                self._open.pop()
            elif mark == "," and len(self._open) == self._level:
                yield from self._value(piece[start:at])
                start = self._begin(piece, at)
            elif mark == ":" and self._open == ["{"] and self._name is None:
                self._name = self._read_name(piece[start:at])
                start = self._begin(piece, at)
        self._parts.append(piece[start:])
        self._line += piece.count("\n")

    def _end_of_string(self, piece: str, at: int) -> int:
        """Return the place after the string; take note if it does not end in this piece."""
        found = _REST.match(piece, at)
        end = found.end() if found else at
        if piece[end : end + 1] == '"':
            self._in_string = False
            return end + 1
        self._ignored = max(at - len(piece), 0) + len(piece[end:])  # a backslash may be the last character
        return len(piece)

    def finish(self) -> None:
        """Raise an error if the text ends inside a value."""
        if self._open:
            raise self._error("broken JSON: the file ends inside a value", self._line)
        self._check_blank("")

    def _opens(self, mark: str, before: str) -> bool:
        """Take note of an opening bracket; return whether a value begins after it."""
        is_outermost = not self._open
        if is_outermost:
            self._check_blank(before)
            self._level = 1
        self._open.append(mark)
        if is_outermost:
            return True
        is_list = len(self._open) == 2 and mark == "[" and self._name in self._lists
        if is_list and not "".join((*self._parts, before)).strip():
            self._level, self._is_listed = 2, True
            return True
        return False

    def _closed(self) -> Iterator[JsonValue]:
        """Leave a list whose items were values, or an object."""
        if self._level == 2:
            self._level = 1
        else:
            yield JsonValue("", None, self._start_line)

    def _begin(self, piece: str, at: int) -> int:
        """Begin a value after the mark at this place."""
        self._parts.clear()
        self._start_line = self._line_at(piece, at)
        return at + 1

    def _line_at(self, piece: str, at: int) -> int:
        return self._line + piece.count("\n", 0, at)

    def _value(self, end: str, *, is_last: bool = False) -> Iterator[JsonValue | TreebankError]:
        """Yield the value that ends here, or its error."""
        text = "".join((*self._parts, end))
        name, is_item = self._name, len(self._open) == 2 or self._open == ["["]
        if not text.strip():
            if self._is_listed and not is_item:  # after a list whose items have been yielded
                self._is_listed, self._name = False, None
            elif not is_last or (name is not None and not is_item):
                yield self._error("broken JSON: a value is missing", self._start_line)
            return
        if not is_item:
            self._name = None
        line = self._start_line + text.count("\n", 0, len(text) - len(text.lstrip()))
        if undecoded := self._source.undecoded(text, self._start_line):
            yield undecoded
            return
        if self._open == ["{"] and name is None:
            yield self._error("broken JSON: a value without a name", line)
            return
        try:
            yield JsonValue(name or "", json.loads(text), line)
        except json.JSONDecodeError as error:
            yield self._error(f"broken JSON: {error.msg}", self._start_line + error.lineno - 1)
        except (ValueError, RecursionError) as error:
            yield self._error(f"JSON that cannot be read: {error}", line)

    def _read_name(self, end: str) -> str:
        text = "".join((*self._parts, end))
        try:
            name = json.loads(text)
        except ValueError:
            name = None
        if not isinstance(name, str):
            raise self._error("broken JSON: a name in quotes is missing", self._start_line)
        return name

    def _check_blank(self, end: str) -> None:
        if "".join((*self._parts, end)).strip():
            raise self._error("this is not JSON: an object is expected", self._start_line)

    def _error(self, cause: str, line: int) -> TreebankError:
        kind = TreebankError if cause.startswith(("broken JSON: a value", "JSON that")) else UnreadableFile
        return kind(cause, file=self._source.name, line=line)
