"""Small sentences that a network can learn by heart."""

from __future__ import annotations

import numpy as np

from spindle.parsers import Example, FitSettings
from spindle.parsers.neural import NeuralParser
from spindle.reduction import Encoding, Mode, Place
from spindle.trees import Token

SYMBOLS = ("S", "NP", "VP")


def examples(count: int, seed: int = 3) -> list[Example]:
    """Trees in which a word's tag, morphology, label and chain can be read off its form."""
    chance = np.random.default_rng(seed)
    found = []
    for number in range(count):
        size = int(chance.integers(1, 9))
        order = chance.permutation(size)
        heads = [-1] * size
        for place in range(1, size):
            heads[order[place]] = int(order[chance.integers(place)])
        symbols = [SYMBOLS[int(chance.integers(3))] for _ in range(size)]
        # all modifiers of a head are one event, whose symbol is the head's own
        labels = ["root" if head == -1 else f"{symbols[head]}#1" for head in heads]
        tokens = [
            Token(f"{symbol.lower()}{number}x{at}", symbol[0], "", f"m{number % 3}")
            for at, symbol in enumerate(symbols)
        ]
        chains = {Place(at, 0): ("X", "Y") for at, symbol in enumerate(symbols) if symbol == "NP"}
        found.append(Example(tuple(tokens), tuple(heads), tuple(labels), chains))
    return found


def settings(mode: Mode = Mode.DISCONTINUOUS, **options: str) -> FitSettings:
    """A training of a very small network."""
    defaults = {name: values[0] for name, values in NeuralParser.options.items()}
    chosen = {**defaults, "hidden": "40", "batch": "100", "dropout": "0.1", **options}
    return FitSettings(mode=mode, encoding=Encoding.DIRECT, one_shot=True, seed=5, options=chosen)


class Silent:
    """Looks on and remembers the last state."""

    stalled = 0

    def progress(self, done: int, of: int, loss: float) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def epoch(self, number: int, loss: float, state: object = None) -> None:
        self.state = state()  # type: ignore[operator]
