"""Training of the linear parser: a table for single arcs, then a table for larger parts.

The second table is trained on candidate heads and start trees that come from first tables which were trained
without the sentence (cross-validation). So its input has the same kind of errors as in later use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from spindle import _core
from spindle.models import Array, ModelPart
from spindle.parsers.backend import Example, FitSettings, Monitor
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import vocabulary
from spindle.parsers.order import Order
from spindle.reduction import Mode

ORDERS: dict[str, int] = {order: number for number, order in enumerate(Order)}
"""The number of every order in the core."""
FOLDS = 4
DISCONTINUOUS_STARTS = 6
ARC_EPOCHS = 6
"""Epochs of a first table that is followed by a second one."""
TRAINER_ARRAYS = ("weights", "sums", "squares")
"""What the core's trainer stores for every weight."""

Table = tuple[Array, float]
"""Quantised weights, and the scale that a weight is multiplied with."""


class ParserTraining:
    """A training of the linear parser, epoch by epoch.

    `tables` are the first tables for the orders above `basic`: the first was trained on all sentences, the
    others each without one fold.
    """

    def __init__(self, examples: Sequence[Example], settings: FitSettings) -> None:
        self.settings, self.options = settings, settings.options
        self.is_projective = settings.mode is Mode.CONTINUOUS
        self.starts = self.options.starts or (1 if self.is_projective else DISCONTINUOUS_STARTS)
        self.sentences = [hashed_sentence(example.tokens) for example in examples]
        self.heads = [list(example.heads) for example in examples]
        labels = [example.labels for example in examples] if settings.one_shot else []
        self.numbers = vocabulary(chain.from_iterable(labels))
        self.labels = [[self.numbers[label] for label in of_sentence] for of_sentence in labels]
        self.tables: list[Table] = []
        self.epoch = 0

    def start(self, monitor: Monitor, state: ModelPart | None) -> None:
        """Train the first tables and set up the trainer; restore both from `state` if training is resumed."""
        if self.options.order is not Order.BASIC:
            self.tables = _stored_tables(state) if state else list(self._train_tables(monitor))
        every = range(len(self.sentences))
        folds = [at % FOLDS for at in every] if self.tables else []
        self._trainer = self._new_trainer(self.options.order, every, self.tables[1:], folds)
        if state is not None:
            self.epoch = int(state.settings["epoch"])
            weights, sums, squares = (state.arrays[name] for name in TRAINER_ARRAYS)
            self._trainer.restore(weights, sums, squares, int(state.settings["step"]))

    def run_epoch(self) -> float:
        """Train one epoch; return the mean loss per word."""
        self.epoch += 1
        return _run_epoch(self._trainer, self.epoch, self.settings.threads)

    def _train_tables(self, monitor: Monitor) -> Iterator[Table]:
        size = len(self.sentences)
        samples = [range(size), *([at for at in range(size) if at % FOLDS != fold] for fold in range(FOLDS))]
        for number, sample in enumerate(samples):
            trainer = self._new_trainer(Order.BASIC, sample, [], [])
            for epoch in range(1, ARC_EPOCHS + 1):
                loss = _run_epoch(trainer, epoch, self.settings.threads)
                done, of = number * ARC_EPOCHS + epoch, len(samples) * ARC_EPOCHS
                monitor.progress(done * size, of * size, loss)
            yield trainer.quantized()

    def _new_trainer(
        self, order: Order, sample: Sequence[int], tables: Sequence[Table], folds: list[int]
    ) -> _core.ArcTrainer:
        return _core.ArcTrainer(
            _core.ArcOptions(
                order=ORDERS[order],
                projective=self.is_projective,
                candidates=self.options.candidates,
                starts=self.starts,
                seed=self.settings.seed,
            ),
            bits=self.options.bits - self.settings.shrink,
            sentences=[self.sentences[at] for at in sample],
            heads=[self.heads[at] for at in sample],
            labels=[self.labels[at] for at in sample] if self.labels else [],
            label_count=len(self.numbers),
            tables=[weights for weights, _ in tables],
            scales=[scale for _, scale in tables],
            folds=folds,
        )

    def model(self) -> ModelPart:
        """Return the parser after the last epoch."""
        weights, scale = self._trainer.quantized()
        keys, distances = self._trainer.dictionary()
        settings = {
            "order": str(self.options.order),
            "projective": self.is_projective,
            "candidates": self.options.candidates,
            "starts": self.starts,
            "seed": self.settings.seed,
            "labels": list(self.numbers),
            "attributes": True,
        }
        arrays = {"arc_keys": keys, "arc_distances": distances}
        arrays |= {f"label_{name}": array for name, array in self._trainer.labels().items()}
        if not self.tables:
            return ModelPart(settings | {"arcs_scale": scale}, arrays | {"arcs": weights})
        arcs, arcs_scale = self.tables[0]
        settings |= {"arcs_scale": arcs_scale, "parts_scale": scale}
        return ModelPart(settings, arrays | {"arcs": arcs, "parts": weights})

    def state(self) -> ModelPart:
        """Return everything that is needed to continue after the last epoch."""
        *columns, step = self._trainer.state()
        arrays = dict(zip(TRAINER_ARRAYS, columns, strict=True))
        arrays |= {f"table{number}": table for number, (table, _) in enumerate(self.tables)}
        scales = [scale for _, scale in self.tables]
        return ModelPart({"epoch": self.epoch, "step": step, "scales": scales}, arrays)


def _run_epoch(trainer: _core.ArcTrainer, epoch: int, threads: int) -> float:
    words, _, loss = trainer.train_epoch(epoch, threads)
    return loss / max(words, 1)


def _stored_tables(state: ModelPart) -> list[Table]:
    return [(state.arrays[f"table{number}"], scale) for number, scale in enumerate(state.settings["scales"])]
