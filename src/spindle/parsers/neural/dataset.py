"""Dataset: trees as numbers, and what a network is to say of them.

All sentences are in the same arrays, one after the other, so that a million of them fit into memory. What is
right need not be one thing: of a gold tree it is, but a teacher, which is another parser, finds several heads
(tags, labels, chains) more or less probable, and a gold tree can be mixed with what it thinks.
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
from spindle.reduction import Encoding, Place
from spindle.reduction.labels import read_labels
from spindle.trees import ROOT, DTree

BEST = 4
"""How many heads, labels, tags or chains are kept of those that a teacher finds probable."""
OF_WORDS = ("heads", "tags", "morphs", "labels")
"""What is to be said of every word; of every node it is `chains`."""
_ARRAYS = ("treebanks", "weights", "nodes", "heads", "symbols", "events")


class Targets(NamedTuple):
    """For every word or node some numbers, and how much each of them is right: `[rows, some]`, all 1."""

    numbers: Array
    shares: Array

    @classmethod
    def sure(cls, numbers: Sequence[int]) -> Targets:
        """One number is right."""
        column = _compact(numpy.array(numbers, dtype=numpy.int64)[:, None])
        return cls(column, numpy.ones(column.shape, dtype=numpy.float16))

    @classmethod
    def mixed(cls, scores: Array, gold: Array | None, share: float) -> Targets:
        """What has the highest scores, `[rows, numbers]`, as far as it is probable.

        If there is a number in gold for every row, that is given its share first.
        """
        probable = numpy.exp(scores - scores.max(1, keepdims=True))
        probable /= probable.sum(1, keepdims=True)
        if gold is not None:
            probable *= 1 - share
            probable[numpy.arange(len(gold)), gold] += share
        some = min(BEST, probable.shape[1])
        numbers = numpy.argpartition(probable, -some, axis=1)[:, -some:]
        kept = numpy.take_along_axis(probable, numbers, 1)
        return cls(_compact(numbers), (kept / kept.sum(1, keepdims=True)).astype(numpy.float16))

    @classmethod
    def joined(cls, parts: Sequence[Targets]) -> Targets:
        """Those of several, one after the other."""
        widest = max(part.numbers.shape[1] for part in parts)
        padded = [
            [numpy.pad(column, ((0, 0), (0, widest - column.shape[1]))) for column in part] for part in parts
        ]
        return cls(*map(numpy.concatenate, zip(*padded, strict=True)))


def _compact(numbers: Array) -> Array:
    return numbers.astype(numpy.uint16 if numbers.max(initial=0) < 1 << 16 else numpy.int32)


@dataclass(frozen=True)
class Dataset:
    """Sentences with their trees; `nodes` is how many each has, and `targets` what is to be said of them.

    Of every word there are its head, and the number of its symbol and its event; these are what labels and
    chains are chosen by. A sentence of weight 2 counts twice.
    """

    forms: Sequence[tuple[str, ...]]
    treebanks: Array
    weights: Array
    nodes: Array
    heads: Array
    symbols: Array
    events: Array
    targets: Mapping[str, Targets]
    from_treebanks: int = 0
    """How many of the words are a treebank's."""

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def lengths(self) -> Array:
        """How many words the sentences have."""
        return numpy.array([len(forms) for forms in self.forms], dtype=numpy.int64)

    @cached_property
    def _starts(self) -> tuple[Array, Array]:
        """Where the words and the nodes of each sentence start."""
        return starts_of(self.lengths), starts_of(self.nodes)

    @property
    def size(self) -> int:
        """How many bytes the arrays have."""
        arrays = [self.nodes, self.heads, self.symbols, self.events, *chain(*self.targets.values())]
        return sum(array.nbytes for array in arrays)

    def take(self, numbers: Sequence[int]) -> Dataset:
        """Those of these numbers, in this order."""
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
                name: Targets(*(column[words if name in OF_WORDS else nodes] for column in targets))
                for name, targets in self.targets.items()
            },
        )

    @classmethod
    def joined(cls, parts: Sequence[Dataset]) -> Self:
        """All lessons of several, one after the other."""
        arrays: dict[str, Any] = {
            name: numpy.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS
        }
        return cls(
            forms=[forms for part in parts for forms in part.forms],
            **arrays,
            targets={
                name: Targets.joined([part.targets[name] for part in parts]) for name in parts[0].targets
            },
            from_treebanks=sum(part.from_treebanks for part in parts),
        )

    # ── what a network sees of the trees ─────────────────────────────────────────────────────────────

    def arcs(self, starts: Sequence[int], nobody: int) -> ArcContext:
        """What there is to see of the arcs if the words of the sentences are in rows that start there."""
        return arc_context(self.heads, self.lengths.tolist(), starts, nobody)

    def tree_nodes(self, starts: Sequence[int], nobody: int) -> NodeContext:
        """What there is to see of the nodes."""
        sizes = self.lengths.tolist()
        return node_context(self.heads, self.symbols, self.events, sizes, starts, nobody)

    # ── keeping ──────────────────────────────────────────────────────────────────────────────────────

    def to_part(self) -> ModelPart:
        """Everything but the words."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        for name, targets in self.targets.items():
            arrays |= {f"{name}.{kind}": getattr(targets, kind) for kind in Targets._fields}
        settings = {"targets": list(self.targets), "from_treebanks": self.from_treebanks}
        return ModelPart(settings, arrays)

    @classmethod
    def from_part(cls, part: ModelPart, forms: Sequence[tuple[str, ...]]) -> Self:
        """The lessons again. The inverse of `to_part`."""
        arrays = part.arrays
        columns: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
        return cls(
            forms=forms,
            **columns,
            targets={
                name: Targets(*(arrays[f"{name}.{kind}"] for kind in Targets._fields))
                for name in part.settings["targets"]
            },
            from_treebanks=part.settings["from_treebanks"],
        )


def _rows(starts: Array, sizes: Array) -> Array:
    """The rows of stretches, one after the other."""
    rows: Array = numpy.arange(sizes.sum()) + numpy.repeat(starts - starts_of(sizes), sizes)
    return rows


class DatasetBuilder:
    """Makes lessons of trees."""

    def __init__(self, classes: Classes, encoding: Encoding) -> None:
        self._encoding = encoding
        self._symbols = classes.symbol_numbers
        self._tags = {tag: number for number, tag in enumerate(classes.tags)}
        self._morphs = {morph: number for number, morph in enumerate(classes.morphs)}
        self._chains = {chain: number for number, chain in enumerate(classes.chains)}
        self._labels = {label: number for number, label in enumerate(classes.labels)}
        self._root_labels = {
            label: number for number, label in enumerate(classes.root_labels, start=len(classes.labels))
        }

    def knows(self, example: Example) -> bool:
        """Whether there are classes for all that is in an example."""
        return (
            all(token.tag in self._tags and token.morph in self._morphs for token in example.tokens)
            and all(chain in self._chains for chain in example.chains.values())
            and all(
                label in (self._root_labels if head == ROOT else self._labels)
                for head, label in zip(example.heads, example.labels, strict=True)
            )
        )

    def gold(self, examples: Sequence[Example]) -> Dataset:
        """Dataset in which what is in the trees is right."""
        read = [read_labels(one.heads, one.labels, self._encoding) for one in examples]
        lessons, places = self._trees(
            [one.heads for one in examples], [one.symbols for one in read], [one.indices for one in read]
        )
        arcs = [arc for one in examples for arc in zip(one.heads, one.labels, strict=True)]
        tokens = [token for one in examples for token in one.tokens]
        right = {
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
            lessons,
            forms=[tuple([token.form for token in one.tokens]) for one in examples],
            treebanks=numpy.array([one.treebank for one in examples]),
            weights=numpy.array([one.weight for one in examples], dtype=float),
            targets={name: Targets.sure(numbers) for name, numbers in right.items()},
            from_treebanks=len(tokens),
        )

    def bare(self, trees: Sequence[DTree], weight: float) -> Dataset:
        """Dataset of which a teacher has to say what is right."""
        lessons, _ = self._trees(
            [tree.heads for tree in trees], [tree.symbols for tree in trees], [tree.events for tree in trees]
        )
        forms = [tuple([token.form for token in tree.tokens]) for tree in trees]
        return replace(lessons, forms=forms, weights=numpy.full(len(trees), weight))

    def _trees(
        self,
        heads: Sequence[Sequence[int]],
        symbols: Sequence[Sequence[str]],
        events: Sequence[Sequence[int]],
    ) -> tuple[Dataset, list[list[Place]]]:
        """Trees without anything else, and the places of their nodes."""
        # a repair may have made a symbol that training had none of
        numbers = [[self._symbols.get(symbol, 0) for symbol in of_tree] for of_tree in symbols]
        columns = column(heads), column(numbers), column(events)
        nodes, words, at, _, _ = node_context(*columns, list(map(len, heads)), [0] * len(heads), 0)
        lessons = Dataset(
            [()] * len(heads),
            numpy.zeros(len(heads), dtype=numpy.int64),
            numpy.ones(len(heads)),
            nodes,
            *columns,
            targets={},
        )
        places = iter(map(Place, words.tolist(), at.tolist()))
        return lessons, [[next(places) for _ in range(size)] for size in nodes.tolist()]
