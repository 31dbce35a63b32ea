"""The plots of science.py: differences with their intervals, and curves, as SVG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import log
from statistics import mean

from science_lab import Lab, Run
from science_statistics import Outcome
from spindle.drawing.elements import circle, number, path, svg_document, text
from spindle.drawing.style import BLUE, ORANGE, accent_class

Curve = Mapping[float, float]
WIDTH, HEIGHT, MARGIN, NAMES = 720, 380, 48, 190
ROW, TOP, LABELS = 20, 52, 330
TICK = 34
"""The least distance of the numbers below an axis."""
USUAL = "usual"


def differences(outcomes: Sequence[Outcome], title: str) -> str:
    """Return a plot of differences with their 95 % intervals, one row a comparison, zero marked."""
    low = min([0.0, *(one.interval[0] for one in outcomes)])
    high = max([0.0, *(one.interval[1] for one in outcomes)])
    room = (high - low or 1.0) * 0.05
    low, high = low - room, high + room
    bottom = TOP + ROW * len(outcomes)

    def across(value: float) -> float:
        return LABELS + (WIDTH - LABELS - MARGIN) * (value - low) / (high - low)

    content = [text(MARGIN / 4, 18, title, "start small bold")]
    content.append(path(f"M{number(across(0))} {TOP - 14}V{bottom}", "axis"))
    content += [
        text(across(value), TOP - 20, f"{value:+g}" if value else "0", "small faint")
        for value in sorted({0.0, one_digit(low + room), one_digit(high - room)})
    ]
    for at, one in enumerate(outcomes):
        y = TOP + ROW * at
        setup, figure = one.comparison.first, "" if one.comparison.figure == "f1" else " (Disc-F1)"
        names = f"{setup.treebank}: {short_name(one)}{figure}"
        kind = BLUE if one.sign > 0 else ORANGE if one.sign < 0 else "faint"
        content.append(text(LABELS - 8, y + 4, names, "end small"))
        content.append(
            path(f"M{number(across(one.interval[0]))} {y}H{number(across(one.interval[1]))}", kind)
        )
        content.append(circle(across(one.difference), y, 4, f"solid {kind}"))
    content.append(
        text(MARGIN / 4, bottom + 14, "blue: significantly better; orange: worse", "start small faint")
    )
    return svg_document("".join(content), WIDTH, bottom + 26, title)


def one_digit(value: float) -> float:
    """Return a value with one digit after the point."""
    return round(value, 1)


def short_name(one: Outcome) -> str:
    """Return what differs between the two setups of a comparison."""
    first, second = (setup.name.split(", ") for setup in one.comparison[:2])
    only = ", ".join(part for part in first if part not in second) or USUAL
    more = ", ".join(part for part in second if part not in first) or USUAL
    common = first[0] if first[0] == second[0] and one.comparison.first.parser != "linear" else ""
    return f"{common}: {only} → {more}" if common else f"{only} → {more}"


def learning_curves(lab: Lab, described: Sequence[Sequence[Run]]) -> dict[str, Curve]:
    """Return F1 by the number of training sentences for every treebank and engine."""
    curves: dict[str, dict[float, float]] = defaultdict(dict)
    for runs in described:
        f1 = [run.score.f1 or 0.0 for run in runs if run.score is not None]
        if f1:
            setup = runs[0].setup
            size = setup.sentences or len(lab.trees(setup.treebank, "train"))
            curves[f"{setup.treebank}, {setup.parser}"][size] = mean(f1)
    return dict(curves)


def costs(described: Sequence[Sequence[Run]]) -> dict[str, Curve]:
    """Return the mean cost of a word by sentence length, for every step."""
    found: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for runs in described:
        for run in runs:
            for length, steps in run.facts.get("lengths", {}).items():
                for step in ("tagger", "parser", "labeler", "unaries"):
                    found[step][float(length)].append(steps.get(step, 0.0))
    return {
        step: {length: mean(values) for length, values in by_length.items()}
        for step, by_length in found.items()
    }


def lines(curves: Mapping[str, Curve], title: str, *, logarithmic: bool = False) -> str:
    """Return an SVG plot of curves; the horizontal axis is logarithmic, the vertical one on request."""
    places = sorted({x for curve in curves.values() for x in curve})
    values = [y for curve in curves.values() for y in curve.values()]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    low, high = (max(low, 1e-3), high) if logarithmic else (low, high + (high - low or 1.0) * 0.05)

    def across(x: float) -> float:
        return MARGIN + (WIDTH - MARGIN - NAMES) * log(x / places[0]) / (log(places[-1] / places[0]) or 1.0)

    def down(y: float) -> float:
        part = log(max(y, low) / low) / (log(high / low) or 1.0) if logarithmic else (y - low) / (high - low)
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * part

    content = [text(MARGIN, 18, title, "start small bold")]
    last = -TICK
    for x in places:
        if across(x) - last >= TICK:
            content.append(text(across(x), HEIGHT - 24, f"{x:,g}", "small faint"))
            last = round(across(x))
    content += [text(MARGIN - 6, down(y) + 4, f"{y:.3g}", "end small faint") for y in (low, high)]
    lowest = 0.0
    for at, (name, curve) in enumerate(sorted(curves.items(), key=lambda one: -one[1][max(one[1])])):
        points = [(across(x), down(y)) for x, y in sorted(curve.items())]
        steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        content.append(path(f"M{steps}", f"thick {accent_class(at)}"))
        content += [circle(x, y, 2.5, f"solid {accent_class(at)}") for x, y in points]
        lowest = max(down(curve[max(curve)]) + 4, lowest + 14)
        content.append(text(WIDTH - NAMES + 6, lowest, name, f"start small {accent_class(at)}"))
    return svg_document("".join(content), WIDTH, HEIGHT, title)
