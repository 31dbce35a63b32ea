"""Trains the network. Needs torch.

All outputs of the network are trained together, on gold trees, on soft targets, or on both. After every epoch
the running average of the weights is exported, and the exported network is what is evaluated and saved.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from time import perf_counter

import numpy
import torch
from torch import nn

from spindle.models import Array, ModelPart
from spindle.parsers.backend import FitSettings, Monitor
from spindle.parsers.neural.batches import batch_size, training_batches
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.constituents import LabelTable
from spindle.parsers.neural.dataset import Dataset
from spindle.parsers.neural.dropout import FastDropout
from spindle.parsers.neural.encoders import make_encoder
from spindle.parsers.neural.export import export
from spindle.parsers.neural.loss import Loss
from spindle.parsers.neural.memory_estimate import estimate_memory
from spindle.parsers.neural.network import Network
from spindle.parsers.neural.optimizer import make_optimizer, make_schedule
from spindle.parsers.neural.options import NeuralOptions, Switch
from spindle.parsers.neural.readers import WordReader
from spindle.parsers.neural.recipes import recipe_of
from spindle.parsers.neural.words import WordTable
from spindle.parsers.packages import without_folder

AVERAGE_DECAY = 0.998
"""The share of the running average of weights that a step keeps."""
MAX_GRADIENT_NORM = 5.0
SPEED_SAMPLE = 25
"""The number of steps after which the duration of the training is estimated."""
PATIENCE = 5
"""Training stops after this many epochs without a new best one, or after a quarter of all if that is more."""


def train(
    dataset: Dataset,
    classes: Classes,
    settings: FitSettings,
    monitor: Monitor,
    publish: Callable[[ModelPart], None],
    state: ModelPart | None,
) -> None:
    """Train a network; `publish` receives the parser after every epoch."""
    options: NeuralOptions = settings.options
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    # a pretrained encoder reads sub-words in place of words, so its table of words is empty
    words = WordTable.learn([] if options.is_pretrained else dataset.forms)
    encoder, reader = make_encoder(words, 1 + int(dataset.treebanks.max()), options)
    recipe = recipe_of(options)
    scored = options.constituents is Switch.ON
    table = LabelTable.of(classes, settings.encoding, settings.mode) if scored else None
    network = Network(encoder, classes, recipe.dropout, recipe.context_width, table.roles if table else 0)
    trainer = Trainer(network, dataset, reader, settings, table)
    stored = {
        "encoder": without_folder(options.encoder),
        "mode": str(settings.mode),
        "encoding": str(settings.encoding),
        "classes": classes.to_dict(),
        **reader.to_dict(),
    }
    first = 1
    if state is not None:
        trainer.restore(state)
        first = int(state.settings["epoch"]) + 1
    monitor.say(trainer.describe())
    patience = max(PATIENCE, trainer.epochs // 4)
    for epoch in range(first, trainer.epochs + 1):
        if monitor.stalled >= patience:
            monitor.say(f"training stops early: no new best epoch among the last {patience}")
            break
        loss = trainer.run_epoch(epoch, monitor)
        publish(ModelPart(stored, {"words": words.keys, **export(trainer.average, reader)}))
        monitor.epoch(epoch, loss, lambda: trainer.state(epoch))  # noqa: B023


class Trainer:
    """The network, the running average of its weights, and its optimizer."""

    def __init__(
        self,
        network: Network,
        dataset: Dataset,
        reader: WordReader,
        settings: FitSettings,
        table: LabelTable | None,
    ) -> None:
        options: NeuralOptions = settings.options
        self.network, self.dataset, self.seed = network, dataset, settings.seed
        self.average = deepcopy(network).eval()
        self.batch = batch_size(options.batch, int((dataset.lengths * dataset.weights).sum()))
        self.epochs = recipe_of(options).epochs
        self.optimizer = make_optimizer(network, options.rate, options.encoder_rate)
        names = {id(weights): name for name, weights in network.named_parameters()}
        groups = self.optimizer.param_groups
        self._learning = [names[id(weights)] for group in groups for weights in group["params"]]
        self.schedule = make_schedule(self.optimizer, self.epochs * len(self._batches(0)))
        self.steps = 0
        self._loss = Loss(network, reader, settings.mode, dataset, table)

    def describe(self) -> str:
        """Return a message with the size of the network and the memory that its training takes."""
        weights = sum(weights.numel() for weights in self.network.parameters())
        memory = estimate_memory(self.network, self.batch, self.dataset)
        return f"{weights / 1e6:.1f} million weights; training takes about {memory / 1e9:.1f} GB of memory"

    def _batches(self, epoch: int) -> list[list[int]]:
        random = numpy.random.default_rng([self.seed, epoch])
        return training_batches(self.dataset.lengths, self.dataset.weights, self.batch, random)

    def run_epoch(self, epoch: int, monitor: Monitor) -> float:
        """Train on the whole dataset once and return the mean loss."""
        # every epoch has its own seed, so that a resumed training continues identically
        torch.manual_seed(self.seed * 10_000 + epoch)
        random = numpy.random.default_rng([self.seed, epoch, 1])
        self.network.train()
        batches = self._batches(epoch)
        total = 0.0
        seen, sentences = 0, sum(map(len, batches))
        start = perf_counter()
        for number, batch in enumerate(batches, start=1):
            with FastDropout():
                loss = self._loss(self.dataset.take(batch), random)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
            self.optimizer.step()
            self.schedule.step()
            self._update_average()
            total += loss.item()
            seen += len(batch)
            monitor.progress(seen, sentences, total / number)
            if self.steps == SPEED_SAMPLE:
                minutes = (perf_counter() - start) / number * len(batches) * self.epochs / 60
                monitor.say(f"about {minutes:.0f} minutes for {self.epochs} epochs at this speed")
        return total / len(batches)

    @torch.no_grad()
    def _update_average(self) -> None:
        """Move the running average towards the weights, faster in the first steps."""
        self.steps += 1
        share = 1 - min(AVERAGE_DECAY, self.steps / (self.steps + 10))
        pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
        averages, weights = zip(*(pair for pair in pairs if pair[1].requires_grad), strict=True)
        torch._foreach_lerp_(averages, weights, share)

    def state(self, epoch: int) -> ModelPart:
        """Return everything that is needed to continue after this epoch."""
        arrays: dict[str, Array] = {}
        for kind, module in (("weights", self.network), ("average", self.average)):
            arrays |= {
                f"{kind}.{name}": tensor.numpy().copy() for name, tensor in module.state_dict().items()
            }
        for number, moments in self.optimizer.state_dict()["state"].items():
            arrays |= {
                f"{kind}.{self._learning[number]}": moments[kind].numpy().copy()
                for kind in ("exp_avg", "exp_avg_sq")
            }
        return ModelPart({"epoch": epoch, "steps": self.steps}, arrays)

    def restore(self, state: ModelPart) -> None:
        """Continue from what `state` returned."""
        tensors = {name: torch.from_numpy(array.copy()) for name, array in state.arrays.items()}
        for kind, module in (("weights", self.network), ("average", self.average)):
            module.load_state_dict({name: tensors[f"{kind}.{name}"] for name in module.state_dict()})
        self.steps = int(state.settings["steps"])
        optimizer = self.optimizer.state_dict()
        for number, name in enumerate(self._learning):
            if f"exp_avg.{name}" in tensors:
                moments = {kind: tensors[f"{kind}.{name}"] for kind in ("exp_avg", "exp_avg_sq")}
                optimizer["state"][number] = {"step": torch.tensor(float(self.steps)), **moments}
        self.optimizer.load_state_dict(optimizer)
        self.schedule.last_epoch = self.steps
        for group, base in zip(self.optimizer.param_groups, self.schedule.base_lrs, strict=True):
            group["lr"] = base * self.schedule.lr_lambdas[0](self.steps)
