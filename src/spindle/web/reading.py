"""Reading requests: bodies within the limits, and fields of JSON objects with checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from spindle.web.answers import from_json
from spindle.web.limits import Limits


class Refusal(Exception):
    """A request that is answered with an error: the status, and what is wrong."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


class Fields:
    """The fields of a JSON object. Every field is read once; `finish` refuses those that were not read."""

    def __init__(self, record: Mapping[str, Any], place: str = "") -> None:
        self._left = dict(record)
        self._place = place

    def __contains__(self, name: str) -> bool:
        return self._left.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field that is text."""
        value = self.take(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "text", value)
        return checked_text(value, f"`{self._place}{name}`")

    def optional_text(self, name: str) -> str | None:
        """Return a field that is text, or None if it is missing."""
        return self.text(name) if name in self else self.take(name, "") or None

    def choice(self, name: str, choices: Sequence[str], default: str | None = None) -> str:
        """Return a field that is one of some words."""
        value = self.text(name, default)
        if value not in choices:
            raise Refusal(400, f"`{self._place}{name}` is {shown(value)}; choose one of {', '.join(choices)}")
        return value

    def flag(self, name: str) -> bool:
        """Return a field that is true or false; false if it is missing."""
        value = self.take(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def number(self, name: str, low: int, high: int, default: int) -> int:
        """Return a field that is a whole number between two limits."""
        value = self.take(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a whole number", value)
        if not low <= value <= high:
            raise Refusal(400, f"`{self._place}{name}` is {value}, but must be from {low} to {high}")
        return value

    def items(self, name: str) -> list[Any]:
        """Return a field that is a list."""
        value = self.take(name, None)
        if not isinstance(value, list):
            raise self._wrong(name, "a list", value)
        return value

    def finish(self) -> None:
        """Refuse fields that are left over: a misspelt option must not be ignored."""
        left = sorted(name for name, value in self._left.items() if value is not None)
        if left:
            names = ", ".join(f"`{self._place}{name[:40]}`" for name in left)
            raise Refusal(400, f"this request has no field {names}")

    def take(self, name: str, default: Any = None) -> Any:
        """Return a field of any type; refuse a request without it, unless there is a default."""
        value = self._left.pop(name, None)
        if value is None:
            value = default
        if value is None:
            raise Refusal(400, f"the field `{self._place}{name}` is missing")
        return value

    def _wrong(self, name: str, expected: str, value: object) -> Refusal:
        return Refusal(400, f"`{self._place}{name}` must be {expected}, not {json_type(value)}")


def checked_text(text: str, name: str) -> str:
    """Return the text; refuse halves of surrogate pairs, which cannot be written again."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refusal(400, f"{name} has half of a surrogate pair at character {error.start}") from None
    return text


def checked_number(text: str, name: str) -> int:
    """Return a whole number from 1 in an address."""
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise Refusal(400, f"`{name}` must be a whole number from 1")
    return int(text)


def shown(text: str) -> str:
    """Return a short form of text that a client has sent, for messages."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def json_type(value: object) -> str:
    """Return the name that JSON has for the type of a value.

    >>> json_type({}), json_type(True), json_type(1)
    ('an object', 'true', 'a number')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {dict: "an object", list: "a list", str: "text", int: "a number", float: "a number"}
    return names.get(type(value), "null")


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the body of a request; refuse it as soon as it is too large."""
    message = f"the request is larger than {limits.body_bytes >> 20} MB; send it in parts"
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limits.body_bytes:
        raise Refusal(413, message)
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > limits.body_bytes:
            raise Refusal(413, message)
        pieces.append(piece)
    return b"".join(pieces)


async def read_fields(request: Request, limits: Limits) -> Fields:
    """Return the fields of a request whose body is a JSON object."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "send JSON, with the header `Content-Type: application/json`")
    body = await read_body(request, limits)
    try:
        record = from_json(body)
    except (ValueError, RecursionError) as error:
        cause = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refusal(400, f"the request is not JSON: {cause}") from None
    if not isinstance(record, dict):
        raise Refusal(400, f"the request must be a JSON object, not {json_type(record)}")
    return Fields(record)
