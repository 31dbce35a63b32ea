"""A score as a picture: F1 by sentence length and by label, as self-contained SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from spindle.evaluation.lengths import by_length
from spindle.evaluation.score import Score, show
from spindle.evaluation.totals import percent

LABELS_SHOWN = 15

# all in pixels
WIDTH = 720
MARGIN = 16
NAME = 90  # what stands left of a bar
COUNT = 150  # what stands right of it
ROW = 22
TITLE = 34

_STYLE = """<style>
.spindle{color-scheme:light dark;color:#24292f}
.spindle text{fill:currentColor;font-size:13px;
font-family:"Noto Sans","DejaVu Sans",Verdana,Helvetica,Arial,sans-serif}
.spindle .ground{fill:#fff}
.spindle .title{font-size:15px;font-weight:bold}
.spindle .name{text-anchor:end}
.spindle .faint{opacity:.7;font-size:11px}
.spindle .bar{fill:#0969da}
.spindle .full{fill:currentColor;opacity:.1}
@media (prefers-color-scheme:dark){
.spindle{color:#e6edf3}
.spindle .ground{fill:#0d1117}
.spindle .bar{fill:#6cb6ff}}
</style>
"""

Row = tuple[str, float | None, str]
"""A name, its F1, and how much that is based on."""


def plot(score: Score) -> str:
    """The picture of a score."""
    lengths: list[Row] = [
        (name, totals.f1, f"{totals.scored} sentences") for name, totals in by_length(score.sentences).items()
    ]
    breakdown = score.breakdown
    labels: list[Row] = [
        (
            label or "(any)",
            percent(2 * breakdown.matched[label], count + breakdown.pred[label]),
            f"{count} in gold",
        )
        for label, count in breakdown.gold.most_common(LABELS_SHOWN)
    ]
    height = 2 * MARGIN + 2 * TITLE + ROW * (len(lengths) + len(labels)) + ROW
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spindle" role="img" width="{WIDTH}" '
        f'height="{height}" viewBox="0 0 {WIDTH} {height}">\n',
        "<title>F1 by sentence length and by label</title>\n",
        _STYLE,
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>\n',
        *_panel("F1 by sentence length (words)", lengths, MARGIN),
        *_panel("F1 by label", labels, MARGIN + TITLE + ROW * len(lengths)),
        f'<text class="faint" x="{MARGIN}" y="{height - MARGIN}">{escape(score.signature)}</text>\n</svg>\n',
    ]
    return "".join(pieces)


def _panel(title: str, rows: list[Row], top: int) -> Iterator[str]:
    left, span = MARGIN + NAME, WIDTH - 2 * MARGIN - NAME - COUNT
    yield f'<text class="title" x="{MARGIN}" y="{top + 20}">{escape(title)}</text>\n'
    for number, (name, figure, basis) in enumerate(rows):
        y = top + TITLE + ROW * number
        yield f'<text class="name" x="{left - 8}" y="{y + 13}">{escape(name)}</text>\n'
        yield f'<rect class="full" x="{left}" y="{y}" width="{span}" height="{ROW - 6}"/>\n'
        reach = span * (figure or 0) / 100
        yield f'<rect class="bar" x="{left}" y="{y}" width="{reach:.1f}" height="{ROW - 6}"/>\n'
        yield f'<text x="{left + span + 8}" y="{y + 13}">{show(figure)}</text>\n'
        yield f'<text class="faint" x="{left + span + 62}" y="{y + 13}">{escape(basis)}</text>\n'
