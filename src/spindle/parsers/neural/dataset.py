"""The training data of a network: trees as integer arrays, and the target distributions of its outputs.

All sentences share the same arrays, one after the other, so that a million of them fit into memory. The
targets of gold trees are one-hot. Those of distillation are soft: the probabilities of the teacher, mixed
with the gold tree if there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy

from spindle.models import Array, ModelPart
from spindle.parsers.backend import Example
from spindle.parsers.neural.batches import starts_of
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import ArcContext, NodeContext, arc_context, column, node_context
from spindle.reduction import Place
from spindle.trees import ROOT, DTree

SOFT_CLASSES = 4
"""The number of classes that a soft target keeps: the most probable ones."""
WORD_TARGETS = ("heads", "tags", "morphs", "labels")
"""The targets with one row per word; `chains` have one per node."""
_ARRAYS = ("treebanks", "weights", "nodes", "heads", "symbols", "events")


class Targets(NamedTuple):
    """A sparse distribution for every word or node: `indices` and `probabilities`, both `[rows, classes]`."""

    indices: Array
    probabilities: Array

    @classmethod
    def one_hot(cls, indices: Sequence[int]) -> Targets:
        """Return distributions with all probability on one class each."""
        column = _compact(numpy.array(indices, dtype=numpy.int64)[:, None])
        return cls(column, numpy.ones(column.shape, dtype=numpy.float16))

    @classmethod
    def soft(cls, scores: Array, gold: Array | None, gold_share: float) -> Targets:
        """Return the softmax of scores, `[rows, classes]`, cut to its most probable classes.

        With `gold`, one class per row, the result is `gold_share` · gold + (1 - `gold_share`) · softmax.
        """
        probabilities = numpy.exp(scores - scores.max(1, keepdims=True))
        probabilities /= probabilities.sum(1, keepdims=True)
        if gold is not None:
            probabilities *= 1 - gold_share
            probabilities[numpy.arange(len(gold)), gold] += gold_share
        kept = min(SOFT_CLASSES, probabilities.shape[1])
        indices = numpy.argpartition(probabilities, -kept, axis=1)[:, -kept:]
        best = numpy.take_along_axis(probabilities, indices, 1)
        return cls(_compact(indices), (best / best.sum(1, keepdims=True)).astype(numpy.float16))

    @classmethod
    def concatenate(cls, parts: Sequence[Targets]) -> Targets:
        """Join the rows of several targets."""
        widest = max(part.indices.shape[1] for part in parts)
        padded = [
            [numpy.pad(column, ((0, 0), (0, widest - column.shape[1]))) for column in part] for part in parts
        ]
        return cls(*map(numpy.concatenate, zip(*padded, strict=True)))


def _compact(indices: Array) -> Array:
    return indices.astype(numpy.uint16 if indices.max(initial=0) < 1 << 16 else numpy.int32)


@dataclass(frozen=True)
class Dataset:
    """Sentences with their trees and targets.

    `treebanks`, `weights` and `nodes` (the number of nodes of the tree) have one element per sentence;
    `heads`, `symbols` (numbers) and `events` have one per word of all sentences.
    """

    forms: Sequence[tuple[str, ...]]
    treebanks: Array
    weights: Array
    nodes: Array
    heads: Array
    symbols: Array
    events: Array
    targets: Mapping[str, Targets]
    treebank_words: int = 0
    """The number of words that come from gold trees."""

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def lengths(self) -> Array:
        """The number of words of every sentence."""
        return numpy.array([len(forms) for forms in self.forms], dtype=numpy.int64)

    @cached_property
    def _starts(self) -> tuple[Array, Array]:
        """The rows at which the words and the nodes of every sentence start."""
        return starts_of(self.lengths), starts_of(self.nodes)

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        arrays = [self.nodes, self.heads, self.symbols, self.events, *chain(*self.targets.values())]
        return sum(array.nbytes for array in arrays)

    def take(self, numbers: Sequence[int]) -> Dataset:
        """Return the sentences with these numbers, in this order."""
        word_starts, node_starts = self._starts
        words = _rows(word_starts[numbers], self.lengths[numbers])
        nodes = _rows(node_starts[numbers], self.nodes[numbers])
        return Dataset(
            [self.forms[number] for number in numbers],
            self.treebanks[numbers],
            self.weights[numbers],
            self.nodes[numbers],
            self.heads[words],
            self.symbols[words],
            self.events[words],
            targets={
                name: Targets(*(column[words if name in WORD_TARGETS else nodes] for column in targets))
                for name, targets in self.targets.items()
            },
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Dataset]) -> Self:
        """Join the sentences of several datasets."""
        arrays: dict[str, Any] = {
            name: numpy.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS
        }
        return cls(
            forms=[forms for part in parts for forms in part.forms],
            **arrays,
            targets={
                name: Targets.concatenate([part.targets[name] for part in parts]) for name in parts[0].targets
            },
            treebank_words=sum(part.treebank_words for part in parts),
        )

    # ── features ─────────────────────────────────────────────────────────────────────────────────────

    def arc_context(self, starts: Sequence[int], padding_row: int) -> ArcContext:
        """Return the features of all arcs; the states of each sentence's words start at row `starts`."""
        return arc_context(self.heads, self.lengths.tolist(), starts, padding_row)

    def node_context(self, starts: Sequence[int], padding_row: int) -> NodeContext:
        """Return the features of all nodes; the states of each sentence's words start at row `starts`."""
        sizes = self.lengths.tolist()
        return node_context(self.heads, self.symbols, self.events, sizes, starts, padding_row)

    # ── storage ──────────────────────────────────────────────────────────────────────────────────────

    def to_part(self) -> ModelPart:
        """Return everything but the words."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        for name, targets in self.targets.items():
            arrays |= {f"{name}.{field}": getattr(targets, field) for field in Targets._fields}
        settings = {"targets": list(self.targets), "treebank_words": self.treebank_words}
        return ModelPart(settings, arrays)

    @classmethod
    def from_part(cls, part: ModelPart, forms: Sequence[tuple[str, ...]]) -> Self:
        """Read what `to_part` returned; `forms` are the words of the sentences."""
        arrays = part.arrays
        columns: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
        return cls(
            forms=forms,
            **columns,
            targets={
                name: Targets(*(arrays[f"{name}.{field}"] for field in Targets._fields))
                for name in part.settings["targets"]
            },
            treebank_words=part.settings["treebank_words"],
        )


def _rows(starts: Array, sizes: Array) -> Array:
    """Return the rows of several segments, one segment after the other."""
    rows: Array = numpy.arange(sizes.sum()) + numpy.repeat(starts - starts_of(sizes), sizes)
    return rows


class DatasetBuilder:
    """Turns examples and d-trees into a `Dataset` with the numbers of some classes."""

    def __init__(self, classes: Classes) -> None:
        self._symbols = classes.symbol_numbers
        self._tags = {tag: number for number, tag in enumerate(classes.tags)}
        self._morphs = {morph: number for number, morph in enumerate(classes.morphs)}
        self._chains = {chain: number for number, chain in enumerate(classes.chains)}
        self._labels = {label: number for number, label in enumerate(classes.labels)}
        self._root_labels = {
            label: number for number, label in enumerate(classes.root_labels, start=len(classes.labels))
        }

    def knows(self, example: Example) -> bool:
        """Whether all tags, morphology, labels and chains of an example are among the classes."""
        return (
            all(token.tag in self._tags and token.morph in self._morphs for token in example.tokens)
            and all(chain in self._chains for chain in example.chains.values())
            and all(
                label in (self._root_labels if head == ROOT else self._labels)
                for head, label in zip(example.heads, example.labels, strict=True)
            )
        )

    def gold(self, examples: Sequence[Example]) -> Dataset:
        """Return examples with their gold trees as targets."""
        dataset, places = self._trees([one.dtree for one in examples])
        arcs = [arc for one in examples for arc in zip(one.heads, one.labels, strict=True)]
        tokens = [token for one in examples for token in one.tokens]
        gold = {
            "heads": [head + 1 for head, _ in arcs],
            "tags": [self._tags[token.tag] for token in tokens],
            "morphs": [self._morphs[token.morph] for token in tokens],
            "labels": [(self._root_labels if head == ROOT else self._labels)[label] for head, label in arcs],
            "chains": [
                self._chains[one.chains.get(place, ())]
                for one, of_tree in zip(examples, places, strict=True)
                for place in of_tree
            ],
        }
        return replace(
            dataset,
            treebanks=numpy.array([one.treebank for one in examples]),
            weights=numpy.array([one.weight for one in examples], dtype=float),
            targets={name: Targets.one_hot(indices) for name, indices in gold.items()},
            treebank_words=len(tokens),
        )

    def without_targets(self, dtrees: Sequence[DTree], weight: float) -> Dataset:
        """Return d-trees, each with this weight, for which a teacher will compute the targets."""
        dataset, _ = self._trees(dtrees)
        return replace(dataset, weights=numpy.full(len(dtrees), weight))

    def _trees(self, dtrees: Sequence[DTree]) -> tuple[Dataset, list[list[Place]]]:
        """Return d-trees without targets, and the places of their nodes."""
        columns = (
            column(dtree.heads for dtree in dtrees),
            # a repair can create a symbol that does not occur in training
            column([self._symbols.get(symbol, 0) for symbol in dtree.symbols] for dtree in dtrees),
            column(dtree.events for dtree in dtrees),
        )
        nodes, words, at, _, _ = node_context(*columns, list(map(len, dtrees)), [0] * len(dtrees), 0)
        dataset = Dataset(
            [tuple([token.form for token in dtree.tokens]) for dtree in dtrees],
            numpy.zeros(len(dtrees), dtype=numpy.int64),
            numpy.ones(len(dtrees)),
            nodes,
            *columns,
            targets={},
        )
        places = iter(map(Place, words.tolist(), at.tolist()))
        return dataset, [[next(places) for _ in range(size)] for size in nodes.tolist()]
