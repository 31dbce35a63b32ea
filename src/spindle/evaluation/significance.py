"""Whether one parser is better than another, or only luckier: tests on the counts of every sentence.

Both tests draw random corpora from the sentences that both parsers were scored on and look at the
difference between the parsers on each. Nothing is scored again: all figures are ratios of sums.

- Paired bootstrap: sentences are drawn with replacement. The middle 95 per cent of the differences are the
  confidence interval; p is (twice) the share of corpora on which the other parser is as good or better.
- Approximate randomisation: for every sentence a coin decides which parser its two outcomes are credited
  to. p is the share of corpora with a difference at least as large as the one observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spindle.errors import EvaluationError
from spindle.evaluation.score import Score
from spindle.evaluation.sentence import Sentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FIGURES = ("f1", "precision", "recall", "exact", "disc_f1", "tags")
ROUNDS = 10_000
ROUNDS_AT_ONCE = 250


@dataclass(frozen=True)
class Difference:
    """How two parsers differ in one figure; p-values are two-sided, None where the figure is undefined."""

    figure: str
    first: float | None
    second: float | None
    low: float | None
    high: float | None
    """The 95 % confidence interval of second - first."""
    p_bootstrap: float | None
    p_randomisation: float | None

    @property
    def difference(self) -> float | None:
        """How much better the second parser is."""
        return None if self.first is None or self.second is None else self.second - self.first


@dataclass(frozen=True)
class SystemComparison:
    """Two parsers compared on the sentences that both were scored on."""

    differences: tuple[Difference, ...]
    sentences: int
    left_out: int
    """Sentences that are in the score of one parser only, or of none."""
    rounds: int
    seed: int
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
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


def compare_scores(first: Score, second: Score, rounds: int = ROUNDS, seed: int = 1) -> SystemComparison:
    """Compare two parsers by their scores on the same gold trees."""
    import numpy as np

    if first.settings != second.settings:
        raise EvaluationError("scores that were computed in different ways cannot be compared")
    others = {sentence.number: sentence for sentence in second.sentences if sentence.counts}
    pairs = [
        (sentence, others[sentence.number])
        for sentence in first.sentences
        if sentence.counts and sentence.number in others
    ]
    if not pairs:
        raise EvaluationError("there is no sentence that both parsers were scored on")
    ours = np.array([_counts(one) for one, _ in pairs], dtype=float)
    theirs = np.array([_counts(other) for _, other in pairs], dtype=float)
    random = np.random.default_rng(seed)
    observed = _figures(theirs.sum(axis=0)) - _figures(ours.sum(axis=0))
    drawn = _bootstrap(ours, theirs, rounds, random)
    shuffled = _randomise(ours, theirs, rounds, random)
    everything = {sentence.number for sentence in (*first.sentences, *second.sentences)}
    return SystemComparison(
        tuple(
            _difference(
                figure,
                (_figures(ours.sum(axis=0))[column], _figures(theirs.sum(axis=0))[column]),
                observed[column],
                drawn[:, column],
                shuffled[:, column],
            )
            for column, figure in enumerate(FIGURES)
        ),
        len(pairs),
        len(everything) - len(pairs),
        rounds,
        seed,
        first.signature,
    )


def _counts(sentence: Sentence) -> tuple[int, ...]:
    """For every figure what its numerator and its denominator are summed from."""
    return (
        *(2 * sentence.matched, sentence.gold + sentence.pred),
        *(sentence.matched, sentence.pred),
        *(sentence.matched, sentence.gold),
        *(sentence.is_exact, 1),
        *(2 * sentence.disc_matched, sentence.disc_gold + sentence.disc_pred),
        *(sentence.tags, sentence.words),
    )


def _figures(sums: Floats) -> Floats:
    """The figures in per cent, for every row of sums; NaN where there is no denominator."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        figures: Floats = 100 * sums[..., 0::2] / sums[..., 1::2]
    return figures


def _bootstrap(ours: Floats, theirs: Floats, rounds: int, random: np.random.Generator) -> Floats:
    """The differences on corpora drawn with replacement, a row for each."""
    import numpy as np

    size = len(ours)
    differences = []
    for done in range(0, rounds, ROUNDS_AT_ONCE):
        rows = min(ROUNDS_AT_ONCE, rounds - done)
        drawn = random.integers(0, size, (rows, size)) + size * np.arange(rows)[:, np.newaxis]
        # how often every sentence is drawn: summing is then one product of matrices
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(float)
        differences.append(_figures(times @ theirs) - _figures(times @ ours))
    return np.concatenate(differences)


def _randomise(ours: Floats, theirs: Floats, rounds: int, random: np.random.Generator) -> Floats:
    """The differences after exchanging the two parsers' outcomes at random, a row for each try."""
    import numpy as np

    size = len(ours)
    gain = theirs - ours
    differences = []
    for done in range(0, rounds, ROUNDS_AT_ONCE):
        rows = min(ROUNDS_AT_ONCE, rounds - done)
        coins = np.unpackbits(random.integers(0, 256, (rows, -(-size // 8)), dtype=np.uint8), axis=1)
        moved = coins[:, :size].astype(float) @ gain
        differences.append(_figures(theirs.sum(axis=0) - moved) - _figures(ours.sum(axis=0) + moved))
    return np.concatenate(differences)


def _difference(
    figure: str, values: tuple[float, float], observed: float, drawn: Floats, shuffled: Floats
) -> Difference:
    import numpy as np

    first, second = (None if np.isnan(value) else float(value) for value in values)
    # a corpus without any such bracket says nothing about it
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
