"""Functions of nodes and words, from a model in the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Self

from spindle import _core
from spindle.errors import ParserError
from spindle.models import Part
from spindle.models.epochs import Progress, run_epochs
from spindle.models.frequency import by_frequency
from spindle.models.model_file import Array
from spindle.models.seen import as_seen
from spindle.trees import Tree

NO_FUNCTION = ""


class FunctionClassifier:
    """Decides for every node and word of a tree which function it has, if any.

    The choice is among the functions that training has seen on such a label under such a parent. Functions
    are those of the edges (`Tree.functions`, `Token.function`); trees must have heads.
    """

    BITS = 20

    def __init__(self, functions: Sequence[str], arrays: Mapping[str, Array]) -> None:
        self._functions, self._arrays = tuple(functions), dict(arrays)
        self._core = _core.NodeClassifier(self._arrays, len(self._functions), by_parent=True)

    @classmethod
    def train(
        cls,
        trees: Sequence[Tree],
        *,
        epochs: int = 8,
        bits: int = BITS,
        seed: int = 1,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from trees with functions, over tokens that are tagged as they will be.

        The table of weights has 2 to the power of `bits` places, of two bytes each.
        """
        found = list(map(_functions, trees))
        all_found = chain.from_iterable(found)
        names = [NO_FUNCTION, *by_frequency(function for function in all_found if function != NO_FUNCTION)]
        numbers = {function: number for number, function in enumerate(names)}
        training = _core.NodeClassifierTrainer.of_trees(
            [as_seen(tree.tokens) for tree in trees],
            list(map(_columns, trees)),
            [[numbers[function] for function in of_tree] for of_tree in found],
            class_count=len(names),
            bits=bits,
            epochs=epochs,
            seed=seed,
            threads=threads,
        )
        run_epochs(epochs, training.run_epoch, progress)
        return cls(names, training.arrays())

    def label(self, trees: Sequence[Tree], threads: int = 1) -> list[Tree]:
        """The trees with functions in place of any that they had."""
        sentences = [as_seen(tree.tokens) for tree in trees]
        found = self._core.classify_trees(sentences, list(map(_columns, trees)), threads)
        return [self._labeled(tree, numbers) for tree, numbers in zip(trees, found, strict=True)]

    def _labeled(self, tree: Tree, numbers: list[int]) -> Tree:
        functions = [self._functions[number] for number in numbers]
        size = len(tree)
        tokens = [
            token if token.function == function else token._replace(function=function)
            for token, function in zip(tree.tokens, functions, strict=False)
        ]
        return tree.replace(tokens=tuple(tokens), functions=tuple(functions[size:]))

    def to_part(self) -> Part:
        """All that was learned."""
        return Part({"functions": list(self._functions)}, self._arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        """The classifier again; its weights are used where they lie."""
        return cls(part.settings["functions"], part.arrays)


def _functions(tree: Tree) -> list[str]:
    return [*(token.function for token in tree.tokens), *tree.functions]


def _columns(tree: Tree) -> tuple[Sequence[str], Sequence[int], Sequence[int], Sequence[int]]:
    if tree.heads is None:
        raise ParserError(f"sentence {tree.id or '?'}: find its heads before its functions")
    return tree.labels, tree.parents, tree.leaf_parents, tree.heads
