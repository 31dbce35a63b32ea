"""JSON Lines: one JSON object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, time
from typing import Any

from spindle.errors import TreebankError
from spindle.tables.rows import Row
from spindle.treebanks.source import Source

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json_lines(source: Source) -> Iterator[Row | TreebankError]:
    """Yield the objects; empty lines are skipped. A line that is no object yields an error."""
    for number, line in enumerate(source.lines(keep_undecoded=True), start=1):
        if line.isspace():
            continue
        error = source.undecoded(line, number)
        yield error or _row(line, source.name, number)


def json_line(row: Row) -> str:
    """Return a row as a line."""
    return to_json(row) + "\n"


def to_json(value: object) -> str:
    """Return a value as JSON; values that JSON does not know, such as dates, are written as text."""
    return json.dumps(value, ensure_ascii=False, default=_as_text)


def _row(line: str, file: str, number: int) -> Row | TreebankError:
    try:
        found = json.loads(line)
        if "\\u" in line:  # an escape can stand for half of a character, which no output could hold
            found = _without_surrogates(found)
    except (ValueError, RecursionError) as error:
        cause = f"not JSON: {error}" if isinstance(error, ValueError) else "values are nested too deeply"
        return TreebankError(cause, file=file, line=number)
    if not isinstance(found, dict):
        return TreebankError("the line is not a JSON object, { … }", file=file, line=number)
    return found


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_without_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(one) for name, one in value.items()}
    return value


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, date | time) else str(value)
