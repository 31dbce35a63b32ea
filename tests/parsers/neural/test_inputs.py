"""The inputs of the network; needs neither torch nor onnxruntime."""

from collections.abc import Sequence
from itertools import accumulate, pairwise, product
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import ParserError
from spindle.parsers import find_parser
from spindle.parsers.neural import NeuralOptions, words
from spindle.parsers.neural.batches import batches_by_length, pad, training_batches
from spindle.parsers.neural.context import (
    NO_WORD,
    arc_context,
    arc_context_by_the_book,
    column,
    distance,
    ends,
    node_context,
    node_context_by_the_book,
)
from spindle.parsers.neural.options import Precision
from spindle.parsers.neural.readers import WordReader, windows
from spindle.parsers.neural.recipes import recipe_of
from spindle.parsers.neural.words import AFFIXES, GRAMS, PADDING, SPECIAL, UNKNOWN, Rows, WordTable
from spindle.reduction import Place, repair
from spindle.trees import ROOT, DTree
from support.strategies import dtrees


def test_known_words_have_own_rows_and_all_words_have_affixes_and_ngrams() -> None:
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


def test_any_number_of_words_is_cached_and_the_most_frequent_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words, "MAX_WORDS", 3)
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
    batches = list(batches_by_length(lengths, most))
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    for batch in batches:
        assert [lengths[number] for number in batch] == sorted(
            (lengths[number] for number in batch), reverse=True
        )
        assert len(batch) == 1 or lengths[batch[0]] * len(batch) <= most


@given(st.lists(st.integers(1, 30), min_size=1), st.integers(10, 100), st.integers(0, 9))
def test_training_batches_repeat_sentences_by_their_weight(lengths: list[int], most: int, seed: int) -> None:
    weights = [(0.5, 1.0, 2.0)[number % 3] for number in range(len(lengths))]
    batches = training_batches(np.array(lengths), np.array(weights), most, np.random.default_rng(seed))
    times = np.bincount([number for batch in batches for number in batch], minlength=len(lengths))
    for weight, count in zip(weights, times.tolist(), strict=True):
        assert count in ((0, 1) if weight == 0.5 else (int(weight),))
    for batch in batches:
        assert [lengths[number] for number in batch] == sorted(
            (lengths[number] for number in batch), reverse=True
        )
        assert len(batch) <= 1 or (lengths[batch[0]] + 1) * len(batch) <= most


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


def test_features_of_an_arc() -> None:
    # 0 ← 1 ← 3 → 4, 3 → 5 → 6, 3 → 2
    heads = [1, 3, 3, -1, 3, 3, 5]
    assert ends(heads) == ([0, 0, 2, 0, 4, 5, 6], [0, 1, 2, 6, 4, 6, 6])
    roles, counts = arc_context_by_the_book(heads)
    assert roles[1] == (3, 1, 2, NO_WORD, 4, 5, 0, 1, NO_WORD)
    assert roles[5] == (3, 5, 4, NO_WORD, 2, 1, 5, 6, NO_WORD)
    assert roles[0] == (1, 0, NO_WORD, NO_WORD, NO_WORD, NO_WORD, 0, 0, 3)
    assert roles[3] == (NO_WORD, 3, NO_WORD, NO_WORD, NO_WORD, NO_WORD, 0, 6, NO_WORD)
    assert counts[5] == (distance(2), 1, 2)


def test_features_of_a_node() -> None:
    clause, phrase = 7, 4
    places, roles, marks = zip(
        *node_context_by_the_book([1, -1, 1], [clause, 0, phrase], [2, 0, 1]), strict=True
    )
    assert places == (Place(0, 0), Place(1, 0), Place(1, 1), Place(1, 2), Place(2, 0))
    assert marks == ((0, clause, 0), (0, phrase, 2), (phrase, clause, 1), (clause, 0, 0), (0, phrase, 0))
    assert roles[2] == (1, NO_WORD, 1, 2, 0, NO_WORD)
    assert roles[3] == (1, NO_WORD, 0, 2, NO_WORD, NO_WORD)


@given(st.lists(dtrees(), min_size=1, max_size=4))
def test_the_core_computes_the_same_features(trees: list[DTree]) -> None:
    trees = [repair(tree.tokens, tree.heads, tree.symbols, tree.events)[0] for tree in trees]
    starts = list(accumulate((len(tree) for tree in trees), initial=0))
    padding_row = starts.pop()

    def rows(roles: Sequence[tuple[int, ...]], start: int) -> list[list[int]]:
        return [[padding_row if word == NO_WORD else start + word for word in words] for words in roles]

    heads = [tree.heads for tree in trees]
    sizes = list(map(len, heads))
    arcs = arc_context(column(heads), sizes, starts, padding_row)
    books = [arc_context_by_the_book(of_tree) for of_tree in heads]
    assert arcs.roles.tolist() == [
        row for (roles, _), start in zip(books, starts, strict=True) for row in rows(roles, start)
    ]
    assert arcs.counts.tolist() == [list(counts) for _, of_tree in books for counts in of_tree]
    assert arcs.rows.tolist() == list(range(padding_row))
    assert [bool(root) for root in arcs.is_root] == [head == ROOT for of_tree in heads for head in of_tree]

    numbers: dict[str, int] = {"": 0}
    symbols = [[numbers.setdefault(symbol, len(numbers)) for symbol in tree.symbols] for tree in trees]
    columns = column(heads), column(symbols), column(tree.events for tree in trees)
    nodes = node_context(*columns, sizes, starts, padding_row)
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
        assert found[arcs.rows].tolist() == [
            row for of_tree in apart for row in getattr(of_tree, name).tolist()
        ]
    described = [
        (*roles, *counts) for roles, counts in zip(arcs.roles.tolist(), arcs.counts.tolist(), strict=True)
    ]
    assert len(set(described)) == len(described)
    assert arcs.rows.tolist()[: len(one)] == list(range(len(one)))


def test_heads_that_form_no_tree_are_refused() -> None:
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


def test_padding() -> None:
    assert pad([np.array([1, 2]), np.array([3])]).tolist() == [[1, 2], [3, 0]]


def test_an_unknown_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = find_parser("neural")
    monkeypatch.setattr(parser, "version", lambda: "2")
    with pytest.raises(ParserError, match="no encoder 'gru'; there are bilstm, cnn and hf:NAME"):
        parser.check(NeuralOptions("gru"))
    with pytest.raises(
        ParserError, match="precision applies to pretrained encoders only; cnn always has 32 bits"
    ):
        parser.check(NeuralOptions("cnn", precision=Precision.BF16))


def test_the_error_without_torch_has_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = find_parser("neural")
    monkeypatch.setattr(parser, "version", lambda: None)
    with pytest.raises(ParserError, match=r"pip install 'spindle-parser\[neural\]'"):
        parser.check(NeuralOptions())


def test_options_are_read_from_text_and_from_numbers() -> None:
    text = {
        "epochs": "auto",
        "batch": "200",
        "rate": "0.001",
        "dropout": "0",
        "hidden": "8",
        "precision": "16",
    }
    numbers = {"epochs": None, "batch": 200, "rate": 0.001, "dropout": 0, "hidden": 8, "precision": 16}
    read = NeuralOptions.read(text, "neural")
    assert read == NeuralOptions.read(numbers, "neural")
    assert read == NeuralOptions("bilstm", None, 200, 0.001, 0.0, 8, Precision.BF16)
    assert NeuralOptions.read({}, "neural") == NeuralOptions(
        "bilstm", None, None, 0.002, None, None, Precision.AUTO
    )


WHOLE_NUMBER, SHARE = "a whole number of at least 1, or auto", "a number of at least 0 and below 1, or auto"


@pytest.mark.parametrize(
    ("names", "values", "expected"),
    [
        (("epochs", "batch", "hidden"), ("0", "-3", "many", "2.5"), WHOLE_NUMBER),
        (("dropout",), ("1", "-0.1", "much"), SHARE),
        (("rate",), ("0", "-1", "inf", "auto"), "a number above 0"),
        (("precision",), ("8", "half"), "from auto, 16, 32"),
    ],
)
def test_options_out_of_bounds_are_refused(
    names: Sequence[str], values: Sequence[str], expected: str
) -> None:
    for name, value in product(names, values):
        with pytest.raises(ParserError) as refused:
            NeuralOptions.read({name: value}, "neural")
        assert str(refused.value) == f"{name} of neural cannot be {value!r}; choose {expected}"


@pytest.mark.parametrize(
    ("options", "recipe"),
    [
        (NeuralOptions(), (256, 20, 0.33, 160)),
        (NeuralOptions("cnn"), (192, 20, 0.33, 160)),
        (NeuralOptions("hf:some/encoder"), (512, 8, 0.2, 256)),
        (NeuralOptions("cnn", epochs=3, hidden=10, dropout=0.0), (10, 3, 0.0, 160)),
    ],
)
def test_recipes(options: NeuralOptions, recipe: tuple[float, ...]) -> None:
    assert recipe_of(options) == recipe


def test_words_of_megabytes_cost_little_and_are_not_kept() -> None:
    table = WordTable(np.array([], dtype=np.uint64))
    forms = ["ab1-" * 500_000, "ab1-" * 500_001]
    first = table.look_up([forms])
    start = process_time()
    assert all((one == two).all() for one, two in zip(first, table.look_up([forms]), strict=True))
    assert process_time() - start < 1
    assert len(table._positions) == 2
    assert max(map(len, table._positions)) < 100
    short = table.look_up([["ab1-" * 20]])
    assert (short.grams == first.grams[:, :1]).all()  # of a word's start
