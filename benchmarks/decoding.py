"""How often the search for the best tree finds it.

    python benchmarks/decoding.py                      # scores of noise
    python benchmarks/decoding.py MODEL english-gum    # what a model says of short dev sentences

Every tree of up to six words whose arcs the parser may use is tried (brute force); the mean loss is how much
the tree that was found scores below the best one, as a share of the spread between the best tree and a tree
taken at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from engine import dev_trees
from spindle import _core
from spindle.parsers.linear import LinearParser
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.parser_training import ORDERS
from spindle.pipeline import load

LONGEST = 6


def all_trees(size: int, projective: bool) -> list[list[int]]:
    """Every tree with one root, by trying every choice of heads."""
    choices = np.stack(np.meshgrid(*[np.arange(-1, size)] * size, indexing="ij"), -1).reshape(-1, size)
    choices = choices[(choices == -1).sum(1) == 1]
    choices = choices[(choices != np.arange(size)).all(1)]
    above = choices
    for _ in range(size):
        above = np.where(above >= 0, np.take_along_axis(choices, np.maximum(above, 0), 1), -1)
    trees = choices[(above == -1).all(1)].tolist()
    return [heads for heads in trees if not projective or is_projective(heads)]


def is_projective(heads: list[int]) -> bool:
    """Whether no two arcs cross, the one from above the root included."""
    spans = [(min(head, word), max(head, word)) for word, head in enumerate(heads)]
    return not any(
        left < other_left < right < other_right for left, right in spans for other_left, other_right in spans
    )


def noise(count: int, order: str, projective: bool) -> Iterator[tuple[_core.ArcParser, _core.Sentence]]:
    """Parsers whose weights are noise, each with a sentence."""
    chance = np.random.default_rng(1)
    options = _core.ArcOptions(order=ORDERS[order], projective=projective, candidates=10, starts=3, seed=1)
    for _ in range(count):
        weights = (chance.normal(size=1 << 12) * 3000).astype(np.int16)
        size = int(chance.integers(2, LONGEST + 1))
        sentence = _core.Sentence([f"w{chance.integers(50)}" for _ in range(size)])
        sentence.set_tags(["ABCD"[chance.integers(4)] for _ in range(size)])
        parser = _core.ArcParser(
            options,
            keys=np.zeros(0, np.uint64),
            distances=np.zeros(0, np.int32),
            arcs=weights,
            arcs_scale=5e-5,
            parts=weights,
            parts_scale=1e-3,
        )
        yield parser, sentence


def learnt(model: Path, treebank: str) -> Iterator[tuple[_core.ArcParser, _core.Sentence]]:
    """A trained parser with the short sentences of a treebank."""
    parser = load(model)
    assert isinstance(parser.backend, LinearParser)
    short = [tree for tree in dev_trees(parser, treebank) if 2 <= len(tree) <= LONGEST]
    for tree in short:
        yield parser.backend.trained, hashed_sentence(tree.tokens)


def row(name: str, cases: Iterable[tuple[_core.ArcParser, _core.Sentence]], projective: bool) -> None:
    """Compare with brute force."""
    trees = {size: all_trees(size, projective) for size in range(1, LONGEST + 1)}
    exact, losses = 0, []
    for parser, sentence in cases:
        [found] = parser.parse([sentence], 1)
        # arcs that the parser's dictionary forbids have no probability at any temperature
        [chances] = parser.head_probabilities([sentence], 1e4, 1)
        scores = [
            parser.score(sentence, heads)
            for heads in trees[len(sentence)]
            if all(chances[head + 1, word] > 0 for word, head in enumerate(heads))
        ] or [parser.score(sentence, found)]
        best, score = max(scores), parser.score(sentence, found)
        is_best = score >= best - 1e-3 * max(1.0, abs(best))
        exact += is_best
        losses.append(0.0 if is_best else (best - score) / (best - sum(scores) / len(scores)))
    print(f"| {name} | {len(losses)} | {100 * exact / len(losses):.1f} | {100 * np.mean(losses):.3f} |")


def main() -> None:
    """All orders on noise, or one model."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("model", type=Path, nargs="?")
    arguments.add_argument("treebank", nargs="?")
    given = arguments.parse_args()
    print("| scores | sentences | exact, % | mean loss, % |\n|---|---|---|---|")
    if given.model:
        part = load(given.model).backend.to_part()
        row(given.model.stem, learnt(given.model, given.treebank), part.settings["projective"])
        return
    for order in ORDERS:
        for projective in (True, False):
            kind = "projective" if projective else "any"
            row(f"noise, {order}, {kind}", noise(200, order, projective), projective)


if __name__ == "__main__":
    main()
