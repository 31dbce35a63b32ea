"""What the end of a line means in raw text.

Every line may be a sentence or a paragraph; or paragraphs are hard-wrapped, and an empty line or the item of
a list ends them. `Lines.AUTO` decides for each block of lines between empty lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from spindle.text.characters import CharClass, Classes


class Lines(StrEnum):
    """What the end of a line means."""

    SENTENCE = "sentence"
    """Every line is one sentence."""
    PARAGRAPH = "paragraph"
    """A sentence ends at the end of its line at the latest."""
    WRAPPED = "wrapped"
    """A sentence may go on in the next line; an empty line or an item of a list ends it."""
    AUTO = "auto"
    """WRAPPED for blocks of lines that look hard-wrapped, else PARAGRAPH."""


LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪–—]\s|\(?(?:\d{1,3}|[a-zA-Z])[.)]\s)")
_FINISHED = re.compile(r"[.?!…:;][\"'”’)\]»]*\Z")
_MIN_WIDTH, _MAX_WIDTH = 40, 200
_MIN_WIDTH_OF_TWO = 60
"""Two lines alone show less: they must be long to count as wrapped."""
_MIN_SHARE = 0.5


def mark_breaks(text: str, classes: Classes, lines: Lines) -> None:
    """Give the ends of lines that end a sentence the class BREAK."""
    if "\n" not in text and "\r" not in text:
        return
    for at in _break_places(text, lines):
        classes[at] = CharClass.BREAK


def _break_places(text: str, lines: Lines) -> Iterator[int]:
    """Yield the offset of the last character of every line at which a sentence ends."""
    if lines in (Lines.SENTENCE, Lines.PARAGRAPH):
        for match in re.finditer(r"\r\n?|\n", text):
            yield match.start()
        return
    block: list[tuple[int, str]] = []
    for match in LINE.finditer(text):
        line = match[0].rstrip()
        last = match.end() - 1
        if line:
            block.append((last, line))
            continue
        yield from _block_breaks(block, lines)
        yield last  # of an empty line, which is a blank also if the text ends here
        block = []
    yield from _block_breaks(block, lines)


def _block_breaks(block: list[tuple[int, str]], lines: Lines) -> Iterator[int]:
    """Yield the places of the ends of lines, in a block without empty lines, at which a sentence ends."""
    texts = [text for _, text in block]
    joined = _joins(texts, lines)
    for (place, _), goes_on in zip(block, joined, strict=False):
        if not goes_on:
            yield place
    # the last line of the text may have no end, and needs none


def _joins(block: list[str], lines: Lines) -> list[bool]:
    """Return, for every line but the last, whether its paragraph goes on in the next line."""
    pairs = list(pairwise(block))
    goes_on = [not _ITEM.match(after) for _, after in pairs]
    if lines is Lines.WRAPPED or not pairs:
        return goes_on
    # A sentence that has no end yet goes on in lower case, if the block has sentences at all.
    has_sentences = bool(_FINISHED.search(block[-1]))
    unfinished = [
        on and has_sentences and after.lstrip()[0].islower() and not _FINISHED.search(before)
        for on, (before, after) in zip(goes_on, pairs, strict=True)
    ]
    width = max(map(len, block))
    if not (_MIN_WIDTH if len(block) > 2 else _MIN_WIDTH_OF_TWO) <= width <= _MAX_WIDTH:
        return unfinished
    # A wrapped line is full: the first word of the next line had no room.
    full = [
        on and len(before) + 1 + len(after.split(maxsplit=1)[0]) > width
        for on, (before, after) in zip(goes_on, pairs, strict=True)
    ]
    inside = [
        is_full and (after.lstrip()[0].islower() or not _FINISHED.search(before))
        for is_full, (before, after) in zip(full, pairs, strict=True)
    ]
    candidates = sum(goes_on)
    looks_wrapped = sum(full) >= _MIN_SHARE * candidates and sum(inside) >= _MIN_SHARE * sum(full)
    if not looks_wrapped or not any(inside):
        return unfinished
    return [one or other for one, other in zip(full, unfinished, strict=True)]
