"""An estimate of the memory that a training takes, from measurements of trainings. Needs torch."""

from __future__ import annotations

from spindle.parsers.neural.dataset import Dataset
from spindle.parsers.neural.encoders import Pretrained
from spindle.parsers.neural.network import Network

BYTES = 4
"""The size of a 32-bit number."""
NUMBERS_PER_WORD = 40_000
"""The numbers that a step keeps for each word of the batch, for its gradients."""
COPIES = 16
"""The copies of all weights that exist while an epoch is exported, evaluated and saved."""
LEARNING_COPIES = 5
"""The additional numbers for every weight that learns: its gradient, average, and moments."""
BASE_BYTES = 450_000_000
"""What torch takes without any network."""
BYTES_PER_TREEBANK_WORD = 3_000
"""What the trees of the treebank take, per word."""
FRAGMENTATION = 1.5
"""The factor by which the memory of a training with a pretrained encoder exceeds what is in use: it allocates
large arrays of many different sizes, and freed ones do not fit the next."""


def estimate_memory(network: Network, batch: int, dataset: Dataset) -> float:
    """Return the bytes that training the network takes, with `batch` words per batch."""
    weights: int = sum(weights.numel() for weights in network.parameters())
    learning: int = sum(weights.numel() for weights in network.parameters() if weights.requires_grad)
    numbers = COPIES * weights + LEARNING_COPIES * learning + batch * NUMBERS_PER_WORD
    data = BYTES_PER_TREEBANK_WORD * dataset.treebank_words + dataset.nbytes
    total = BASE_BYTES + BYTES * numbers + data
    return total * FRAGMENTATION if isinstance(network.sentence.encoder, Pretrained) else total
