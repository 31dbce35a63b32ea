"""The page of science.py: significance, verdicts, tables and plots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev

from measuring import coverage
from science_claims import CLAIMS, Claim, Comparison, Scale
from science_lab import Lab, Run, Setup
from spindle.drawing.elements import number, path, svg_document, text
from spindle.drawing.style import accent_class
from spindle.evaluation.significance import compare

SIGNIFICANT = 0.05
ROUNDS = 5_000
"""The rounds of approximate randomisation."""
Runs = Mapping[Setup, Sequence[Run]]


@dataclass(frozen=True)
class Outcome:
    """The result of a comparison: the means of both setups, and p, corrected for the number of tests."""

    comparison: Comparison
    first: float
    second: float
    p: float
    sentences: int

    @property
    def difference(self) -> float:
        """Positive if the second setup is better, as the claim says."""
        return self.second - self.first

    @property
    def sign(self) -> int:
        """1 or -1 if the difference is significant, else 0."""
        return 0 if self.p > SIGNIFICANT else (self.difference > 0) - (self.difference < 0)


def outcome(comparison: Comparison, runs: Runs) -> Outcome | None:
    """Return the result of a comparison with its own p; None if a setup has no model or no such figure."""
    systems = [runs[setup] for setup in (comparison.first, comparison.second)]
    scores = [[run.score for run in system if run.score is not None] for system in systems]
    if not all(scores):
        return None
    found = compare(*scores, rounds=ROUNDS)
    [figure] = [one for one in found.differences if one.figure == comparison.figure]
    if figure.first is None or figure.second is None or figure.p_randomisation is None:
        return None
    return Outcome(comparison, figure.first, figure.second, figure.p_randomisation, found.sentences)


def holm(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes with p-values that Holm's method corrects for their number.

    >>> from types import SimpleNamespace as Any
    >>> [one.p for one in holm([Outcome(Any(), 0, 1, p, 9) for p in (0.04, 0.01, 0.03)])]
    [0.06, 0.03, 0.06]
    """
    order = sorted(range(len(outcomes)), key=lambda at: outcomes[at].p)
    corrected = [0.0] * len(outcomes)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, outcomes[at].p * (len(outcomes) - rank)))
        corrected[at] = highest
    return [replace(one, p=p) for one, p in zip(outcomes, corrected, strict=True)]


def verdict(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """Return whether the comparisons confirm a claim, and the counts behind that.

    Confirmed: significantly better in at least half of the comparisons, significantly worse in none. Refuted:
    the other way round. Everything else is undecided.
    """
    if not outcomes:
        return "not tested", "nothing here can test it"
    better, worse = (sum(one.sign == sign for one in outcomes) for sign in (1, -1))
    rest = len(outcomes) - better - worse
    counts = (
        f"of {len(outcomes)} comparisons {better} are significantly better, {worse} significantly worse, "
        f"{rest} not significant; mean difference {mean(one.difference for one in outcomes):+.2f}"
    )
    if 2 * better >= len(outcomes) and not worse:
        return "confirmed", counts
    if 2 * worse >= len(outcomes) and not better:
        return "refuted", counts
    return "undecided", counts


# ── Markdown ─────────────────────────────────────────────────────────────────────────────────────────


def section(claim: Claim, outcomes: Sequence[Outcome], described: Sequence[Sequence[Run]]) -> Iterator[str]:
    """Yield the lines about a claim."""
    word, why = decision(claim, outcomes, described)
    yield f"## {claim.statement}\n"
    yield f"**{word.capitalize()}**: {why}. Criterion: {claim.criterion}.\n"
    if outcomes:
        yield "| treebank | first | second | figure | first | second | difference | p (Holm) | sentences |"
        yield "|---|---|---|---|---|---|---|---|---|"
        for one in outcomes:
            first, second, figure = one.comparison
            yield (
                f"| {first.treebank} | {first.name} | {second.name} | {figure} | {one.first:.2f} | "
                f"{one.second:.2f} | {one.difference:+.2f} | {one.p:.4f} | {one.sentences} |"
            )
        yield ""
    if described:
        yield from run_table(described)
        yield ""


def decision(
    claim: Claim, outcomes: Sequence[Outcome], described: Sequence[Sequence[Run]]
) -> tuple[str, str]:
    """Return the verdict on a claim in one or two words, and the reason."""
    if claim.decide is not None:
        holds, why = claim.decide([run for runs in described for run in runs if run.score is not None])
        return {True: "confirmed", False: "refuted", None: "not tested"}[holds], why
    if not outcomes and described:
        return "described", "the table shows what was found"
    return verdict(outcomes)


def run_table(described: Sequence[Sequence[Run]]) -> Iterator[str]:
    """Yield a table of setups: means over seeds, with the deviation of F1."""
    yield (
        "| treebank | setup | F1 | ± | Disc-F1 | UAS | LAS | labels | repaired, % | F1, other nesting | "
        "F1 given unaryless trees | F1 of unaries | unaries, % | tokens / CPU s | scored |"
    )
    yield f"|{'---|' * 15}"
    for runs in described:
        good = [run for run in runs if run.score is not None]
        setup = runs[0].setup
        if not good:
            yield f"| {setup.treebank} | {setup.name} | failed: {runs[0].problem} |{' |' * 12}"
            continue
        first = good[0].score
        assert first is not None
        f1 = [run.score.f1 or 0.0 for run in good if run.score is not None]
        disc = [run.score.disc_f1 for run in good if run.score is not None]
        words = sum(run.facts["words"] for run in good)
        repaired = sum(run.facts["repairs"].get("any", 0) for run in good)
        unaries = [run.facts.get("unaries") or {} for run in good]
        cells = [
            setup.treebank,
            setup.name,
            f"{mean(f1):.2f}",
            f"{stdev(f1):.2f}" if len(f1) > 1 else "",
            _mean(disc),
            *(_mean([run.facts.get(name) for run in good]) for name in ("uas", "las")),
            str(good[0].facts.get("labels", "")),
            f"{100 * repaired / words:.2f}",
            _mean([run.facts.get("f1_other_nesting") for run in good]),
            *(_mean([one.get(name) for one in unaries]) for name in ("f1", "f1_of_unaries", "share")),
            f"{words / sum(run.facts['parse_cpu'] for run in good):,.0f}",
            coverage(first),
        ]
        yield f"| {' | '.join(cells)} |"


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{mean(known):.2f}" if known else ""


def page(
    lab: Lab, treebanks: Sequence[str], chosen: Sequence[Claim], scale: Scale, runs: Runs, about: str
) -> tuple[str, dict[str, str]]:
    """Return the page in Markdown, and its plots by file name."""
    compared: dict[str, list[Comparison]] = {}
    described: dict[str, list[Sequence[Run]]] = {}
    for claim in chosen:
        compared[claim.name] = [one for name in treebanks for one in claim.compared(lab, name, scale)]
        setups = dict.fromkeys(one for name in treebanks for one in claim.described(lab, name, scale))
        described[claim.name] = [runs[setup] for setup in setups]
    found = [(claim.name, outcome(one, runs)) for claim in chosen for one in compared[claim.name]]
    tested = [(name, one) for name, one in found if one is not None]
    corrected = holm([one for _, one in tested])
    by_claim: dict[str, list[Outcome]] = defaultdict(list)
    for (name, _), one in zip(tested, corrected, strict=True):
        by_claim[name].append(one)
    lines = ["# The claims of the paper, tested again\n", about, "| claim | verdict | why |\n|---|---|---|"]
    for claim in chosen:
        word, why = decision(claim, by_claim[claim.name], described[claim.name])
        lines.append(f"| {claim.statement} | **{word}** | {why} |")
    lines.append("")
    for claim in chosen:
        lines.extend(section(claim, by_claim[claim.name], described[claim.name]))
    plots = {}
    if curves := described.get("curves"):
        plots["science-curves.svg"] = plot(learning_curves(lab, curves), "F1 by training sentences")
    if times := described.get("time"):
        plots["science-lengths.svg"] = plot(costs(times), "CPU seconds per million words, by sentence length")
    lines += [f"![{name}]({name})\n" for name in plots]
    signatures = sorted({run.score.signature for several in runs.values() for run in several if run.score})
    lines += ["Signatures:\n", *(f"- `{signature}`" for signature in signatures), ""]
    return "\n".join(lines), plots


# ── plots ────────────────────────────────────────────────────────────────────────────────────────────

Curve = Mapping[float, float]


def learning_curves(lab: Lab, described: Sequence[Sequence[Run]]) -> dict[str, Curve]:
    """Return F1 by the number of training sentences for every treebank and engine."""
    curves: dict[str, dict[float, float]] = defaultdict(dict)
    for runs in described:
        f1 = [run.score.f1 or 0.0 for run in runs if run.score is not None]
        setup = runs[0].setup
        if f1:
            size = setup.sentences or len(lab.trees(setup.treebank, "train"))
            curves[f"{setup.treebank}, {setup.parser}"][size] = mean(f1)
    return dict(curves)


def costs(described: Sequence[Sequence[Run]]) -> dict[str, Curve]:
    """Return the mean cost of a word by sentence length, for every step."""
    found: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for runs in described:
        for run in runs:
            for length, steps in run.facts.get("lengths", {}).items():
                for step, seconds in steps.items():
                    found[step][float(length)].append(seconds)
    return {
        step: {length: mean(values) for length, values in by_length.items()}
        for step, by_length in found.items()
    }


WIDTH, HEIGHT, MARGIN, NAMES = 720, 380, 48, 190


def plot(curves: Mapping[str, Curve], title: str) -> str:
    """Return an SVG plot of curves; the horizontal axis is a rank, because sizes double."""
    places = sorted({x for curve in curves.values() for x in curve})
    values = [y for curve in curves.values() for y in curve.values()]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    high += (high - low or 1.0) * 0.05

    def across(x: float) -> float:
        return MARGIN + (WIDTH - MARGIN - NAMES) * places.index(x) / max(len(places) - 1, 1)

    def down(y: float) -> float:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (y - low) / (high - low)

    content = [text(MARGIN, 18, title, "start small")]
    content += [text(across(x), HEIGHT - 24, f"{x:g}", "small faint") for x in places]
    content += [text(MARGIN - 6, down(y) + 4, f"{y:.3g}", "end small faint") for y in (low, high)]
    taken: list[float] = []
    for at, (name, curve) in enumerate(sorted(curves.items(), key=lambda one: -max(one[1].values()))):
        points = (f"{number(across(x))} {number(down(y))}" for x, y in sorted(curve.items()))
        content.append(path("M" + "L".join(points), f"thick {accent_class(at)}"))
        height = down(curve[max(curve)]) + 4
        while any(abs(height - other) < 13 for other in taken):
            height += 1
        taken.append(height)
        content.append(text(across(max(curve)) + 6, height, name, f"start small {accent_class(at)}"))
    return svg_document("".join(content), WIDTH, HEIGHT, title)


def claims_named(names: Sequence[str]) -> list[Claim]:
    """Return the claims with these names, or all; raise a `KeyError` for others."""
    known = {claim.name: claim for claim in CLAIMS}
    return [known[name] for name in names] if names else list(CLAIMS)
