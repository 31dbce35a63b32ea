"""The bundled models: small, free to use, and able to parse."""

from itertools import islice
from pathlib import Path

import pytest

import spindle
from spindle.models.bundled import DEFAULT, bundled_models, find_model
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import strip_functions

MODELS = pytest.mark.parametrize("name", ["english", "fast", "light"])
SIZES = {"english": 45_000_000, "fast": 12_500_000, "light": 8_000_000}
F1 = {"english": 87, "fast": 84, "light": 76}
"""Lower bounds of the F1 on part of a treebank."""


def test_the_accurate_model_is_the_default() -> None:
    assert find_model() == find_model("english")
    assert DEFAULT in bundled_models()


def test_french_parses_out_of_the_box() -> None:
    tree = spindle.load("french").parse("L'enfant n'a pas vu le chat.")
    assert tree is not None
    assert [token.form for token in tree.tokens][:4] == ["L'", "enfant", "n'", "a"]
    assert [node.label for node in tree.find("NP")] == ["NP", "NP"]


def test_dutch_has_crossing_branches() -> None:
    tree = spindle.load("dutch").parse("Wat heeft zij gezien?")
    assert tree is not None
    assert [token.form for token in tree.tokens] == ["Wat", "heeft", "zij", "gezien", "?"]
    assert tree.labels[0] == "VROOT"
    own = spindle.load("dutch").parse("Ik heb hem gisteren in Amsterdam een boek willen geven.")
    assert own is not None
    assert not own.is_continuous


def test_indonesian_parses_out_of_the_box() -> None:
    tree = spindle.load("indonesian").parse("Anak itu membaca buku baru.")
    assert tree is not None
    assert [node.text for node in tree.find("NP")] == ["Anak itu", "buku baru"]


def test_every_model_has_a_description_and_a_licence() -> None:
    for model in spindle.models():
        assert model.description, model.name
        assert model.licence, model.name


@MODELS
def test_it_is_small(name: str) -> None:
    assert find_model(name).stat().st_size <= SIZES[name]


@MODELS
def test_it_parses_out_of_the_box(name: str) -> None:
    tree = spindle.load(name).parse("The public is still cautious.")
    assert tree is not None
    assert [token.form for token in tree.tokens] == ["The", "public", "is", "still", "cautious", "."]
    assert tree.labels[:4] == ("ROOT", "S", "NP", "VP")
    assert tree.is_continuous


@MODELS
def test_its_card_names_data_and_licence(name: str) -> None:
    card = spindle.load(name).card
    assert "CC BY" in card.licence
    assert set(card.training.files) - {"everyday"} == {"english-gum (free genres)", "english-craft"}
    assert card.scores["f1"] > 75
    assert "/" not in str(card.options)  # no paths of the machine that it was trained on


@MODELS
def test_its_labels_are_those_of_gum(name: str) -> None:
    symbols = set(spindle.load(name).card.label_sets["symbols"])
    assert {"S", "NP", "VP", "SBAR"} <= symbols
    assert not symbols & {"NML", "CIT", "TITLE", "HEADING", "CAPTION"}


@MODELS
def test_it_is_accurate(name: str, treebanks: Path) -> None:
    trees = read_trees(treebanks / "english-gum" / "dev.ptb")
    gold = [strip_functions(tree) for tree in islice(trees, 0, None, 10)]
    parsed = spindle.load(name).parse_many([token.form for token in tree.tokens] for tree in gold)
    score = spindle.evaluate(gold, [tree for tree in parsed if tree is not None], "evalb")
    assert (score.f1 or 0) > F1[name]
