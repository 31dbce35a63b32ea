"""What a network is shown: needs neither torch nor onnxruntime."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import ParserError
from spindle.parsers import find_parser
from spindle.parsers.neural import words
from spindle.parsers.neural.batches import by_length, pad
from spindle.parsers.neural.context import (
    NOWHERE,
    arc_context,
    arc_context_by_the_book,
    column,
    distance,
    ends,
    node_context,
    node_context_by_the_book,
)
from spindle.parsers.neural.readers import WordReader, windows
from spindle.parsers.neural.words import AFFIXES, GRAMS, PADDING, SPECIAL, UNKNOWN, Rows, WordTable
from spindle.reduction import Place, repair
from spindle.trees import ROOT, DTree
from support.strategies import dtrees


def test_known_words_have_rows_of_their_own_and_unknown_ones_have_pieces() -> None:
    table = WordTable.learn([["the", "cat", "the"], ["cat", "once"]])
    assert len(table) == SPECIAL + 2
    batch = table.look_up([["the", "cat", "once", "never", "", "\ud800", "x" * 10_000], ["cat"]])
    assert all((table[1, 1:] == PADDING).all() for table in batch)
    assert batch.words[1, 0] == batch.words[0, 1]
    rows = Rows(*(table[0] for table in batch))
    assert len(set(rows.words[:2])) == 2
    assert rows.words[2:].tolist() == [UNKNOWN] * 5
    assert rows.affixes.shape == (7, AFFIXES)
    assert rows.grams.shape == (7, GRAMS)
    assert (rows.affixes[:, :-1] >= SPECIAL).all()
    again = WordTable(table.keys).look_up([["the", "never"]])
    assert (again.words[0] == rows.words[[0, 3]]).all()
    assert (again.grams[0] == rows.grams[[0, 3]]).all()


def test_any_number_of_words_is_remembered_and_the_most_frequent_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words, "MOST_WORDS", 3)
    table = WordTable.learn([["a"] * 5, ["b"] * 4, ["c"] * 3, ["d"] * 2])
    assert table.look_up([["a", "b", "c"]]).words.min() > UNKNOWN
    assert table.look_up([["d"]]).words.tolist() == [[UNKNOWN]]
    forms = [f"w{number}" for number in range(5000)]
    for start in range(0, len(forms), 37):
        table.look_up([forms[start : start + 37]])
    for form in ("a", "w0", "w1023", "w1024", "w4999"):
        alone = WordTable(table.keys).look_up([[form]])
        for found, right in zip(table.look_up([[form]]), alone, strict=True):
            assert (found == right).all()


def test_reading_pads_to_the_longest() -> None:
    reader = WordReader(WordTable.learn([["a", "a"]]))
    rows, affixes, grams, lengths = reader.read([["a", "b", "a"], ["a"]])
    assert rows.tolist() == [[SPECIAL, UNKNOWN, SPECIAL], [SPECIAL, 0, 0]]
    assert affixes.shape == (2, 3, AFFIXES)
    assert grams.shape == (2, 3, GRAMS)
    assert lengths.tolist() == [3, 1]


@given(st.lists(st.integers(1, 30), min_size=1), st.integers(10, 100))
def test_batches_hold_every_sentence_once(lengths: list[int], most: int) -> None:
    batches = list(by_length(lengths, most))
    assert sorted(number for together in batches for number in together) == list(range(len(lengths)))
    for together in batches:
        assert [lengths[number] for number in together] == sorted(
            (lengths[number] for number in together), reverse=True
        )
        assert len(together) == 1 or lengths[together[0]] * len(together) <= most


@given(st.lists(st.integers(1, 5), min_size=1, max_size=60), st.integers(5, 20))
def test_windows_read_every_word_once(lengths: list[int], room: int) -> None:
    found = windows(lengths, room)
    assert found[0].start == found[0].first == 0
    assert found[-1].end == len(lengths)
    for window in found:
        assert window.start <= window.first < window.end
        assert sum(lengths[window.start : window.end]) <= room
    for one, other in pairwise(found):
        assert one.start < other.start <= other.first <= one.end < other.end


def test_what_is_seen_of_an_arc() -> None:
    # 0 ← 1 ← 3 → 4, 3 → 5 → 6; 2 hangs on 3
    heads = [1, 3, 3, -1, 3, 3, 5]
    assert ends(heads) == ([0, 0, 2, 0, 4, 5, 6], [0, 1, 2, 6, 4, 6, 6])
    roles, counts = arc_context_by_the_book(heads)
    assert roles[1] == (3, 1, 2, NOWHERE, 4, 5, 0, 1, NOWHERE)
    assert roles[5] == (3, 5, 4, NOWHERE, 2, 1, 5, 6, NOWHERE)
    assert roles[0] == (1, 0, NOWHERE, NOWHERE, NOWHERE, NOWHERE, 0, 0, 3)
    assert roles[3] == (NOWHERE, 3, NOWHERE, NOWHERE, NOWHERE, NOWHERE, 0, 6, NOWHERE)
    assert counts[5] == (distance(2), 1, 2)


def test_what_is_seen_of_a_node() -> None:
    clause, phrase = 7, 4
    places, roles, marks = zip(
        *node_context_by_the_book([1, -1, 1], [clause, 0, phrase], [2, 0, 1]), strict=True
    )
    assert places == (Place(0, 0), Place(1, 0), Place(1, 1), Place(1, 2), Place(2, 0))
    assert marks == ((0, clause, 0), (0, phrase, 2), (phrase, clause, 1), (clause, 0, 0), (0, phrase, 0))
    assert roles[2] == (1, NOWHERE, 1, 2, 0, NOWHERE)
    assert roles[3] == (1, NOWHERE, 0, 2, NOWHERE, NOWHERE)


@given(st.lists(dtrees(), min_size=1, max_size=4))
def test_the_core_sees_the_same(trees: list[DTree]) -> None:
    trees = [repair(tree.tokens, tree.heads, tree.symbols, tree.events)[0] for tree in trees]
    starts = list(accumulate((len(tree) for tree in trees), initial=0))
    nobody = starts.pop()

    def rows(roles: Sequence[tuple[int, ...]], start: int) -> list[list[int]]:
        return [[nobody if word == NOWHERE else start + word for word in words] for words in roles]

    heads = [tree.heads for tree in trees]
    sizes = list(map(len, heads))
    arcs = arc_context(column(heads), sizes, starts, nobody)
    books = [arc_context_by_the_book(of_tree) for of_tree in heads]
    assert arcs.roles.tolist() == [
        row for (roles, _), start in zip(books, starts, strict=True) for row in rows(roles, start)
    ]
    assert arcs.counts.tolist() == [list(counts) for _, of_tree in books for counts in of_tree]
    assert arcs.places.tolist() == list(range(nobody))
    assert [bool(root) for root in arcs.is_root] == [head == ROOT for of_tree in heads for head in of_tree]

    numbers: dict[str, int] = {"": 0}
    symbols = [[numbers.setdefault(symbol, len(numbers)) for symbol in tree.symbols] for tree in trees]
    columns = column(heads), column(symbols), column(tree.events for tree in trees)
    nodes = node_context(*columns, sizes, starts, nobody)
    found = [
        node_context_by_the_book(tree.heads, of_tree, tree.events)
        for tree, of_tree in zip(trees, symbols, strict=True)
    ]
    assert nodes.sizes.tolist() == [len(of_tree) for of_tree in found]
    places = [place for of_tree in found for place, _, _ in of_tree]
    assert list(map(Place, nodes.words.tolist(), nodes.events.tolist())) == places
    assert nodes.roles.tolist() == [
        row
        for of_tree, start in zip(found, starts, strict=True)
        for row in rows([roles for _, roles, _ in of_tree], start)
    ]
    assert nodes.marks.tolist() == [list(marks) for of_tree in found for _, _, marks in of_tree]


@given(st.lists(dtrees(), min_size=2, max_size=5), st.data())
def test_arcs_of_several_trees_are_described_once(trees: list[DTree], data: st.DataObject) -> None:
    one, *others = [repair(tree.tokens, tree.heads, tree.symbols, tree.events)[0].heads for tree in trees]
    same_size = [heads for heads in others if len(heads) == len(one)]
    heads = [one, *same_size, one, *data.draw(st.lists(st.sampled_from([one, *same_size]), max_size=3))]
    arcs = arc_context(column(heads), [len(one)] * len(heads), [3] * len(heads), 99)
    apart = [arc_context(column([tree]), [len(one)], [3], 99) for tree in heads]
    for found, name in ((arcs.roles, "roles"), (arcs.counts, "counts")):
        assert found[arcs.places].tolist() == [
            row for of_tree in apart for row in getattr(of_tree, name).tolist()
        ]
    described = [
        (*roles, *counts) for roles, counts in zip(arcs.roles.tolist(), arcs.counts.tolist(), strict=True)
    ]
    assert len(set(described)) == len(described)
    assert arcs.places.tolist()[: len(one)] == list(range(len(one)))


def test_heads_that_are_no_tree_are_refused() -> None:
    with pytest.raises(ValueError, match="no tree"):
        arc_context(column([[1, 0]]), [2], [0], 2)
    with pytest.raises(ValueError, match="no word"):
        arc_context(column([[5]]), [1], [0], 1)
    with pytest.raises(ValueError, match="a sentence starts at row -1"):
        arc_context(column([[-1]]), [1], [-1], 1)
    with pytest.raises(ValueError, match="length mismatch: 1 heads, 2 words"):
        arc_context(column([[-1]]), [2], [0], 2)
    with pytest.raises(ValueError, match="length mismatch: 1 sizes, 0 starts"):
        arc_context(column([[-1]]), [1], [], 1)


def test_shorter_ones_are_filled_up() -> None:
    assert pad([np.array([1, 2]), np.array([3])]).tolist() == [[1, 2], [3, 0]]


def test_an_encoder_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = find_parser("neural")
    monkeypatch.setattr(parser, "version", lambda: "2")
    with pytest.raises(ParserError, match="no encoder 'gru'; there are bilstm, cnn and hf:NAME"):
        parser.check({"encoder": "gru", "precision": "auto"})
    with pytest.raises(ParserError, match="precision is chosen for pretrained encoders; cnn always has 32"):
        parser.check({"encoder": "cnn", "precision": "16"})


def test_without_torch_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = find_parser("neural")
    monkeypatch.setattr(parser, "version", lambda: None)
    with pytest.raises(ParserError, match=r"pip install 'spindle-parser\[neural\]'"):
        parser.check({"encoder": "bilstm"})
