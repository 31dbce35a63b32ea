"""The sources of the bundled models: their trees, weights and annotation."""

from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from spindle.training import Treebank
from spindle.treebanks.transforms.penn import to_penn
from spindle.trees import Tree

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, treebanks: Path) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("bundled_model")


def training(script: Any, everyday: float, casual: float = 0, kind: str = "english") -> Treebank:
    given = Namespace(sentences=3, everyday=everyday, casual=casual, kind=kind)
    train: Treebank = script.training_trees(given)
    return train


def test_sources(script: Any) -> None:
    ours = list(script.everyday("train"))
    weighted = training(script, 2.5)
    assert [(source.trees, source.weight) for source in weighted.sources] == [
        (3, 2.0),
        (3, 0.3),
        (len(ours), 2.5),
    ]
    assert list(weighted.trees) == [*weighted.trees[:6], *ours]
    assert all(to_penn(tree) == tree and tree.labels[0] == "ROOT" for tree in weighted.trees)
    assert len(training(script, 0).trees) == 6


def test_casual_copies(script: Any) -> None:
    ours = list(script.everyday("train"))
    plain, train = training(script, 4.0), training(script, 4.0, casual=0.5)
    assert train.trees[: len(plain.trees)] == plain.trees
    assert [source.weight for source in train.sources] == [2.0, 0.3, 4.0, 0.2, 1.0]
    copies = train.trees[-train.sources[-1].trees :]
    assert len(ours) * 0.9 < len(copies) < len(ours)
    ends = {copy.tokens[-1].form for copy in copies}
    assert not ends & {".", "?", "!"}
    assert 1 / 3 <= sum(map(_is_lower, copies)) / len(copies) < 0.5
    assert {source.weight for source in training(script, 4.0, casual=1, kind="light").sources} == {1.0}


def _is_lower(tree: Tree) -> bool:
    return all(token.form == token.form.lower() for token in tree.tokens)


def test_test_sets_are_no_sources(script: Any) -> None:
    sets = dict(script.out_of_domain())
    assert len(sets["english-mctb"]) == 2500 == sum(len(sets[name]) for name in sets if ", " in name)
    assert len(sets["english-handparsed"]) == 519

    def words(trees: Any) -> set[str]:
        return {
            "".join(filter(str.isalnum, "".join(token.form for token in tree.tokens))).lower()
            for tree in trees
        }

    ours = words([*script.everyday("train"), *script.everyday("dev")])
    for name, trees in sets.items():
        assert not ours & words(trees), name


def test_the_card_names_the_licence_of_the_encoder(script: Any) -> None:
    assert "OPUS-MT" in script.encoder_licence("hf:encoders/opus-en-fr")
    assert script.encoder_licence("bilstm") == ""
    with pytest.raises(SystemExit, match="hf:other: no licence is known"):
        script.encoder_licence("hf:other")
