"""Significance and verdicts of science.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from science_claims import Claim, Comparison
from science_lab import Run
from science_setup import Setup
from spindle.evaluation.significance import compare

SIGNIFICANT = 0.05
Runs = Mapping[Setup, Sequence[Run]]


@dataclass(frozen=True)
class Outcome:
    """The result of a comparison: the means of both setups, p, corrected for the number of tests, and the
    95 % interval of the difference, which is not corrected."""

    comparison: Comparison
    first: float
    second: float
    p: float
    sentences: int
    runs: tuple[int, int] = (1, 1)
    interval: tuple[float, float] = (0.0, 0.0)

    @property
    def difference(self) -> float:
        """Positive if the second setup is better, as the claim says."""
        return self.second - self.first

    @property
    def sign(self) -> int:
        """1 or -1 if the difference is significant, else 0."""
        return 0 if self.p > SIGNIFICANT else (self.difference > 0) - (self.difference < 0)


def outcome(comparison: Comparison, runs: Runs, rounds: int) -> Outcome | None:
    """Return the result of a comparison with its own p; None if a setup has no model or no such figure."""
    systems = [runs[setup] for setup in (comparison.first, comparison.second)]
    scores = [[run.score for run in system if run.score is not None] for system in systems]
    if not all(scores):
        return None
    found = compare(*scores, rounds=rounds)
    [figure] = [one for one in found.differences if one.figure == comparison.figure]
    if figure.first is None or figure.second is None or figure.p_randomisation is None:
        return None
    interval = (figure.low or 0.0, figure.high or 0.0)
    p = figure.p_randomisation
    return Outcome(comparison, figure.first, figure.second, p, found.sentences, found.runs, interval)


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


@dataclass(frozen=True)
class Verdict:
    """What was found about a claim: confirmed, refuted, undecided, described or not tested; and why."""

    word: str
    why: str


def verdict(outcomes: Sequence[Outcome], margin: float | None = None) -> Verdict:
    """Return whether the comparisons confirm a claim, and the counts behind that.

    Confirmed: significantly better in at least half of the comparisons, significantly worse in none. With a
    margin: worse in none, and the interval of the mean difference is above the negative of the margin.
    Refuted: significantly worse in at least half of the comparisons and better in none. Everything else is
    undecided.
    """
    if not outcomes:
        return Verdict("not tested", "no run")
    better, worse = (sum(one.sign == sign for one in outcomes) for sign in (1, -1))
    middle, low, high = mean_difference(outcomes)
    why = (
        f"{better} of {len(outcomes)} comparisons significantly better, {worse} worse; "
        f"{middle:+.2f} on average ({low:+.2f} to {high:+.2f})"
    )
    holds = 2 * better >= len(outcomes) if margin is None else low > -margin
    if holds and not worse:
        return Verdict("confirmed", why)
    return Verdict("refuted" if 2 * worse >= len(outcomes) and not better else "undecided", why)


def mean_difference(outcomes: Sequence[Outcome]) -> tuple[float, float, float]:
    """Return the mean difference and its 95 % interval, from the intervals of independent comparisons."""
    middle = mean(one.difference for one in outcomes)
    halves = [(one.interval[1] - one.interval[0]) / 2 for one in outcomes]
    half = sum(one * one for one in halves) ** 0.5 / len(outcomes)
    return middle, middle - half, middle + half


def decision(
    claim: Claim, outcomes: Sequence[Outcome], described: Sequence[Sequence[Run]], *, is_complete: bool = True
) -> Verdict:
    """Return the verdict on a claim, so far if planned comparisons or setups are missing."""
    good = [run for runs in described for run in runs if run.score is not None]
    if claim.decide is not None:
        holds, why = claim.decide(good)
        found = Verdict({True: "confirmed", False: "refuted", None: "not tested"}[holds], why)
    elif claim.only_describes and good:
        return Verdict("described", "see the table")
    else:
        found = verdict(outcomes, claim.margin)
    if is_complete or found.word == "not tested":
        return found
    return replace(found, word=f"{found.word} so far")
