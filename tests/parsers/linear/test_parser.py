"""The linear parser: exact or nearly exact decoding, and the same results for any number of threads."""

from dataclasses import replace

import numpy as np
import pytest

from spindle import _core
from spindle.parsers import Example, FitSettings
from spindle.parsers.linear.parser import LinearOptions, LinearParser
from spindle.parsers.linear.parser_training import ORDERS
from spindle.parsers.order import Order
from spindle.reduction import Mode
from spindle.trees import DTree, Token
from support.brute_force import all_trees
from support.examples import example
from support.watching import Diary


def noise_parser(
    chance: np.random.Generator,
    order: Order,
    projective: bool,
    size: int,
    starts: int = 16,
    arcs_scale: float = 5e-5,
) -> tuple[_core.ArcParser, _core.Sentence]:
    """Return a parser with random weights, and a random sentence."""
    weights = (chance.normal(size=1 << 12) * 3000).astype(np.int16)
    sentence = _core.Sentence([f"w{chance.integers(50)}" for _ in range(size)])
    sentence.set_tags(["ABCD"[chance.integers(4)] for _ in range(size)])
    keys, distances = np.zeros(0, np.uint64), np.zeros(0, np.int32)
    parser = _core.ArcParser(
        _core.ArcOptions(order=ORDERS[order], projective=projective, candidates=10, starts=starts, seed=1),
        keys=keys,
        distances=distances,
        arcs=weights,
        arcs_scale=arcs_scale,
        parts=weights,
        parts_scale=1e-3,
    )
    return parser, sentence


@pytest.mark.parametrize("order", [Order.STANDARD, Order.FULL])
@pytest.mark.parametrize("projective", [True, False])
def test_hill_climbing_mostly_finds_the_best_tree(order: Order, projective: bool) -> None:
    """Random weights have more local maxima than trained ones."""
    trees = [tuple(heads) for heads in all_trees(4, projective).tolist()]
    chance = np.random.default_rng(7)
    exact = 0
    for _ in range(100):
        parser, sentence = noise_parser(chance, order, projective, 4)
        found = tuple(parser.parse([sentence], 1)[0])
        assert found in trees
        best = max(parser.score(sentence, list(heads)) for heads in trees)
        score = parser.score(sentence, list(found))
        assert score <= best + 0.01
        exact += score >= best - 0.01
    assert exact >= (98 if projective else 85)


@pytest.mark.parametrize("size", [5, 6])
def test_the_search_of_order_full_is_nearly_exact_for_projective_trees(size: int) -> None:
    """Even from a single start. Hill climbing alone misses the best tree of one sentence in eight.

    The scores of the first table are small here, so that its margin leaves no head out.
    """
    trees = all_trees(size, projective=True).tolist()
    chance = np.random.default_rng(size)
    exact = 0
    for _ in range(60):
        parser, sentence = noise_parser(chance, Order.FULL, True, size, starts=1, arcs_scale=5e-6)
        [found] = parser.parse([sentence], 1)
        best = max(parser.score(sentence, heads) for heads in trees)
        exact += parser.score(sentence, found) >= best - 0.01
    assert exact >= 57


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
def test_the_projective_search_of_order_standard_is_exact(size: int) -> None:
    """Its tree has the highest score of all projective trees, on tables of noise."""
    trees = all_trees(size, projective=True).tolist()
    chance = np.random.default_rng(size)
    for _ in range(60):
        parser, sentence = noise_parser(chance, Order.STANDARD, True, size)
        [found] = parser.parse([sentence], 1)
        assert found in trees
        best = max(parser.score(sentence, heads) for heads in trees)
        assert parser.score(sentence, found) == pytest.approx(best, abs=1e-2)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("projective", [True, False])
def test_k_best_lists(order: Order, projective: bool) -> None:
    trees = all_trees(5, projective).tolist()
    chance = np.random.default_rng(11)
    k = 6
    for _ in range(50):
        parser, sentence = noise_parser(chance, order, projective, 5)
        [found] = parser.parse_k_best([sentence], k, 1)
        [alone] = parser.parse([sentence], 1)
        assert found[0][0] == alone or found[0][1] > parser.score(sentence, alone)
        assert len({tuple(heads) for heads, _ in found}) == len(found) == k
        assert all(heads in trees for heads, _ in found)
        scores = [score for _, score in found]
        assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-4)
        if order is Order.BASIC:
            best = sorted((parser.score(sentence, heads) for heads in trees), reverse=True)[:k]
            assert scores == pytest.approx(best, abs=1e-2)


@pytest.mark.parametrize("projective", [True, False])
def test_head_probabilities(projective: bool) -> None:
    trees = all_trees(4, projective)
    chance = np.random.default_rng(5)
    for _ in range(20):
        parser, sentence = noise_parser(chance, Order.BASIC, projective, 4)
        chances = np.exp([parser.score(sentence, heads) / 2 for heads in trees.tolist()])
        expected = np.zeros((5, 4))
        for word in range(4):
            np.add.at(expected[:, word], trees[:, word] + 1, chances / chances.sum())
        [found] = parser.head_probabilities([sentence], 2.0, 1)
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("mode", Mode)
def test_lists_and_probabilities_of_a_trained_parser(order: Order, mode: Mode) -> None:
    train = examples(40)
    parser = LinearParser()
    settings = FitSettings(mode=mode, options=LinearOptions(order, bits=16, epochs=2))
    parser.fit(train, [], settings, Diary())
    assert parser.k_best_is_exact == (order is Order.BASIC)
    sentences = [example.tokens for example in train] + [()]
    best = parser.parse(sentences, 1)
    lists = parser.parse_k_best(sentences, 5, 2)
    assert lists == parser.parse_k_best(sentences, 5, 1)
    assert [list(found[0].heads) for found in lists] == [list(found.heads) for found in best]
    for found in lists:
        assert len({tuple(prediction.heads) for prediction in found}) == len(found) <= 5
    tables = parser.head_probabilities(sentences, best, 2)
    for tokens, table, again in zip(
        sentences, tables, parser.head_probabilities(sentences, best, 1), strict=True
    ):
        assert table.shape == (len(tokens) + 1, len(tokens))
        assert (table == again).all()
        np.testing.assert_allclose(table.sum(axis=0), 1, atol=1e-5)


def examples(count: int) -> list[Example]:
    """Return random trees whose words are all different, so that a parser can memorise them."""
    chance = np.random.default_rng(3)
    found = []
    for number in range(count):
        size = int(chance.integers(1, 12))
        order = chance.permutation(size)
        heads = [-1] * size
        for place in range(1, size):
            heads[order[place]] = int(order[chance.integers(place)])
        # letters only: the features do not distinguish digits
        forms = ("".join(chr(97 + int(digit)) for digit in f"{number}{at:02}") for at in range(size))
        tokens = tuple(Token(form, "ABCDE"[chance.integers(5)]) for form in forms)
        labels = tuple(f"{'XYZ'[chance.integers(3)]}#1" for _ in range(size))
        found.append(example(tokens, heads, labels))
    return found


@pytest.mark.parametrize("order", Order)
def test_labels_are_learnt_together_with_arcs(order: Order) -> None:
    train = examples(50)
    parser = LinearParser()
    settings = FitSettings(one_shot=True, threads=2, options=LinearOptions(order, bits=18, epochs=20))
    parser.fit(train, [], settings, Diary())
    parser = LinearParser.from_part(parser.to_part())
    sentences = [example.tokens for example in train]
    found = parser.parse(sentences, 1)
    assert [list(one.heads) for one in found] == [list(example.heads) for example in train]
    gold = [label for example in train for label in example.labels]
    labels = [label for one in found for label in one.labels or ()]
    right = sum(map(str.__eq__, labels, gold)) / len(gold)
    # the higher orders take the labels from the first-order model, which is trained for a few epochs only
    assert right == 1 if order is Order.BASIC else right > 0.9
    lists = parser.parse_k_best(sentences, 3, 2)
    assert [candidates[0].labels for candidates in lists] == [one.labels for one in found]
    assert all(len(one.labels or ()) == len(one.heads) for candidates in lists for one in candidates)
    [unknown] = parser.parse([[Token("?", "a tag"), Token("!", "never seen")]], 1)
    assert set(unknown.labels or ()) <= {"X#1", "Y#1", "Z#1", ""}


@pytest.mark.parametrize("order", Order)
def test_fifty_sentences_are_memorised(order: Order) -> None:
    train = examples(50)
    parser = LinearParser()
    settings = FitSettings(mode=Mode.DISCONTINUOUS, options=LinearOptions(order, bits=18, epochs=20))
    parser.fit(train, [], settings, Diary())
    predictions = parser.parse([example.tokens for example in train], 1)
    right = sum(
        tuple(found.heads) == example.heads for found, example in zip(predictions, train, strict=True)
    )
    assert right == len(train)


@pytest.mark.parametrize("order", Order)
def test_threads_saving_and_resuming_change_nothing(order: Order) -> None:
    train = examples(40)
    options = LinearOptions(order, bits=16, epochs=3)
    one, two, resumed = LinearParser(), LinearParser(), LinearParser()
    one.fit(train, [], FitSettings(seed=5, threads=1, options=options), Diary())
    two.fit(train, [], FitSettings(seed=5, threads=2, options=options), Diary())
    monitor = Diary()
    LinearParser().fit(train, [], FitSettings(seed=5, options=replace(options, epochs=2)), monitor)
    assert monitor.epochs == [1, 2]
    assert monitor.state is not None
    resumed.fit(train, [], FitSettings(seed=5, options=options), Diary(), monitor.state)
    for other in (two, resumed):
        assert one.to_part().settings == other.to_part().settings
        for name, array in one.to_part().arrays.items():
            assert np.array_equal(array, other.to_part().arrays[name])
    loaded = LinearParser.from_part(one.to_part())
    sentences = [example.tokens for example in train]
    assert [list(p.heads) for p in loaded.parse(sentences, 2)] == [
        list(p.heads) for p in one.parse(sentences, 1)
    ]


def test_continuous_mode_gives_projective_trees() -> None:
    train = examples(40)
    for order in Order:
        parser = LinearParser()
        options = LinearOptions(order, bits=16, epochs=2)
        parser.fit(train, [], FitSettings(mode=Mode.CONTINUOUS, options=options), Diary())
        for one, found in zip(train, parser.parse([one.tokens for one in train], 1), strict=True):
            size = len(one.tokens)
            events = tuple(0 if head == -1 else 1 for head in found.heads)
            assert DTree(one.tokens, tuple(found.heads), ("",) * size, events).is_projective


def test_odd_sentences() -> None:
    parser = LinearParser()
    parser.fit(examples(20), [], FitSettings(options=LinearOptions(bits=14, epochs=1)), Diary())
    long = [Token(f"w{number % 9}", "A") for number in range(2000)]
    odd = [[], [Token("\u0000 \ufffd", "")], [Token("x" * 10_000, "Q")] * 3, long]
    assert [len(found.heads) for found in parser.parse(odd, 2)] == [0, 1, 3, 2000]
