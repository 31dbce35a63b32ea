"""The unary classifier: chains of unary nodes, which a d-tree cannot encode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Self

from spindle import _core
from spindle.models import Array
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import LinearStage, Progress, vocabulary
from spindle.reduction import Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree

NO_CHAIN: Chain = ()


class UnaryClassifier(LinearStage[Chain, _core.NodeClassifier]):
    """Predicts the unary chain above every node and word of an unaryless tree, given as its d-tree.

    Candidates are the chains that training has seen above the same label or tag.
    """

    TABLE_BITS = 19

    @staticmethod
    def _load_model(classes: Sequence[Chain], arrays: dict[str, Array]) -> _core.NodeClassifier:
        return _core.NodeClassifier(arrays, len(classes), by_parent=False)

    @staticmethod
    def _class_from_json(stored: Any) -> Chain:
        return tuple(stored)

    @classmethod
    def train(
        cls,
        dtrees: Sequence[DTree],
        chains: Sequence[Mapping[Place, Chain]],
        *,
        epochs: int = 8,
        bits: int = TABLE_BITS,
        seed: int = 1,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Train on gold d-trees and their chains, over tokens with the tags that will be seen later."""
        numbers = vocabulary(chain.from_iterable(found.values() for found in chains), first=[NO_CHAIN])
        training = _core.NodeTraining.of_dtrees(
            [hashed_sentence(dtree.tokens) for dtree in dtrees],
            list(map(_columns, dtrees)),
            [[(word, event, numbers[found]) for (word, event), found in of.items()] for of in chains],
            len(numbers),
            bits,
            epochs,
            seed,
            threads,
        )
        return cls._run(numbers, training, training.run_epoch, epochs, progress)

    def predict_chains(self, dtrees: Sequence[DTree], threads: int = 1) -> list[dict[Place, Chain]]:
        """Return the chains of every d-tree, which must be ordered, by the place below the chain."""
        sentences = [hashed_sentence(dtree.tokens) for dtree in dtrees]
        chains = self._classes
        return [
            {Place(word, event): chains[number] for word, event, number in found}
            for found in self._model.classify_dtrees(sentences, list(map(_columns, dtrees)), threads)
        ]


def _columns(dtree: DTree) -> tuple[Sequence[int], Sequence[str], Sequence[int]]:
    return dtree.heads, dtree.symbols, dtree.events
