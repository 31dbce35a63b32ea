"""A sentence to parse, from any form of input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, TypeAlias

from spindle.errors import SpindleError, WrongType
from spindle.pipeline.constraints import Constraints
from spindle.tables import Row
from spindle.text import Lines, Span, TextSplitter
from spindle.trees import Token, Tree

Input: TypeAlias = "str | Sequence[str] | Sequence[Token] | Tree | Sentence"
"""A sentence as text, as words, as tokens, or as a tree whose structure and traces are ignored."""

_STYLE_ONLY = TextSplitter()


class InRow(NamedTuple):
    """Where a sentence is in a table: its row, its number in the row, from 1, and whether it is the last."""

    row: Row
    number: int
    is_last: bool


@dataclass(frozen=True)
class Sentence:
    """The tokens of a sentence, its id and comments, and its place in a text.

    Tags are used if every token has one. `spans` are the places of the tokens in `text`, which is the whole
    text, or a part of a long one that starts at `text_start`. `constraints` say what its tree must be like.
    `place` is known for a sentence of a table.
    """

    tokens: tuple[Token, ...]
    id: str = ""
    comments: tuple[str, ...] = ()
    text: str = ""
    spans: tuple[Span, ...] = ()
    text_start: int = 0
    constraints: Constraints | None = None
    place: InRow | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, given: Input, splitter: TextSplitter = _STYLE_ONLY) -> Sentence:
        """Convert any input to a sentence; text is split into words, but not into sentences."""
        if isinstance(given, Sentence):
            return given
        if isinstance(given, Tree):
            words = tuple([token for token in given.tokens if not token.is_empty])
            return cls(words, given.id, given.comments)
        if isinstance(given, str):
            spans = tuple(splitter.words(given))
            return cls(tuple(Token(span.form) for span in spans), text=given, spans=spans)
        if isinstance(given, bytes | bytearray | Mapping | Set) or not isinstance(given, Iterable):
            raise WrongType(
                f"a sentence is text, words, tokens or a tree, not {type(given).__name__}",
                hint="decode bytes first, as in data.decode()" if isinstance(given, bytes) else "",
            )
        return cls(tuple([_token(word, number) for number, word in enumerate(given, start=1)]))

    @property
    def is_tagged(self) -> bool:
        """Whether every token has a tag."""
        return all(token.tag for token in self.tokens)

    def without_tags(self) -> Sentence:
        """The sentence with word forms only."""
        if not any(map(any, islice(zip(*self.tokens, strict=True), 1, None))):
            return self
        return replace(self, tokens=tuple([Token(token.form) for token in self.tokens]))


def _token(word: object, number: int) -> Token:
    if isinstance(word, Token):
        return word
    if isinstance(word, str):
        return Token(word)
    hint = "`parse_many` takes several sentences" if isinstance(word, list | tuple) else ""
    raise WrongType(f"word {number} of a sentence is {type(word).__name__}, not str or Token", hint=hint)


def split_text(
    text: str, splitter: TextSplitter = _STYLE_ONLY, lines: Lines | str = Lines.AUTO
) -> list[Sentence]:
    """Split a text into sentences and words; every sentence has the spans of its words in the text."""
    if not isinstance(text, str):
        raise WrongType(
            f"a text is expected, not {type(text).__name__}",
            hint="`parse` takes a sentence in words, `parse_many` several sentences",
        )
    return [sentence_in(text, words) for words in splitter.sentences(text, lines_policy(lines))]


def sentence_in(text: str, words: Sequence[Span], start: int = 0) -> Sentence:
    """Return the sentence of these words in a text, which begins at `start` of a longer text."""
    return Sentence(
        tuple([Token(word.form) for word in words]), text=text, spans=tuple(words), text_start=start
    )


def lines_policy(lines: Lines | str) -> Lines:
    """Return the policy with this name; raise a `SpindleError` for other names."""
    try:
        return Lines(lines)
    except ValueError:
        raise SpindleError(f"`lines` is {lines!r}, but must be one of {', '.join(Lines)}") from None
