"""What a network chooses from: tags, morphology, encoded labels, phrase symbols, unary chains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from spindle.parsers.backend import Example
from spindle.reduction import Encoding
from spindle.reduction.isomorphism import Chain
from spindle.reduction.labels import read_labels
from spindle.trees import ROOT


@dataclass(frozen=True)
class Classes:
    """All that training has seen of each kind, the most frequent first; the root has labels of its own.

    The first symbol and the first chain are empty: the symbol of a word, and no chain.
    """

    tags: tuple[str, ...]
    morphs: tuple[str, ...]
    labels: tuple[str, ...]
    root_labels: tuple[str, ...]
    symbols: tuple[str, ...]
    chains: tuple[Chain, ...]

    @classmethod
    def learn(cls, examples: Sequence[Example], encoding: Encoding) -> Self:
        """The classes in some examples."""
        tokens = [token for example in examples for token in example.tokens]
        arcs = [arc for one in examples for arc in zip(one.heads, one.labels, strict=True)]
        symbols = [
            symbol
            for one in examples
            for symbol in read_labels(one.heads, one.labels, encoding).symbols
            if symbol
        ]
        chains = [chain for one in examples for chain in one.chains.values()]
        return cls(
            _ranked(token.tag for token in tokens),
            _ranked(token.morph for token in tokens),
            _ranked(label for head, label in arcs if head != ROOT),
            _ranked(label for head, label in arcs if head == ROOT),
            ("", *_ranked(symbols)),
            ((), *_ranked(chains)),
        )

    def to_dict(self) -> dict[str, Any]:
        """The classes as JSON can hold them."""
        return {**vars_of(self), "chains": [list(chain) for chain in self.chains]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        chains = tuple(tuple(chain) for chain in values["chains"])
        return cls(**{**{name: tuple(found) for name, found in values.items()}, "chains": chains})

    @cached_property
    def symbol_numbers(self) -> dict[str, int]:
        """The number of every symbol."""
        return {symbol: number for number, symbol in enumerate(self.symbols)}


def vars_of(classes: Classes) -> dict[str, Any]:
    """The fields by name."""
    names = ("tags", "morphs", "labels", "root_labels", "symbols", "chains")
    return {name: list(getattr(classes, name)) for name in names}


def _ranked(found: Iterable[Any]) -> tuple[Any, ...]:
    """All that was found, the most frequent first; a fixed order for what is equally frequent."""
    return tuple(one for one, _ in sorted(Counter(found).items(), key=lambda item: (-item[1], item[0])))
