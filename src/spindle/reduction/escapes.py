r"""Escaping of symbols in dependency labels and MISC columns: reserved characters get a backslash.

Other targets reserve other characters and have escapes of their own: bracketed treebank files
(`spindle.treebanks.escapes`) and the label alphabets of external parsers
(`spindle.parsers.external.exchange`).

>>> escape("S|a b"), unescape("S\\pa\\sb"), escape("")
('S\\pa\\sb', 'S|a b', '\\e')
"""

from __future__ import annotations

import re

_ESCAPED = {
    "\\": "\\\\",
    " ": "\\s",
    "|": "\\p",  # separates the symbols of a spine, and the fields of MISC
    ",": "\\c",  # separates the places of a MISC field
    ":": "\\d",  # separates a place from its chain
    ">": "\\g",  # separates the labels of a chain
}
_EMPTY = "\\e"
_UNESCAPED = {escaped: plain for plain, escaped in _ESCAPED.items()} | {_EMPTY: ""}
# in a dependency label only these three are reserved; the others stay legible
_IN_LABELS = re.compile(r"[\\ |]")
_IN_FIELDS = re.compile(r"[\\ |,:>]")
_ESCAPES = re.compile(r"\\.", re.DOTALL)


def escape(symbol: str) -> str:
    """Escape a symbol for a dependency label."""
    if symbol.isalnum():  # the common case, worth a shortcut
        return symbol
    return _IN_LABELS.sub(lambda match: _ESCAPED[match[0]], symbol) or _EMPTY


def escape_field(text: str) -> str:
    """Escape a string for a field of MISC."""
    return _IN_FIELDS.sub(lambda match: _ESCAPED[match[0]], text) or _EMPTY


def unescape(text: str) -> str:
    """Invert `escape` and `escape_field`; unknown escape sequences are left unchanged."""
    if "\\" not in text:
        return text
    return _ESCAPES.sub(lambda match: _UNESCAPED.get(match[0], match[0]), text)
