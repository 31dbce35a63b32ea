"""What an encoder is given of sentences: padded tables of numbers, by the batch.

Every encoder is given the rows of the words, of their affixes and of the pieces of their spelling, and how
long the sentences are. A pretrained one is also given the sub-words that its own tokenizer makes of them, in
windows that are no longer than it can read, and where each word is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from spindle.errors import ParserError
from spindle.models import Array
from spindle.parsers.neural.batches import pad
from spindle.parsers.neural.words import PADDING, WordTable, treebank_row

Forms = Sequence[Sequence[str]]


class WordReader:
    """Gives words."""

    def __init__(self, words: WordTable, treebanks: int = 1) -> None:
        self.words, self.treebanks = words, treebanks

    def to_dict(self) -> dict[str, Any]:
        """What it needs beside the words, as JSON can hold it."""
        return {"treebanks": self.treebanks}

    def read(self, sentences: Forms, origins: Sequence[int] | None = None) -> list[Array]:
        """The inputs of an encoder for some sentences, longest first.

        `origins` are the treebanks they are from; those to be parsed are read as if from the first.
        """
        words, affixes, grams = self.words.look_up(sentences)
        if self.treebanks > 1:
            flags = [treebank_row(origin) for origin in origins or [0] * len(sentences)]
            affixes[:, :, -1] = numpy.where(words == PADDING, PADDING, numpy.array(flags)[:, None])
        return [words, affixes, grams, numpy.array([len(forms) for forms in sentences])]


class Window(NamedTuple):
    """Some consecutive words of a sentence that are read together; those before `first` are only context."""

    start: int
    end: int
    first: int


class SubwordReader(WordReader):
    """Gives words, and the sub-words of a pretrained encoder's tokenizer (its JSON file's text).

    Windows are filled up to multiples of `step` sub-words, if there is room.
    """

    def __init__(self, words: WordTable, treebanks: int, tokenizer: str, longest: int, step: int = 1) -> None:
        super().__init__(words, treebanks)
        self.tokenizer, self.longest, self.step = tokenizer, longest, step
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise ParserError("this neural parser needs tokenizers: pip install tokenizers") from None
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        empty = self._tokenizer.encode("").ids
        self._before, self._after = empty[: (len(empty) + 1) // 2], empty[(len(empty) + 1) // 2 :]
        self._known: dict[str, tuple[int, ...]] = {}

    def to_dict(self) -> dict[str, Any]:
        """The tokenizer and its limit."""
        return {**super().to_dict(), "tokenizer": self.tokenizer, "longest": self.longest}

    def read(self, sentences: Forms, origins: Sequence[int] | None = None) -> list[Array]:
        """Words as above; then the sub-words of every window, which of them are none, and where words are."""
        rows: list[Array] = []
        places: list[Array] = []
        for forms in sentences:
            pieces = [self._pieces(form) for form in forms]
            where = numpy.zeros((len(forms), 2), dtype=numpy.int64)
            for start, end, first in windows(list(map(len, pieces)), self._room):
                at = len(self._before)
                for word in range(start, end):
                    if word >= first:
                        where[word] = len(rows), at
                    at += len(pieces[word])
                inside = [piece for of_word in pieces[start:end] for piece in of_word]
                rows.append(numpy.array([*self._before, *inside, *self._after], dtype=numpy.int64))
            places.append(where)
        steps = -(-max(map(len, rows)) // self.step)
        table = pad(rows, min(steps * self.step, self.longest))
        there = numpy.arange(table.shape[1]) < numpy.array([[len(row)] for row in rows])
        return [
            *super().read(sentences, origins),
            table,
            there.astype(numpy.float32),
            pad([where[:, 0] * table.shape[1] + where[:, 1] for where in places]),
        ]

    @property
    def _room(self) -> int:
        return self.longest - len(self._before) - len(self._after)

    def _pieces(self, form: str) -> tuple[int, ...]:
        """The sub-words of a word, never none, and no more than a quarter of what the encoder can read."""
        pieces = self._known.get(form)
        if pieces is None:
            if len(self._known) > 100_000:  # a stream may have any number of words
                self._known.clear()
            # a blank before it, as inside a sentence: some tokenizers write that into the first piece
            ids = self._tokenizer.encode(" " + form, add_special_tokens=False).ids
            pieces = tuple(ids[: max(self._room // 4, 1)]) or (0,)
            self._known[form] = pieces
        return pieces


def windows(lengths: Sequence[int], room: int) -> list[Window]:
    """Windows over words of these lengths that overlap by about half.

    Every word is read in the window where it has context on both sides.

    >>> windows([1, 1, 1, 1, 1, 1], 4)
    [Window(start=0, end=4, first=0), Window(start=2, end=6, first=3)]
    """
    found: list[Window] = []
    start = 0
    while True:
        end, total = start, 0
        while end < len(lengths) and total + lengths[end] <= room:
            total += lengths[end]
            end += 1
        # in the overlap the earlier window reads the first half, the later one the second
        first = (start + found[-1].end) // 2 if found else 0
        found.append(Window(start, end, first))
        if end == len(lengths):
            return found
        overlap = min(room // 2, room - lengths[end])  # the next word must find room, too
        start = end
        while start - 1 > found[-1].start and lengths[start - 1] <= overlap:
            start -= 1
            overlap -= lengths[start]
