"""The loss of a tree among all trees. Needs torch.

Heads could be learnt word by word, but what is asked for is a tree: the loss is how improbable the right one
is among all trees that there are, projective ones or any, and its gradient is how much more probable each arc
should be than it is. The core adds up the trees.
"""

from __future__ import annotations

from typing import Any

import numpy
import torch
from torch import Tensor

from spindle import _core

Array = numpy.ndarray[Any, Any]


class _TreeEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, arcs: Tensor, right: Tensor, lengths: list[int], projective: bool) -> Tensor:
        threads = torch.get_num_threads()
        sums, probable = _core.tree_sums(arcs.detach().numpy(), lengths, projective, threads)
        words = sum(lengths)
        ctx.save_for_backward((torch.from_numpy(probable) - right) / words)
        return (sum(sums) - (arcs * right).sum()) / words

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (slope,) = ctx.saved_tensors
        return slope * gradients[0], None, None, None


def tree_entropy(arcs: Tensor, right: Tensor, lengths: list[int], projective: bool) -> Tensor:
    """How surprised one is by the right trees, a word, who believes in arc scores.

    Both tables are `[sentences, head + 1, modifier]`, padded; `right` says how much each arc is right.
    """
    loss: Tensor = _TreeEntropy.apply(arcs, right, lengths, projective)
    return loss
