"""Compare two ways of labeling arcs in a neural parser: one by one, and the best sequence per head (Viterbi).

    python benchmarks/label_sequences.py MODEL english-gum

The paper labels the modifiers of a head together. Here the transition score of two adjacent labels is their
pointwise mutual information in the training trees. It is added to the scores of the network with a weight;
weight 0 is the parser as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy

from measuring import command_line, dev_trees, part_trees, score_parser
from spindle.heads import HeadFinder
from spindle.models import Array
from spindle.parsers.neural import NeuralParser
from spindle.parsers.neural.parser import ArcLabels, TreeBatch
from spindle.parsers.neural.runtime import ARCS, Graphs
from spindle.pipeline import Parser, load
from spindle.reduction import write_labels
from spindle.training.treebank import prepare, reduce
from spindle.trees import ROOT

WEIGHTS = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
SMOOTHING = 0.5
"""Is distributed over the counts of all labels after a label."""


def modifiers(heads: Sequence[int]) -> Iterator[list[int]]:
    """Yield the modifiers of every head, from left to right."""
    of_heads: dict[int, list[int]] = {}
    for word, head in enumerate(heads):
        if head != ROOT:
            of_heads.setdefault(head, []).append(word)
    yield from of_heads.values()


def label_pairs(parser: Parser, numbers: dict[str, int], treebank: str) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the labels of adjacent modifiers in the training trees."""
    settings = parser.settings
    prepared = prepare(tuple(part_trees(treebank, "train")), settings.conventions)
    for _, reduced in reduce(prepared.trees, HeadFinder(settings.head_rules), settings.mode):
        labels = write_labels(reduced.dtree, settings.encoding)
        for words in modifiers(reduced.dtree.heads):
            yield from pairwise(numbers[labels[word]] for word in words if labels[word] in numbers)


def transition_scores(pairs: Iterable[tuple[int, int]], count: int) -> Array:
    """Return the pointwise mutual information of two adjacent labels, `[label, next label]`."""
    counts = numpy.full((count, count), SMOOTHING / count)
    for before, after in pairs:
        counts[before, after] += 1
    independent = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    scores: Array = numpy.log(counts / independent)
    return scores


def best_sequence(scores: Array, transitions: Array) -> list[int]:
    """Return the best labels of the modifiers of one head; `scores` has a row per modifier."""
    total, back = scores[0], []
    for here in scores[1:]:
        sums = total[:, None] + transitions
        back.append(sums.argmax(0))
        total = sums.max(0) + here
    path = [int(total.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return path[::-1]


class SequenceLabelingParser(NeuralParser):
    """Labels the modifiers of a head together."""

    transitions: Array
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
            for words in modifiers(trees.heads[start : start + size].tolist()):
                of_words = scores[start + numpy.array(words), :count]
                found = best_sequence(of_words, self.weight * self.transitions)
                for word, label in zip(words, found, strict=True):
                    labels.best[start + word] = label
            start += size
        return labels


def main() -> None:
    """Print one row for every weight."""
    arguments = command_line(__doc__)
    arguments.add_argument("model")
    arguments.add_argument("treebank")
    given = arguments.parse_args()
    parser = load(given.model, SequenceLabelingParser)
    backend = parser.backend
    assert isinstance(backend, SequenceLabelingParser)
    numbers = {label: number for number, label in enumerate(backend.classes.labels)}
    backend.transitions = transition_scores(label_pairs(parser, numbers, given.treebank), len(numbers))
    gold = dev_trees(parser, given.treebank)
    print("| weight of the transition scores | F1 |\n|---|---|")
    for weight in WEIGHTS:
        backend.weight = weight
        print(f"| {weight} | {score_parser(parser, gold).f1 or 0:.2f} |", flush=True)


if __name__ == "__main__":
    main()
