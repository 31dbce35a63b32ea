"""Sentences as the statistical models in the core see them."""

from __future__ import annotations

from collections.abc import Sequence

from spindle import _core
from spindle.trees import Token


def as_seen(tokens: Sequence[Token]) -> _core.Sentence:
    """A sentence with its words hashed; what the models do not look at is left out."""
    if not tokens:
        return _core.Sentence([])
    try:
        return _seen(tokens)
    except TypeError:  # half a surrogate pair, which is no text; rare enough to be found out like this
        return _seen([Token(*map(_encodable, token)) for token in tokens])


def _seen(tokens: Sequence[Token]) -> _core.Sentence:
    forms, tags, lemmas, morphs, _ = zip(*tokens, strict=True)
    sentence = _core.Sentence(forms, lemmas if any(lemmas) else (), morphs if any(morphs) else ())
    sentence.set_tags(tags)
    return sentence


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
