"""Dropout layers. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


class SharedDropout(nn.Module):
    """Dropout with one mask per sentence: all words of a sentence lose the same features."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """Return the states, `[sentences, words, features]`, with some features set to zero."""
        if not self.training or not self.rate:
            return states
        kept = torch.rand(states.shape[0], 1, states.shape[2]) >= self.rate
        return states * kept / (1 - self.rate)


class FastDropout(TorchFunctionMode):
    """A context in which `dropout` replaces torch's own function, in pretrained encoders, too.

    Torch draws a random number of 64 bits for every element; eight bits are enough, and much faster.
    """

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch, or `dropout` instead of torch's."""
        called = dropout if function is nn.functional.dropout else function
        return called(*args, **(kwargs or {}))


def dropout(states: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to zero with probability `p`, rounded to a multiple of 1/256, and rescale the others."""
    del inplace  # that would only save memory
    threshold = round(256 * p)
    if not training or not threshold:
        return states
    if threshold == 256:
        return torch.zeros_like(states)
    bits = torch.empty(states.numel() // 8 + 1, dtype=torch.int64).random_(-(1 << 63), None)
    kept = bits.view(torch.uint8)[: states.numel()].view(states.shape) >= threshold
    return states * (kept * (256 / (256 - threshold))).to(states.dtype)
