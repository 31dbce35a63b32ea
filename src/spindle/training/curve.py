"""The learning curve: F1 on the development trees and loss, by epoch, as self-contained SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# all in pixels
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 56, 56, 36, 40

_STYLE = """<style>
.curve{color-scheme:light dark;color:#24292f}
.curve text{fill:currentColor;font:12px "Noto Sans","DejaVu Sans",Verdana,Helvetica,Arial,sans-serif}
.curve .ground{fill:#fff}
.curve .axis{stroke:currentColor;opacity:.35}
.curve .f1{fill:none;stroke:#0969da;stroke-width:2}
.curve .loss{fill:none;stroke:#bc4c00;stroke-width:1.5;stroke-dasharray:5 3}
.curve .best{fill:#0969da}
@media (prefers-color-scheme:dark){
.curve{color:#e6edf3}
.curve .ground{fill:#0d1117}
.curve .f1{stroke:#6cb6ff}
.curve .best{fill:#6cb6ff}}
</style>
"""


def learning_curve(epochs: Sequence[Mapping[str, Any]]) -> str:
    """The picture; each epoch has its number, its loss and, if there were development trees, its F1."""
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curve" role="img" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">\n<title>Learning curve</title>\n{_STYLE}'
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>\n',
        f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}V{TOP}"/>\n',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">epoch</text>\n',
    ]
    numbers = [record["epoch"] for record in epochs]
    for number in _ticks(numbers):
        x = _place(number, numbers, LEFT, WIDTH - RIGHT)
        pieces.append(f'<text x="{x:.1f}" y="{HEIGHT - 24}" text-anchor="middle">{number}</text>\n')
    scores = [record["f1"] for record in epochs if "f1" in record]
    if scores:
        pieces += _line("f1", numbers, scores)
        best = max(range(len(scores)), key=lambda at: scores[at])
        x, y = _point(best, numbers, scores)
        pieces.append(f'<circle class="best" cx="{x:.1f}" cy="{y:.1f}" r="4"/>\n')
        pieces.append(
            f'<text x="{LEFT}" y="22">— F1 on dev, best {scores[best]:.2f} in epoch {numbers[best]}</text>\n'
        )
        pieces += _scale(scores, LEFT - 6, "end")
    losses = [record["loss"] for record in epochs]
    if losses:
        pieces += _line("loss", numbers, losses)
        pieces.append(f'<text x="{WIDTH - RIGHT}" y="22" text-anchor="end">- - loss</text>\n')
        pieces += _scale(losses, WIDTH - RIGHT + 6, "start")
    return "".join(pieces) + "</svg>\n"


def _line(name: str, numbers: Sequence[int], values: Sequence[float]) -> list[str]:
    points = " ".join("{:.1f},{:.1f}".format(*_point(at, numbers, values)) for at in range(len(values)))
    return [f'<polyline class="{name}" points="{points}"/>\n']


def _scale(values: Sequence[float], x: float, anchor: str) -> list[str]:
    ends = ((min(values), HEIGHT - BOTTOM), (max(values), TOP + 10))
    return [f'<text x="{x}" y="{y}" text-anchor="{anchor}">{value:.4g}</text>\n' for value, y in ends]


def _point(at: int, numbers: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    return (
        _place(numbers[at], numbers, LEFT, WIDTH - RIGHT),
        _place(values[at], values, HEIGHT - BOTTOM, TOP),
    )


def _place(value: float, values: Sequence[float], start: float, end: float) -> float:
    low, high = min(values), max(values)
    return start + (end - start) * ((value - low) / (high - low) if high > low else 0.5)


def _ticks(numbers: Sequence[int]) -> list[int]:
    return [number for number in numbers if len(numbers) <= 20 or number % 5 == 0]
