"""Scores by sentence length."""

from __future__ import annotations

from collections.abc import Iterable

from spindle.evaluation.sentence_score import SentenceScore
from spindle.evaluation.totals import Totals

UPPER_LIMITS = (10, 20, 30, 40, 50, 60)


def by_length(sentences: Iterable[SentenceScore]) -> dict[str, Totals]:
    """Return the totals of sentences of 1–10 words, 11–20 words and so on; empty ranges are left out."""
    everything = list(sentences)
    ranges = {}
    low = 0
    for high in (*UPPER_LIMITS, None):
        inside = [
            sentence
            for sentence in everything
            if sentence.counts and sentence.length > low and (high is None or sentence.length <= high)
        ]
        if inside:
            ranges[f"{low + 1}–{high}" if high else f"> {low}"] = Totals.of(inside)
        low = high or low
    return ranges
