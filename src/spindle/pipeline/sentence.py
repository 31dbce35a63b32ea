"""What a parser is asked: a sentence, in whichever way it comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from spindle.text import ENGLISH, Span, TokenizationStyle, tokenize
from spindle.trees import Token, Tree

Input: TypeAlias = "str | Sequence[str] | Sequence[Token] | Tree | Sentence"
"""A sentence as text, as words, as tokens, or as a tree whose structure and traces are ignored."""


@dataclass(frozen=True)
class Sentence:
    """The tokens of a sentence, its name and comments, and where it stood in a text.

    Tags are honoured where every token has one. `spans` are the tokens' places in `text`.
    """

    tokens: tuple[Token, ...]
    id: str = ""
    comments: tuple[str, ...] = ()
    text: str = ""
    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, given: Input, habits: TokenizationStyle = ENGLISH) -> Sentence:
        """The sentence that was given; text is cut into words by these habits, but not into sentences."""
        if isinstance(given, Sentence):
            return given
        if isinstance(given, Tree):
            words = tuple([token for token in given.tokens if not token.is_empty])
            return cls(words, given.id, given.comments)
        if isinstance(given, str):
            spans = tuple(tokenize(given, habits))
            return cls(tuple(Token(span.form) for span in spans), text=given, spans=spans)
        return cls(tuple([word if isinstance(word, Token) else Token(word) for word in given]))

    @property
    def is_tagged(self) -> bool:
        """Whether every token has a tag."""
        return all(token.tag for token in self.tokens)

    def without_tags(self) -> Sentence:
        """The sentence with nothing but its words."""
        if not any(map(any, islice(zip(*self.tokens, strict=True), 1, None))):
            return self
        return Sentence(
            tuple([Token(token.form) for token in self.tokens]), self.id, self.comments, self.text, self.spans
        )
