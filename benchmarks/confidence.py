"""Whether a model's confidences can be believed, and how good and fast its k-best lists are.

    python benchmarks/confidence.py MODEL ../shared/treebanks/english-gum/dev.ptb
    python benchmarks/confidence.py MODEL ../shared/treebanks/dutch-alpino/dev.export

A constituent that the model finds in the treebank's sentences (predicted tags; the wrapper aside) is right if
the gold tree has the same symbol over the same words, punctuation aside. The calibration may have been
fitted to this very treebank, so it is fitted anew on every other sentence and measured on those in between,
and the other way round.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from spindle.errors import TreebankError
from spindle.evaluation import evaluate
from spindle.pipeline import Analysis, Parser, Sentence, load
from spindle.pipeline.confidence import Calibration
from spindle.training.dev_monitor import outcomes
from spindle.treebanks import read_trees
from spindle.trees import Tree

BINS = 10
K = 10
ComparedPair = list[tuple[float, bool]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("model")
    options.add_argument("treebank")
    options.add_argument("--sentences", type=int, help="how many of them [default: all]")
    chosen = options.parse_args()
    parser = load(chosen.model)
    gold = readable(parser, chosen.treebank)[: chosen.sentences]
    sentences = [Sentence.of(tree).without_tags() for tree in gold]
    calibration(parser, sentences, gold)
    k_best(parser, sentences, gold)


def readable(parser: Parser, treebank: str) -> list[Tree]:
    """The trees as the parser would give them; sentences without words are left out."""
    gold = []
    for tree in read_trees(treebank):
        try:
            gold.append(parser.settings.conventions.gold(tree))
        except TreebankError:
            continue
    return gold


# ── confidences ──────────────────────────────────────────────────────────────────────────────────────


def calibration(parser: Parser, sentences: Sequence[Sentence], gold: Sequence[Tree]) -> None:
    bare = replace(parser, settings=replace(parser.settings, calibration=Calibration()))
    halves = [list(outcomes(bare, sentences[part::2], gold[part::2], 1)) for part in (0, 1)]
    fitted = [Calibration.fit(half) for half in halves]
    crossed = [(fitted[1 - part](one), right) for part in (0, 1) for one, right in halves[part]]
    own = [(parser.settings.calibration(one), right) for one, right in chain(*halves)]
    print(f"\n{len(own):,} constituents, {np.mean([right for _, right in own]):.2%} right\n")
    print("| confidences | calibration error | area under the curve | loss |\n|---|---|---|---|")
    for name, rated in (
        ("as they come", list(chain(*halves))),
        ("calibrated on the other half", crossed),
        ("as in the model", own),
    ):
        print(f"| {name} | {error(rated):.2%} | {area(rated):.3f} | {loss(rated):.3f} |")
    print("\n| confidence | constituents | mean confidence | right |\n|---|---|---|---|")
    for low, members in binned(crossed):
        values, right = np.array(members).T
        share = f"{low / BINS:.1f} to {(low + 1) / BINS:.1f}"
        print(f"| {share} | {len(members):,} | {values.mean():.1%} | {right.mean():.1%} |")
    print(f"\nThe curves: {', '.join(str(curve) for curve in fitted)}")


def binned(rated: ComparedPair) -> list[tuple[int, ComparedPair]]:
    """By tenths of confidence."""
    bins: list[ComparedPair] = [[] for _ in range(BINS)]
    for confidence, right in rated:
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, right))
    return [(low, members) for low, members in enumerate(bins) if members]


def error(rated: ComparedPair) -> float:
    """The expected calibration error: how far confidence and truth are apart, over tenths of confidence."""
    gaps = (abs(sum(one - right for one, right in members)) for _, members in binned(rated))
    return sum(gaps) / len(rated)


def area(rated: ComparedPair) -> float:
    """How often a right constituent has more confidence than a wrong one; equal ones count half."""
    values = np.array([one for one, _ in rated])
    right = np.array([is_right for _, is_right in rated])
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    count = right.sum()
    return float((ranks[right].sum() - count * (count + 1) / 2) / (count * (len(right) - count)))


def loss(rated: ComparedPair) -> float:
    """The mean of minus the logarithm of the probability that was given to what is the case."""
    chances = (min(max(one if right else 1 - one, 1e-6), 1.0) for one, right in rated)
    return float(-np.mean(np.log(list(chances))))


# ── k-best lists ─────────────────────────────────────────────────────────────────────────────────────


def k_best(parser: Parser, sentences: Sequence[Sentence], gold: Sequence[Tree]) -> None:
    tokens = sum(len(sentence.tokens) for sentence in sentences)
    plain, seconds = timed(lambda: list(parser.analyse(sentences, threads=1)))
    _, with_scores = timed(lambda: list(parser.analyse(sentences, threads=1, confidences=True)))
    lists, with_lists = timed(lambda: list(parser.analyse(sentences, threads=1, k=K)))
    scheme = "evalb" if parser.settings.mode == "continuous" else "discodop"
    best, oracle = [], []
    for analysis, tree in zip(lists, gold, strict=True):
        trees = [candidate.tree for candidate in analysis.candidates]
        best.append(trees[0])
        oracle.append(max(trees, key=lambda found: evaluate([tree], [found], scheme).f1 or 0))
    assert best == [analysis.tree for analysis in plain]
    full = np.mean([len(analysis.candidates) == K for analysis in lists])
    print(f"\n| F1 of the best tree | of the best of {K} | lists with {K} trees |\n|---|---|---|")
    print(f"| {evaluate(gold, best, scheme).f1:.2f} | {evaluate(gold, oracle, scheme).f1:.2f} | {full:.1%} |")
    print(f"\n| tokens / CPU s | with confidences | with {K} best |\n|---|---|---|")
    print(f"| {tokens / seconds:,.0f} | {tokens / with_scores:,.0f} | {tokens / with_lists:,.0f} |")


def timed(task: Callable[[], list[Analysis]]) -> tuple[list[Analysis], float]:
    start = time.process_time()
    result = task()
    return result, time.process_time() - start


if __name__ == "__main__":
    main()
