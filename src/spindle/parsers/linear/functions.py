"""The function classifier: edge labels such as subject or object, for nodes and words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Self

from spindle import _core
from spindle.errors import ParserError
from spindle.models import Array
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.stage import LinearStage, Progress, vocabulary
from spindle.trees import Tree

NO_FUNCTION = ""


class FunctionClassifier(LinearStage[str, _core.NodeClassifier]):
    """Predicts the function of every node and word of a tree (`Tree.functions`, `Token.function`).

    Candidates are the functions that training has seen on the same label under the same parent. Trees must
    have heads.
    """

    TABLE_BITS = 20
    FEATURES = 2
    WITHOUT_ATTRIBUTES = 1

    @staticmethod
    def _load_model(classes: Sequence[str], arrays: dict[str, Array]) -> _core.NodeClassifier:
        return _core.NodeClassifier(arrays, len(classes), by_parent=True)

    @classmethod
    def train(
        cls,
        trees: Sequence[Tree],
        *,
        epochs: int = 8,
        bits: int = TABLE_BITS,
        seed: int = 1,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Train on trees with functions, over tokens with the tags that will be seen later."""
        functions = list(map(_functions, trees))
        numbers = vocabulary(chain.from_iterable(functions), first=[NO_FUNCTION])
        trainer = _core.NodeClassifierTrainer.of_trees(
            [hashed_sentence(tree.tokens) for tree in trees],
            list(map(tree_columns, trees)),
            [[numbers[function] for function in of_tree] for of_tree in functions],
            class_count=len(numbers),
            bits=bits,
            epochs=epochs,
            seed=seed,
            threads=threads,
        )
        return cls._run(numbers, trainer, trainer.run_epoch, epochs, progress)

    def label(self, trees: Sequence[Tree], threads: int = 1) -> list[Tree]:
        """Return the trees with predicted functions, which replace any that the trees had."""
        sentences = [self._hashed(tree.tokens) for tree in trees]
        predicted = self._model.classify_trees(sentences, list(map(tree_columns, trees)), threads)
        return [self._labeled(tree, numbers) for tree, numbers in zip(trees, predicted, strict=True)]

    def _labeled(self, tree: Tree, numbers: list[int]) -> Tree:
        functions = [self._classes[number] for number in numbers]
        size = len(tree)
        tokens = [
            token if token.function == function else token._replace(function=function)
            for token, function in zip(tree.tokens, functions[:size], strict=True)
        ]
        return tree.replace(tokens=tuple(tokens), functions=tuple(functions[size:]))


def _functions(tree: Tree) -> list[str]:
    return [*(token.function for token in tree.tokens), *tree.functions]


def tree_columns(tree: Tree) -> tuple[Sequence[str], Sequence[int], Sequence[int], Sequence[int]]:
    """Return the columns of a tree that the core reads; a `ParserError` if it has no heads."""
    if tree.heads is None:
        raise ParserError(f"sentence {tree.id or '?'} has no heads: find heads before functions")
    return tree.labels, tree.parents, tree.leaf_parents, tree.heads
