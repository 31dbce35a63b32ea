"""Dataset in their arrays: needs neither torch nor onnxruntime."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.parsers import Example
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import arc_context, column, node_context
from spindle.parsers.neural.dataset import BEST, Dataset, DatasetBuilder, Targets
from spindle.reduction import Encoding, Place, read_labels
from spindle.trees import Token
from support.neural_toys import examples

TRAIN = examples(12)
CLASSES = Classes.learn(TRAIN, Encoding.DIRECT)
MAKER = DatasetBuilder(CLASSES, Encoding.DIRECT)
ALL = MAKER.gold(TRAIN)


def same(one: Dataset, other: Dataset) -> bool:
    parts = one.to_part(), other.to_part()
    return (
        list(one.forms) == list(other.forms)
        and parts[0].arrays.keys() == parts[1].arrays.keys()
        and all(np.array_equal(array, parts[1].arrays[name]) for name, array in parts[0].arrays.items())
    )


@given(st.lists(st.integers(0, len(TRAIN) - 1), min_size=1, max_size=20))
def test_some_lessons_are_those_of_some_examples(numbers: list[int]) -> None:
    alone = [MAKER.gold([TRAIN[number]]) for number in numbers]
    assert same(ALL.take(numbers), MAKER.gold([TRAIN[number] for number in numbers]))
    assert same(ALL.take(numbers), Dataset.joined(alone))


def test_what_is_kept_without_the_words_comes_back() -> None:
    again = Dataset.from_part(ALL.to_part(), ALL.forms)
    assert same(again, ALL)
    assert again.from_treebanks == sum(len(one.tokens) for one in TRAIN)


def test_what_is_seen_of_the_trees() -> None:
    heads = [one.heads for one in TRAIN]
    read = [read_labels(one.heads, one.labels, Encoding.DIRECT) for one in TRAIN]
    symbols = [[CLASSES.symbol_numbers[symbol] for symbol in one.symbols] for one in read]
    starts = [20 * number for number in range(len(TRAIN))]
    sizes = list(map(len, heads))
    arcs = arc_context(column(heads), sizes, starts, 999)
    for found, right in zip(ALL.arcs(starts, 999), arcs, strict=True):
        assert np.array_equal(found, right)
    columns = column(heads), column(symbols), column(one.indices for one in read)
    nodes = node_context(*columns, sizes, starts, 999)
    for found, right in zip(ALL.tree_nodes(starts, 999), nodes, strict=True):
        assert np.array_equal(found, right)


def test_examples_with_something_new_are_not_known() -> None:
    one = TRAIN[0]
    assert all(map(MAKER.knows, TRAIN))
    for changed in (
        {"tokens": (Token("x", "NEW", "", "m0"), *one.tokens[1:])},
        {"labels": ("NEW#1", *one.labels[1:])},
        {"chains": {Place(0, 0): ("NEW",)}},
    ):
        fields = {name: getattr(one, name) for name in ("tokens", "heads", "labels", "chains")}
        assert not MAKER.knows(Example(**{**fields, **changed}))


def test_the_most_probable_are_kept() -> None:
    scores = np.log(np.array([[0.5, 0.3, 0.1, 0.05, 0.03, 0.02], [0.02, 0.03, 0.05, 0.1, 0.3, 0.5]]))
    thoughts = Targets.mixed(scores, None, 0.5)
    assert thoughts.numbers.shape == (2, BEST)
    assert as_tables(thoughts)[0] == pytest.approx(
        {0: 0.5 / 0.95, 1: 0.3 / 0.95, 2: 0.1 / 0.95, 3: 0.05 / 0.95}, abs=1e-3
    )
    mixed = as_tables(Targets.mixed(scores, np.array([5, 5]), 0.5))
    assert mixed[0][5] == pytest.approx(0.51 / 0.96, abs=1e-3)
    assert mixed[1][5] == pytest.approx(0.75 / 0.975, abs=1e-3)
    sure = Targets.mixed(scores, np.array([5, 2]), 1.0)
    assert [max(table, key=lambda number: table[number]) for table in as_tables(sure)] == [5, 2]
    assert Targets.mixed(scores[:, :2], None, 0).numbers.shape == (2, 2)


def test_targets_of_different_widths() -> None:
    joined = Targets.joined([Targets.sure([70_000]), Targets.mixed(np.zeros((1, 2)), None, 0)])
    assert as_tables(joined) == [{70_000: 1, 0: 0}, {0: 0.5, 1: 0.5}]


def as_tables(targets: Targets) -> list[dict[int, float]]:
    return [
        dict(zip(numbers, shares, strict=True))
        for numbers, shares in zip(targets.numbers.tolist(), targets.shares.tolist(), strict=True)
    ]
