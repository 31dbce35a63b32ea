"""Text cut into words, each with its place in the text.

    >>> [span.form for span in tokenize("They don't pay $3.50 (or so).")]
    ['They', 'do', "n't", 'pay', '$', '3.50', '(', 'or', 'so', ')', '.']
    >>> tokenize("It's late.")[1]
    Span(form="'s", start=2, end=4)

Text is cut at blanks, then marks are taken off both ends of every piece, then the rest is cut inside. No
character but blanks is ever lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spindle.text.tokenization_style import ENGLISH, TokenizationStyle, straight


class Span(NamedTuple):
    """A word and its place: `text[start:end]`, which is the form but for quotation marks respelled."""

    form: str
    start: int
    end: int


_PIECE = re.compile(r"\S+")
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
"""English words that are two, and where they are cut: where `n't` is cut off, these are as well."""


def tokenize(text: str, habits: TokenizationStyle = ENGLISH) -> list[Span]:
    """The words of a text, in order."""
    words: list[Span] = []
    pieces = list(_PIECE.finditer(text))
    for number, piece in enumerate(pieces):
        following = pieces[number + 1][0] if number + 1 < len(pieces) else ""
        places = _cut_piece(piece[0], following, habits)
        words += [
            Span(piece[0][begin:end], piece.start() + begin, piece.start() + end) for begin, end in places
        ]
    return _respell_quotes(words) if habits.penn_quotes else words


_Place = tuple[int, int]


def _cut_piece(piece: str, following: str, habits: TokenizationStyle) -> list[_Place]:
    """The places of the words in a piece of text that has no blanks."""
    if piece.isalnum():
        return _cut_inside(piece, 0, len(piece), habits)
    begin, end = 0, len(piece)
    before: list[_Place] = []
    after: list[_Place] = []
    while begin < end:
        if match := _WHOLE.match(piece, begin, end):
            core = match.end()
            if not piece[core:end].strip(".,;:?!\"”’')]}>…"):
                return [*before, (begin, core), *_marks(piece, core, end), *reversed(after)]
        if (match := _OPENING.match(piece, begin, end)) and match.end() > begin:
            before.append(match.span())
            begin = match.end()
        elif place := _closing(piece, begin, end, following if not after else "", habits):
            after.append(place)
            end = place[0]
        else:
            break
    inside = _cut_inside(piece, begin, end, habits) if begin < end else []
    return [*before, *inside, *reversed(after)]


def _marks(piece: str, begin: int, end: int) -> list[_Place]:
    return [(at, at + 1) for at in range(begin, end)]


def _closing(piece: str, begin: int, end: int, following: str, habits: TokenizationStyle) -> _Place | None:
    """The mark at the end of a piece, unless it belongs to the word."""
    core = piece[begin:end]
    if core.endswith(".") and not core.endswith(".."):
        if len(core) == 1 or keeps_full_stop(core, following, habits):
            return None
        return end - 1, end
    if core.endswith(")") and habits.brackets_inside and _BETWEEN_BRACKETS.match(core):
        return None
    match = _CLOSING.search(core)
    if match is None or len(match[0]) == len(core):
        return None
    return begin + match.start(), end


def keeps_full_stop(word: str, following: str, habits: TokenizationStyle) -> bool:
    """Whether the full stop at the end of a word is part of it.

    It is after a known abbreviation, after single letters (`J.`, `U.S.`), and in an unknown word that a small
    letter follows, for no sentence begins with one.
    """
    if word[:-1].lower() in habits.abbreviations or _ACRONYM.match(word):
        return True
    if _ORDINAL.match(word):
        return habits.ordinals and following != ""
    return following[:1].islower() and word[0].isalpha()


def _cut_inside(piece: str, begin: int, end: int, habits: TokenizationStyle) -> list[_Place]:
    core = piece[begin:end]
    if core.isalnum():
        at = _JOINED.get(core.lower(), 0) if "n't" in habits.clitics else 0
        return [(begin, begin + at), (begin + at, end)] if at else [(begin, end)]
    whole = habits.brackets_inside and _BETWEEN_BRACKETS.match(core)
    parts = [core] if whole else [part for part in _INSIDE.split(core) if part]
    places: list[_Place] = []
    for part in parts:
        for word in _cut_word(part, habits) if len(part) > 1 else (part,):
            places.append((begin, begin + len(word)))
            begin += len(word)
    return places


def _cut_word(word: str, habits: TokenizationStyle) -> Iterator[str]:
    """Cut where only some treebanks cut: at hyphens, slashes and apostrophes."""
    if habits.cuts_slashes and "/" in word.strip("/"):
        yield from _cut_at(word, re.compile(r"(?<=\w)(/)(?=\w)"), habits)
        return
    if habits.cuts_hyphens and "-" in word.strip("-"):
        first, _, rest = word.partition("-")
        if first.lower() not in habits.prefixes and not _is_number(word):
            yield from _cut_at(word, re.compile(r"(?<=\w)(-)(?=\w)"), habits)
            return
        if "-" in rest and first.isalpha():
            head, *others = _cut_word(rest, habits)
            yield f"{first}-{head}"
            yield from others
            return
    yield from _cut_apostrophes(word, habits)


def _cut_at(word: str, mark: re.Pattern[str], habits: TokenizationStyle) -> Iterator[str]:
    for part in mark.split(word):
        if part and part != word:
            yield from _cut_word(part, habits) if len(part) > 1 else (part,)
        elif part:
            yield from _cut_apostrophes(part, habits)


def _is_number(word: str) -> bool:
    return all(part.isdecimal() for part in word.split("-"))


def _cut_apostrophes(word: str, habits: TokenizationStyle) -> Iterator[str]:
    plain = straight(word).lower()
    if "'" not in plain:
        yield word
        return
    place = plain.find("'") + 1
    if plain[:place] in habits.elisions and place < len(word):
        yield word[:place]
        yield from _cut_apostrophes(word[place:], habits)
        return
    for length in (3, 2, 4):  # n't, 're; 's; others
        if len(word) > length and plain[-length:] in habits.clitics:
            yield from _cut_apostrophes(word[:-length], habits)
            yield word[-length:]
            return
    yield word


def _respell_quotes(words: list[Span]) -> list[Span]:
    """Quotation marks as the Penn Treebank spells them, opening and closing in turn."""
    is_open = False
    respelled: list[Span] = []
    for form, start, end in words:
        if form in ("“", "„") or (form == '"' and not is_open):
            form, is_open = "``", True
        elif form in ("”", '"'):
            form, is_open = "''", False
        respelled.append(Span(form, start, end))
    return respelled
