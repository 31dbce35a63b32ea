"""Counts summed over sentences, and the figures computed from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spindle.evaluation.sentence_score import SentenceScore, Status


@dataclass(frozen=True)
class Totals:
    """The counts of several sentences. Figures are in per cent, and None if their denominator is zero."""

    sentences: int = 0
    errors: int = 0
    skipped: int = 0
    failed: int = 0
    extra: int = 0
    longest: int = 0
    gold: int = 0
    pred: int = 0
    matched: int = 0
    exact_matches: int = 0
    crossing: int = 0
    without_crossing: int = 0
    with_two_crossing: int = 0
    words: int = 0
    correct_tags: int = 0
    disc_sentences: int = 0
    disc_gold: int = 0
    disc_pred: int = 0
    disc_matched: int = 0
    disc_exact_matches: int = 0

    @classmethod
    def of(cls, sentences: Iterable[SentenceScore]) -> Totals:
        """Sum over sentences; sentences that are not in the score are counted but add nothing else."""
        everything = list(sentences)
        counted = [sentence for sentence in everything if sentence.counts]
        discontinuous = [sentence for sentence in counted if sentence.disc_gold or sentence.disc_pred]
        return cls(
            sentences=len(everything),
            errors=sum(sentence.status is Status.ERROR for sentence in everything),
            skipped=sum(sentence.status is Status.SKIPPED for sentence in everything),
            failed=sum(sentence.status is Status.UNPARSED for sentence in everything),
            extra=sum(sentence.status is Status.EXTRA for sentence in everything),
            longest=max((sentence.length for sentence in counted), default=0),
            gold=sum(sentence.gold for sentence in counted),
            pred=sum(sentence.pred for sentence in counted),
            matched=sum(sentence.matched for sentence in counted),
            exact_matches=sum(sentence.is_exact for sentence in counted),
            crossing=sum(sentence.crossing for sentence in counted),
            without_crossing=sum(sentence.crossing == 0 for sentence in counted),
            with_two_crossing=sum(sentence.crossing <= 2 for sentence in counted),
            words=sum(sentence.words for sentence in counted),
            correct_tags=sum(sentence.tags for sentence in counted),
            disc_sentences=len(discontinuous),
            disc_gold=sum(sentence.disc_gold for sentence in discontinuous),
            disc_pred=sum(sentence.disc_pred for sentence in discontinuous),
            disc_matched=sum(sentence.disc_matched for sentence in discontinuous),
            disc_exact_matches=sum(sentence.is_disc_exact for sentence in discontinuous),
        )

    @property
    def gold_sentences(self) -> int:
        """The number of sentences of gold."""
        return self.sentences - self.extra

    @property
    def scored(self) -> int:
        """The number of sentences whose predicted tree was compared with the gold tree."""
        return self.gold_sentences - self.missing - self.errors

    @property
    def missing(self) -> int:
        """The number of sentences without a predicted tree."""
        return self.skipped + self.failed

    @property
    def counted(self) -> int:
        """The number of sentences in the score: scored, or missing and counted as failures."""
        return self.scored + self.failed

    @property
    def coverage(self) -> dict[str, int]:
        """The numbers of sentences: of gold, scored, missing, left out, and in the prediction only."""
        return {
            "sentences": self.gold_sentences,
            "scored": self.scored,
            "missing": self.missing,
            "left_out": self.errors,
            "extra": self.extra,
        }

    @property
    def scored_of_all(self) -> str:
        """The sentences with a scored prediction, of those in gold, such as `1539/1575`."""
        return f"{self.scored}/{self.gold_sentences}"

    @property
    def precision(self) -> float | None:
        """The proportion of predicted brackets that are correct."""
        return percent(self.matched, self.pred)

    @property
    def recall(self) -> float | None:
        """The proportion of gold brackets that were predicted."""
        return percent(self.matched, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return percent(2 * self.matched, self.gold + self.pred)

    @property
    def exact(self) -> float | None:
        """The proportion of sentences with all brackets correct."""
        return percent(self.exact_matches, self.counted)

    @property
    def tags(self) -> float | None:
        """The proportion of words with the gold tag."""
        return percent(self.correct_tags, self.words)

    @property
    def disc_precision(self) -> float | None:
        """Precision over discontinuous brackets."""
        return percent(self.disc_matched, self.disc_pred)

    @property
    def disc_recall(self) -> float | None:
        """Recall over discontinuous brackets."""
        return percent(self.disc_matched, self.disc_gold)

    @property
    def disc_f1(self) -> float | None:
        """F1 over discontinuous brackets."""
        return percent(2 * self.disc_matched, self.disc_gold + self.disc_pred)

    @property
    def disc_exact(self) -> float | None:
        """The proportion of exact matches among sentences with a discontinuous bracket in either tree."""
        return percent(self.disc_exact_matches, self.disc_sentences)


def percent(part: int, whole: int) -> float | None:
    """Return a ratio in per cent; None if the denominator is zero."""
    return 100.0 * part / whole if whole else None
