"""Split text into words with their character offsets.

    >>> [span.form for span in tokenize("They don't pay $3.50 (or so).")]
    ['They', 'do', "n't", 'pay', '$', '3.50', '(', 'or', 'so', ')', '.']
    >>> tokenize("It's late.")[1]
    Span(form="'s", start=2, end=4)

The tokenizer splits text at blanks, then splits punctuation off both ends of every piece, then splits the
rest inside. It loses no characters except blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spindle.text.characters import INVISIBLE_BLANKS
from spindle.text.tokenization_style import ENGLISH, TokenizationStyle, straight


class Span(NamedTuple):
    """A word and its offsets. `text[start:end]` is the form, except for normalised quotation marks."""

    form: str
    start: int
    end: int


_PIECE = re.compile(rf"[^\s{INVISIBLE_BLANKS}]+")
_WHOLE = re.compile(
    r"(?:https?://|ftp://|www\.|doi:)\S*[\w/=-]"  # addresses
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # e-mail
    r"|[#@][^\W\d_][\w-]*"  # hashtags and names
    r"|[:;=]-?[()DPp]"  # smileys
)
_OPENING = re.compile(r"``|''|\.{2,}|-{2,}|[\"“”„«»‘‚(\[{<¿¡—–…*•]|[$£€¥](?=.)|['’](?=\w*['’]?\W|\w{4})")
_CLOSING = re.compile(r"``$|''$|\.{2,}$|-{2,}$|[,;:?!\"“”„«»‘’')\]}>—–…*%]$")
_INSIDE = re.compile(r"(-{2,}|\.{3,}|[—–…]|,(?![0-9])|(?<![0-9]),|[;!?\"“”\[\]{}]|:(?![0-9/])|[()])")
_BETWEEN_BRACKETS = re.compile(r"\w+\(\w+\)\Z")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+\Z")
_ORDINAL = re.compile(r"[0-9]{1,2}\.\Z")
_JOINED = {"cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3}
"""English words that are two tokens, and the offset of the second; split in styles that split off `n't`."""


def tokenize(text: str, style: TokenizationStyle = ENGLISH) -> list[Span]:
    """Return the words of a text, in order."""
    words: list[Span] = []
    pieces = list(_PIECE.finditer(text))
    for number, piece in enumerate(pieces):
        following = pieces[number + 1][0] if number + 1 < len(pieces) else ""
        ranges = _cut_piece(piece[0], following, style)
        words += [
            Span(piece[0][begin:end], piece.start() + begin, piece.start() + end) for begin, end in ranges
        ]
    return respell_quotes(words) if style.penn_quotes else words


_MAX_PIECE = 300
"""Longer pieces with marks are cut up, or their time would be quadratic."""
_Range = tuple[int, int]
"""The offsets of a word in a piece: start and end."""


def _cut_piece(piece: str, following: str, style: TokenizationStyle) -> list[_Range]:
    """Return the ranges of the words in a piece of text without blanks."""
    if piece.isalnum():
        return _cut_inside(piece, 0, len(piece), style)
    ranges: list[_Range] = []
    for start in range(0, len(piece), _MAX_PIECE):
        part = piece[start : start + _MAX_PIECE]
        after = following if start + _MAX_PIECE >= len(piece) else piece[start + _MAX_PIECE]
        ranges += [(start + begin, start + end) for begin, end in _cut_short_piece(part, after, style)]
    return ranges


def _cut_short_piece(piece: str, following: str, style: TokenizationStyle) -> list[_Range]:
    begin, end = 0, len(piece)
    before: list[_Range] = []
    after: list[_Range] = []
    while begin < end:
        if match := _WHOLE.match(piece, begin, end):
            core = match.end()
            if not piece[core:end].strip(".,;:?!\"”’')]}>…"):
                return [*before, (begin, core), *_marks(piece, core, end), *reversed(after)]
        if (match := _OPENING.match(piece, begin, end)) and match.end() > begin:
            before.append(match.span())
            begin = match.end()
        elif found := _closing(piece, begin, end, following if not after else "", style):
            after.append(found)
            end = found[0]
        else:
            break
    inside = _cut_inside(piece, begin, end, style) if begin < end else []
    return [*before, *inside, *reversed(after)]


def _marks(piece: str, begin: int, end: int) -> list[_Range]:
    return [(at, at + 1) for at in range(begin, end)]


def _closing(piece: str, begin: int, end: int, following: str, style: TokenizationStyle) -> _Range | None:
    """Return the range of the mark at the end of a piece; None if the word keeps it."""
    core = piece[begin:end]
    if core.endswith(".") and not core.endswith(".."):
        if len(core) == 1 or keeps_full_stop(core, following, style):
            return None
        return end - 1, end
    if core.endswith(")") and style.brackets_inside and _BETWEEN_BRACKETS.match(core):
        return None
    match = _CLOSING.search(core)
    if match is None or len(match[0]) == len(core):
        return None
    return begin + match.start(), end


def keeps_full_stop(word: str, following: str, style: TokenizationStyle) -> bool:
    """Return whether the full stop at the end of a word is part of the word.

    It is part of known abbreviations, of single letters (`J.`, `U.S.`), and of words before a lower-case
    letter, with which no sentence starts.
    """
    if word[:-1].lower() in style.abbreviations or _ACRONYM.match(word):
        return True
    if _ORDINAL.match(word):
        return style.ordinals and following != ""
    return following[:1].islower() and word[0].isalpha()


def _cut_inside(piece: str, begin: int, end: int, style: TokenizationStyle) -> list[_Range]:
    core = piece[begin:end]
    if core.isalnum():
        at = _JOINED.get(core.lower(), 0) if "n't" in style.clitics else 0
        return [(begin, begin + at), (begin + at, end)] if at else [(begin, end)]
    whole = style.brackets_inside and _BETWEEN_BRACKETS.match(core)
    parts = [core] if whole else [part for part in _INSIDE.split(core) if part]
    ranges: list[_Range] = []
    for part in parts:
        for word in _cut_word(part, style) if len(part) > 1 else (part,):
            ranges.append((begin, begin + len(word)))
            begin += len(word)
    return ranges


def _cut_word(word: str, style: TokenizationStyle) -> Iterator[str]:
    """Split at hyphens, slashes and apostrophes, depending on the style."""
    if style.cuts_slashes and "/" in word.strip("/"):
        yield from _cut_at(word, re.compile(r"(?<=\w)(/)(?=\w)"), style)
        return
    if style.cuts_hyphens and "-" in word.strip("-"):
        first, _, rest = word.partition("-")
        if first.lower() not in style.prefixes and not _is_number(word):
            yield from _cut_at(word, re.compile(r"(?<=\w)(-)(?=\w)"), style)
            return
        if "-" in rest and first.isalpha():
            head, *others = _cut_word(rest, style)
            yield f"{first}-{head}"
            yield from others
            return
    yield from _cut_apostrophes(word, style)


def _cut_at(word: str, mark: re.Pattern[str], style: TokenizationStyle) -> Iterator[str]:
    for part in mark.split(word):
        if part and part != word:
            yield from _cut_word(part, style) if len(part) > 1 else (part,)
        elif part:
            yield from _cut_apostrophes(part, style)


def _is_number(word: str) -> bool:
    return all(part.isdecimal() for part in word.split("-"))


def _cut_apostrophes(word: str, style: TokenizationStyle) -> Iterator[str]:
    plain = straight(word).lower()
    if "'" not in plain:
        yield word
        return
    found = plain.find("'") + 1
    if plain[:found] in style.elisions and found < len(word):
        yield word[:found]
        yield from _cut_apostrophes(word[found:], style)
        return
    for length in (3, 2, 4):  # n't, 're; 's; others
        if len(word) > length and plain[-length:] in style.clitics:
            yield from _cut_apostrophes(word[:-length], style)
            yield word[-length:]
            return
    yield word


def respell_quotes(words: list[Span]) -> list[Span]:
    """Write quotation marks as the Penn Treebank does, opening and closing ones in turn."""
    is_open = False
    respelled: list[Span] = []
    for form, start, end in words:
        if form in ("“", "„") or (form == '"' and not is_open):
            form, is_open = "``", True
        elif form in ("”", '"'):
            form, is_open = "''", False
        respelled.append(Span(form, start, end))
    return respelled
