"""Forgetting on purpose while learning, so that nothing is learnt by heart. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


class SharedDropout(nn.Module):
    """Dropout that takes the same features from all words of a sentence."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """The states, `[sentences, words, features]`, with some features gone."""
        if not self.training or not self.rate:
            return states
        kept = torch.rand(states.shape[0], 1, states.shape[2]) >= self.rate
        return states * kept / (1 - self.rate)


class CheapDropout(TorchFunctionMode):
    """Within it, whatever calls torch's dropout by name, pretrained encoders too, is given `dropout`.

    Torch's own asks for a random number of 64 bits for each it may take away, which was 17 % of the time of a
    training with a pretrained encoder.
    """

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch, or ours instead."""
        called = dropout if function is nn.functional.dropout else function
        return called(*args, **(kwargs or {}))


def dropout(states: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """The states with a share of `p` of the numbers gone, in multiples of 1/256, the others made larger."""
    del inplace  # that would only save memory
    gone = round(256 * p)
    if not training or not gone:
        return states
    if gone == 256:
        return torch.zeros_like(states)
    bits = torch.empty(states.numel() // 8 + 1, dtype=torch.int64).random_(-(1 << 63), None)
    kept = bits.view(torch.uint8)[: states.numel()].view(states.shape) >= gone
    return states * (kept * (256 / (256 - gone))).to(states.dtype)
