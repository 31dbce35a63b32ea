"""The unary classifier: chains of unary nodes, which a d-tree cannot encode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Self

from spindle import _core
from spindle.errors import ReductionError
from spindle.models import Array
from spindle.models.schema import items, text
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import LinearStage, Progress, vocabulary
from spindle.reduction import Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree, Tree

NO_CHAIN: Chain = ()


class UnaryClassifier(LinearStage[Chain, _core.NodeClassifier]):
    """Predicts the unary chain above every node and word of an unaryless tree, given as its d-tree.

    Candidates are the chains that training has seen above the same label or tag.
    """

    TABLE_BITS = 19
    FEATURES = 2
    WITHOUT_ATTRIBUTES = 1
    CLASS = staticmethod(items(text(1_000), at_most=100))

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
        trainer = _core.NodeClassifierTrainer.of_dtrees(
            [hashed_sentence(dtree.tokens) for dtree in dtrees],
            list(map(_columns, dtrees)),
            [[(word, event, numbers[found]) for (word, event), found in of.items()] for of in chains],
            class_count=len(numbers),
            bits=bits,
            epochs=epochs,
            seed=seed,
            threads=threads,
        )
        return cls._run(numbers, trainer, trainer.run_epoch, epochs, progress)

    def predict_chains(self, dtrees: Sequence[DTree], threads: int = 1) -> list[dict[Place, Chain]]:
        """Return the chains of every d-tree, which must be ordered, by the place below the chain."""
        sentences = [self._hashed(dtree.tokens) for dtree in dtrees]
        chains = self._classes
        return [
            {Place(word, event): chains[number] for word, event, number in found}
            for found in self._model.classify_dtrees(sentences, list(map(_columns, dtrees)), threads)
        ]

    def decode(self, dtrees: Sequence[DTree], threads: int = 1) -> list[Tree]:
        """Predict the chains of every d-tree and decode both.

        The result is that of `decode(Reduced(dtree, chains))` with the chains of `predict_chains`.
        """
        for dtree in dtrees:
            if not dtree.is_ordered:
                raise ReductionError(
                    f"sentence {dtree.id or '?'}: the d-tree is not ordered; repair it first"
                )
        sentences = [self._hashed(dtree.tokens) for dtree in dtrees]
        lengths = list(map(len, self._classes))
        decoded = self._model.decode_dtrees(sentences, list(map(_columns, dtrees)), lengths, threads)
        return [self._tree(dtree, *columns) for dtree, columns in zip(dtrees, decoded, strict=True)]

    def _tree(
        self,
        dtree: DTree,
        parents: tuple[int, ...],
        leaf_parents: tuple[int, ...],
        heads: tuple[int, ...],
        sources: tuple[int, ...],
        chains: Sequence[tuple[int, int, int]],
    ) -> Tree:
        """Label the nodes of a decoded tree.

        A node gets the symbol of the arc `source`, or, if that is negative, the label with the number
        `~source` among the labels of all chains.
        """
        of_chains = [label for _, _, number in chains for label in self._classes[number]]
        symbols = dtree.symbols
        labels = tuple([symbols[source] if source >= 0 else of_chains[~source] for source in sources])
        return Tree.arranged(
            dtree.tokens, labels, parents, leaf_parents, (), dtree.id, dtree.comments, (), heads
        )


def _columns(dtree: DTree) -> tuple[Sequence[int], Sequence[str], Sequence[int]]:
    return dtree.heads, dtree.symbols, dtree.events
