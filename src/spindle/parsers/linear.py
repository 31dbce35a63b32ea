"""The light engine: a linear dependency parser in the compiled core, trained in minutes.

Heads are found in two steps. A table of weights for single arcs is learnt first; by itself that is order
`basic`, decoded exactly. For `standard` and `full` it proposes a few candidate heads for every word and a
tree to start from, and a second table scores larger parts: siblings and grandparents; for `full` also pairs
of any siblings, the heads of neighbouring words, siblings with their grandparent, and triples of siblings.

The second table is learnt on trees that first tables proposed which had not seen them (cross-validation), so
that it meets the errors it will have to mend.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any, ClassVar, Self

import numpy as np

from spindle import _core
from spindle.models import Part
from spindle.models.frequency import by_frequency
from spindle.models.model_file import Array
from spindle.models.seen import as_seen
from spindle.parsers.protocol import Backend, Example, FitSettings, Prediction, Watch
from spindle.reduction import Mode
from spindle.trees import Token

ORDERS = {"basic": 0, "standard": 1, "full": 2}
FOLDS = 4
LEARNING = ("weights", "sums", "squares")
"""What a trainer has to remember of every weight."""
ARC_EPOCHS = 6
"""Passes over the data for the first table, where that is only a proposer."""
TEMPERATURE = 0.5
"""What scores are divided by to become probabilities: a wrong head was to cost a point in training."""


class LinearParser(Backend):
    """Finds heads with linear models of arcs and larger parts."""

    name = "linear"
    predicts = frozenset({"labels", "confidences"})
    parallel = True
    batch = 32
    options: ClassVar = {
        "order": ("standard", "basic", "full"),
        "epochs": ("6",),
        "bits": ("22", *map(str, range(8, 29))),
        "candidates": ("10",),
        "starts": ("3",),
    }

    def __init__(self) -> None:
        self._part = Part({}, {})
        self._parser: _core.ArcParser | None = None
        self._names: tuple[str, ...] = ()

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Watch,
        state: Part | None = None,
    ) -> None:
        """Learn the tables; an interrupted training goes on with the epoch after the last finished one."""
        del dev  # the pipeline scores trees on it; heads alone say less
        chosen = {name: values[0] for name, values in self.options.items()} | dict(settings.options)
        training = _Training(train, settings, chosen)
        if chosen["order"] == "basic":
            trainer = training.arc_trainer(range(len(train)))
            arcs = None
        else:
            arcs = training.read_tables(state) if state else training.learn_tables(watch)
            trainer = training.part_trainer(arcs)
        first = 1
        if state is not None:
            first = int(state.settings["epoch"]) + 1
            weights, sums, squares = (state.arrays[name] for name in LEARNING)
            trainer.restore(weights, sums, squares, int(state.settings["step"]))
        epochs = int(chosen["epochs"])
        for epoch in range(first, epochs + 1):
            words, _, loss = trainer.train_epoch(epoch, settings.threads)
            self._take(training.frozen(trainer, arcs))
            watch.progress(epoch * len(train), epochs * len(train), loss / max(words, 1))
            watch.epoch(epoch, loss / max(words, 1), lambda: training.state(trainer, arcs, epoch))  # noqa: B023

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """The heads of every sentence, and if they were learnt together the labels."""
        seen = list(map(as_seen, sentences))
        found = self.trained.parse(seen, threads)
        return [
            Prediction(heads, labels)
            for heads, labels in zip(found, self._label(seen, found, threads), strict=True)
        ]

    def _label(
        self, sentences: list[_core.Sentence], heads: Sequence[Sequence[int]], threads: int
    ) -> Iterable[list[str] | None]:
        if not self._names:
            return repeat(None, len(sentences))
        found = self.trained.label(sentences, heads, threads)
        return [[self._names[number] for number in labels] for labels in found]

    @property
    def k_best_is_exact(self) -> bool:
        """Order basic gives all and only the best trees, the others the best of a list of candidates."""
        return bool(self._part.settings["order"] == "basic")

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> list[list[Prediction]]:
        """Up to `k` different trees of every sentence, the best first, with their scores."""
        seen = list(map(as_seen, sentences))
        lists = self.trained.parse_k_best(seen, k, threads)
        flat = [(sentence, *pair) for sentence, found in zip(seen, lists, strict=True) for pair in found]
        labels = iter(self._label([one for one, _, _ in flat], [heads for _, heads, _ in flat], threads))
        return [[Prediction(heads, next(labels), score=score) for heads, score in found] for found in lists]

    def head_probabilities(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> list[Array]:
        """Those under which a tree is the more probable the more it scores, its arcs taken one by one."""
        del predictions  # other trees are looked at as well
        return self.trained.head_probabilities(list(map(as_seen, sentences)), TEMPERATURE, threads)

    def to_part(self) -> Part:
        """The tables and what to do with them."""
        return self._part

    @classmethod
    def from_part(cls, part: Part) -> Self:
        """The parser again, its tables used where they lie."""
        parser = cls()
        parser._take(part)
        return parser

    @property
    def trained(self) -> _core.ArcParser:
        """What does the work."""
        assert self._parser is not None, "train or load the parser first"
        return self._parser

    def _take(self, part: Part) -> None:
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
            labels={
                name.removeprefix("label_"): array
                for name, array in arrays.items()
                if name.startswith("label_")
            },
            label_count=len(settings["labels"]),
        )
        # the last one is for an arc of a kind that training had none of, whose number is -1
        self._names = (*settings["labels"], "") if settings["labels"] else ()


Table = tuple[np.ndarray[Any, Any], float]
"""Whole-number weights, and what one stands for."""


class _Training:
    """The examples in the shape that the core's trainers want."""

    def __init__(self, examples: Sequence[Example], settings: FitSettings, chosen: dict[str, str]) -> None:
        self.sentences = [as_seen(example.tokens) for example in examples]
        self.heads = [list(example.heads) for example in examples]
        self.names = (
            by_frequency(chain.from_iterable(example.labels for example in examples))
            if settings.one_shot
            else []
        )
        numbers = {label: number for number, label in enumerate(self.names)}
        self.labels = [[numbers[label] for label in example.labels] for example in examples if numbers]
        self.threads = settings.threads
        self.order = chosen["order"]
        self.bits = int(chosen["bits"]) - settings.shrink
        self.projective = settings.mode is Mode.CONTINUOUS
        self.candidates, self.starts = int(chosen["candidates"]), int(chosen["starts"])
        self.seed = settings.seed

    def _trainer(
        self, order: str, chosen: Sequence[int], tables: Sequence[Table], folds: list[int]
    ) -> _core.ArcTrainer:
        return _core.ArcTrainer(
            _core.ArcOptions(
                order=ORDERS[order],
                projective=self.projective,
                candidates=self.candidates,
                starts=self.starts,
                seed=self.seed,
            ),
            bits=self.bits,
            sentences=[self.sentences[at] for at in chosen],
            heads=[self.heads[at] for at in chosen],
            labels=[self.labels[at] for at in chosen] if self.names else [],
            label_count=len(self.names),
            tables=[weights for weights, _ in tables],
            scales=[scale for _, scale in tables],
            folds=folds,
        )

    def arc_trainer(self, chosen: Sequence[int]) -> _core.ArcTrainer:
        """A trainer of a first table on some of the sentences."""
        return self._trainer("basic", chosen, [], [])

    def learn_tables(self, watch: Watch) -> list[Table]:
        """First tables: one from all sentences, then one from all but a fold, for each fold."""
        everything = range(len(self.sentences))
        parts = [everything, *([at for at in everything if at % FOLDS != fold] for fold in range(FOLDS))]
        tables = []
        for number, part in enumerate(parts):
            trainer = self.arc_trainer(part)
            for epoch in range(1, ARC_EPOCHS + 1):
                words, _, loss = trainer.train_epoch(epoch, self.threads)
                done, of = number * ARC_EPOCHS + epoch, len(parts) * ARC_EPOCHS
                size = len(self.sentences)
                watch.progress(done * size, of * size, loss / max(words, 1))
            tables.append(trainer.quantized())
        return tables

    def part_trainer(self, tables: list[Table]) -> _core.ArcTrainer:
        """A trainer of the second table."""
        everything = range(len(self.sentences))
        return self._trainer(self.order, everything, tables[1:], [at % FOLDS for at in everything])

    def frozen(self, trainer: _core.ArcTrainer, tables: list[Table] | None) -> Part:
        """The parser as it is now."""
        weights, scale = trainer.quantized()
        keys, distances = trainer.dictionary()
        settings = {
            "order": self.order,
            "projective": self.projective,
            "candidates": self.candidates,
            "starts": self.starts,
            "seed": self.seed,
            "labels": self.names,
        }
        arrays = {"arc_keys": keys, "arc_distances": distances}
        arrays |= {f"label_{name}": array for name, array in trainer.labels().items()}
        if tables is None:
            return Part(settings | {"arcs_scale": scale}, arrays | {"arcs": weights})
        arcs, arcs_scale = tables[0]
        settings |= {"arcs_scale": arcs_scale, "parts_scale": scale}
        return Part(settings, arrays | {"arcs": arcs, "parts": weights})

    def state(self, trainer: _core.ArcTrainer, tables: list[Table] | None, epoch: int) -> Part:
        """All that is needed to go on after this epoch."""
        *columns, step = trainer.state()
        arrays = dict(zip(LEARNING, columns, strict=True))
        arrays |= {f"table{number}": table for number, (table, _) in enumerate(tables or [])}
        scales = [scale for _, scale in tables or []]
        return Part({"epoch": epoch, "step": step, "scales": scales}, arrays)

    def read_tables(self, state: Part) -> list[Table]:
        """The first tables of an interrupted training."""
        return [
            (state.arrays[f"table{number}"], scale) for number, scale in enumerate(state.settings["scales"])
        ]
