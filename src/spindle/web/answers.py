"""JSON, read and written with orjson, which takes a tenth of the time of the standard library."""

from __future__ import annotations

import json
from typing import Any

import orjson
from starlette.responses import JSONResponse as _JSONResponse


def to_json(record: Any) -> bytes:
    """Return a record as JSON in UTF-8.

    What orjson refuses, the standard library writes: halves of surrogate pairs and keys that are numbers.
    Numbers that JSON does not have become null.
    """
    try:
        return orjson.dumps(record)
    except TypeError:
        return json.dumps(record, allow_nan=False).encode()


def from_json(data: bytes) -> Any:
    """Return what a text in JSON says; raises a ValueError or RecursionError that names the place."""
    try:
        return orjson.loads(data)
    except ValueError:
        return json.loads(data)


class JSONResponse(_JSONResponse):
    """An answer in JSON."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return to_json(content)
