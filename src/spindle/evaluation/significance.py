"""Significance tests for the difference between two parsers, from the counts of every sentence.

Both tests draw random corpora from the sentences that both parsers were scored on and compute the difference
between the parsers on each corpus. No sentence is scored again: all figures are ratios of sums.

- Paired bootstrap: sentences are drawn with replacement. The middle 95 per cent of the differences are the
  confidence interval; p is twice the proportion of corpora on which the worse parser is as good or better.
- Approximate randomisation: for every sentence, the counts of the two parsers are exchanged with probability
  0.5. p is the proportion of corpora with a difference at least as large as the observed one.

With several runs of a parser (seeds), its figure is the mean over its runs. The bootstrap draws runs as well
as sentences, so that its interval covers the chance of training; randomisation deals the counts of every
sentence to the runs of both parsers in random order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spindle.errors import EvaluationError
from spindle.evaluation.score import Score
from spindle.evaluation.sentence_score import SentenceScore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COMPARED_FIGURES = ("f1", "precision", "recall", "exact", "disc_f1", "tags")
ROUNDS = 10_000
ROUNDS_PER_BATCH = 250


@dataclass(frozen=True)
class Difference:
    """The difference of two parsers in one figure; p-values are two-sided, None if undefined."""

    figure: str
    first: float | None
    second: float | None
    low: float | None
    high: float | None
    """The ends of the 95 % confidence interval of second - first."""
    p_bootstrap: float | None
    p_randomisation: float | None
    first_deviation: float | None = None
    second_deviation: float | None = None
    """The standard deviations over the runs of each parser; None for a single run."""

    @property
    def difference(self) -> float | None:
        """Second - first: positive if the second parser is better."""
        return None if self.first is None or self.second is None else self.second - self.first


@dataclass(frozen=True)
class SystemComparison:
    """The comparison of two parsers on the sentences that both were scored on."""

    differences: tuple[Difference, ...]
    sentences: int
    left_out: int
    """The number of sentences that are in the score of one parser only, or of neither."""
    rounds: int
    seed: int
    signature: str
    """The signatures of all runs, which differ at most in the coverage and the kind of tags."""
    runs: tuple[int, int] = (1, 1)
    """The numbers of runs of the two parsers."""
    coverage: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """For every run of the two parsers, how many sentences of gold have a scored prediction: `1539/1575`."""

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain data, ready for JSON."""
        return {
            "figures": {
                one.figure: {
                    "first": one.first,
                    "second": one.second,
                    "difference": one.difference,
                    "interval": [one.low, one.high],
                    "p_bootstrap": one.p_bootstrap,
                    "p_randomisation": one.p_randomisation,
                    "deviations": [one.first_deviation, one.second_deviation],
                }
                for one in self.differences
            },
            "sentences": self.sentences,
            "left_out": self.left_out,
            "rounds": self.rounds,
            "seed": self.seed,
            "runs": list(self.runs),
            "coverage": [list(runs) for runs in self.coverage],
            "signature": self.signature,
        }


def compare(
    first: Score | Sequence[Score], second: Score | Sequence[Score], rounds: int = ROUNDS, seed: int = 1
) -> SystemComparison:
    """Compare two parsers by their scores on the same gold trees; each may have several runs."""
    import numpy as np

    systems = [[one] if isinstance(one, Score) else list(one) for one in (first, second)]
    scores = [score for system in systems for score in system]
    if not all(systems):
        raise EvaluationError("a parser without a run cannot be compared")
    if any(score.settings != scores[0].settings for score in scores):
        raise EvaluationError(
            "scores with different settings cannot be compared; evaluate all with the same settings"
        )
    by_number = [{one.number: one for one in score.sentences if one.counts} for score in scores]
    numbers = [number for number in by_number[0] if all(number in known for known in by_number)]
    if not numbers:
        raise EvaluationError("no sentence is in the scores of both parsers")
    counts = np.array([[_counts(known[number]) for number in numbers] for known in by_number], dtype=float)
    ours, theirs = counts[: len(systems[0])], counts[len(systems[0]) :]
    figures = _figures(ours.sum(axis=1)), _figures(theirs.sum(axis=1))
    random = np.random.default_rng(seed)
    if len(scores) == 2:
        drawn = _bootstrap(ours[0], theirs[0], rounds, random)
        shuffled = _randomise(ours[0], theirs[0], rounds, random)
    else:
        drawn = bootstrap_runs(ours, theirs, rounds, random)
        shuffled = randomise_runs(ours, theirs, rounds, random)
    everything = {one.number for score in scores for one in score.sentences}
    return SystemComparison(
        tuple(
            _difference(
                figure,
                (figures[0][:, column], figures[1][:, column]),
                drawn[:, column],
                shuffled[:, column],
            )
            for column, figure in enumerate(COMPARED_FIGURES)
        ),
        len(numbers),
        len(everything) - len(numbers),
        rounds,
        seed,
        " ".join(dict.fromkeys(score.signature for score in scores)),
        (len(ours), len(theirs)),
        tuple(tuple(score.totals.scored_of_all for score in system) for system in systems),  # type: ignore[arg-type]
    )


def _counts(sentence: SentenceScore) -> tuple[int, ...]:
    """Return the summands of the numerator and the denominator of every figure."""
    return (
        *(2 * sentence.matched, sentence.gold + sentence.pred),
        *(sentence.matched, sentence.pred),
        *(sentence.matched, sentence.gold),
        *(sentence.is_exact, 1),
        *(2 * sentence.disc_matched, sentence.disc_gold + sentence.disc_pred),
        *(sentence.tags, sentence.words),
    )


def _figures(sums: Floats) -> Floats:
    """Return the figures in per cent for every row of sums; NaN if the denominator is zero."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        figures: Floats = 100 * sums[..., 0::2] / sums[..., 1::2]
    return figures


def _bootstrap(first: Floats, second: Floats, rounds: int, random: np.random.Generator) -> Floats:
    """Return the differences on corpora drawn with replacement, one row per corpus."""
    import numpy as np

    size = len(first)
    differences = []
    for done in range(0, rounds, ROUNDS_PER_BATCH):
        rows = min(ROUNDS_PER_BATCH, rounds - done)
        drawn = random.integers(0, size, (rows, size)) + size * np.arange(rows)[:, np.newaxis]
        # how often every sentence is drawn: the sums are then one matrix product
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(float)
        differences.append(_figures(times @ second) - _figures(times @ first))
    return np.concatenate(differences)


def _randomise(first: Floats, second: Floats, rounds: int, random: np.random.Generator) -> Floats:
    """Return the differences after random exchanges of the two parsers' counts, one row per corpus."""
    import numpy as np

    size = len(first)
    gain = second - first
    differences = []
    for done in range(0, rounds, ROUNDS_PER_BATCH):
        rows = min(ROUNDS_PER_BATCH, rounds - done)
        coins = np.unpackbits(random.integers(0, 256, (rows, -(-size // 8)), dtype=np.uint8), axis=1)
        moved = coins[:, :size].astype(float) @ gain
        differences.append(_figures(second.sum(axis=0) - moved) - _figures(first.sum(axis=0) + moved))
    return np.concatenate(differences)


def bootstrap_runs(first: Floats, second: Floats, rounds: int, random: np.random.Generator) -> Floats:
    """Return the differences on corpora of drawn sentences, parsed by drawn runs, one row per corpus.

    `first` and `second` are counts, `[runs, sentences, counts]`.
    """
    import numpy as np

    size = first.shape[1]
    differences = []
    for done in range(0, rounds, ROUNDS_PER_BATCH):
        rows = min(ROUNDS_PER_BATCH, rounds - done)
        drawn = random.integers(0, size, (rows, size)) + size * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(float)
        means = []
        for system in (first, second):
            figures = np.stack([_figures(times @ run) for run in system], axis=1)
            chosen = random.integers(0, len(system), (rows, len(system)))
            means.append(np.take_along_axis(figures, chosen[:, :, np.newaxis], axis=1).mean(axis=1))
        differences.append(means[1] - means[0])
    return np.concatenate(differences)


def randomise_runs(first: Floats, second: Floats, rounds: int, random: np.random.Generator) -> Floats:
    """Return the differences after every sentence's counts are dealt to the runs in random order.

    `first` and `second` are counts, `[runs, sentences, counts]`.
    """
    import numpy as np

    counts = np.concatenate([first, second])
    runs, size, _ = counts.shape
    differences = []
    for done in range(0, rounds, ROUNDS_PER_BATCH):
        rows = min(ROUNDS_PER_BATCH, rounds - done)
        order = random.random((rows, size, runs), dtype=np.float32).argsort(axis=2).astype(np.int8)
        figures = []
        for place in range(runs):
            sums = sum((order[:, :, place] == run).astype(float) @ counts[run] for run in range(runs))
            figures.append(_figures(np.asarray(sums)))
        ours, theirs = figures[: len(first)], figures[len(first) :]
        differences.append(np.mean(theirs, axis=0) - np.mean(ours, axis=0))
    return np.concatenate(differences)


def _difference(figure: str, values: tuple[Floats, Floats], drawn: Floats, shuffled: Floats) -> Difference:
    """Return the difference in a figure, given its values in all runs of the two parsers."""
    import numpy as np

    means = values[0].mean(), values[1].mean()
    first, second = (None if np.isnan(value) else float(value) for value in means)
    deviations = [_deviation(of_runs) for of_runs in values]
    observed = means[1] - means[0]
    # the figure is undefined on a corpus without any such bracket
    drawn, shuffled = drawn[~np.isnan(drawn)], shuffled[~np.isnan(shuffled)]
    if np.isnan(observed) or not len(drawn):
        return Difference(figure, first, second, None, None, None, None, *deviations)
    rounding = 1e-9
    low, high = np.percentile(drawn, [2.5, 97.5])
    reversed_ = np.count_nonzero(drawn * np.sign(observed) <= rounding)
    as_large = np.count_nonzero(np.abs(shuffled) >= abs(observed) - rounding)
    return Difference(
        figure,
        first,
        second,
        float(low),
        float(high),
        min(1.0, 2 * (reversed_ + 1) / (len(drawn) + 1)),
        (as_large + 1) / (len(shuffled) + 1),
        *deviations,
    )


def _deviation(of_runs: Floats) -> float | None:
    import numpy as np

    return None if len(of_runs) == 1 or np.isnan(of_runs).any() else float(of_runs.std(ddof=1))
