"""The reranker: chooses among the trees of a k-best list by a linear model of whole constituent trees.

It sees what no parser of arcs sees: rules, neighbouring constituents, the words at their ends, paths to the
root, conjuncts that resemble each other, and gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from spindle import _core
from spindle.errors import ModelError
from spindle.models import Array, ModelPart
from spindle.models.schema import record, whole
from spindle.parsers.linear.functions import tree_columns
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import Progress, run_epochs
from spindle.trees import Tree

CANDIDATES = 16
"""The number of d-trees that the parser gives the reranker."""
MOST_CANDIDATES = 1_000
EPOCHS = 6


class RankedList(NamedTuple):
    """The trees of one sentence, the scores of the parser, and how good each tree is."""

    trees: Sequence[Tree]
    scores: Sequence[float]
    qualities: Sequence[float]


class Reranker:
    """Scores the trees of k-best lists. Trees must have heads; they may be discontinuous."""

    TABLE_BITS = 20
    FEATURES = 1
    """The version of the features in the core."""

    def __init__(self, candidates: int, arrays: Mapping[str, Array]) -> None:
        self.candidates, self._arrays = candidates, dict(arrays)
        self._model = _core.Reranker(self._arrays)

    @classmethod
    def train(
        cls,
        lists: Iterable[RankedList],
        *,
        candidates: int = CANDIDATES,
        epochs: int = EPOCHS,
        bits: int = TABLE_BITS,
        seed: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Train on lists of trees that the parser gave for sentences that it was not trained on."""
        trainer = _core.RerankerTrainer(bits=bits, epochs=epochs, seed=seed)
        for trees, scores, qualities in lists:
            sentence = hashed_sentence(trees[0].tokens)
            trainer.add(sentence, list(map(tree_columns, trees)), _relative(scores), qualities)
        run_epochs(epochs, trainer.run_epoch, progress)
        return cls(candidates, trainer.arrays())

    def scores(
        self, lists: Sequence[Sequence[Tree]], parser_scores: Sequence[Sequence[float]], threads: int = 1
    ) -> list[list[float]]:
        """Return the score of every tree of every sentence."""
        sentences = [hashed_sentence(trees[0].tokens) for trees in lists]
        columns = [list(map(tree_columns, trees)) for trees in lists]
        return self._model.scores(sentences, columns, list(map(_relative, parser_scores)), threads)

    def to_part(self) -> ModelPart:
        """Return the settings and the arrays."""
        return ModelPart({"candidates": self.candidates, "features": self.FEATURES}, self._arrays)

    @classmethod
    def check_part(cls, part: ModelPart, place: str) -> None:
        """Raise a `SchemaError` for settings of a model file that do not fit."""
        schema = record({"candidates": whole(1, MOST_CANDIDATES), "features": whole(0, 1_000)})
        schema(part.settings, place)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the reranker; the inverse of `to_part`."""
        if part.settings["features"] != cls.FEATURES:
            raise ModelError(
                "the reranker was trained by another version of Spindle, with other features: "
                "train the model again"
            )
        return cls(part.settings["candidates"], part.arrays)


def _relative(scores: Sequence[float]) -> list[float]:
    """Return the scores minus the best one: only differences matter, and large numbers are less exact."""
    best = max(scores)
    return [score - best for score in scores]
