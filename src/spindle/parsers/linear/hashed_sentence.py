"""Sentences in the form that the linear models of the core read: every word as hashes of its features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from spindle import _core
from spindle.trees import Token


def hashed_sentence(tokens: Sequence[Token], attributes: bool = True) -> _core.Sentence:
    """Return the hashed sentence, from a cache if it was hashed recently. Callers must not change it.

    With `attributes`, models see the single attributes of morphology (`case=nom`), too.
    """
    return _cached(tuple(tokens), attributes)


def fresh_hashed_sentence(tokens: Sequence[Token], attributes: bool = False) -> _core.Sentence:
    """Return a new hashed sentence, which the caller may change."""
    if not tokens:
        return _core.Sentence([])
    try:
        return _hash(tokens, attributes)
    except TypeError:  # a lone surrogate, which UTF-8 cannot encode; too rare for a check of every word
        return _hash([Token(*map(_encodable, token)) for token in tokens], attributes)


@lru_cache(maxsize=1024)
def _cached(tokens: tuple[Token, ...], attributes: bool) -> _core.Sentence:
    """Cached because several stages read the same sentence one soon after the other."""
    return fresh_hashed_sentence(tokens, attributes)


def _hash(tokens: Sequence[Token], attributes: bool) -> _core.Sentence:
    forms, tags, lemmas, morphs, _ = zip(*tokens, strict=True)
    sentence = _core.Sentence(forms, lemmas if any(lemmas) else (), morphs if any(morphs) else (), attributes)
    sentence.set_tags(tags)
    return sentence


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
