r"""Symbols inside dependency labels and MISC columns: what would be misread is escaped with a backslash.

>>> escape("S|a b"), unescape("S\\pa\\sb"), escape("")
('S\\pa\\sb', 'S|a b', '\\e')
"""

from __future__ import annotations

import re

_ESCAPED = {
    "\\": "\\\\",
    " ": "\\s",
    "|": "\\p",  # between the symbols of a spine, and between the fields of MISC
    ",": "\\c",  # between the places of a MISC field
    ":": "\\d",  # between a place and its chain
    ">": "\\g",  # between the labels of a chain
}
_EMPTY = "\\e"
_UNESCAPED = {escaped: plain for plain, escaped in _ESCAPED.items()} | {_EMPTY: ""}
# in a dependency label only these three can be misread; the others stay legible
_IN_LABELS = re.compile(r"[\\ |]")
_IN_FIELDS = re.compile(r"[\\ |,:>]")
_ESCAPES = re.compile(r"\\.", re.DOTALL)


def escape(symbol: str) -> str:
    """A symbol as it can stand in a dependency label."""
    if symbol.isalnum():  # nearly all are: worth the shortcut
        return symbol
    return _IN_LABELS.sub(lambda match: _ESCAPED[match[0]], symbol) or _EMPTY


def escape_field(text: str) -> str:
    """A string as it can stand inside a field of MISC."""
    return _IN_FIELDS.sub(lambda match: _ESCAPED[match[0]], text) or _EMPTY


def unescape(text: str) -> str:
    """The inverse of `escape` and of `escape_field`; an escape that neither writes is left as it is."""
    if "\\" not in text:
        return text
    return _ESCAPES.sub(lambda match: _UNESCAPED.get(match[0], match[0]), text)
