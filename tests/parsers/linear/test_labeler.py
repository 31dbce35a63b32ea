"""The labeler: accuracy, exact decoding of label sequences, and arbitrary heads and labels."""

from collections.abc import Sequence
from itertools import chain, pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import numpy
import pytest

from spindle import _core
from spindle.errors import ModelError
from spindle.models import ModelPart
from spindle.parsers.linear.labeler import Labeler, LabelerFeatures
from spindle.reduction import Reduced
from spindle.trees import Token
from support.demo_treebank import arc_labels, demo_reduced, random_heads
from support.stage_parts import damaged, same, through_a_file

BITS = 16
TRAIN, DEV = demo_reduced("train"), demo_reduced("dev")


def columns(reduced: Sequence[Reduced]) -> tuple[list[tuple[Token, ...]], list[tuple[int, ...]]]:
    return [one.dtree.tokens for one in reduced], [one.dtree.heads for one in reduced]


def learn(**options: Any) -> Labeler:
    return Labeler.train(*columns(TRAIN), arc_labels(TRAIN), **{"bits": BITS, **options})


@pytest.fixture(scope="module")
def labeler() -> Labeler:
    return learn(epochs=20)


def test_labels_are_learnt(labeler: Labeler) -> None:
    assert labeler.label(*columns(TRAIN)) == arc_labels(TRAIN)
    right = [
        found == gold
        for of_found, of_gold in zip(labeler.label(*columns(DEV)), arc_labels(DEV), strict=True)
        for found, gold in zip(of_found, of_gold, strict=True)
    ]
    assert sum(right) / len(right) > 0.8


def test_arbitrary_labels_are_learnt() -> None:
    odd = ["", "a b", "#", "é|_", "日本"]
    chance = Random(1)
    labels = [[chance.choice(odd) for _ in one] for one in columns(TRAIN)[0]]
    labeler = Labeler.train(*columns(TRAIN), labels, bits=18, epochs=40)
    found = labeler.label(*columns(TRAIN))
    right = [
        f == g for one, other in zip(found, labels, strict=True) for f, g in zip(one, other, strict=True)
    ]
    assert sum(right) / len(right) > 0.98


def test_only_roots_have_the_root_label(labeler: Labeler) -> None:
    chance = Random(2)
    for tokens in columns(DEV)[0]:
        heads = [chance.randrange(-1, len(tokens)) for _ in tokens]
        [labels] = labeler.label([tokens], [heads])
        for at, (head, label) in enumerate(zip(heads, labels, strict=True)):
            assert (label == "root") == (head in (-1, at))


def test_confidences(labeler: Labeler) -> None:
    labels, confidences = labeler.label_with_confidences(*columns(DEV))
    assert labels == labeler.label(*columns(DEV))
    flat = [value for of_sentence in confidences for value in of_sentence]
    assert len(flat) == sum(map(len, labels))
    assert all(0 < value <= 1.0001 for value in flat)
    assert min(flat) < 0.9 < max(flat)


def test_arbitrary_heads_and_tags(labeler: Labeler) -> None:
    known = {label for of_tree in arc_labels(TRAIN) for label in of_tree}
    chance = Random(3)
    assert labeler.label([], []) == []
    assert labeler.label([[]], [[]]) == [[]]
    assert labeler.label([[Token("Go", "VB")]], [[-1]]) == [["root"]]
    assert labeler.label([[Token("?", "never seen")]], [[-1]]) == [["root"]]
    for size in (1, 2, 7, 400):
        tokens = [Token("x\0", chance.choice(["NN", "VBD", "new", ""])) for _ in range(size)]
        for heads in ([size] * size, random_heads(size, chance), [(at + 1) % size for at in range(size)]):
            [labels], [confidences] = labeler.label_with_confidences([tokens], [heads])
            assert set(labels) <= known
            assert len(confidences) == len(labels) == size


def test_a_kind_of_arc_that_is_missing_in_training() -> None:
    one_word = Labeler.train([[Token("Go", "VB")]], [[-1]], [["root"]], bits=8)
    assert one_word.label([[Token("Go", "VB"), Token("on", "RP")]], [[-1, 0]]) == [["root", ""]]
    nothing = Labeler.train([], [], [], bits=8)
    assert nothing.label([[Token("Go", "VB")]], [[-1]]) == [[""]]


def test_the_seed_changes_the_model_and_threads_do_not() -> None:
    one = learn(epochs=3)
    assert same(one.to_part(), learn(epochs=3, threads=2).to_part())
    assert not same(one.to_part(), learn(epochs=3, seed=2).to_part())
    assert one.label(*columns(DEV), threads=2) == one.label(*columns(DEV))


def test_a_model_file_stores_everything(labeler: Labeler, tmp_path: Path) -> None:
    again = Labeler.from_part(through_a_file(labeler.to_part(), tmp_path / "labeler"))
    assert same(again.to_part(), labeler.to_part())
    assert again.label_with_confidences(*columns(DEV)) == labeler.label_with_confidences(*columns(DEV))


def test_damaged_arrays_are_refused_or_harmless(labeler: Labeler) -> None:
    noticed = set()
    for what, part in damaged(labeler.to_part()):
        try:
            found = Labeler.from_part(part).label(*columns(DEV))
        except ValueError:
            noticed.add(what)
        else:
            assert list(map(len, found)) == [len(tokens) for tokens in columns(DEV)[0]]
    names = ("weights", "scale", "keys", "starts", "classes")
    assert {f"{name} {what}" for name in names for what in ("missing", "of another type")} <= noticed
    assert {"keys cut off", "classes extreme", "weights empty", "keys backwards", "starts doubled"} <= noticed


def test_length_mismatches_are_errors(labeler: Labeler) -> None:
    tokens = [[Token("Go", "VB")]]
    with pytest.raises(ValueError, match="2 heads for 1 words"):
        labeler.label(tokens, [[-1, 0]])
    with pytest.raises(ValueError, match="length mismatch: 1 sentences, 0 lists of heads"):
        labeler.label(tokens, [])
    with pytest.raises(ValueError, match="length mismatch: 1 heads, 2 labels"):
        Labeler.train(tokens, [[-1]], [["root", "x"]])


def test_thousands_of_arcs_below_one_head() -> None:
    """Their errors, added up, do not make the training diverge, nor undo what other sentences teach."""
    tokens, heads = columns(TRAIN)
    labels = arc_labels(TRAIN)
    chance = Random(4)
    words = [token for of_sentence in tokens for token in of_sentence]
    some = [label for of_tree in labels for label in of_tree]
    for size in (4000, 3000):
        tokens.append(tuple(chance.choices(words, k=size)))
        heads.append((-1, *[0] * (size - 1)))
        labels.append(["root", *chance.choices(some, k=size - 1)])
    labeler = Labeler.train(tokens, heads, labels, bits=BITS, epochs=20)
    assert 0 < labeler.to_part().arrays["scale"][0] < 0.01
    found, confidences = labeler.label_with_confidences(tokens, heads)
    assert all(0 <= value <= 1.0001 for value in confidences[-1])
    right = [one == other for one, other in zip(chain(*found[:-2]), chain(*labels[:-2]), strict=True)]
    assert sum(right) / len(right) > 0.9


# ── sequences ────────────────────────────────────────────────────────────────────────────────────────


def tables(chance: numpy.random.Generator) -> tuple[list[list[float]], list[list[float]]]:
    """Return random scores of the options per place, and of the option pairs of neighbouring places, flat."""
    sizes = chance.integers(1, 5, size=chance.integers(1, 6))
    single = [chance.normal(size=size).tolist() for size in sizes]
    pairs = [chance.normal(size=one * two).tolist() for one, two in pairwise(sizes)]
    return single, pairs


def test_sequences_equal_brute_force() -> None:
    chance = numpy.random.default_rng(4)
    for _ in range(200):
        single, pairs = tables(chance)
        scores = {}
        for choice in product(*map(range, map(len, single))):
            scores[choice] = sum(of[at] for of, at in zip(single, choice, strict=True)) + sum(
                table[choice[place] * len(single[place + 1]) + choice[place + 1]]
                for place, table in enumerate(pairs)
            )
        assert tuple(_core.best_sequence(single, pairs)) == max(scores, key=lambda choice: scores[choice])

        odds = {choice: numpy.exp(score) for choice, score in scores.items()}
        total = sum(odds.values())
        expected = [
            sum(odd for choice, odd in odds.items() if choice[place] == at) / total
            for place, options in enumerate(single)
            for at in range(len(options))
        ]
        expected_pairs = [
            sum(odd for choice, odd in odds.items() if choice[place : place + 2] == (one, two)) / total
            for place in range(len(pairs))
            for one in range(len(single[place]))
            for two in range(len(single[place + 1]))
        ]
        found, found_pairs = _core.sequence_marginals(single, pairs)
        assert found == pytest.approx(expected, abs=1e-4)
        assert found_pairs == pytest.approx(expected_pairs, abs=1e-4)


def test_long_sequences_with_large_scores_are_exact() -> None:
    """The scores of thousands of places, added up, would leave no bits for differences between options."""
    places = 20_000
    single = [[30_000.0, 30_000.0 + place % 3] for place in range(places)]
    pairs = [[0.0, 500.0, 500.0, 0.0]] * (places - 1)
    assert _core.best_sequence(single, pairs)[:4] in ([0, 1, 0, 1], [1, 0, 1, 0])
    found, found_pairs = _core.sequence_marginals([[40_000.0, 40_001.0]] * places, [[0.0] * 4] * (places - 1))
    assert numpy.reshape(found, (places, 2)).sum(1) == pytest.approx(1)
    assert found[1::2] == pytest.approx([1 / (1 + numpy.exp(-1))] * places, abs=1e-4)
    assert numpy.reshape(found_pairs, (-1, 4)).sum(1) == pytest.approx(1)


def test_an_empty_sequence_and_tables_of_wrong_sizes() -> None:
    assert _core.best_sequence([], []) == []
    assert _core.sequence_marginals([], []) == ([], [])
    with pytest.raises(ValueError, match="pairs"):
        _core.best_sequence([[1.0], [2.0]], [])
    with pytest.raises(ValueError, match="pairs"):
        _core.best_sequence([[1.0], [2.0]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="option"):
        _core.best_sequence([[1.0], []], [[]])


def test_weights_of_other_features_are_refused(labeler: Labeler) -> None:
    part = labeler.to_part()
    message = "Labeler was trained by another version of Spindle, with other features: train the model again"
    for features in ({}, {"features": 1}):
        with pytest.raises(ModelError, match=message):
            Labeler.from_part(ModelPart({"classes": part.settings["classes"], **features}, part.arrays))


def test_the_features_of_the_paper_are_learnt_and_stored(labeler: Labeler, tmp_path: Path) -> None:
    paper = Labeler.with_features(LabelerFeatures.PAPER).train(
        *columns(TRAIN), arc_labels(TRAIN), bits=BITS, epochs=20
    )
    found = paper.label(*columns(TRAIN))
    assert found == arc_labels(TRAIN)
    loaded = Labeler.from_part(through_a_file(paper.to_part(), tmp_path / "labeler"))
    assert type(loaded) is type(paper)
    assert loaded.label(*columns(DEV)) == paper.label(*columns(DEV))
    # weights of one kind of features mean nothing with the other
    confused = Labeler(paper.to_part().settings["classes"], paper.to_part().arrays)
    assert confused.label(*columns(TRAIN)) != found
    assert type(Labeler.from_part(labeler.to_part())) is Labeler
