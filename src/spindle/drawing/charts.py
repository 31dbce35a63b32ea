"""Charts from plain numbers, as self-contained SVG: panels of bars, and learning curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from spindle.drawing.elements import circle, number, path, rectangle, svg_document, text
from spindle.drawing.style import BLUE, ORANGE

# ── bars ─────────────────────────────────────────────────────────────────────────────────────────────

# All in pixels.
CHART_WIDTH = 800
MARGIN = 16
NAME_WIDTH = 90  # left of the bars
NOTE_WIDTH = 160  # right of the bars, for the figure and the note
ROW_HEIGHT = 22
BAR_HEIGHT = 16
TITLE_HEIGHT = 34


class Bar(NamedTuple):
    """A bar from 0 to 100 per cent; the figure is None where it is undefined. The note follows the figure."""

    name: str
    percent: float | None
    note: str = ""


class BarPanel(NamedTuple):
    """Bars under a common title."""

    title: str
    bars: Sequence[Bar]


def bar_chart(title: str, panels: Sequence[BarPanel], caption: str = "") -> str:
    """Draw panels of horizontal bars, one below the other, with a caption at the bottom."""
    content: list[str] = []
    top = MARGIN
    for panel in panels:
        content += _panel(panel, top)
        top += TITLE_HEIGHT + ROW_HEIGHT * len(panel.bars)
    height = top + ROW_HEIGHT + MARGIN
    content.append(text(MARGIN, height - MARGIN, caption, "start small faint"))
    return svg_document("".join(content), CHART_WIDTH, height, title)


def _panel(panel: BarPanel, top: int) -> Iterator[str]:
    left, full = MARGIN + NAME_WIDTH, CHART_WIDTH - 2 * MARGIN - NAME_WIDTH - NOTE_WIDTH
    yield text(MARGIN, top + 20, panel.title, "start bold")
    for row, bar in enumerate(panel.bars):
        y = top + TITLE_HEIGHT + ROW_HEIGHT * row
        yield text(left - 8, y + 13, bar.name, "end")
        yield rectangle(left, y, full, BAR_HEIGHT, "track")
        yield rectangle(left, y, full * (bar.percent or 0) / 100, BAR_HEIGHT, f"solid {BLUE}")
        figure = "–" if bar.percent is None else f"{bar.percent:.2f}"
        yield text(left + full + 8, y + 13, figure, "start")
        yield text(left + full + 66, y + 13, bar.note, "start small faint")


# ── time lines ───────────────────────────────────────────────────────────────────────────────────────

LANE_HEIGHT, LANE_BAR = 30, 20


class LaneBar(NamedTuple):
    """Something that took some seconds; without an end, something that happened at a moment."""

    start: float
    end: float | None
    name: str


class Lane(NamedTuple):
    """What one worker did."""

    name: str
    bars: Sequence[LaneBar]


def timeline(title: str, lanes: Sequence[Lane], caption: str = "") -> str:
    """Draw what workers did: a row for each, with time from left to right."""
    left, right = MARGIN + 2 * NAME_WIDTH, CHART_WIDTH - MARGIN
    last = max((bar.end or bar.start for lane in lanes for bar in lane.bars), default=1.0) or 1.0
    top = MARGIN + TITLE_HEIGHT + ROW_HEIGHT // 2
    bottom = top + LANE_HEIGHT * len(lanes)
    content = [text(MARGIN, MARGIN + 12, title, "start bold")]
    step = max(10 ** (len(str(int(last))) - 1) // 2, 1)
    for second in range(0, int(last) + 1, step):
        x = _scale(second, (0, last), (left, right))
        content += [
            path(f"M{number(x)} {top - 6}V{bottom}", "axis"),
            text(x, top - 10, f"{second} s", "small faint"),
        ]
    for row, lane in enumerate(lanes):
        y = top + LANE_HEIGHT * row + 4
        content.append(text(left - 8, y + 14, lane.name, "end small"))
        for bar in lane.bars:
            x = _scale(bar.start, (0, last), (left, right))
            if bar.end is None:
                content += [
                    path(f"M{number(x)} {y - 3}V{y + LANE_BAR + 3}", f"thick {ORANGE}"),
                    text(x + 4, y + 14, bar.name, f"start small {ORANGE}"),
                ]
                continue
            width = max(_scale(bar.end, (0, last), (left, right)) - x, 1)
            content.append(rectangle(x, y, width - 0.5, LANE_BAR, f"solid {BLUE}"))
            if width > 8 * len(bar.name):
                content.append(text(x + width / 2, y + 14, bar.name, "small"))
    content.append(text(MARGIN, bottom + ROW_HEIGHT, caption, "start small faint"))
    return svg_document("".join(content), CHART_WIDTH, bottom + ROW_HEIGHT + MARGIN, title)


# ── learning curves ──────────────────────────────────────────────────────────────────────────────────

CURVE_WIDTH, CURVE_HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 56, 36, 40  # from the edges of the picture to the axes

Point = tuple[float, float]
Range = tuple[float, float]


def learning_curve(epochs: Sequence[Mapping[str, float]]) -> str:
    """Draw F1 on the development trees and the training loss by epoch; the best epoch is marked.

    Each mapping has the keys `epoch` and `loss` and, if there are development trees, `f1`.
    """
    end_x, end_y = CURVE_WIDTH - RIGHT, CURVE_HEIGHT - BOTTOM
    content = [
        path(f"M{LEFT} {TOP}V{end_y}H{end_x}V{TOP}", "axis"),
        text(CURVE_WIDTH / 2, CURVE_HEIGHT - 8, "epoch", "small"),
    ]
    numbers = [int(epoch["epoch"]) for epoch in epochs]
    if numbers:
        span = (min(numbers), max(numbers))
        content += [
            text(_scale(tick, span, (LEFT, end_x)), CURVE_HEIGHT - 24, str(tick), "small")
            for tick in _ticks(numbers)
        ]
    scores = [(epoch["epoch"], epoch["f1"]) for epoch in epochs if "f1" in epoch]
    if scores:
        points = _points(scores, numbers)
        best = max(range(len(scores)), key=lambda at: scores[at][1])
        legend = f"— F1 on dev, best {scores[best][1]:.2f} in epoch {scores[best][0]:g}"
        content += [
            _line(points, f"thick {BLUE}"),
            circle(*points[best], 4, f"solid {BLUE}"),
            text(LEFT, 22, legend, f"start small {BLUE}"),
            *_range_labels(scores, LEFT - 6, "end small"),
        ]
    losses = [(epoch["epoch"], epoch["loss"]) for epoch in epochs]
    if losses:
        content += [
            _line(_points(losses, numbers), f"dashed {ORANGE}"),
            text(end_x, 22, "- - loss", f"end small {ORANGE}"),
            *_range_labels(losses, end_x + 6, "start small"),
        ]
    return svg_document("".join(content), CURVE_WIDTH, CURVE_HEIGHT, "Learning curve")


def _points(values: Sequence[Point], numbers: Sequence[int]) -> list[Point]:
    """Return the pixel of every (epoch, value) pair."""
    span = (min(numbers), max(numbers))
    heights = [value for _, value in values]
    height = (min(heights), max(heights))
    return [
        (
            _scale(epoch, span, (LEFT, CURVE_WIDTH - RIGHT)),
            _scale(value, height, (CURVE_HEIGHT - BOTTOM, TOP)),
        )
        for epoch, value in values
    ]


def _line(points: Sequence[Point], classes: str) -> str:
    return path("M" + "L".join(f"{number(x)} {number(y)}" for x, y in points), classes)


def _range_labels(values: Sequence[Point], x: float, classes: str) -> Iterator[str]:
    heights = [value for _, value in values]
    yield text(x, CURVE_HEIGHT - BOTTOM, f"{min(heights):.4g}", classes)
    yield text(x, TOP + 10, f"{max(heights):.4g}", classes)


def _scale(value: float, values: Range, pixels: Range) -> float:
    (low, high), (start, end) = values, pixels
    return start + (end - start) * ((value - low) / (high - low) if high > low else 0.5)


def _ticks(numbers: Sequence[int]) -> list[int]:
    return [number for number in numbers if len(numbers) <= 20 or number % 5 == 0]
