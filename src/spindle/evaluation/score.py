"""A score: the counts of every sentence, the figures computed from them, and the settings used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spindle.errors import EvaluationError
from spindle.evaluation.breakdown import Breakdown
from spindle.evaluation.lengths import by_length
from spindle.evaluation.sentence_score import SentenceScore
from spindle.evaluation.settings import Settings
from spindle.evaluation.signature import signature
from spindle.evaluation.totals import Totals, percent

FIGURES = (
    *("precision", "recall", "f1", "exact", "tags"),
    *("disc_precision", "disc_recall", "disc_f1", "disc_exact"),
)
LENGTH_FIGURES = ("precision", "recall", "f1", "exact")


@dataclass(frozen=True)
class Score:
    """The result of an evaluation. Scores of parts of a corpus add up: `score + score`.

    Figures are in per cent, and None if their denominator is zero.
    """

    settings: Settings
    sentences: tuple[SentenceScore, ...]
    breakdown: Breakdown

    @cached_property
    def totals(self) -> Totals:
        """The counts summed over all sentences."""
        return Totals.of(self.sentences)

    @property
    def precision(self) -> float | None:
        """The proportion of predicted brackets that are correct."""
        return self.totals.precision

    @property
    def recall(self) -> float | None:
        """The proportion of gold brackets that were predicted."""
        return self.totals.recall

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return self.totals.f1

    @property
    def exact(self) -> float | None:
        """The proportion of sentences with all brackets correct."""
        # a sentence without any counted bracket is not an exact match
        return self.totals.disc_exact if self.settings.parameters.disc_only else self.totals.exact

    @property
    def tags(self) -> float | None:
        """The proportion of words with the gold tag."""
        return self.totals.tags

    @property
    def disc_precision(self) -> float | None:
        """Precision over discontinuous brackets."""
        return self.totals.disc_precision

    @property
    def disc_recall(self) -> float | None:
        """Recall over discontinuous brackets."""
        return self.totals.disc_recall

    @property
    def disc_f1(self) -> float | None:
        """F1 over discontinuous brackets."""
        return self.totals.disc_f1

    @property
    def disc_exact(self) -> float | None:
        """The proportion of exact matches among sentences with a discontinuous bracket in either tree."""
        return self.totals.disc_exact

    @property
    def signature(self) -> str:
        """One line that says how the score was computed."""
        return signature(self.settings, self.totals)

    @property
    def problems(self) -> list[SentenceScore]:
        """The sentences with a problem: not compared, or without a predicted tree."""
        return [sentence for sentence in self.sentences if sentence.problem]

    def to_dict(self, per_sentence: bool = False) -> dict[str, Any]:
        """Return all figures as plain data, ready for JSON; undefined figures are None."""
        totals = self.totals
        result: dict[str, Any] = {figure: getattr(self, figure) for figure in FIGURES}
        result |= {
            "crossing": totals.crossing / totals.counted if totals.counted else None,
            "no_crossing": percent(totals.without_crossing, totals.counted),
            "two_or_fewer_crossing": percent(totals.with_two_crossing, totals.counted),
            **totals.coverage,
            "brackets": {
                "gold": totals.gold,
                "pred": totals.pred,
                "matched": totals.matched,
                "disc_gold": totals.disc_gold,
                "disc_pred": totals.disc_pred,
                "disc_matched": totals.disc_matched,
            },
            **self.breakdown.to_dict(),
            "by_length": {
                length: {"sentences": part.counted, **{name: getattr(part, name) for name in LENGTH_FIGURES}}
                for length, part in by_length(self.sentences).items()
            },
            "problems": [{"sentence": one.name, "problem": one.problem} for one in self.problems],
            "signature": self.signature,
        }
        if per_sentence:
            result["per_sentence"] = [
                {
                    **sentence._asdict(),
                    "status": sentence.status.name.lower(),
                    "precision": percent(sentence.matched, sentence.pred),
                    "recall": percent(sentence.matched, sentence.gold),
                }
                for sentence in self.sentences
            ]
        return result

    def __add__(self, other: Score) -> Score:
        if self.settings != other.settings:
            raise EvaluationError(
                "scores with different settings cannot be added; evaluate both with the same settings"
            )
        return Score(self.settings, self.sentences + other.sentences, self.breakdown + other.breakdown)

    def __str__(self) -> str:
        figures = "  ".join(f"{figure} {format_figure(getattr(self, figure))}" for figure in FIGURES)
        coverage = "  ".join(f"{name} {count}" for name, count in self.totals.coverage.items())
        return f"{figures}  {coverage}  {self.signature}"


def format_figure(figure: float | None) -> str:
    """Format a figure as in all output except official output."""
    return "undefined" if figure is None else f"{figure:.2f}"
