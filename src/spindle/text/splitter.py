"""The front end for raw text: sentences and words with their places in the text, exactly as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy

from spindle.text.boundaries import BoundaryModel
from spindle.text.characters import CharClass, characters, is_blank
from spindle.text.lines import LINE, Lines, mark_breaks
from spindle.text.sentences import split_sentences
from spindle.text.tokenization_style import ENGLISH, TokenizationStyle
from spindle.text.tokenizer import Span, respell_quotes, tokenize

MAX_REGION = 1 << 17
"""A stream keeps at most about this many characters of text in memory."""
_END_OF_REGION = MAX_REGION >> 3
"""The number of characters at the end of a long text in which a place to cut it is looked for first."""


class Region(NamedTuple):
    """A part of a long text that is split on its own: its characters, and its sentences.

    `start` is the offset of the region in the text; spans refer to `text`. An empty line is a sentence
    without words.
    """

    text: str
    start: int
    sentences: list[list[Span]]


@dataclass(frozen=True)
class TextSplitter:
    """Splits raw text as a treebank does: with a trained model, or else in the style of its words."""

    style: TokenizationStyle = ENGLISH
    model: BoundaryModel | None = None

    def words(self, text: str) -> list[Span]:
        """Return the words of one sentence."""
        if self.model is None:
            return tokenize(text, self.style)
        begins, ends, _ = self.model.find(characters(text))
        return self._spans(text, begins.tolist(), ends.tolist())

    def sentences(self, text: str, lines: Lines = Lines.AUTO) -> list[list[Span]]:
        """Return the sentences of a text; none of them is empty."""
        return self._by_model(text, lines) if self.model else self._by_style(text, lines)

    def regions(
        self, pieces: Iterable[str], lines: Lines = Lines.AUTO, is_in_line: bool = False
    ) -> Iterator[Region]:
        """Split a text that arrives in pieces of any size, with little memory.

        A region ends at the end of a line, or of a block of lines if sentences may go on in the next line. A
        line or block that is too long for the memory is cut after a sentence, or after a word. `is_in_line`
        tells whether the text is the rest of a line that was cut.
        """
        start = 0
        for text in self.cut(pieces, lines):
            yield self._region(text, start, lines, is_in_line)
            start += len(text)
            is_in_line = ends_in_line(text)

    def cut(self, pieces: Iterable[str], lines: Lines = Lines.AUTO) -> Iterator[str]:
        """Yield the texts of the regions."""
        find_end = end_of_lines if lines in (Lines.SENTENCE, Lines.PARAGRAPH) else end_of_block
        rest = ""
        for piece in pieces:
            searched = len(rest)
            rest += piece
            end = find_end(rest, searched)
            while end or len(rest) >= MAX_REGION:
                text = rest[: end or self._cut(rest, lines)]
                yield text
                rest, end = rest[len(text) :], 0
        if rest:
            yield rest

    def _region(self, text: str, start: int, lines: Lines, is_in_line: bool) -> Region:
        """Return a region with its sentences, and with an empty sentence for every empty line."""
        sentences = self.sentences(text, lines)
        found: list[list[Span]] = []
        number = 0
        for line in LINE.finditer(text):
            if is_blank(line[0]) and not is_in_line:
                found.append([])
            is_in_line = False
            while number < len(sentences) and sentences[number][0].start < line.end():
                found.append(sentences[number])
                number += 1
        return Region(text, start, found)

    def _cut(self, text: str, lines: Lines) -> int:
        """Return where a text that is too long is cut: before its last sentence, or its last word.

        The end of the text is split alone if that is enough; it may begin inside a word or sentence.
        """
        for start in (max(len(text) - _END_OF_REGION, 0), 0):
            sentences = self.sentences(text[start:], lines)
            if lines is not Lines.SENTENCE and len(sentences) > 1 + (start > 0):
                return start + sentences[-1][0].start
        words = [word for sentence in sentences for word in sentence]
        return words[-1].start if len(words) > 1 else len(text)

    def _by_model(self, text: str, lines: Lines) -> list[list[Span]]:
        assert self.model is not None
        found = characters(text)
        mark_breaks(text, found.classes, lines)
        begins, ends, starts = self.model.find(found)
        if lines is Lines.SENTENCE:
            line_of = numpy.cumsum(found.classes == CharClass.BREAK)[begins]
            starts = numpy.flatnonzero(numpy.diff(line_of, prepend=-1))
        spans = self._spans(text, begins.tolist(), ends.tolist())
        bounds = [*starts.tolist(), len(spans)]
        return [spans[begin:end] for begin, end in pairwise(bounds)]

    def _by_style(self, text: str, lines: Lines) -> list[list[Span]]:
        found = characters(text).classes
        mark_breaks(text, found, lines)
        sentences: list[list[Span]] = []
        begin = 0
        for end in [*numpy.flatnonzero(found == CharClass.BREAK).tolist(), len(text)]:
            part = text[begin:end]
            split = (
                [tokenize(part, self.style)] if lines is Lines.SENTENCE else split_sentences(part, self.style)
            )
            sentences += [
                [Span(form, begin + first, begin + last) for form, first, last in words]
                for words in split
                if words
            ]
            begin = end
        return sentences

    def _spans(self, text: str, begins: list[int], ends: list[int]) -> list[Span]:
        spans = [Span(text[begin:end], begin, end) for begin, end in zip(begins, ends, strict=True)]
        return respell_quotes(spans) if self.style.penn_quotes else spans


def ends_in_line(text: str) -> bool:
    """Return whether a text ends inside a line."""
    return text[-1:] not in ("", "\r", "\n")


_EMPTY_LINE = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\n|\r(?!\Z))")


def end_of_lines(text: str, searched: int) -> int:
    """Return the end of the last complete line; 0 if none has come since the first search."""
    # a carriage return at the very end may be half of a line end
    return max(text.rfind("\n", searched), text.rfind("\r", max(searched - 1, 0), len(text) - 1)) + 1


def end_of_block(text: str, searched: int) -> int:
    """Return the end of the last empty line after a line; 0 if none has come since the first search."""
    end = 0
    for match in _EMPTY_LINE.finditer(text, max(text.rfind("\n", 0, max(searched - 1, 0)), 0)):
        end = match.end()
    return end
