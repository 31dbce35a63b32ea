"""Significance tests for the difference between two parsers, from the counts of every sentence.

Both tests draw random corpora from the sentences that both parsers were scored on and compute the difference
between the parsers on each corpus. No sentence is scored again: all figures are ratios of sums.

- Paired bootstrap: sentences are drawn with replacement. The middle 95 per cent of the differences are the
  confidence interval; p is twice the proportion of corpora on which the worse parser is as good or better.
- Approximate randomisation: for every sentence, the counts of the two parsers are exchanged with probability
  0.5. p is the proportion of corpora with a difference at least as large as the observed one.
"""

from __future__ import annotations

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
                }
                for one in self.differences
            },
            "sentences": self.sentences,
            "left_out": self.left_out,
            "rounds": self.rounds,
            "seed": self.seed,
            "signature": self.signature,
        }


def compare(first: Score, second: Score, rounds: int = ROUNDS, seed: int = 1) -> SystemComparison:
    """Compare two parsers by their scores on the same gold trees."""
    import numpy as np

    if first.settings != second.settings:
        raise EvaluationError(
            "scores with different settings cannot be compared; evaluate both with the same settings"
        )
    others = {sentence.number: sentence for sentence in second.sentences if sentence.counts}
    pairs = [
        (sentence, others[sentence.number])
        for sentence in first.sentences
        if sentence.counts and sentence.number in others
    ]
    if not pairs:
        raise EvaluationError("no sentence is in the scores of both parsers")
    first_counts = np.array([_counts(one) for one, _ in pairs], dtype=float)
    second_counts = np.array([_counts(other) for _, other in pairs], dtype=float)
    random = np.random.default_rng(seed)
    totals = (_figures(first_counts.sum(axis=0)), _figures(second_counts.sum(axis=0)))
    drawn = _bootstrap(first_counts, second_counts, rounds, random)
    shuffled = _randomise(first_counts, second_counts, rounds, random)
    everything = {sentence.number for sentence in (*first.sentences, *second.sentences)}
    return SystemComparison(
        tuple(
            _difference(
                figure,
                (totals[0][column], totals[1][column]),
                drawn[:, column],
                shuffled[:, column],
            )
            for column, figure in enumerate(COMPARED_FIGURES)
        ),
        len(pairs),
        len(everything) - len(pairs),
        rounds,
        seed,
        first.signature,
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


def _difference(figure: str, values: tuple[float, float], drawn: Floats, shuffled: Floats) -> Difference:
    import numpy as np

    first, second = (None if np.isnan(value) else float(value) for value in values)
    observed = values[1] - values[0]
    # the figure is undefined on a corpus without any such bracket
    drawn, shuffled = drawn[~np.isnan(drawn)], shuffled[~np.isnan(shuffled)]
    if np.isnan(observed) or not len(drawn):
        return Difference(figure, first, second, None, None, None, None)
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
    )
