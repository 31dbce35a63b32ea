"""Words as row numbers of embedding tables.

A form that is frequent in training has a row of its own. Every form, known or not, also has affixes, a shape
and character n-grams, which are hashed into tables of a fixed size.
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
"""The number of rows at the start of every table that are special: padding, and the unknown word."""
AFFIXES = 11
"""The affix features of a word. The last one is its treebank, if there are several."""
WHOLE = 0
"""The position of the first affix feature, the lower-cased word: word dropout must hide it, too."""
GRAMS = 16
"""The maximal number of character n-grams of a word; a longer word loses the last ones."""
SHAPE = 8
"""The maximal length of the shape of a word."""
MAX_WORDS = 50_000
"""The maximal number of words with a row of their own: the most frequent ones."""
AFFIX_ROWS = 1 << 14
GRAM_ROWS = 1 << 14
MAX_CACHED = 100_000
"""The number of cached forms at which the cache is emptied: a stream may have any number of forms."""
MAX_CACHED_LENGTH = 1_000
"""The characters of the longest form that is cached itself; the cache has a hash of a longer one."""


class Rows(NamedTuple):
    """Row numbers: `words [sentences, words]`, `affixes [… , AFFIXES]`, `grams [… , GRAMS]`."""

    words: Array
    affixes: Array
    grams: Array


_SHAPES: tuple[tuple[int, ...], ...] = ((), (AFFIXES,), (GRAMS,))
"""The shape of each field of `Rows` for one word."""


class WordTable:
    """Looks up the rows of words. `keys` are the sorted hashes of the forms with a row of their own."""

    def __init__(self, keys: Array) -> None:
        self.keys = keys
        self._numbers = {key: row for row, key in enumerate(keys.tolist(), start=SPECIAL)}
        self._lock = Lock()
        self._empty_cache()

    def _empty_cache(self) -> None:
        """Remove all forms; row 0 of the cached arrays is padding."""
        self._positions: dict[str, int] = {}
        self._rows = Rows(*(numpy.zeros((1 << 10, *shape), dtype=numpy.int64) for shape in _SHAPES))

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]], at_least: int = 2) -> WordTable:
        """Return a table with a row for every form that occurs `at_least` times, up to `MAX_WORDS`."""
        counts = Counter(form for forms in sentences for form in forms)
        keys = {_key(form) for form, count in counts.most_common(MAX_WORDS) if count >= at_least}
        return cls(numpy.array(sorted(keys), dtype=numpy.uint64))

    def __len__(self) -> int:
        return SPECIAL + len(self.keys)

    def look_up(self, sentences: Sequence[Sequence[str]], at_least: int = 0) -> Rows:
        """Return the rows of the forms of sentences, padded to the longest, and to `at_least` this many."""
        places = max(map(len, sentences), default=0)
        positions = numpy.zeros((len(sentences), max(places, at_least)), dtype=numpy.int64)
        with self._lock:  # several threads may parse at the same time
            if len(self._positions) > MAX_CACHED:
                self._empty_cache()
            for row, forms in zip(positions, sentences, strict=True):
                row[: len(forms)] = [self._positions.get(form) or self._add(form) for form in forms]
            return Rows(*(table[positions] for table in self._rows))

    def _add(self, form: str) -> int:
        """Add a form to the cache and return its position there."""
        name = form if len(form) <= MAX_CACHED_LENGTH else f"{len(form)} {_key(form)}"
        if name in self._positions:
            return self._positions[name]
        position = self._positions[name] = 1 + len(self._positions)
        if position == len(self._rows.words):
            self._rows = Rows(*(numpy.concatenate([table, numpy.zeros_like(table)]) for table in self._rows))
        hashed = _hashed_rows(form)
        self._rows.words[position] = self._numbers.get(_key(form), UNKNOWN)
        self._rows.affixes[position], self._rows.grams[position] = hashed[:AFFIXES], hashed[AFFIXES:]
        return position


def _key(form: str) -> int:
    return int.from_bytes(blake2b(form.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _hashed_rows(form: str) -> tuple[int, ...]:
    """Return the rows of a form's affixes, shape and length, then those of its character n-grams."""
    lower = form.lower()
    affixes = (lower, form[:1], lower[:2], lower[:3], form[-1:], lower[-2:], lower[-3:], lower[-4:])
    marked = f"<{lower}>"[: GRAMS + 2]  # has all n-grams that are used
    grams = [marked[start : start + 3] for start in range(len(marked) - 2)]
    grams += [marked[start : start + 4] for start in range(len(marked) - 3)]
    features = enumerate((*affixes, shape(form), _length(form)))
    rows = [*(_row(f"{kind}{text}", AFFIX_ROWS) for kind, text in features), PADDING]
    rows += [_row(gram, GRAM_ROWS) for gram in grams[:GRAMS]]
    return (*rows, *[PADDING] * (AFFIXES + GRAMS - len(rows)))


def treebank_row(number: int) -> int:
    """Return the affix row that stands for a treebank."""
    return _row(f"treebank {number}", AFFIX_ROWS)


def _row(text: str, rows: int) -> int:
    return SPECIAL + crc32(text.encode("utf-8", "surrogatepass")) % (rows - SPECIAL)


def shape(form: str) -> str:
    """Return the classes of a form's characters; at most two equal ones in a row are kept.

    >>> shape("Spindle"), shape("1999-2001")
    ('Xxx', 'dd-dd')
    """
    kinds: list[str] = []
    for character in form:
        kind = _character_class(character)
        if kinds[-2:] != [kind, kind]:
            kinds.append(kind)
            if len(kinds) == SHAPE:
                break
    return "".join(kinds)


def _character_class(character: str) -> str:
    if character.isupper():
        return "X"
    if character.isalpha():
        return "x"
    return "d" if character.isdigit() else character


def _length(form: str) -> str:
    return f"={min(len(form), 12)}"
