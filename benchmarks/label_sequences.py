"""Labels of a neural parser: chosen one by one, or as in the paper the best sequence of a head (Viterbi).

    python benchmarks/label_sequences.py MODEL english-gum

How well a label follows the one before it, among the modifiers of one head, is counted in the training trees:
the logarithm of how much more frequent the pair is than chance would have it. It is added to the network's
scores with some weight; weight 0 is what the parser does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy

from engine import dev_trees, scored
from measuring import part
from spindle.heads import HeadFinder
from spindle.parsers.neural import NeuralParser
from spindle.parsers.neural.parser import ArcLabels, TreeBatch
from spindle.parsers.neural.runtime import ARCS, Array, Graphs
from spindle.pipeline import load
from spindle.reduction import write_labels
from spindle.training.treebank import prepare, reduce
from spindle.treebanks import read_trees
from spindle.trees import ROOT

WEIGHTS = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
RARE = 0.5
"""Is added to every count."""


def sequences(heads: Sequence[int]) -> Iterator[list[int]]:
    """The modifiers of every head, from left to right."""
    of_heads: dict[int, list[int]] = {}
    for word, head in enumerate(heads):
        if head != ROOT:
            of_heads.setdefault(head, []).append(word)
    yield from of_heads.values()


def transitions(pairs: Sequence[tuple[int, int]], count: int) -> Array:
    """How much more frequent every pair of labels is than chance would have it, as a logarithm."""
    counts = numpy.full((count, count), RARE / count)
    for before, after in pairs:
        counts[before, after] += 1
    chance = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    return numpy.log(counts / chance)


def best_sequence(scores: Array, following: Array) -> list[int]:
    """The best labels of the modifiers of one head."""
    total, back = scores[0], []
    for here in scores[1:]:
        ways = total[:, None] + following
        back.append(ways.argmax(0))
        total = ways.max(0) + here
    path = [int(total.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return path[::-1]


class Sequences(NeuralParser):
    """Chooses the labels of a head's modifiers together."""

    following: Array
    weight = 0.0

    def _label(self, graphs: Graphs, states: Array, trees: TreeBatch) -> ArcLabels:
        labels = super()._label(graphs, states, trees)
        if not self.weight:
            return labels
        arcs = trees.arc_context(len(states))
        scores, *_ = graphs.run(ARCS, states, arcs.roles, arcs.counts)
        scores = scores[arcs.rows]
        count, start = len(self.classes.labels), 0
        for size in trees.sizes.tolist():
            for words in sequences(trees.heads[start : start + size].tolist()):
                of_words = scores[start + numpy.array(words), :count]
                found = best_sequence(of_words, self.weight * self.following)
                for word, label in zip(words, found, strict=True):
                    labels.best[start + word] = label
            start += size
        return labels


def main() -> None:
    """One row for every weight."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("model")
    arguments.add_argument("treebank")
    given = arguments.parse_args()
    parser = load(given.model, Sequences)
    backend = parser.backend
    assert isinstance(backend, Sequences)
    numbers = {label: number for number, label in enumerate(backend.classes.labels)}
    finder = HeadFinder(parser.settings.head_rules)
    trees = tuple(read_trees(part(given.treebank, "train"), on_error="skip"))
    pairs: list[tuple[int, int]] = []
    for _, reduced in reduce(prepare(trees, parser.settings.conventions).trees, finder, parser.settings.mode):
        labels = write_labels(reduced.dtree, parser.settings.encoding)
        for words in sequences(reduced.dtree.heads):
            found = [numbers[labels[word]] for word in words if labels[word] in numbers]
            pairs += pairwise(found)
    backend.following = transitions(pairs, len(numbers))
    gold = dev_trees(parser, given.treebank)
    print("| weight of what follows what | F1 |\n|---|---|")
    for weight in WEIGHTS:
        backend.weight = weight
        print(f"| {weight} | {scored(parser, gold).f1 or 0:.2f} |", flush=True)


if __name__ == "__main__":
    main()
