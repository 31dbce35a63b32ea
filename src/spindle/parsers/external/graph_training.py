"""Trains the networks of other projects. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy
from torch.nn.utils import clip_grad_norm_
from torch.optim import Adam
from torch.optim.lr_scheduler import LambdaLR

from spindle.models import Array
from spindle.parsers.backend import Example, FitSettings, Monitor
from spindle.parsers.external.vocabulary import Vocabulary
from spindle.parsers.neural.batches import batch_size, training_batches

if TYPE_CHECKING:
    from spindle.parsers.external.graph_network import GraphNetworkOptions, GraphNetworkParser

MAX_GRADIENT_NORM = 5.0
BETAS = 0.9, 0.9
"""Adam forgets fast, as in the biaffine parser that these networks go back to."""


def train(
    parser: GraphNetworkParser,
    vocabulary: Vocabulary,
    examples: Sequence[Example],
    settings: FitSettings,
    monitor: Monitor,
) -> None:
    """Train the network of a parser; the learning rate falls to zero."""
    options: GraphNetworkOptions = settings.options
    lengths = numpy.array([len(example.tokens) for example in examples])
    weights = numpy.array([example.weight for example in examples])
    words = batch_size(options.batch, int((lengths * weights).sum()))
    network = parser.network
    optimizer = Adam(network.parameters(), lr=options.rate, betas=BETAS, eps=1e-12)
    steps = options.epochs * len(_batches(lengths, weights, words, settings.seed, 0))
    schedule = LambdaLR(optimizer, lambda step: max(1 - step / steps, 0.02))
    for epoch in range(1, options.epochs + 1):
        network.train()
        batches = _batches(lengths, weights, words, settings.seed, epoch)
        seen, total = 0, 0.0
        for number, numbers in enumerate(batches, start=1):
            chosen = [examples[one] for one in numbers]
            loss = parser.loss(
                vocabulary.batch([example.tokens for example in chosen]),
                vocabulary.gold(chosen, labelled=settings.one_shot),
            )
            optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(network.parameters(), MAX_GRADIENT_NORM)
            optimizer.step()
            schedule.step()
            seen, total = seen + len(numbers), total + loss.item()
            monitor.progress(seen, len(examples), total / number)
        monitor.epoch(epoch, total / max(len(batches), 1))


def _batches(lengths: Array, weights: Array, words: int, seed: int, epoch: int) -> list[list[int]]:
    return training_batches(lengths, weights, words, numpy.random.default_rng([seed, epoch]))
