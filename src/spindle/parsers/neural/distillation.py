"""Distillation between networks: a teacher computes soft targets, which a student reads as its dataset.

The teacher parses every sentence once. For raw text the targets are its probabilities for its own parse. For
a gold tree they are its probabilities for that tree, mixed with the tree itself. The student has the classes
of the teacher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from spindle.models import Array, ModelPart
from spindle.parsers.backend import DistillationData, Example, Prediction
from spindle.parsers.in_order import in_order
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.dataset import Dataset, DatasetBuilder, Targets
from spindle.parsers.neural.runtime import ARCS, NODES
from spindle.reduction import read_labels, repair
from spindle.trees import DTree, Token

if TYPE_CHECKING:
    from spindle.parsers.neural.parser import NeuralParser

SMALLEST_PROBABILITY = 1e-9
"""Added to probabilities before their logarithm is taken."""


class KnownExamples(NamedTuple):
    """The examples whose classes are all known to the teacher.

    The teacher imitates the first treebank. Its probabilities say nothing about the guidelines of the others,
    so `others` keep their gold targets.
    """

    others: list[Example]
    first: list[Example]

    @classmethod
    def select(cls, examples: Sequence[Example], builder: DatasetBuilder) -> KnownExamples:
        """Leave out the examples with unknown classes."""
        known = [one for one in examples if builder.knows(one)]
        return cls([one for one in known if one.treebank], [one for one in known if not one.treebank])

    def __len__(self) -> int:
        return len(self.others) + len(self.first)


def soft_targets(
    teacher: NeuralParser, data: DistillationData, threads: int, progress: Callable[[int, int], None]
) -> ModelPart:
    """Return the targets of all examples with known classes, and of all sentences.

    Settings: `classes` of the teacher, `left_out` (the number of examples with unknown classes), `sentences`
    (the number that the teacher has parsed) and `bytes` (the size of the targets in memory).
    """
    builder = DatasetBuilder(teacher.classes)
    known = KnownExamples.select(data.examples, builder)
    calls = [
        *(
            partial(_of_trees, teacher, builder, data, batch)
            for batch in _batches(known.first, teacher.batch)
        ),
        *(
            partial(_of_text, teacher, builder, data, batch)
            for batch in _batches(data.sentences, teacher.batch)
        ),
    ]
    parts = [builder.gold(known.others)] if known.others else []
    for done, part in enumerate(in_order(_call, calls, threads), start=1):
        parts.append(part)
        progress(done, len(calls))
    dataset = Dataset.concatenate(parts)
    stored = dataset.to_part()
    settings = {
        **stored.settings,
        "classes": teacher.classes.to_dict(),
        "left_out": len(data.examples) - len(known),
        "sentences": len(known.first) + len(data.sentences),
        "bytes": dataset.nbytes,
    }
    return ModelPart(settings, stored.arrays)


def read_targets(data: DistillationData, targets: ModelPart) -> tuple[Dataset, Classes]:
    """Return the dataset and the classes of what `soft_targets` returned for this data."""
    classes = Classes.from_dict(targets.settings["classes"])
    known = KnownExamples.select(data.examples, DatasetBuilder(classes))
    of_trees = [tuple([token.form for token in one.tokens]) for one in (*known.others, *known.first)]
    return Dataset.from_part(targets, [*of_trees, *data.sentences]), classes


def _of_trees(
    teacher: NeuralParser, builder: DatasetBuilder, data: DistillationData, examples: Sequence[Example]
) -> Dataset:
    """Return gold trees with their targets, mixed with the teacher's."""
    predictions = teacher.parse([one.tokens for one in examples], 1)
    return _with_soft_targets(teacher, builder.gold(examples), predictions, data.gold_share)


def _of_text(
    teacher: NeuralParser, builder: DatasetBuilder, data: DistillationData, sentences: Sequence[Sequence[str]]
) -> Dataset:
    """Return the teacher's parses of raw sentences with its targets."""
    predictions = teacher.parse([[Token(form) for form in forms] for forms in sentences], 1)
    dtrees = [_repaired(prediction, data) for prediction in predictions]
    return _with_soft_targets(teacher, builder.without_targets(dtrees, data.text_weight), predictions, 0.0)


def _repaired(prediction: Prediction, data: DistillationData) -> DTree:
    assert prediction.tokens is not None
    assert prediction.labels is not None
    symbols, indices, _ = read_labels(prediction.heads, prediction.labels, data.encoding)
    return repair(prediction.tokens, prediction.heads, symbols, indices, mode=data.mode)[0]


def _with_soft_targets(
    teacher: NeuralParser, dataset: Dataset, predictions: Sequence[Prediction], gold_share: float
) -> Dataset:
    """Replace the targets of a dataset by the teacher's probabilities for its sentences and trees.

    Targets that the dataset already has keep the weight `gold_share`.
    """
    states = [prediction.state for prediction in predictions]
    rows = numpy.concatenate([state.states for state in states])
    starts = list(accumulate((len(state.states) for state in states), initial=0))
    graphs, padding_row = teacher.graphs(1), starts.pop()
    arcs = dataset.arc_context(starts, padding_row)
    labels, *_ = graphs.run(ARCS, rows, arcs.roles, arcs.counts)
    nodes = dataset.node_context(starts, padding_row)
    (chains,) = graphs.run(NODES, rows, nodes.roles, nodes.marks)
    scores = {
        "tags": numpy.concatenate([state.tags for state in states]),
        "morphs": numpy.concatenate([state.morphs for state in states]),
        "labels": labels,
        "chains": chains,
    }
    gold = {kind: targets.indices[:, 0] for kind, targets in dataset.targets.items()}
    heads = _soft_heads(teacher, predictions, starts, gold.get("heads"), gold_share)
    others = {kind: Targets.soft(table, gold.get(kind), gold_share) for kind, table in scores.items()}
    return replace(dataset, targets={"heads": heads, **others})


def _soft_heads(
    teacher: NeuralParser,
    predictions: Sequence[Prediction],
    starts: Sequence[int],
    gold: Array | None,
    gold_share: float,
) -> Targets:
    """Return the teacher's marginal probabilities of heads, mixed with gold heads if there are any."""
    tables = teacher.head_probabilities([], predictions, 1)
    return Targets.concatenate(
        [
            Targets.soft(
                numpy.log(table.T + SMALLEST_PROBABILITY),
                None if gold is None else gold[start : start + len(table.T)],
                gold_share,
            )
            for start, table in zip(starts, tables, strict=True)
        ]
    )


def _batches(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _call(function: Callable[[], Dataset]) -> Dataset:
    return function()
