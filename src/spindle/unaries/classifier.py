"""Unary chains, from a model in the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Self

from spindle import _core
from spindle.models import Part
from spindle.models.epochs import Progress, run_epochs
from spindle.models.frequency import by_frequency
from spindle.models.model_file import Array
from spindle.models.seen import as_seen
from spindle.reduction import Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree

NO_CHAIN: Chain = ()


class UnaryClassifier:
    """Decides for every node of an unaryless tree, its words included, which unary chain stands above it.

    The choice is among the chains that training has seen above such a label or tag. Trees come as the d-trees
    that stand for them.
    """

    BITS = 19

    def __init__(self, chains: Sequence[Sequence[str]], arrays: Mapping[str, Array]) -> None:
        self._chains, self._arrays = tuple(map(tuple, chains)), dict(arrays)
        self._core = _core.NodeClassifier(self._arrays, len(self._chains), by_parent=False)

    @classmethod
    def train(
        cls,
        dtrees: Sequence[DTree],
        chains: Sequence[Mapping[Place, Chain]],
        *,
        epochs: int = 8,
        bits: int = BITS,
        seed: int = 1,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from gold d-trees, over tokens that are tagged as they will be, and the chains in each.

        The table of weights has 2 to the power of `bits` places, of two bytes each.
        """
        names = [NO_CHAIN, *by_frequency(chain.from_iterable(found.values() for found in chains))]
        numbers = {found: number for number, found in enumerate(names)}
        training = _core.NodeClassifierTrainer.of_dtrees(
            [as_seen(dtree.tokens) for dtree in dtrees],
            list(map(_columns, dtrees)),
            [[(word, event, numbers[found]) for (word, event), found in of.items()] for of in chains],
            class_count=len(names),
            bits=bits,
            epochs=epochs,
            seed=seed,
            threads=threads,
        )
        run_epochs(epochs, training.run_epoch, progress)
        return cls(names, training.arrays())

    def recover(self, dtrees: Sequence[DTree], threads: int = 1) -> list[dict[Place, Chain]]:
        """The chains of every d-tree, by the place they stand above. The d-trees must be ordered."""
        sentences = [as_seen(dtree.tokens) for dtree in dtrees]
        chains = self._chains
        return [
            {Place(word, event): chains[number] for word, event, number in found}
            for found in self._core.classify_dtrees(sentences, list(map(_columns, dtrees)), threads)
        ]

    def to_part(self) -> Part:
        """All that was learned."""
        return Part({"chains": [list(found) for found in self._chains]}, self._arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        """The classifier again; its weights are used where they lie."""
        return cls(part.settings["chains"], part.arrays)


def _columns(dtree: DTree) -> tuple[Sequence[int], Sequence[str], Sequence[int]]:
    return dtree.heads, dtree.symbols, dtree.events
