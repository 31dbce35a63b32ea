"""Small sentences that a network can memorise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spindle.models import ModelPart
from spindle.parsers import Example, FitSettings
from spindle.parsers.neural import NeuralOptions
from spindle.reduction import Encoding, Mode, Place
from spindle.trees import ROOT, DTree, Token

SYMBOLS = ("S", "NP", "VP")
State = Callable[[], ModelPart] | None


def examples(count: int, seed: int = 3) -> list[Example]:
    """Return trees in which the form of a word determines its tag, morphology, label and chain."""
    random = np.random.default_rng(seed)
    return [_example(number, random) for number in range(count)]


def _example(number: int, random: np.random.Generator) -> Example:
    size = int(random.integers(1, 9))
    order = random.permutation(size)
    heads = [ROOT] * size
    for place in range(1, size):
        heads[order[place]] = int(order[random.integers(place)])
    of_words = [SYMBOLS[int(random.integers(3))] for _ in range(size)]
    tokens = [
        Token(f"{symbol.lower()}{number}x{at}", symbol[0], "", f"m{number % 3}")
        for at, symbol in enumerate(of_words)
    ]
    # all modifiers of a head share one event, whose symbol is that of the head word
    symbols = ["" if head == ROOT else of_words[head] for head in heads]
    dtree = DTree(tuple(tokens), tuple(heads), tuple(symbols), tuple(int(head != ROOT) for head in heads))
    labels = ["root" if head == ROOT else f"{symbol}#1" for head, symbol in zip(heads, symbols, strict=True)]
    chains = {Place(at, 0): ("X", "Y") for at, symbol in enumerate(of_words) if symbol == "NP"}
    return Example(dtree, tuple(labels), chains)


def settings(mode: Mode = Mode.DISCONTINUOUS, **options: Any) -> FitSettings:
    """Return the settings of a training of a very small network."""
    chosen = NeuralOptions.read({"hidden": 40, "batch": 100, "dropout": 0.1, **options}, "neural")
    return FitSettings(mode=mode, encoding=Encoding.DIRECT, one_shot=True, seed=5, options=chosen)


class Silent:
    """A monitor that shows nothing and keeps the last state."""

    @property
    def stalled(self) -> int:
        return 0

    def progress(self, done: int, of: int, loss: float) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def epoch(self, number: int, loss: float, state: State = None) -> None:
        assert state is not None
        self.state = state()
