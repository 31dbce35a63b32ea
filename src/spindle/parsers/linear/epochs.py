"""Passes over the data, counted for whoever looks on."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Hears how much of a training is done, and of how much."""


def run_epochs(epochs: int, run: Callable[[], object], progress: Progress | None) -> None:
    """Run every epoch, and tell after each."""
    for epoch in range(1, epochs + 1):
        run()
        if progress is not None:
            progress(epoch, epochs)
