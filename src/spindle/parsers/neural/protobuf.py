"""Reads and writes the fields of protocol-buffer messages; enough to inspect a graph before it is loaded.

A message is a sequence of fields: a number, a wire type, and a value. Nothing is copied: the value of a field
with a length is a view of the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""The wire types; the two for groups are obsolete, and refused."""
_FIXED = {FIXED64: 8, FIXED32: 4}


class MalformedMessage(ValueError):
    """Bytes that are not a protocol-buffer message."""


class Field(NamedTuple):
    """A field: `value` is the number of a varint, and a view of the bytes otherwise."""

    number: int
    wire: int
    value: int | memoryview


def read_fields(message: memoryview) -> Iterator[Field]:
    """Yield the fields of a message.

    >>> [(field.number, bytes(field.value)) for field in read_fields(memoryview(b"\\x0a\\x02hi"))]
    [(1, b'hi')]
    """
    at, size = 0, len(message)
    while at < size:
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise MalformedMessage("a field has the number 0")
        if wire == VARINT:
            value, at = _varint(message, at)
            yield Field(number, wire, value)
            continue
        if wire == BYTES:
            length, at = _varint(message, at)
        elif wire in _FIXED:
            length = _FIXED[wire]
        else:
            raise MalformedMessage(f"a field has the wire type {wire}")
        if length > size - at:
            raise MalformedMessage("a field is longer than its message")
        yield Field(number, wire, message[at : at + length])
        at += length


def read_varints(packed: memoryview) -> Iterator[int]:
    """Yield the numbers of a packed field."""
    at = 0
    while at < len(packed):
        value, at = _varint(packed, at)
        yield value


def write_field(number: int, wire: int, value: int | bytes | memoryview) -> bytes:
    """Return the bytes of a field; `read_fields` is the inverse.

    >>> write_field(1, BYTES, b"hi"), write_field(14, VARINT, 300)
    (b'\\n\\x02hi', b'p\\xac\\x02')
    """
    key = _write_varint(number << 3 | wire)
    if isinstance(value, int):
        return key + _write_varint(value)
    return b"".join((key, _write_varint(len(value)) if wire == BYTES else b"", value))


def signed(value: int) -> int:
    """Return a varint as a signed number of 64 bits.

    >>> signed((1 << 64) - 1)
    -1
    """
    return value - (1 << 64) if value >= 1 << 63 else value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Return a number of up to 64 bits and the offset after it."""
    if at < len(message) and message[at] < 0x80:
        return message[at], at + 1  # nearly all numbers have one byte
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                break
            return value, at
        shift += 7
    raise MalformedMessage("a number is cut off or too long")


def _write_varint(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
