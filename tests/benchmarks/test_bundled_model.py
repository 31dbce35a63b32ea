"""The sources of the bundled models: their trees, weights and annotation."""

from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from spindle.training import Treebank
from spindle.treebanks.transforms.penn import to_penn

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, treebanks: Path) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("bundled_model")


def training(script: Any, everyday: float) -> Treebank:
    train: Treebank = script.training_trees(Namespace(sentences=3, everyday=everyday))
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
