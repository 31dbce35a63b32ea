"""Measure how reliable the confidences of a model are, and how good and fast its k-best lists are.

    python benchmarks/confidence.py MODEL ../shared/treebanks/english-gum/dev.ptb
    python benchmarks/confidence.py MODEL ../shared/treebanks/dutch-alpino/dev.export

The sentences are parsed with predicted tags. A constituent is correct if the gold tree has the same symbol
over the same words; punctuation and wrappers are ignored. The calibration of the model may have been fitted
on this treebank. Therefore a new one is fitted on every other sentence and measured on the rest, and vice
versa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from measuring import (
    BINS,
    Outcomes,
    binned,
    calibration_error,
    command_line,
    has_words,
    scheme_of,
    timed,
    untagged,
)
from spindle.evaluation import evaluate
from spindle.pipeline import Analysis, Parser, Sentence, load
from spindle.pipeline.confidence import Calibration
from spindle.training.dev_monitor import outcomes
from spindle.treebanks import read_trees
from spindle.trees import Tree

K = 10
MIN_PROBABILITY = 1e-6
"""Probabilities are clipped to this, so that the cross-entropy is finite."""


def main() -> None:
    """Measure confidences, then k-best lists."""
    options = command_line(__doc__)
    options.add_argument("model")
    options.add_argument("treebank")
    options.add_argument("--sentences", type=int, help="number of sentences [default: all]")
    given = options.parse_args()
    parser = load(given.model)
    trees = filter(has_words, read_trees(given.treebank))
    gold = [parser.settings.conventions.gold(tree) for tree in trees][: given.sentences]
    sentences = untagged(gold)
    measure_calibration(parser, sentences, gold)
    measure_k_best(parser, sentences, gold)


# ── confidences ──────────────────────────────────────────────────────────────────────────────────────


def measure_calibration(parser: Parser, sentences: Sequence[Sentence], gold: Sequence[Tree]) -> None:
    """Print figures for uncalibrated confidences, for new calibrations, and for that of the model."""
    uncalibrated = replace(parser, settings=replace(parser.settings, calibration=Calibration()))
    halves = [list(outcomes(uncalibrated, sentences[part::2], gold[part::2], 1)) for part in (0, 1)]
    fitted = [Calibration.fit(half) for half in halves]
    crossed = [(fitted[1 - part](confidence), right) for part in (0, 1) for confidence, right in halves[part]]
    own = [(parser.settings.calibration(confidence), right) for confidence, right in chain(*halves)]
    print(f"\n{len(own):,} constituents, {np.mean([right for _, right in own]):.2%} correct\n")
    print("| confidences | calibration error | area under the ROC curve | cross-entropy |\n|---|---|---|---|")
    for name, rated in (
        ("uncalibrated", list(chain(*halves))),
        ("calibrated on the other half", crossed),
        ("calibrated as in the model", own),
    ):
        error, area, loss = calibration_error(rated), roc_area(rated), cross_entropy(rated)
        print(f"| {name} | {error:.2%} | {area:.3f} | {loss:.3f} |")
    print("\n| confidence | constituents | mean confidence | correct |\n|---|---|---|---|")
    for number, members in binned(crossed):
        values, right = np.array(members).T
        limits = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
        print(f"| {limits} | {len(members):,} | {values.mean():.1%} | {right.mean():.1%} |")
    print(f"\nThe curves: {', '.join(map(str, fitted))}")


def roc_area(rated: Outcomes) -> float:
    """Return how often a correct constituent has a higher confidence than a wrong one; ties count half."""
    values = np.array([confidence for confidence, _ in rated])
    right = np.array([is_right for _, is_right in rated])
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    count = right.sum()
    return float((ranks[right].sum() - count * (count + 1) / 2) / (count * (len(right) - count)))


def cross_entropy(rated: Outcomes) -> float:
    """Return the mean negative log probability of the actual outcomes."""
    probabilities = [confidence if right else 1 - confidence for confidence, right in rated]
    return float(-np.mean(np.log(np.clip(probabilities, MIN_PROBABILITY, 1.0))))


# ── k-best lists ─────────────────────────────────────────────────────────────────────────────────────


def measure_k_best(parser: Parser, sentences: Sequence[Sentence], gold: Sequence[Tree]) -> None:
    """Print the F1 of the best tree of every list, chosen by the parser and by the gold tree, and speeds."""

    def analyses(k: int = 1, confidences: bool = False) -> list[Analysis]:
        return list(parser.analyse(sentences, threads=1, k=k, confidences=confidences))

    tokens = sum(len(sentence.tokens) for sentence in sentences)
    plain = timed(analyses)
    with_confidences = timed(lambda: analyses(confidences=True))
    lists = timed(lambda: analyses(k=K))
    scheme = scheme_of(parser)
    best, oracle = [], []
    for analysis, tree in zip(lists.result, gold, strict=True):
        trees = [candidate.tree for candidate in analysis.candidates]
        best.append(trees[0])
        oracle.append(max(trees, key=lambda found: evaluate([tree], [found], scheme).f1 or 0))
    # eight-bit activations are scaled by batch, so the extra trees of a list can change a neural prediction
    same = np.mean([tree == analysis.tree for tree, analysis in zip(best, plain.result, strict=True)])
    full = np.mean([len(analysis.candidates) == K for analysis in lists.result])
    f1, oracle_f1 = (evaluate(gold, trees, scheme).f1 for trees in (best, oracle))
    print(
        f"\n| F1 of the best tree | of the best of {K} | lists with {K} trees | same best tree with k = 1 |"
    )
    print(f"|---|---|---|---|\n| {f1:.2f} | {oracle_f1:.2f} | {full:.1%} | {same:.1%} |")
    speeds = (f"{tokens / run.cpu:,.0f}" for run in (plain, with_confidences, lists))
    print(f"\n| tokens / CPU s | with confidences | with {K} best |\n|---|---|---|\n| {' | '.join(speeds)} |")


if __name__ == "__main__":
    main()
