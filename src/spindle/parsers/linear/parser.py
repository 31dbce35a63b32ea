"""The dependency parser of the linear engine: heads from linear models in the compiled core.

Parsing has up to two steps. A first weight table scores single arcs. Order `basic` uses nothing else and
decodes exactly. For `standard` and `full` the first table proposes a few candidate heads for every word, and
a second table scores larger parts: siblings and grandparents; for `full` also pairs of any siblings, the
heads of neighbouring words, siblings with their grandparent, and triples of siblings. Among the candidates
the search for the best continuous tree of order `standard` is exact, and that of order `full` nearly so.
Discontinuous trees are found by hill climbing from several good trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Self

from spindle import _core
from spindle.models import Array, ModelPart
from spindle.models.schema import choice, flag, items, number, record, text, whole
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.parser_training import ORDERS, ParserTraining
from spindle.parsers.linear.stage import select_arrays
from spindle.parsers.options import BackendOptions, option
from spindle.parsers.order import Order
from spindle.trees import Token

TEMPERATURE = 0.5
"""Scores are divided by it to give log-probabilities. Training separates the gold tree from other trees by a
margin of 1 per wrong head."""


@dataclass(frozen=True)
class LinearOptions(BackendOptions):
    """The options of the linear parser."""

    order: Order = option(Order.STANDARD, "size of the parts of a tree that are scored")
    epochs: int = option(6, "passes over the training data", at_least=1)
    bits: int = option(22, "a weight table has 2 to the power of this many entries", at_least=8, at_most=28)
    candidates: int = option(
        10, "candidate heads per word for the orders above basic", at_least=1, at_most=10_000
    )
    starts: int | None = option(
        None,
        "trees from which the search starts where it is not exact; auto: 1, discontinuous 6",
        at_least=1,
        at_most=1_000,
    )


class LinearParser(Backend):
    """Predicts heads with linear models of arcs and larger parts."""

    name = "linear"
    predicts = frozenset({"labels", "confidences"})
    Options = LinearOptions
    SETTINGS = staticmethod(
        record(
            {
                "order": choice(*Order),
                "projective": flag(),
                "candidates": whole(0, 10_000),
                "starts": whole(0, 1_000),
                "seed": whole(0),
                "labels": items(text(1_000)),
                "arcs_scale": number(0, 1e6),
            },
            {"parts_scale": number(0, 1e6), "attributes": flag()},
        )
    )
    can_shrink = True
    gives_k_best = True
    parallel = True
    batch = 32

    def __init__(self) -> None:
        self._part = ModelPart({}, {})
        self._parser: _core.ArcParser | None = None
        self._names: tuple[str, ...] = ()

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Train the tables; a resumed training continues with the epoch after the last finished one."""
        del dev  # the pipeline scores development trees after every epoch
        training = ParserTraining(train, settings)
        training.start(monitor, state)
        epochs = settings.options.epochs
        while training.epoch < epochs:
            loss = training.run_epoch()
            self._load(training.model())
            monitor.progress(training.epoch * len(train), epochs * len(train), loss)
            monitor.epoch(training.epoch, loss, training.state)

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Return the heads of every sentence, and the labels if the parser was trained to label."""
        hashed = list(map(self._hashed, sentences))
        heads = self.trained.parse(hashed, threads)
        labels = self._label(hashed, heads, threads)
        return [Prediction(*columns) for columns in zip(heads, labels, strict=True)]

    def _label(
        self, sentences: list[_core.Sentence], heads: Sequence[Sequence[int]], threads: int
    ) -> Iterable[list[str] | None]:
        if not self._names:
            return repeat(None, len(sentences))
        numbers = self.trained.label(sentences, heads, threads)
        return [[self._names[number] for number in of_sentence] for of_sentence in numbers]

    @property
    def k_best_is_exact(self) -> bool:
        """True for order basic; the other orders choose from a list of candidate trees."""
        return bool(self._part.settings["order"] == Order.BASIC)

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> list[list[Prediction]]:
        """Return up to `k` different trees of every sentence with their scores, the best first."""
        hashed = list(map(self._hashed, sentences))
        lists = self.trained.parse_k_best(hashed, k, threads)
        flat = [(sentence, *pair) for sentence, found in zip(hashed, lists, strict=True) for pair in found]
        labels = iter(
            self._label([sentence for sentence, _, _ in flat], [heads for _, heads, _ in flat], threads)
        )
        return [[Prediction(heads, next(labels), score=score) for heads, score in found] for found in lists]

    def head_probabilities(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> list[Array]:
        """Return the marginals of all arcs, `[words + 1, words]`, under the distribution of trees that the
        scores of arcs define.
        """
        del predictions
        return self.trained.head_probabilities(list(map(self._hashed, sentences)), TEMPERATURE, threads)

    def reattach(
        self,
        sentences: Sequence[Sequence[Token]],
        predictions: Sequence[Prediction],
        trees: Sequence[Sequence[Sequence[int]]],
        threads: int,
    ) -> list[Prediction]:
        """Return for each sentence the tree with the best score of all parts."""
        del predictions
        hashed = list(map(self._hashed, sentences))
        heads = [
            max(of_sentence, key=partial(self.trained.score, sentence))
            for sentence, of_sentence in zip(hashed, trees, strict=True)
        ]
        labels = self._label(hashed, heads, threads)
        return [Prediction(*columns) for columns in zip(heads, labels, strict=True)]

    def to_part(self) -> ModelPart:
        """Return the tables and the settings for decoding."""
        return self._part

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser; the core uses the tables in place."""
        parser = cls()
        parser._load(part)
        return parser

    @property
    def trained(self) -> _core.ArcParser:
        """The parser in the core."""
        assert self._parser is not None, "train or load the parser first"
        return self._parser

    def _hashed(self, tokens: Sequence[Token]) -> _core.Sentence:
        return hashed_sentence(tokens, self._part.settings.get("attributes", False))

    def _load(self, part: ModelPart) -> None:
        settings, arrays = part.settings, part.arrays
        self._part = part
        self._parser = _core.ArcParser(
            _core.ArcOptions(
                order=ORDERS[settings["order"]],
                projective=settings["projective"],
                candidates=settings["candidates"],
                starts=settings["starts"],
                seed=settings["seed"],
            ),
            keys=arrays["arc_keys"],
            distances=arrays["arc_distances"],
            arcs=arrays["arcs"],
            arcs_scale=settings["arcs_scale"],
            parts=arrays.get("parts", arrays["arcs"]),
            parts_scale=settings.get("parts_scale", 1.0),
            labels=select_arrays(part, "label_"),
            label_count=len(settings["labels"]),
        )
        # number -1, the last entry, is the label of an arc for whose kind training has no label
        self._names = (*settings["labels"], "") if settings["labels"] else ()
