"""The loss of a tree among all trees, and among its rivals. Needs torch.

Heads could be learnt word by word, but what is asked for is a tree: the loss is how improbable the right one
is among all trees that there are, projective ones or any, and its gradient is how much more probable each arc
should be than it is. The core adds up the trees.

That knows arcs one by one. How well the arcs of a tree fit together, sisters and all, is learnt from the
right tree and the ones with the best arcs, its rivals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from spindle import _core
from spindle.models import Array


class _TreeEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, arcs: Tensor, right: Tensor, lengths: list[int], projective: bool) -> Tensor:
        threads = torch.get_num_threads()
        sums, probable = _core.marginals_batch(arcs.detach().numpy(), lengths, projective, threads)
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


class Rivals(NamedTuple):
    """The right trees, one for each sentence, then others: the heads of all words of all of them.

    `sizes` is how many words each tree has, and `owners` are the numbers of the trees' sentences.
    """

    heads: Array
    sizes: Array
    owners: Array


def rivalry(arcs: Tensor, rivals: Rivals, extra: Tensor) -> Tensor:
    """How surprised one is by the right trees, a word.

    One believes in the scores of all trees' arcs, and in what each of these is given extra, tree after tree.
    """
    above, sizes, of_sentence = (torch.from_numpy(column.astype(numpy.int64)) for column in rivals)
    above = above + 1
    of_tree = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    words = torch.arange(len(of_tree)) - (torch.cumsum(sizes, 0) - sizes)[of_tree]
    scores = arcs[of_sentence[of_tree], above, words] + extra
    totals = torch.zeros(len(sizes)).index_add(0, of_tree, scores)
    top = torch.full((len(arcs),), -torch.inf).scatter_reduce(0, of_sentence, totals.detach(), "amax")
    among = torch.zeros(len(arcs)).index_add(0, of_sentence, torch.exp(totals - top[of_sentence]))
    return (torch.log(among) + top - totals[: len(arcs)]).sum() / sizes[: len(arcs)].sum()
