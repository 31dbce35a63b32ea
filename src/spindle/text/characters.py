"""Texts as arrays of characters, with the class and the normalized form of each, for the core.

Classes come from Unicode's categories. The tables are filled in pages of 256 characters, when a text first
uses one of them.
"""

from __future__ import annotations

import unicodedata
from enum import IntEnum
from threading import Lock
from typing import Any, NamedTuple

import numpy

Codes = numpy.ndarray[Any, numpy.dtype[numpy.uint32]]
Classes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]


class CharClass(IntEnum):
    """The classes of characters, as `core/text/characters.hpp` numbers them."""

    OTHER = 0
    BLANK = 1
    BREAK = 2
    UPPER = 3
    LOWER = 4
    LETTER = 5
    MARK = 6
    DIGIT = 7
    OPEN = 8
    CLOSE = 9
    QUOTE = 10
    APOSTROPHE = 11
    STOP = 12
    FINAL = 13
    COMMA = 14
    DASH = 15
    SLASH = 16
    CURRENCY = 17
    MATH = 18
    PICTOGRAM = 19
    REGIONAL = 20
    JOINER = 21


_BY_CATEGORY = {
    "Lu": CharClass.UPPER,
    "Lt": CharClass.UPPER,
    "Ll": CharClass.LOWER,
    "Lm": CharClass.LETTER,
    "Lo": CharClass.LETTER,
    "Mn": CharClass.MARK,
    "Mc": CharClass.MARK,
    "Me": CharClass.MARK,
    "Cf": CharClass.MARK,  # soft hyphens, joiners, marks of direction: invisible parts of words
    "Nd": CharClass.DIGIT,
    "Nl": CharClass.LETTER,
    "Ps": CharClass.OPEN,
    "Pe": CharClass.CLOSE,
    "Pi": CharClass.QUOTE,
    "Pf": CharClass.QUOTE,
    "Pd": CharClass.DASH,
    "Sc": CharClass.CURRENCY,
    "Sm": CharClass.MATH,
    "So": CharClass.PICTOGRAM,
}
_BY_CHARACTER = {
    **dict.fromkeys("'’", CharClass.APOSTROPHE),
    **dict.fromkeys('"„‟', CharClass.QUOTE),
    **dict.fromkeys(".。", CharClass.STOP),
    **dict.fromkeys("?!…؟।‽！？", CharClass.FINAL),
    **dict.fromkeys(",;:", CharClass.COMMA),
    **dict.fromkeys("/\\", CharClass.SLASH),
    **dict.fromkeys("©®™°№", CharClass.OTHER),
    "\u2212": CharClass.DASH,
    "\u200d": CharClass.JOINER,
}
_APOSTROPHES = "'’"
INVISIBLE_BLANKS = "\u200b\ufeff"
"""Blanks without width, which `str.isspace` does not know."""
_REMOVED = str.maketrans("", "", INVISIBLE_BLANKS)
_PAGE = 256
_LAST = 0x110000


class Characters(NamedTuple):
    """The characters of a text: their codes, normalized forms and classes."""

    codes: Codes
    plain: Codes
    classes: Classes


class _Tables:
    """The classes and normalized forms of all characters that have been asked for."""

    def __init__(self) -> None:
        self.classes = numpy.zeros(_LAST, numpy.uint8)
        self.plain = numpy.zeros(_LAST, numpy.uint32)
        self.known = numpy.zeros(_LAST // _PAGE, bool)
        self.lock = Lock()

    def fill(self, codes: Codes) -> None:
        """Fill the pages of these characters."""
        used = numpy.bincount(codes >> 8, minlength=len(self.known)) > 0
        if not (used & ~self.known).any():
            return
        with self.lock:
            for page in numpy.flatnonzero(used & ~self.known):
                for code in range(page * _PAGE, (page + 1) * _PAGE):
                    self.classes[code], self.plain[code] = _class(chr(code)), _plain(chr(code))
                self.known[page] = True


_TABLES = _Tables()


def is_blank(text: str) -> bool:
    """Return whether a text has nothing but blanks, with or without width."""
    return not text.translate(_REMOVED).strip()


def _class(character: str) -> CharClass:
    if is_blank(character):
        return CharClass.BLANK
    if found := _BY_CHARACTER.get(character):
        return found
    code = ord(character)
    if 0x1F1E6 <= code <= 0x1F1FF:
        return CharClass.REGIONAL
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:  # skin colours, tags of flags
        return CharClass.MARK
    return _BY_CATEGORY.get(unicodedata.category(character), CharClass.OTHER)


def _plain(character: str) -> int:
    if character in _APOSTROPHES:
        return ord("'")
    if character.isdecimal():
        return ord("0")
    lower = character.lower()
    return ord(lower) if len(lower) == 1 else ord(character)


def characters(text: str) -> Characters:
    """Return the arrays of a text, which may contain lone surrogates."""
    codes = numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(
        numpy.uint32, copy=False
    )
    _TABLES.fill(codes)
    return Characters(codes, _TABLES.plain[codes], _TABLES.classes[codes])
