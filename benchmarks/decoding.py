"""Measure how often the decoder of the linear parser finds the best tree.

    python benchmarks/decoding.py                      # random weights
    python benchmarks/decoding.py MODEL english-gum    # a trained model on short development sentences
    python benchmarks/decoding.py MODEL english-gum --starts 300    # longer ones, against a search that long

Brute force scores every tree of up to six words whose arcs the parser may use. The loss of a sentence is the
score of the best tree minus the score of the tree found, divided by the score of the best tree minus the mean
score of all trees. For longer sentences there is no brute force; with `--starts` the tree is compared with
that of a hill climbing from more starts, which changes only orders whose search is not exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from measuring import command_line, dev_trees, timed
from spindle import _core
from spindle.parsers.linear import LinearParser
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.parser_training import ORDERS
from spindle.pipeline import Parser, load

MAX_LENGTH = 6
SENTENCES = 200
TOLERANCE = 1e-3

Case = tuple[_core.ArcParser, _core.Sentence]


def all_trees(size: int, projective: bool) -> list[list[int]]:
    """Return the heads of every tree with one root, by trying every choice of heads."""
    choices = np.stack(np.meshgrid(*[np.arange(-1, size)] * size, indexing="ij"), -1).reshape(-1, size)
    choices = choices[(choices == -1).sum(1) == 1]
    choices = choices[(choices != np.arange(size)).all(1)]
    above = choices
    for _ in range(size):
        above = np.where(above >= 0, np.take_along_axis(choices, np.maximum(above, 0), 1), -1)
    trees = choices[(above == -1).all(1)].tolist()
    return [heads for heads in trees if not projective or is_projective(heads)]


def is_projective(heads: list[int]) -> bool:
    """Return whether no two arcs cross; the arc to the root counts."""
    spans = [(min(head, word), max(head, word)) for word, head in enumerate(heads)]
    return not any(
        left < other_left < right < other_right for left, right in spans for other_left, other_right in spans
    )


def random_cases(count: int, order: str, projective: bool) -> Iterator[Case]:
    """Yield parsers with random weights, each with a random sentence."""
    random = np.random.default_rng(1)
    options = _core.ArcOptions(order=ORDERS[order], projective=projective, candidates=10, starts=3, seed=1)
    for _ in range(count):
        weights = (random.normal(size=1 << 12) * 3000).astype(np.int16)
        size = int(random.integers(2, MAX_LENGTH + 1))
        sentence = _core.Sentence([f"w{random.integers(50)}" for _ in range(size)])
        sentence.set_tags(["ABCD"[random.integers(4)] for _ in range(size)])
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


def model_cases(parser: Parser, backend: LinearParser, treebank: str) -> Iterator[Case]:
    """Yield a trained parser with each short development sentence of a treebank."""
    for tree in dev_trees(parser, treebank):
        if 2 <= len(tree) <= MAX_LENGTH:
            yield backend.trained, hashed_sentence(tree.tokens)


def print_row(name: str, cases: Iterable[Case], projective: bool) -> None:
    """Compare the decoder with brute force."""
    trees = {size: all_trees(size, projective) for size in range(1, MAX_LENGTH + 1)}
    exact, losses = 0, []
    for parser, sentence in cases:
        [found] = parser.parse([sentence], 1)
        # arcs that the parser's dictionary forbids have probability 0 at any temperature
        [probabilities] = parser.head_probabilities([sentence], 1e4, 1)
        scores = [
            parser.score(sentence, heads)
            for heads in trees[len(sentence)]
            if all(probabilities[head + 1, word] > 0 for word, head in enumerate(heads))
        ] or [parser.score(sentence, found)]
        best, score = max(scores), parser.score(sentence, found)
        is_best = score >= best - 1e-3 * max(1.0, abs(best))
        exact += is_best
        losses.append(0.0 if is_best else (best - score) / (best - sum(scores) / len(scores)))
    print(f"| {name} | {len(losses)} | {100 * exact / len(losses):.1f} | {100 * np.mean(losses):.3f} |")


def print_long_search(name: str, sentences: list[_core.Sentence], backend: LinearParser, starts: int) -> None:
    """Compare the trees of a model with those of a search that is so long, with two seeds."""
    part = backend.to_part()
    searches = [
        LinearParser.from_part(
            replace(part, settings={**part.settings, "starts": starts, "seed": part.settings["seed"] + more})
        )
        for more in (0, 1)
    ]
    worse = better = words = 0
    seconds = 0.0
    for sentence in sentences:
        parsing = timed(lambda sentence=sentence: backend.trained.parse([sentence], 1)[0])  # type: ignore[misc]
        seconds += parsing.cpu
        words += len(sentence)
        score = backend.trained.score(sentence, parsing.result)
        known = max(backend.trained.score(sentence, one.trained.parse([sentence], 1)[0]) for one in searches)
        worse += score < known - TOLERANCE
        better += score > known + TOLERANCE
    shares = " | ".join(f"{100 * count / len(sentences):.2f}" for count in (worse, better))
    print("| model | sentences | a better tree is known, % | the other way, % | words / CPU s |")
    print("|---|---|---|---|---|")
    print(f"| {name} | {len(sentences)} | {shares} | {words / seconds:,.0f} |")


def main() -> None:
    """Measure all orders with random weights, or one model."""
    arguments = command_line(__doc__)
    arguments.add_argument("model", type=Path, nargs="?")
    arguments.add_argument("treebank", nargs="?")
    arguments.add_argument("--starts", type=int, help="compare with a longer search")
    arguments.add_argument(
        "--words", type=int, nargs=2, default=[20, 60], help="least and most, for --starts"
    )
    arguments.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth sentence")
    given = arguments.parse_args()
    if given.starts is None:
        print("| scores | sentences | exact, % | mean loss, % |\n|---|---|---|---|")
    if given.model:
        parser = load(given.model)
        if not isinstance(parser.backend, LinearParser) or given.treebank is None:
            arguments.error("a model needs a linear parser, and a treebank to parse")
        if given.starts is not None:
            shortest, longest = given.words
            trees = [one for one in dev_trees(parser, given.treebank) if shortest <= len(one) <= longest]
            sentences = [hashed_sentence(tree.tokens) for tree in trees[:: given.every]]
            print_long_search(given.model.stem, sentences, parser.backend, given.starts)
            return
        projective = parser.backend.to_part().settings["projective"]
        print_row(given.model.stem, model_cases(parser, parser.backend, given.treebank), projective)
        return
    for order in ORDERS:
        for projective in (True, False):
            kind = "projective" if projective else "any"
            cases = random_cases(SENTENCES, order, projective)
            print_row(f"random, {order}, {kind}", cases, projective)


if __name__ == "__main__":
    main()
