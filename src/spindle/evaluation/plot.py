"""A chart of a score: F1 by sentence length and by label, as self-contained SVG."""

from __future__ import annotations

from spindle.drawing import Bar, BarPanel, bar_chart
from spindle.evaluation.lengths import by_length
from spindle.evaluation.score import Score
from spindle.evaluation.totals import percent

LABELS_IN_PLOT = 15
"""The chart shows the most frequent labels only."""


def plot(score: Score) -> str:
    """Draw a score as two panels of bars."""
    lengths = [
        Bar(name, totals.f1, f"{totals.counted} sentences")
        for name, totals in by_length(score.sentences).items()
    ]
    breakdown = score.breakdown
    labels = [
        Bar(
            label or "(any)",
            percent(2 * breakdown.matched[label], count + breakdown.pred[label]),
            f"{count} in gold",
        )
        for label, count in breakdown.gold.most_common(LABELS_IN_PLOT)
    ]
    panels = (BarPanel("F1 by sentence length (words)", lengths), BarPanel("F1 by label", labels))
    return bar_chart("F1 by sentence length and by label", panels, score.signature)
