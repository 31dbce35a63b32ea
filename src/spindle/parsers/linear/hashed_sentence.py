"""Sentences as the statistical models in the core see them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from spindle import _core
from spindle.trees import Token


def hashed_sentence(tokens: Sequence[Token]) -> _core.Sentence:
    """A sentence with its words hashed; what the models do not look at is left out.

    It must not be changed, for it may be given to somebody else as well.
    """
    return _kept(tuple(tokens))


def fresh_hashed_sentence(tokens: Sequence[Token]) -> _core.Sentence:
    """The same, for one who will change it."""
    if not tokens:
        return _core.Sentence([])
    try:
        return _seen(tokens)
    except TypeError:  # half a surrogate pair, which is no text; rare enough to be found out like this
        return _seen([Token(*map(_encodable, token)) for token in tokens])


@lru_cache(maxsize=1024)
def _kept(tokens: tuple[Token, ...]) -> _core.Sentence:
    """Kept, because several stages see the same sentence, one soon after the other."""
    return fresh_hashed_sentence(tokens)


def _seen(tokens: Sequence[Token]) -> _core.Sentence:
    forms, tags, lemmas, morphs, _ = zip(*tokens, strict=True)
    sentence = _core.Sentence(forms, lemmas if any(lemmas) else (), morphs if any(morphs) else ())
    sentence.set_tags(tags)
    return sentence


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
