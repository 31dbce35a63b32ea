"""Readers: turn sentences into the padded integer arrays that an encoder takes.

Every encoder receives the rows of the words, of their affixes and of their character n-grams, and the
sentence lengths. A pretrained encoder also receives sub-words: its tokenizer splits the sentence into windows
no longer than the encoder can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from spindle.errors import ModelError
from spindle.models import Array
from spindle.parsers.neural.batches import pad
from spindle.parsers.neural.pretrained_tokenizer import Tokenizer
from spindle.parsers.neural.words import MAX_CACHED, MAX_CACHED_LENGTH, PADDING, WordTable, treebank_row

Forms = Sequence[Sequence[str]]
MOST_CHARACTERS_READ = 50_000
"""The characters of a word that are split into sub-words; more sub-words than these have are not used."""
LEAST_ROOM = 4
"""The sub-words of words that an encoder must at least read at a time."""


class WordReader:
    """Returns the rows of words; `treebanks` is the number of treebanks in training."""

    def __init__(self, words: WordTable, treebanks: int = 1) -> None:
        self.words, self.treebanks = words, treebanks

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, without the words, as JSON can store them."""
        return {"treebanks": self.treebanks}

    def read(
        self, sentences: Forms, treebanks: Sequence[int] | None = None, at_least: int = 0
    ) -> list[Array]:
        """Return the inputs of an encoder for sentences, which are sorted by length, longest first.

        `treebanks` has the number of each sentence's treebank. By default all are read as sentences of the
        first treebank, which the parser imitates. Sentences are padded to `at_least` this many words.
        """
        words, affixes, grams = self.words.look_up(sentences, at_least)
        if self.treebanks > 1:
            rows = [treebank_row(number) for number in treebanks or [0] * len(sentences)]
            affixes[:, :, -1] = numpy.where(words == PADDING, PADDING, numpy.array(rows)[:, None])
        return [words, affixes, grams, numpy.array([len(forms) for forms in sentences])]


class Window(NamedTuple):
    """Consecutive words of a sentence that are encoded together; those before `first` are only context."""

    start: int
    end: int
    first: int


class SubwordReader(WordReader):
    """Returns the rows of words, and sub-words made by the tokenizer of a pretrained encoder.

    `tokenizer` is the text of its JSON file. Windows have at most `max_subwords` sub-words; they are padded
    to multiples of `step`, if that is not more than `max_subwords`.
    """

    def __init__(
        self, words: WordTable, treebanks: int, tokenizer: str, max_subwords: int, step: int = 1
    ) -> None:
        super().__init__(words, treebanks)
        self.tokenizer, self.max_subwords, self.step = tokenizer, max_subwords, step
        self._tokenizer = Tokenizer(tokenizer)
        self._before, self._after = _special_subwords(self._tokenizer)
        if self._room < LEAST_ROOM:
            raise ModelError(f"the encoder reads only {max_subwords} sub-words at a time")
        self._cache: dict[str, tuple[int, ...]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, the tokenizer, and the limit of its encoder."""
        return {**super().to_dict(), "tokenizer": self.tokenizer, "longest": self.max_subwords}

    def read(
        self, sentences: Forms, treebanks: Sequence[int] | None = None, at_least: int = 0
    ) -> list[Array]:
        """Return the inputs of `WordReader`, then those of sub-words.

        These are the sub-words `[windows, sub-words]`, their mask, which is 0 for padding, and the index of
        every word's first sub-word in the flattened windows, `[sentences, words]`.
        """
        rows: list[Array] = []
        positions: list[Array] = []
        for forms in sentences:
            pieces = [self._subwords(form) for form in forms]
            of_words = numpy.zeros((len(forms), 2), dtype=numpy.int64)
            for start, end, first in windows(list(map(len, pieces)), self._room):
                at = len(self._before)
                for word in range(start, end):
                    if word >= first:
                        of_words[word] = len(rows), at
                    at += len(pieces[word])
                inside = [piece for of_word in pieces[start:end] for piece in of_word]
                rows.append(numpy.array([*self._before, *inside, *self._after], dtype=numpy.int64))
            positions.append(of_words)
        steps = -(-max(map(len, rows)) // self.step)
        table = pad(rows, min(max(steps * self.step, at_least), self.max_subwords))
        mask = numpy.arange(table.shape[1]) < numpy.array([[len(row)] for row in rows])
        return [
            *super().read(sentences, treebanks, at_least),
            table,
            mask.astype(numpy.float32),
            pad([of_words[:, 0] * table.shape[1] + of_words[:, 1] for of_words in positions], at_least),
        ]

    @property
    def _room(self) -> int:
        return self.max_subwords - len(self._before) - len(self._after)

    def _subwords(self, form: str) -> tuple[int, ...]:
        """Return the sub-words of a word: at least one, at most a quarter of what the encoder can read."""
        pieces = self._cache.get(form)
        if pieces is None:
            if len(self._cache) > MAX_CACHED:
                self._cache.clear()
            # a blank before the word, as inside a sentence: some tokenizers encode it in the first sub-word
            ids, _ = self._tokenizer.encode(" " + form[:MOST_CHARACTERS_READ], special=False)
            pieces = tuple(ids[: max(self._room // 4, 1)]) or (0,)
            if len(form) <= MAX_CACHED_LENGTH:
                self._cache[form] = pieces
        return pieces


def _special_subwords(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the special sub-words that a tokenizer puts before and after a sentence."""
    ids, mask = tokenizer.encode("a", special=True)
    if 0 not in mask:  # this tokenizer has no sub-word for the probe
        return ids[: (len(ids) + 1) // 2], ids[(len(ids) + 1) // 2 :]
    return ids[: mask.index(0)], ids[len(ids) - mask[::-1].index(0) :]


def windows(lengths: Sequence[int], room: int) -> list[Window]:
    """Split words of these lengths into windows of at most `room` that overlap by about half.

    Every word is read in the window in which it has context on both sides.

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
        # the earlier window reads the first half of the overlap, the later one the second half
        first = (start + found[-1].end) // 2 if found else 0
        found.append(Window(start, end, first))
        if end == len(lengths):
            return found
        overlap = min(room // 2, room - lengths[end])  # leave room for the next word
        start = end
        while start - 1 > found[-1].start and lengths[start - 1] <= overlap:
            start -= 1
            overlap -= lengths[start]
