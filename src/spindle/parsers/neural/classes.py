"""The classes that the network predicts: tags, morphology, encoded labels, phrase symbols, unary chains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

from spindle.parsers.backend import Example
from spindle.reduction.isomorphism import Chain
from spindle.trees import ROOT


@dataclass(frozen=True)
class Classes:
    """The classes of each kind that occur in training, most frequent first; the root has its own labels.

    The first symbol and the first chain are empty: the symbol of a word, and no chain.
    """

    tags: tuple[str, ...]
    morphs: tuple[str, ...]
    labels: tuple[str, ...]
    root_labels: tuple[str, ...]
    symbols: tuple[str, ...]
    chains: tuple[Chain, ...]

    @classmethod
    def learn(cls, examples: Sequence[Example]) -> Self:
        """Collect the classes of some examples."""
        tokens = [token for one in examples for token in one.tokens]
        arcs = [arc for one in examples for arc in zip(one.heads, one.labels, strict=True)]
        symbols = [symbol for one in examples for symbol in one.dtree.symbols if symbol]
        chains = [chain for one in examples for chain in one.chains.values()]
        return cls(
            _by_frequency(token.tag for token in tokens),
            _by_frequency(token.morph for token in tokens),
            _by_frequency(label for head, label in arcs if head != ROOT),
            _by_frequency(label for head, label in arcs if head == ROOT),
            ("", *_by_frequency(symbols)),
            ((), *_by_frequency(chains)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the classes as JSON can store them."""
        stored = {one.name: list(getattr(self, one.name)) for one in fields(self)}
        return {**stored, "chains": [list(chain) for chain in self.chains]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returned."""
        chains = tuple(tuple(chain) for chain in values["chains"])
        return cls(**{**{name: tuple(names) for name, names in values.items()}, "chains": chains})

    @cached_property
    def symbol_numbers(self) -> dict[str, int]:
        """The number of every symbol."""
        return {symbol: number for number, symbol in enumerate(self.symbols)}


def _by_frequency(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the distinct values, most frequent first; equally frequent ones are sorted."""
    return tuple(value for value, _ in sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))
