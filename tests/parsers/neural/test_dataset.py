"""Datasets and their targets; needs neither torch nor onnxruntime."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import arc_context, column, node_context
from spindle.parsers.neural.dataset import SOFT_CLASSES, Dataset, DatasetBuilder, Targets
from spindle.reduction import Place
from spindle.trees import Token
from support.neural_toys import examples

TRAIN = examples(12)
CLASSES = Classes.learn(TRAIN)
BUILDER = DatasetBuilder(CLASSES)
ALL = BUILDER.gold(TRAIN)


def same(one: Dataset, other: Dataset) -> bool:
    parts = one.to_part(), other.to_part()
    return (
        list(one.forms) == list(other.forms)
        and parts[0].arrays.keys() == parts[1].arrays.keys()
        and all(np.array_equal(array, parts[1].arrays[name]) for name, array in parts[0].arrays.items())
    )


@given(st.lists(st.integers(0, len(TRAIN) - 1), min_size=1, max_size=20))
def test_taking_sentences_equals_building_from_their_examples(numbers: list[int]) -> None:
    alone = [BUILDER.gold([TRAIN[number]]) for number in numbers]
    assert same(ALL.take(numbers), BUILDER.gold([TRAIN[number] for number in numbers]))
    assert same(ALL.take(numbers), Dataset.concatenate(alone))


def test_a_stored_dataset_is_read_again() -> None:
    again = Dataset.from_part(ALL.to_part(), ALL.forms)
    assert same(again, ALL)
    assert again.treebank_words == sum(len(one.tokens) for one in TRAIN)


def test_features_of_the_trees() -> None:
    heads = [one.heads for one in TRAIN]
    symbols = [[CLASSES.symbol_numbers[symbol] for symbol in one.dtree.symbols] for one in TRAIN]
    starts = [20 * number for number in range(len(TRAIN))]
    sizes = list(map(len, heads))
    arcs = arc_context(column(heads), sizes, starts, 999)
    for found, right in zip(ALL.arc_context(starts, 999), arcs, strict=True):
        assert np.array_equal(found, right)
    columns = column(heads), column(symbols), column(one.dtree.events for one in TRAIN)
    nodes = node_context(*columns, sizes, starts, 999)
    for found, right in zip(ALL.node_context(starts, 999), nodes, strict=True):
        assert np.array_equal(found, right)


def test_examples_with_unknown_classes() -> None:
    one = TRAIN[0]
    assert all(map(BUILDER.knows, TRAIN))
    retagged = one.dtree.replace(tokens=(Token("x", "NEW", "", "m0"), *one.tokens[1:]))
    assert not BUILDER.knows(replace(one, dtree=retagged))
    assert not BUILDER.knows(replace(one, labels=("NEW#1", *one.labels[1:])))
    assert not BUILDER.knows(replace(one, chains={Place(0, 0): ("NEW",)}))


def test_soft_targets_keep_the_most_probable_classes() -> None:
    scores = np.log(np.array([[0.5, 0.3, 0.1, 0.05, 0.03, 0.02], [0.02, 0.03, 0.05, 0.1, 0.3, 0.5]]))
    soft = Targets.soft(scores, None, 0.5)
    assert soft.indices.shape == (2, SOFT_CLASSES)
    assert as_tables(soft)[0] == pytest.approx(
        {0: 0.5 / 0.95, 1: 0.3 / 0.95, 2: 0.1 / 0.95, 3: 0.05 / 0.95}, abs=1e-3
    )
    mixed = as_tables(Targets.soft(scores, np.array([5, 5]), 0.5))
    assert mixed[0][5] == pytest.approx(0.51 / 0.96, abs=1e-3)
    assert mixed[1][5] == pytest.approx(0.75 / 0.975, abs=1e-3)
    gold = Targets.soft(scores, np.array([5, 2]), 1.0)
    assert [max(table, key=lambda number: table[number]) for table in as_tables(gold)] == [5, 2]
    assert Targets.soft(scores[:, :2], None, 0).indices.shape == (2, 2)


def test_targets_of_different_widths() -> None:
    joined = Targets.concatenate([Targets.one_hot([70_000]), Targets.soft(np.zeros((1, 2)), None, 0)])
    assert as_tables(joined) == [{70_000: 1, 0: 0}, {0: 0.5, 1: 0.5}]


def as_tables(targets: Targets) -> list[dict[int, float]]:
    return [
        dict(zip(indices, probabilities, strict=True))
        for indices, probabilities in zip(
            targets.indices.tolist(), targets.probabilities.tolist(), strict=True
        )
    ]
