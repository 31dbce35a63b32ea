"""The training loss of the network for one batch: the sum of the losses of all its outputs. Needs torch."""

from __future__ import annotations

from collections import Counter

import numpy
import torch
from torch import Tensor, nn

from spindle.models import Array
from spindle.parsers.neural.batches import starts_of
from spindle.parsers.neural.candidates import LONGEST_WITH_CANDIDATES, best_trees
from spindle.parsers.neural.constituents import LabelTable, constituent_context
from spindle.parsers.neural.context import arc_context
from spindle.parsers.neural.dataset import Dataset, Targets
from spindle.parsers.neural.network import Network
from spindle.parsers.neural.readers import WordReader
from spindle.parsers.neural.tree_loss import GoldAndNegatives, contrastive_loss, tree_cross_entropy
from spindle.parsers.neural.words import PADDING, UNKNOWN, WHOLE
from spindle.reduction import Mode

RARE = 1.0
"""Word dropout: a word that occurs n times is read as the unknown word with probability RARE / (RARE + n)."""
TAG_WEIGHT = 0.5
"""The weight of the losses of tags and of morphology."""
CONSTITUENT_WEIGHT = 0.5
"""The weight of the loss of single constituents."""
NEGATIVES = 8
"""The maximal number of negatives of a sentence: the trees with the best arc scores."""


class Loss:
    """Computes the loss of batches; `dataset` is all training data, in which words are counted."""

    def __init__(
        self, network: Network, reader: WordReader, mode: Mode, dataset: Dataset, table: LabelTable | None
    ) -> None:
        self.network, self.reader, self.mode, self.table = network, reader, mode, table
        self._word_dropout = _word_dropout(reader, dataset)

    def __call__(self, batch: Dataset, random: numpy.random.Generator) -> Tensor:
        """Return the loss of a batch; `random` draws word dropout."""
        inputs = self._inputs(batch, random)
        states, arcs, tags, morphs = self.network.sentence(*map(torch.from_numpy, inputs))
        mask = torch.arange(states.shape[1]) < torch.from_numpy(batch.lengths)[:, None]
        loss = self._arc_loss(arcs, mask, batch)
        for scores, kind in ((tags, "tags"), (morphs, "morphs")):
            if scores.shape[2] > 1:
                loss = loss + TAG_WEIGHT * _cross_entropy(scores[mask], batch.targets[kind])
        for more in (*self._tree_losses(states, arcs, batch), self._chain_loss(states, batch)):
            loss = loss + more
        return loss

    def _inputs(self, batch: Dataset, random: numpy.random.Generator) -> list[Array]:
        """Return the inputs of the encoder after word dropout."""
        words, affixes, *others = self.reader.read(batch.forms, batch.treebanks.tolist())
        dropped = random.random(words.shape) < self._word_dropout[words]
        words = numpy.where(dropped, numpy.minimum(words, UNKNOWN), words)
        affixes[:, :, WHOLE] = numpy.where(dropped, PADDING, affixes[:, :, WHOLE])
        return [words, affixes, *others]

    def _arc_loss(self, arcs: Tensor, mask: Tensor, batch: Dataset) -> Tensor:
        targets = torch.zeros_like(arcs).transpose(1, 2)
        targets[mask] = _dense(batch.targets["heads"], arcs.shape[1])
        lengths = batch.lengths.tolist()
        return tree_cross_entropy(arcs, targets.transpose(1, 2), lengths, self.mode is Mode.CONTINUOUS)

    def _tree_losses(self, states: Tensor, arcs: Tensor, batch: Dataset) -> tuple[Tensor, ...]:
        """Return the losses of gold trees: of their labels, among their negatives, of their constituents."""
        width = states.shape[1]
        rows = states.reshape(-1, states.shape[2])
        trees = self._gold_and_negatives(batch, arcs)
        starts = (trees.owners * width).tolist()
        context = arc_context(trees.heads, trees.sizes.tolist(), starts, len(rows))
        labels, fit = self.network.arcs(rows, *map(torch.from_numpy, (context.roles, context.counts)))
        # gold trees come first, one per sentence, so that the first descriptions are those of their arcs
        label_loss = _cross_entropy(labels[: batch.lengths.sum()], batch.targets["labels"])
        extra = torch.log_softmax(labels.detach(), 1).amax(1) + fit
        extra = extra[torch.from_numpy(context.rows)]
        if self.table is None or self.network.constituents is None:
            return label_loss, contrastive_loss(arcs.detach(), trees, extra)
        scores = labels.detach().numpy().copy()
        context.forbid_labels(scores, self.table.root_labels)
        best = scores.argmax(1)[context.rows]
        of_trees, loss = self._constituent_loss(
            rows, self.network.constituents, self.table, batch, trees, best, starts
        )
        return label_loss, contrastive_loss(arcs.detach(), trees, extra, of_trees), loss

    def _constituent_loss(
        self,
        rows: Tensor,
        network: nn.Module,
        table: LabelTable,
        batch: Dataset,
        trees: GoldAndNegatives,
        labels: Array,
        starts: list[int],
    ) -> tuple[Tensor, Tensor]:
        """Return the sum of the scores of the constituents of every tree, and the loss of single ones.

        A constituent is right if it is in the gold tree of its sentence; the loss is the cross-entropy of
        that, for gold constituents and those of all trees with these labels.
        """
        gold = constituent_context(
            batch.heads,
            batch.symbols,
            batch.events,
            batch.lengths.tolist(),
            starts[: len(batch)],
            len(rows),
            self.mode,
        )
        found = table.constituents(trees.heads, labels, trees.sizes.tolist(), starts, len(rows))
        roles = gold.roles[:, : table.roles], found.roles[:, : table.roles]
        pairs = roles, (gold.marks, found.marks)
        scores = network(rows, *(torch.from_numpy(numpy.concatenate(pair)) for pair in pairs))
        right = numpy.concatenate([numpy.ones(len(gold.keys), bool), numpy.isin(found.keys, gold.keys)])
        loss = nn.functional.binary_cross_entropy_with_logits(
            scores, torch.from_numpy(right.astype(numpy.float32)), reduction="sum"
        )
        of_trees = torch.zeros(len(trees.sizes)).index_add(
            0, torch.from_numpy(found.trees), scores[len(gold.keys) :][torch.from_numpy(found.rows)]
        )
        return of_trees, CONSTITUENT_WEIGHT * loss / batch.lengths.sum()

    def _chain_loss(self, states: Tensor, batch: Dataset) -> Tensor:
        rows = states.reshape(-1, states.shape[2])
        context = batch.node_context(list(range(0, len(rows), states.shape[1])), len(rows))
        chains = self.network.nodes(rows, *map(torch.from_numpy, (context.roles, context.marks)))
        return _cross_entropy(chains, batch.targets["chains"])

    def _gold_and_negatives(self, batch: Dataset, arcs: Tensor) -> GoldAndNegatives:
        """Return the gold tree of every sentence, then the other trees among those with the best arcs."""
        lengths = batch.lengths
        limits = numpy.where(lengths <= LONGEST_WITH_CANDIDATES[self.mode], NEGATIVES, 0).tolist()
        threads = torch.get_num_threads()
        found = best_trees(arcs.detach().numpy(), lengths.tolist(), self.mode, limits, threads=threads)
        owners = numpy.repeat(numpy.arange(len(lengths)), found.counts)
        sizes = lengths[owners]
        starts = starts_of(sizes)
        of_word = numpy.repeat(numpy.arange(len(sizes)), sizes)
        gold = batch.heads[numpy.arange(len(found.heads)) + (starts_of(lengths)[owners] - starts)[of_word]]
        is_negative = numpy.logical_or.reduceat(found.heads != gold, starts)
        return GoldAndNegatives(
            numpy.concatenate([batch.heads, found.heads[is_negative[of_word]]]),
            numpy.concatenate([lengths, sizes[is_negative]]),
            numpy.concatenate([numpy.arange(len(lengths)), owners[is_negative]]),
        )


def _word_dropout(reader: WordReader, dataset: Dataset) -> Array:
    """Return the dropout probability of every row of the word table."""
    counts = Counter(form for forms in dataset.forms for form in forms)
    occurrences = numpy.zeros(len(reader.words))
    numpy.add.at(occurrences, reader.words.look_up([list(counts)]).words[0], list(counts.values()))
    occurrences[UNKNOWN] = 1  # the row of all unknown words, each of which is rare
    probabilities: Array = RARE / (RARE + occurrences)
    return probabilities


def _dense(targets: Targets, columns: int) -> Tensor:
    """Return sparse target distributions as `[rows, columns]`."""
    table = torch.zeros(len(targets.indices), columns)
    indices = torch.from_numpy(targets.indices.astype(numpy.int64))
    return table.scatter_add_(1, indices, torch.from_numpy(targets.probabilities.astype(numpy.float32)))


def _cross_entropy(scores: Tensor, targets: Targets) -> Tensor:
    """Return the mean cross-entropy of targets under the softmax of scores, `[rows, classes]`."""
    indices = torch.from_numpy(targets.indices.astype(numpy.int64))
    probabilities = torch.from_numpy(targets.probabilities.astype(numpy.float32))
    return -(probabilities * torch.log_softmax(scores, 1).gather(1, indices)).sum(1).mean()
