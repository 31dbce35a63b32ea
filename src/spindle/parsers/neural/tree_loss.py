"""Losses over whole trees. Needs torch.

`tree_cross_entropy` is the loss of the gold tree among all trees, projective or not, under arc scores. Its
gradient is the difference between the marginal probability of each arc and its target. The core sums over
trees.

Arc scores treat arcs one by one. `contrastive_loss` also trains the scores of arcs given their tree (sisters,
subtree, grandparent): it is the loss of the gold tree among a few trees with the best arc scores, its
negatives.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from spindle import _core
from spindle.models import Array


class _TreeCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, arcs: Tensor, targets: Tensor, lengths: list[int], projective: bool) -> Tensor:
        threads = torch.get_num_threads()
        log_sums, marginals = _core.marginals_batch(arcs.detach().numpy(), lengths, projective, threads)
        words = sum(lengths)
        ctx.save_for_backward((torch.from_numpy(marginals) - targets) / words)
        return (sum(log_sums) - (arcs * targets).sum()) / words

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return gradient * gradients[0], None, None, None


def tree_cross_entropy(arcs: Tensor, targets: Tensor, lengths: list[int], projective: bool) -> Tensor:
    """Cross-entropy per word of the target trees under the tree distribution that `arcs` defines.

    Arc scores and target probabilities of arcs are `[sentences, head + 1, modifier]`, padded.
    """
    loss: Tensor = _TreeCrossEntropy.apply(arcs, targets, lengths, projective)
    return loss


class GoldAndNegatives(NamedTuple):
    """The gold tree of each sentence, then negatives: the heads of all words of all trees.

    `sizes` has the number of words of each tree, `owners` the number of its sentence.
    """

    heads: Array
    sizes: Array
    owners: Array


def contrastive_loss(
    arcs: Tensor, trees: GoldAndNegatives, extra: Tensor, of_trees: Tensor | None = None
) -> Tensor:
    """Cross-entropy per word of the gold trees among the trees of their sentences.

    The score of a tree is the sum over its words of the arc score and of `extra`, which has one element per
    word of every tree, and of the tree's element of `of_trees`. Arc scores are `[sentences, head + 1,
    modifier]`, padded.
    """
    heads, sizes, owners = (torch.from_numpy(column.astype(numpy.int64)) for column in trees)
    of_tree = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    words = torch.arange(len(of_tree)) - (torch.cumsum(sizes, 0) - sizes)[of_tree]
    scores = arcs[owners[of_tree], heads + 1, words] + extra
    totals = torch.zeros(len(sizes)).index_add(0, of_tree, scores)
    if of_trees is not None:
        totals = totals + of_trees
    highest = torch.full((len(arcs),), -torch.inf).scatter_reduce(0, owners, totals.detach(), "amax")
    sums = torch.zeros(len(arcs)).index_add(0, owners, torch.exp(totals - highest[owners]))
    return (torch.log(sums) + highest - totals[: len(arcs)]).sum() / sizes[: len(arcs)].sum()
