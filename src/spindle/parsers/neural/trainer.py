"""Trains the network. Needs torch.

All heads learn together, from gold trees, from what a teacher thinks of sentences, or from both: the loss is
the sum of their cross entropies, that of arcs being taken over whole trees. After every epoch the network is
exported with the running average of its weights, and what is exported is what is scored.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from time import perf_counter
from typing import Any, NamedTuple

import numpy

os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # the exporter warns of what is tested to be harmless
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "8192")  # see SIZES below

import torch
from torch import Tensor, nn

from spindle.models import Array, ModelPart
from spindle.parsers.backend import FitSettings, Monitor
from spindle.parsers.neural.batches import starts_of
from spindle.parsers.neural.candidates import LONGEST, best_trees
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import arc_context
from spindle.parsers.neural.dataset import Dataset, Targets
from spindle.parsers.neural.dropout import CheapDropout
from spindle.parsers.neural.encoders import BiLstm, Convolutions, Pretrained, is_fast_with_halves
from spindle.parsers.neural.export import export
from spindle.parsers.neural.network import Network
from spindle.parsers.neural.pretrained import PREFIX, find_pretrained
from spindle.parsers.neural.readers import SubwordReader, WordReader
from spindle.parsers.neural.tree_loss import Rivals, rivalry, tree_entropy
from spindle.parsers.neural.words import PADDING, UNKNOWN, WHOLE, WordTable
from spindle.parsers.packages import without_folder
from spindle.reduction import Mode

WARM_UP = 150
"""Steps in which the learning rate grows; a tenth of all if those are few."""
AVERAGE = 0.998
"""How much of the running average stays at each step."""
RARE = 1.0
"""A word seen n times is taken for an unknown one once in 1 + n / RARE times."""
CLIP = 5.0
SAMPLE = 25
"""After so many steps the time of all is predicted."""
NUMBERS_A_WORD = 40_000
"""How many numbers a training keeps for each word of a batch, measured."""
COPIES, MOMENTS = 16, 5
"""How many copies there are of all weights when an epoch is exported, tried out and written down, measured;
and of what else is kept of those that learn."""
BASIS, TREEBANK = 450_000_000, 3_000
"""What it takes beside, in bytes, measured: for torch, and for each word of the treebank."""
HOLES = 1.5
"""How much more memory is taken than is used, with pretrained encoders, whose tables are large and of many
different sizes, so that what one leaves free another does not fit into; measured."""
SIZES = 8
"""While learning, sub-words are filled up to multiples of so many. For every size that it meets torch makes
code, which took a quarter of the time of a training with a pretrained encoder; what it makes for all sizes of
a training should fit into its memory of such."""
STEPS, BATCHES = 250, (250, 800)
"""So many batches make an epoch, if they are neither smaller nor larger than so many words."""
PRETRAINED_RATE = 0.1
"""How fast pretrained weights learn, compared with the new ones."""
RIVALS = 8
"""From how many trees with the best arcs the right one is told apart."""
PATIENCE = 5
"""After so many epochs, or a quarter of all, that were no better on the development trees a training ends."""
LARGEST_TABLE = 40_000_000
"""Pretrained vectors of sub-words learn, too, if they are no more numbers than this. Those of large encoders,
or of many languages, would take most of the memory, and many of them would never be seen."""


class Recipe(NamedTuple):
    """An encoder; how wide it is, how long it learns and how much it forgets, if nobody says otherwise.

    `around` is how wide the layer is that looks around in trees.
    """

    encoder: type[nn.Module]
    width: int
    epochs: int
    dropout: float
    around: int


RECIPES = {"bilstm": Recipe(BiLstm, 256, 20, 0.33, 160), "cnn": Recipe(Convolutions, 192, 20, 0.33, 160)}
PRETRAINED = Recipe(Pretrained, 512, 8, 0.2, 256)


def recipe_of(options: Mapping[str, str]) -> Recipe:
    """The recipe of an encoder of ours, or of any pretrained one, with what was chosen otherwise."""
    recipe = RECIPES.get(options["encoder"], PRETRAINED)
    own = {"width": ("hidden", int), "epochs": ("epochs", int), "dropout": ("dropout", float)}
    chosen = {name: kind(options[key]) for name, (key, kind) in own.items() if options[key] != "auto"}
    return recipe._replace(**chosen)


def learn(
    lessons: Dataset,
    classes: Classes,
    settings: FitSettings,
    watch: Monitor,
    take: Callable[[ModelPart], None],
    state: ModelPart | None,
) -> None:
    """Train a network; after every epoch `take` is given the parser."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    # a pretrained encoder knows more of words than could be learnt here
    is_pretrained = settings.options["encoder"].startswith(PREFIX)
    words = WordTable.learn([] if is_pretrained else lessons.forms)
    encoder, reader = make_encoder(words, 1 + int(lessons.treebanks.max()), settings.options)
    recipe = recipe_of(settings.options)
    network = Network(encoder, classes, recipe.dropout, recipe.around)
    training = _Training(network, lessons, reader, settings)
    about = {
        "encoder": without_folder(settings.options["encoder"]),
        "mode": str(settings.mode),
        "classes": classes.to_dict(),
        **reader.to_dict(),
    }
    first = 1
    if state is not None:
        training.restore(state)
        first = int(state.settings["epoch"]) + 1
    watch.say(training.size())
    patience = max(PATIENCE, training.epochs // 4)
    for epoch in range(first, training.epochs + 1):
        if watch.stalled >= patience:
            watch.say(f"none of the last {patience} epochs was better than those before: that is enough")
            break
        loss = training.run_epoch(epoch, watch)
        take(ModelPart(about, {"words": words.keys, **export(training.average, reader)}))
        watch.epoch(epoch, loss, lambda: training.state(epoch))  # noqa: B023


def make_encoder(
    words: WordTable, treebanks: int, options: Mapping[str, str]
) -> tuple[nn.Module, WordReader]:
    """The encoder that was chosen, and what gives it sentences."""
    name, recipe = options["encoder"], recipe_of(options)
    if name.startswith(PREFIX):
        found = find_pretrained(name.removeprefix(PREFIX))
        precision = options["precision"]
        halves = is_fast_with_halves() if precision == "auto" else precision == "16"
        encoder = recipe.encoder(found.model, recipe.dropout, recipe.width, found.mask, halves)
        return encoder, SubwordReader(words, treebanks, found.tokenizer, found.longest, SIZES)
    return recipe.encoder(len(words), recipe.dropout, recipe.width), WordReader(words, treebanks)


class _Training:
    """The network, its running average and its optimizer."""

    def __init__(self, network: Network, lessons: Dataset, reader: WordReader, settings: FitSettings) -> None:
        options = settings.options
        self.network, self.lessons, self.reader, self.seed = network, lessons, reader, settings.seed
        self.average = deepcopy(network).eval()
        self.batch = batch_size(options["batch"], int((lessons.lengths * lessons.weights).sum()))
        self.epochs = recipe_of(options).epochs
        self.mode = settings.mode
        self.optimizer = torch.optim.AdamW(
            groups_of_weights(network, float(options["rate"])),
            betas=(0.9, 0.98),
            weight_decay=1e-4,
            fused=True,
        )
        names = {id(weights): name for name, weights in network.named_parameters()}
        groups = self.optimizer.param_groups
        self._learning = [names[id(weights)] for group in groups for weights in group["params"]]
        steps = self.epochs * len(self._batches(0))
        warm_up = min(WARM_UP, steps // 10 + 1)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer,
            lambda step: min((step + 1) / warm_up, max(1 - step / steps, 0.01)),
        )
        self.steps = 0
        seen = numpy.zeros(len(reader.words))
        counts = Counter(form for forms in lessons.forms for form in forms)
        numpy.add.at(seen, reader.words.look_up([list(counts)]).words[0], list(counts.values()))
        seen[UNKNOWN] = 1  # of each of them, that is
        self.forget = RARE / (RARE + seen)

    def size(self) -> str:
        """How large the network is, and how much memory its training takes."""
        weights = sum(weights.numel() for weights in self.network.parameters())
        learning = sum(weights.numel() for weights in self.network.parameters() if weights.requires_grad)
        numbers = COPIES * weights + MOMENTS * learning + self.batch * NUMBERS_A_WORD
        size = BASIS + 4 * numbers + TREEBANK * self.lessons.from_treebanks + self.lessons.size
        if isinstance(self.network.sentence.encoder, Pretrained):
            size *= HOLES
        return f"{weights / 1e6:.1f} million weights; training takes about {size / 1e9:.1f} GB of memory"

    def _batches(self, epoch: int) -> list[list[int]]:
        """The batches of an epoch: lengths are similar, not sorted, so that no two epochs are alike.

        An example of weight 0.5 is in every other epoch, one of weight 2 in each of them twice.
        """
        chance = numpy.random.default_rng([self.seed, epoch])
        lengths, weights = self.lessons.lengths, self.lessons.weights
        times = numpy.floor(weights + chance.random(len(weights))).astype(int)
        chosen = numpy.repeat(numpy.arange(len(weights)), times)
        noise = chance.uniform(0, 1.5, len(chosen))
        order = chosen[numpy.argsort(-lengths[chosen] - noise)].tolist()
        lengths = lengths.tolist()
        batches: list[list[int]] = [[]]
        for number in order:
            longest = max([lengths[number], *(lengths[other] for other in batches[-1][:1])])
            if batches[-1] and (longest + 1) * (len(batches[-1]) + 1) > self.batch:
                batches.append([])
            batches[-1].append(number)
        for together in batches:
            together.sort(key=lambda number: -lengths[number])
        chance.shuffle(batches)
        return batches

    def run_epoch(self, epoch: int, watch: Monitor) -> float:
        """Go over all lessons once; the mean loss."""
        # seeded anew, so that a resumed training goes on in the same way
        torch.manual_seed(self.seed * 10_000 + epoch)
        self.chance = numpy.random.default_rng([self.seed, epoch, 1])
        self.network.train()
        batches = self._batches(epoch)
        total = 0.0
        start = perf_counter()
        for number, together in enumerate(batches, start=1):
            with CheapDropout():
                loss = self._loss(self.lessons.take(together))
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
            self.optimizer.step()
            self.schedule.step()
            self._average()
            total += loss.item()
            watch.progress(number, len(batches), total / number)
            if self.steps == SAMPLE:
                minutes = (perf_counter() - start) / number * len(batches) * self.epochs / 60
                watch.say(f"about {minutes:.0f} minutes for {self.epochs} epochs if it goes on like this")
        return total / len(batches)

    def _loss(self, lessons: Dataset) -> Tensor:
        words, affixes, *others = self.reader.read(lessons.forms, lessons.treebanks.tolist())
        forgotten = self.chance.random(words.shape) < self.forget[words]
        words = numpy.where(forgotten, numpy.minimum(words, UNKNOWN), words)
        affixes[:, :, WHOLE] = numpy.where(forgotten, PADDING, affixes[:, :, WHOLE])
        states, arcs, tags, morphs = self.network.sentence(*map(torch.from_numpy, (words, affixes, *others)))
        width = states.shape[1]
        there = torch.arange(width) < torch.from_numpy(lessons.lengths)[:, None]
        flat = states.reshape(-1, states.shape[2])
        starts = list(range(0, len(flat), width))
        of_nodes = lessons.tree_nodes(starts, len(flat))
        targets = lessons.targets
        right = torch.zeros_like(arcs).transpose(1, 2)
        right[there] = _as_table(targets["heads"], arcs.shape[1])
        lengths = lessons.lengths.tolist()
        loss = tree_entropy(arcs, right.transpose(1, 2), lengths, self.mode is Mode.CONTINUOUS)
        for scores, kind in ((tags, "tags"), (morphs, "morphs")):
            if scores.shape[2] > 1:
                loss = loss + 0.5 * _cross_entropy(scores[there], targets[kind])
        rivals = self._rivals(lessons, arcs)
        around = arc_context(rivals.heads, rivals.sizes.tolist(), (rivals.owners * width).tolist(), len(flat))
        labels, fit = self.network.arcs(flat, *map(torch.from_numpy, (around.roles, around.counts)))
        # right trees come first, one of every sentence, so none of their arcs is described by an earlier one
        loss = loss + _cross_entropy(labels[: sum(lengths)], targets["labels"])
        sure = torch.log_softmax(labels.detach(), 1).amax(1)
        loss = loss + rivalry(arcs.detach(), rivals, (sure + fit)[torch.from_numpy(around.places)])
        chains = self.network.nodes(flat, *map(torch.from_numpy, (of_nodes.roles, of_nodes.marks)))
        return loss + _cross_entropy(chains, targets["chains"])

    def _rivals(self, lessons: Dataset, arcs: Tensor) -> Rivals:
        """The right tree of every sentence, then others that have the best arcs."""
        lengths = lessons.lengths
        threads = torch.get_num_threads()
        some = numpy.where(lengths <= LONGEST[self.mode], RIVALS, 0).tolist()
        found = best_trees(arcs.detach().numpy(), lengths.tolist(), self.mode, some, threads=threads)
        owners = numpy.repeat(numpy.arange(len(lengths)), found.counts)
        sizes = lengths[owners]
        starts = starts_of(sizes)
        of_word = numpy.repeat(numpy.arange(len(sizes)), sizes)
        right = lessons.heads[numpy.arange(len(found.heads)) + (starts_of(lengths)[owners] - starts)[of_word]]
        is_other = numpy.logical_or.reduceat(found.heads != right, starts)
        return Rivals(
            numpy.concatenate([lessons.heads, found.heads[is_other[of_word]]]),
            numpy.concatenate([lengths, sizes[is_other]]),
            numpy.concatenate([numpy.arange(len(lengths)), owners[is_other]]),
        )

    @torch.no_grad()
    def _average(self) -> None:
        """Move the running average a little; at first, when there is little to average, more."""
        self.steps += 1
        share = 1 - min(AVERAGE, self.steps / (self.steps + 10))
        pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
        averages, weights = zip(*(pair for pair in pairs if pair[1].requires_grad), strict=True)
        torch._foreach_lerp_(averages, weights, share)

    def state(self, epoch: int) -> ModelPart:
        """All that is needed to go on after this epoch."""
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
        """Go on from a state."""
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


def batch_size(chosen: str, words: int) -> int:
    """How many words a batch has; if that was not chosen, a small treebank has small ones.

    >>> batch_size("auto", 27_000), batch_size("auto", 177_000), batch_size("100", 177_000)
    (250, 708, 100)
    """
    smallest, largest = BATCHES
    return min(max(words // STEPS, smallest), largest) if chosen == "auto" else int(chosen)


def _as_table(targets: Targets, columns: int) -> Tensor:
    """How much each number is right, in a column of its own."""
    table = torch.zeros(len(targets.numbers), columns)
    numbers = torch.from_numpy(targets.numbers.astype(numpy.int64))
    return table.scatter_add_(1, numbers, torch.from_numpy(targets.shares.astype(numpy.float32)))


def _cross_entropy(scores: Tensor, targets: Targets) -> Tensor:
    """How surprised one is by the targets who believes in the scores, on average."""
    numbers = torch.from_numpy(targets.numbers.astype(numpy.int64))
    shares = torch.from_numpy(targets.shares.astype(numpy.float32))
    return -(shares * torch.log_softmax(scores, 1).gather(1, numbers)).sum(1).mean()


def groups_of_weights(network: Network, rate: float) -> list[dict[str, Any]]:
    """The weights that learn, each group with its rate.

    What is pretrained learns more slowly, and very large tables of it not at all.
    """
    encoder = network.sentence.encoder
    if not isinstance(encoder, Pretrained):
        return [{"params": list(network.parameters()), "lr": rate}]
    model = encoder.model
    for part in model.modules():
        if isinstance(part, nn.Embedding) and part.weight.numel() > LARGEST_TABLE:
            part.weight.requires_grad_(False)
    pretrained = [weights for weights in model.parameters() if weights.requires_grad]
    known = {id(weights) for weights in model.parameters()}
    new = [weights for weights in network.parameters() if id(weights) not in known]
    return [{"params": new, "lr": rate}, {"params": pretrained, "lr": rate * PRETRAINED_RATE}]
