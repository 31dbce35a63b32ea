"""Words as numbers: what a network sees of a form, whether training has seen it or not.

A form that training has seen often enough has a row of its own in a table. Every form, known or not, has
affixes, a shape and pieces of its spelling; those are hashed into tables of a fixed size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple
from zlib import crc32

import numpy

from spindle.models import Array

PADDING, UNKNOWN = 0, 1
SPECIAL = 2
"""Rows of every table that stand for no word or piece: padding, and for words the unknown one."""
AFFIXES = 11
"""The last is no affix but stands for the treebank, where there are several."""
WHOLE = 0
"""The first is all of the word, in small letters: who forgets a word must forget this, too."""
GRAMS = 16
"""How many pieces of its spelling a word may have; those of longer words are left out at the end."""
MOST_WORDS = 50_000
"""How many words may have a row of their own: the most frequent ones."""
AFFIX_ROWS = 1 << 14
GRAM_ROWS = 1 << 14


class Rows(NamedTuple):
    """The rows of the tables that words look up; the last axis is the pieces'."""

    words: Array
    affixes: Array
    grams: Array


_SHAPES: tuple[tuple[int, ...], ...] = ((), (AFFIXES,), (GRAMS,))
"""What each of these has of a word."""


class WordTable:
    """Finds the rows of words. `keys` are the sorted hashes of the forms that have a row of their own."""

    def __init__(self, keys: Array) -> None:
        self.keys = keys
        self._numbers = {key: row for row, key in enumerate(keys.tolist(), start=SPECIAL)}
        self._looking = Lock()
        self._forget()

    def _forget(self) -> None:
        """Remember no form; the arrays have room for some, after a row that is all padding."""
        self._places: dict[str, int] = {}
        self._rows = Rows(*(numpy.zeros((1 << 10, *of_word), dtype=numpy.int64) for of_word in _SHAPES))

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]], at_least: int = 2) -> WordTable:
        """A table with a row for every form that was seen so often, if those are not too many."""
        counts = Counter(form for forms in sentences for form in forms)
        keys = {_key(form) for form, count in counts.most_common(MOST_WORDS) if count >= at_least}
        return cls(numpy.array(sorted(keys), dtype=numpy.uint64))

    def __len__(self) -> int:
        return SPECIAL + len(self.keys)

    def look_up(self, sentences: Sequence[Sequence[str]]) -> Rows:
        """The rows of the forms of sentences, padded."""
        places = numpy.zeros((len(sentences), max(map(len, sentences), default=0)), dtype=numpy.int64)
        with self._looking:  # several batches may be read at the same time
            if len(self._places) > _LONGEST_MEMORY:
                self._forget()
            for row, forms in zip(places, sentences, strict=True):
                row[: len(forms)] = [self._places.get(form) or self._place(form) for form in forms]
            return Rows(*(table[places] for table in self._rows))

    def _place(self, form: str) -> int:
        """Where the rows of a form that nobody has asked for yet are kept from now on."""
        place = self._places[form] = 1 + len(self._places)
        if place == len(self._rows.words):
            self._rows = Rows(*(numpy.concatenate([table, numpy.zeros_like(table)]) for table in self._rows))
        pieces = _pieces(form)
        self._rows.words[place] = self._numbers.get(_key(form), UNKNOWN)
        self._rows.affixes[place], self._rows.grams[place] = pieces[:AFFIXES], pieces[AFFIXES:]
        return place


_LONGEST_MEMORY = 100_000
"""How many forms are remembered before all are forgotten: a stream may have any number of them."""


def _key(form: str) -> int:
    return int.from_bytes(blake2b(form.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _pieces(form: str) -> tuple[int, ...]:
    """The rows of a form's affixes and shape, then those of the pieces of its spelling."""
    lower = form.lower()
    affixes = (lower, form[:1], lower[:2], lower[:3], form[-1:], lower[-2:], lower[-3:], lower[-4:])
    marked = f"<{lower}>"
    grams = [marked[start : start + 3] for start in range(len(marked) - 2)]
    grams += [marked[start : start + 4] for start in range(len(marked) - 3)]
    kinds = enumerate((*affixes, shape(form), _length(form)))
    rows = [*(_row(f"{kind}{text}", AFFIX_ROWS) for kind, text in kinds), PADDING]
    rows += [_row(gram, GRAM_ROWS) for gram in grams[:GRAMS]]
    return (*rows, *[PADDING] * (AFFIXES + GRAMS - len(rows)))


def treebank_row(number: int) -> int:
    """The row that stands for one of several treebanks."""
    return _row(f"treebank {number}", AFFIX_ROWS)


def _row(text: str, rows: int) -> int:
    return SPECIAL + crc32(text.encode("utf-8", "surrogatepass")) % (rows - SPECIAL)


def shape(form: str) -> str:
    """The kinds of a form's characters, runs cut after two.

    >>> shape("Spindle"), shape("1999-2001")
    ('Xxx', 'dd-dd')
    """
    kinds: list[str] = []
    for character in form:
        kind = (
            "X"
            if character.isupper()
            else "x"
            if character.isalpha()
            else "d"
            if character.isdigit()
            else character
        )
        if kinds[-2:] != [kind, kind]:
            kinds.append(kind)
    return "".join(kinds[:8])


def _length(form: str) -> str:
    return f"={min(len(form), 12)}"
