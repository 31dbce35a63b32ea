"""The scores of constituents: their features, their part of the choice among trees, and their training."""

from collections import Counter
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.constituents import (
    CONTINUOUS_ROLES,
    LabelTable,
    constituent_context,
    constituents_by_the_book,
)
from spindle.parsers.neural.context import NO_WORD, column
from spindle.parsers.neural.runtime import CONSTITUENTS
from spindle.reduction import Encoding, Mode, read_labels, repair, write_labels
from spindle.trees import DTree, Token
from support.neural_toys import Silent, examples, settings
from support.strategies import dtrees


def test_features_of_a_discontinuous_constituent() -> None:
    # "wake him up" under "please": VP over wake (head), up; S over please and VP; him is outside the VP
    heads, symbols, events = [1, -1, 1, 1], [2, 0, 3, 1], [3, 0, 2, 1]
    found = constituents_by_the_book(heads, symbols, events)
    (roles, marks, words), *_ = found
    assert words == {1, 3}
    assert roles[:2] == (1, NO_WORD)
    assert roles[2:10] == (1, 1, 0, 2, 3, 3, 2, NO_WORD)
    assert roles[10:] == (NO_WORD,) * 4
    assert marks == (1, 3, 2, 1, 1), "symbol, symbol above, length, modifiers, gaps"
    assert [of[1][0] for of in found] == [1, 3, 2]
    assert found[-1][1][1] == 0, "nothing is above the root"


@given(st.lists(dtrees(), min_size=1, max_size=4), st.sampled_from(Mode))
def test_the_core_computes_the_same_features(trees: list[DTree], mode: Mode) -> None:
    numbers: dict[str, int] = {"": 0}
    repaired = [repair(tree.tokens, tree.heads, tree.symbols, tree.events, mode=mode)[0] for tree in trees]
    symbols = [[numbers.setdefault(symbol, len(numbers)) for symbol in tree.symbols] for tree in repaired]
    starts = list(accumulate(map(len, repaired), initial=0))
    padding_row = starts.pop()
    columns = (
        column(tree.heads for tree in repaired),
        column(symbols),
        column(tree.events for tree in repaired),
    )
    sizes = list(map(len, repaired))
    found = constituent_context(*columns, sizes, starts, padding_row, mode)
    rows = iter(found.rows.tolist())
    for tree, of_tree, start, count in zip(repaired, symbols, starts, found.counts, strict=True):
        expected = [
            ([padding_row if word == NO_WORD else start + word for word in roles], list(marks))
            for roles, marks, _ in constituents_by_the_book(tree.heads, of_tree, tree.events)
        ]
        numbered = [next(rows) for _ in range(count)]
        described = [(found.roles[row].tolist(), found.marks[row].tolist()) for row in numbered]
        assert Counter(map(str, described)) == Counter(map(str, expected))


@given(st.lists(dtrees(), min_size=1, max_size=3), st.sampled_from(Mode), st.data())
def test_labels_are_read_and_repaired_as_in_decoding(
    trees: list[DTree], mode: Mode, data: st.DataObject
) -> None:
    encoding = data.draw(st.sampled_from([Encoding.DIRECT, Encoding.DELTA]))
    if mode is Mode.CONTINUOUS:
        trees = [repair(tree.tokens, tree.heads, tree.symbols, tree.events, mode=mode)[0] for tree in trees]
    labels = sorted({label for tree in trees for label in write_labels(tree, encoding)} - {"root"})
    symbols = sorted({symbol for tree in trees for symbol in tree.symbols} - {""})
    classes = Classes((), (), tuple(labels), ("root",), ("", *symbols), ((),))
    table = LabelTable.of(classes, encoding, mode)
    assert table is not None
    sizes = list(map(len, trees))
    starts = list(accumulate(sizes, initial=0))
    padding_row = starts.pop()
    root = len(labels)
    # any labels, as a parser may predict them
    chosen = [
        [
            root if head < 0 else data.draw(st.integers(0, max(root - 1, 0)), label="label")
            for head in tree.heads
        ]
        for tree in trees
    ]
    found = table.constituents(
        column(tree.heads for tree in trees), column(chosen), sizes, starts, padding_row
    )
    repaired = []
    for tree, numbers in zip(trees, chosen, strict=True):
        of_tree = [(*labels, "root")[number] for number in numbers]
        read = read_labels(tree.heads, of_tree, encoding)
        repaired.append(repair(tree.tokens, tree.heads, read.symbols, read.indices, mode=mode)[0])
    columns = (
        column(tree.heads for tree in repaired),
        column([classes.symbol_numbers[symbol] for symbol in tree.symbols] for tree in repaired),
        column(tree.events for tree in repaired),
    )
    expected = constituent_context(*columns, sizes, starts, padding_row, mode)
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.roles[found.rows].tolist() == expected.roles[expected.rows].tolist()
    assert found.marks[found.rows].tolist() == expected.marks[expected.rows].tolist()
    assert found.keys[found.rows].tolist() == expected.keys[expected.rows].tolist()


def test_keys_are_equal_if_symbol_and_yield_are() -> None:
    # in both trees 1 and 2 are an NP below an S, with other heads
    heads = [[1, -1, 1], [2, 2, -1]]
    columns = column(heads), column([[2, 0, 1], [2, 1, 0]]), column([[2, 0, 1], [2, 1, 0]])
    same = constituent_context(*columns, [3, 3], [0, 0], 9, Mode.CONTINUOUS)
    assert set(same.keys[same.rows[:2]]) == set(same.keys[same.rows[2:]])
    assert len(same.keys) == 4, "their heads differ"
    other = constituent_context(*columns, [3, 3], [0, 3], 9, Mode.CONTINUOUS)
    assert not set(other.keys[other.rows[:2]]) & set(other.keys[other.rows[2:]]), "two sentences"


def test_the_labels_of_hall_and_nivre_have_no_table() -> None:
    assert LabelTable.of(Classes.learn(examples(3)), Encoding.HN, Mode.CONTINUOUS) is None


@pytest.fixture(scope="module")
def parser() -> Any:
    """A parser of a few trees, trained with scores of constituents."""
    pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
    pytest.importorskip("onnx", reason="training needs onnx: pip install 'spindle-parser[neural]'")
    from spindle.parsers.neural import NeuralParser

    trained = NeuralParser()
    trained.fit(examples(30), [], settings(epochs="8"), Silent())
    return trained


def test_the_score_of_a_tree_has_the_scores_of_its_constituents(parser: Any) -> None:
    sentences = [list(example.tokens) for example in examples(30) if len(example.tokens) > 3][:5]
    without = parser.from_part(
        replace(
            parser.to_part(), arrays={k: v for k, v in parser.to_part().arrays.items() if k != CONSTITUENTS}
        )
    )
    with_scores = parser.parse_k_best(sentences, 40, 1)
    by_heads = [
        {tuple(found.heads): found.score for found in of_sentence}
        for of_sentence in without.parse_k_best(sentences, 40, 1)
    ]
    differences = [
        found.score - others[tuple(found.heads)]
        for of_sentence, others in zip(with_scores, by_heads, strict=True)
        for found in of_sentence
    ]
    assert np.ptp(differences) > 0.1


def test_gold_constituents_score_above_others(parser: Any) -> None:
    train = [example for example in examples(30) if len(example.tokens) > 3]
    graphs, table = parser.graphs(1), parser._table
    right: list[float] = []
    wrong: list[float] = []
    for example in train:
        states = parser.parse([list(example.tokens)], 1)[0].state.states
        for heads, kept in ((example.heads, right), (_chain(len(example.heads)), wrong)):
            labels = [len(parser.classes.labels) if head < 0 else 0 for head in heads]
            if heads == example.heads:
                labels = [parser._label_names.index(label) for label in example.labels]
            found = table.constituents(column([heads]), np.array(labels), [len(heads)], [0], len(states))
            (scores,) = graphs.run(CONSTITUENTS, states, found.roles, found.marks)
            kept.extend(scores.tolist())
    assert np.mean(right) > np.mean(wrong) + 0.1


def _chain(size: int) -> tuple[int, ...]:
    return tuple(range(-1, size - 1))


def test_sentences_with_one_tree_are_parsed(parser: Any) -> None:
    (found,) = parser.parse([[Token("np1x0")]], 1)
    assert list(found.heads) == [-1]


def test_continuous_constituents_have_one_part() -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
    from spindle.parsers.neural import NeuralParser

    train = [example for example in examples(30) if example.dtree.is_projective][:6]
    trained = NeuralParser()
    trained.fit(train, [], settings(Mode.CONTINUOUS, epochs="1"), Silent())
    assert trained.graphs(1).width(CONSTITUENTS, 1) == CONTINUOUS_ROLES
    sentences = [list(example.tokens) for example in examples(6)]
    assert [len(found.heads) for found in trained.parse(sentences, 1)] == list(map(len, sentences))


def test_the_option_leaves_the_scores_out() -> None:
    pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
    from spindle.parsers.neural import NeuralParser

    for chosen, expected in (("on", True), ("off", False)):
        trained = NeuralParser()
        trained.fit(examples(5), [], settings(epochs="1", constituents=chosen), Silent())
        assert (CONSTITUENTS in trained.to_part().arrays) is expected
