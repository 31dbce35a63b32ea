"""Which sentences to annotate next: the least confident ones, or any?

    python benchmarks/active_learning.py TRAIN DEV [--start 200] [--step 200] [--rounds 4] [--seeds 1 2]

Gold trees play the annotator. Both ways begin with the same sentences; in every round a parser is trained on
what is annotated, parses the rest of the pool, and the next sentences are chosen: those with the lowest
confidence (`spindle.web.annotation.sentence_confidence`, the order of the page), or at random. Prints the
sentences, the words and F1 on DEV after every round; the words are what annotating costs.
"""

from __future__ import annotations

import argparse
from itertools import islice
from random import Random

import spindle
from spindle.evaluation import evaluate
from spindle.pipeline import Parser, Sentence
from spindle.treebanks import read_trees
from spindle.trees import Tree
from spindle.web.annotation import sentence_confidence

BITS = 20
"""The tables of the linear parser, as for trainings from the page."""


def least_confident(parser: Parser, pool: list[Tree], count: int) -> list[int]:
    """Return the numbers of the trees whose sentences the parser is least certain of."""
    sentences = [Sentence.of(tree).without_tags() for tree in pool]
    analyses = parser.analyse(sentences, threads=1, confidences=True)
    ranked = [
        (sentence_confidence(one.candidates[0].confidences or ()), number)
        for number, one in enumerate(analyses)
    ]
    return [number for _, number in sorted(ranked)[:count]]


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("train")
    arguments.add_argument("dev")
    arguments.add_argument("--pool", type=int, default=3000, help="sentences to choose from")
    arguments.add_argument("--start", type=int, default=200)
    arguments.add_argument("--step", type=int, default=200)
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    given = arguments.parse_args()
    trees = list(islice(read_trees(given.train), given.pool))
    dev = list(read_trees(given.dev))
    print(f"{'seed':>4}  {'next':<16}{'sentences':>9}{'words':>8}{'F1':>8}")
    for seed in given.seeds:
        order = Random(seed).sample(range(len(trees)), len(trees))
        for way in ("least confident", "random"):
            chosen = [trees[number] for number in order[: given.start]]
            pool = [trees[number] for number in order[given.start :]]
            for last in range(given.rounds, -1, -1):
                parser = spindle.train(chosen, parser_options={"bits": BITS}, epochs=4, seed=seed, threads=1)
                parsed = parser.parse_many([Sentence.of(tree).without_tags() for tree in dev], threads=1)
                score = evaluate(dev, [tree for tree in parsed if tree is not None], "evalb-gold")
                words = sum(map(len, chosen))
                print(f"{seed:>4}  {way:<16}{len(chosen):>9}{words:>8}{score.f1:>8.2f}", flush=True)
                if not last:
                    print(f"      {score.signature}")
                    break
                picked = least_confident(parser, pool, given.step)
                if way == "random":
                    picked = list(range(given.step))  # the pool is in random order
                chosen += [pool[number] for number in picked]
                taken = set(picked)
                pool = [tree for number, tree in enumerate(pool) if number not in taken]


if __name__ == "__main__":
    main()
