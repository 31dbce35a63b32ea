"""The optimizer: which weights learn, at which rate, and how the rate changes. Needs torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from spindle.parsers.neural.encoders import Pretrained
from spindle.parsers.neural.network import Network

WARM_UP = 150
"""The steps in which the learning rate grows; a tenth of all steps if that is less."""
LOWEST_RATE = 0.01
"""The learning rate falls linearly, to this share of its highest value."""
PRETRAINED_RATE = 0.1
"""The default learning rate of pretrained weights, relative to that of new ones."""
LARGEST_TABLE = 40_000_000
"""Pretrained embeddings of sub-words learn only if they have no more weights than this. Those of large or
multilingual encoders would take most of the memory, and most of their rows never occur in a treebank."""


def make_optimizer(network: Network, rate: float, encoder_rate: float | None) -> torch.optim.Optimizer:
    """Return an optimizer of all weights that learn."""
    groups = parameter_groups(network, rate, encoder_rate)
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=1e-4, fused=True)


def make_schedule(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LambdaLR:
    """Return a schedule that warms up and then lets the learning rate fall for the rest of `steps`."""
    warm_up = min(WARM_UP, steps // 10 + 1)
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm_up, max(1 - step / steps, LOWEST_RATE))
    )


def parameter_groups(
    network: Network, rate: float, encoder_rate: float | None = None
) -> list[dict[str, Any]]:
    """Return the weights that learn in groups with their rates; freeze very large pretrained embeddings."""
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
    if encoder_rate is None:
        encoder_rate = rate * PRETRAINED_RATE
    return [{"params": new, "lr": rate}, {"params": pretrained, "lr": encoder_rate}]
