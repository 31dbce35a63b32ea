"""The rows of a batch: every prediction for every sentence, on its way to a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from spindle.errors import ParserError
from spindle.parsers import Backend, Prediction, name_of
from spindle.pipeline.sentence import Sentence
from spindle.pipeline.stages import Tokens
from spindle.reduction import Repairs
from spindle.trees import DTree, Tree

Item = TypeVar("Item")


class Batch(NamedTuple):
    """One row per prediction: its sentence, the sentence's number, its tokens."""

    sentences: Sequence[Sentence]
    owners: Sequence[int]
    predictions: Sequence[Prediction]
    tokens: Tokens


class Decoded(NamedTuple):
    """The predictions of a batch as trees, before the conventions of the treebank are restored."""

    batch: Batch
    dtrees: Sequence[DTree]
    repairs: Sequence[Repairs]
    trees: Sequence[Tree]

    def rows(self, numbers: Sequence[int]) -> Decoded:
        """Return these rows in this order."""

        def chosen(column: Sequence[Item]) -> list[Item]:
            return [column[number] for number in numbers]

        sentences, owners, predictions, tokens = self.batch
        batch = Batch(chosen(sentences), chosen(owners), chosen(predictions), chosen(tokens))
        return Decoded(batch, chosen(self.dtrees), chosen(self.repairs), chosen(self.trees))


def rows_of_sentences(owners: Sequence[int], sentences: int) -> list[list[int]]:
    """Return the numbers of the rows of every sentence."""
    rows: list[list[int]] = [[] for _ in range(sentences)]
    for row, owner in enumerate(owners):
        rows[owner].append(row)
    return rows


def check_lists(
    sentences: Sequence[Sentence], lists: Sequence[Sequence[Prediction]], backend: Backend
) -> None:
    """Raise a `ParserError` that names the first sentence without a complete prediction."""
    name = name_of(type(backend))
    if len(lists) != len(sentences):
        raise ParserError(f"{name} gave {len(lists)} analyses of {len(sentences)} sentences")
    for number, (sentence, predictions) in enumerate(zip(sentences, lists, strict=True), start=1):
        for prediction in predictions:
            if len(prediction.heads) != len(sentence.tokens):
                raise ParserError(
                    f"{name} gave {len(prediction.heads)} heads for the {len(sentence.tokens)} words of "
                    f"sentence {sentence.id or number}"
                )
        if not predictions:
            raise ParserError(f"{name} gave no analysis of sentence {sentence.id or number}")


def distinct(trees: Sequence[Tree], owners: Sequence[int], sentences: int, k: int) -> list[list[int]]:
    """The numbers of the first `k` different trees of every sentence."""
    if k == 1 and len(trees) == sentences:
        return [[at] for at in range(sentences)]
    kept: list[dict[Tree, int]] = [{} for _ in range(sentences)]
    for at, (tree, owner) in enumerate(zip(trees, owners, strict=True)):
        if len(kept[owner]) < k:
            kept[owner].setdefault(tree, at)
    return [list(found.values()) for found in kept]
