"""The scores of several runs of one system, such as trainings with different seeds: mean and deviation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any, NamedTuple

from spindle.errors import EvaluationError
from spindle.evaluation.corpus import Corpus, make_settings, read_corpus, score_pairs
from spindle.evaluation.pairing import pair_entries
from spindle.evaluation.parameters import Parameters
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.evaluation.score import FIGURES, Score
from spindle.evaluation.settings import MissingPolicy


class Spread(NamedTuple):
    """The mean of a figure, and its standard deviation (that of a sample); None for a single run."""

    mean: float
    deviation: float | None

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if self.deviation is None else f"{self.mean:.2f} ± {self.deviation:.2f}"


def spread(values: Sequence[float | None]) -> Spread | None:
    """Return mean and deviation; None if a value is undefined.

    >>> str(spread([80.0, 81.0, 82.0])), spread([80.0, None])
    ('81.00 ± 1.00', None)
    """
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return Spread(mean(known), stdev(known) if len(known) > 1 else None)


@dataclass(frozen=True)
class Runs:
    """The scores of several runs on the same gold trees."""

    scores: tuple[Score, ...]

    def __post_init__(self) -> None:
        if not self.scores:
            raise EvaluationError("there is no run")
        if any(score.settings != self.scores[0].settings for score in self.scores):
            raise EvaluationError(
                "runs with different settings have no mean; evaluate all with the same settings"
            )
        if len({score.totals.gold_sentences for score in self.scores}) > 1:
            raise EvaluationError("runs on different gold trees have no mean")

    @property
    def figures(self) -> dict[str, Spread | None]:
        """Mean and deviation of every figure; None if it is undefined in a run."""
        return {name: spread([getattr(score, name) for score in self.scores]) for name in FIGURES}

    @property
    def signature(self) -> str:
        """The signatures of all runs, which differ at most in the coverage and the kind of tags."""
        return f"runs:{len(self.scores)}|" + " ".join(dict.fromkeys(one.signature for one in self.scores))

    def to_dict(self) -> dict[str, Any]:
        """Return means, deviations and the scores of all runs as plain data, ready for JSON."""
        figures = self.figures
        return {
            "mean": {name: one and one.mean for name, one in figures.items()},
            "deviation": {name: one and one.deviation for name, one in figures.items()},
            "runs": [score.to_dict() for score in self.scores],
            "signature": self.signature,
        }


def evaluate_runs(
    gold: Corpus,
    predictions: Iterable[Corpus],
    scheme: str | None = None,
    params: str | Parameters | None = None,
    cutoff: int | None = None,
    disc_only: bool = False,
    missing: MissingPolicy = "count",
) -> Runs:
    """Score several predictions of the same sentences; the parameters are those of `evaluate`.

    >>> from spindle.treebanks.bracket import parse_bracket
    >>> gold = parse_bracket("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
    >>> other = parse_bracket("(S (NP (DT the) (NN cat)) (VBZ sleeps))")
    >>> print(evaluate_runs([gold], [[gold], [other]]).figures["f1"])
    90.00 ± 14.14
    """
    entries = list(read_corpus(gold))
    if scheme is None:
        (scheme, _), _ = choose_scheme(entries)
    settings = make_settings(scheme, params, cutoff, disc_only, missing)
    return Runs(tuple(score_pairs(pair_entries(entries, read_corpus(one)), settings) for one in predictions))
