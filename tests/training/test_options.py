"""Training options: every backend refuses every option that it lacks."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from spindle.errors import ParserError, SpindleError
from spindle.heads import load_rules
from spindle.parsers import PARSERS, find_parser
from spindle.pipeline.conventions import Punctuation
from spindle.reduction import Encoding, Mode
from spindle.training import FunctionPolicy, SourceWeight, TagSource, TrainOptions, Treebank, train_parser
from spindle.trees import Tree

# the value of each training option in the test of all pairs
GIVEN: dict[str, dict[str, Any]] = {
    "order": {"order": "1"},
    "encoder": {"encoder": "cnn"},
    "epochs": {"epochs": 2},
    "one-shot": {"one_shot": True},
    "two-stage": {"one_shot": False},
    "labeler features": {"labeler_features": "paper", "one_shot": False},
    "no unaries": {"unaries": False},
    "shrink": {"shrink": 1},
    "rerank": {"rerank": True},
    "tags": {"tags": "gold"},
    "discontinuous": {"mode": "discontinuous"},
}
STAGED = {"one-shot", "two-stage", "labeler features", "no unaries", "tags"}
APPLIES = {
    "linear": STAGED | {"order", "epochs", "shrink", "rerank", "discontinuous"},
    "neural": {"encoder", "epochs", "one-shot", "rerank", "discontinuous"},
    "command": STAGED | {"discontinuous"},
    "malt": STAGED | {"discontinuous"},
    "mst": STAGED | {"order", "epochs", "discontinuous"},
    "zpar": STAGED | {"epochs"},
    "turbo": STAGED | {"order", "epochs", "discontinuous"},
    "udpipe": STAGED | {"epochs", "discontinuous"},
    "spacy": STAGED | {"epochs", "discontinuous"},
    "stanza": STAGED | {"epochs", "rerank", "discontinuous"},
    "supar": STAGED | {"epochs", "rerank", "discontinuous"},
    # by default the oracle predicts everything, without labels if there are two stages
    "oracle": {"one-shot", "two-stage", "labeler features", "discontinuous"},
}


def order_of(name: str) -> str:
    """Return an order that the backend accepts, if it has orders."""
    return "2" if name == "mst" else "basic"


@pytest.fixture(autouse=True)
def _all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the checks for missing packages and programs."""
    for name in PARSERS:
        monkeypatch.setattr(find_parser(name), "check", classmethod(lambda cls, options: None))


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("name", PARSERS)
def test_every_option_applies_or_is_refused(name: str, option: str) -> None:
    given = {"order": order_of(name)} if option == "order" else GIVEN[option]
    options = TrainOptions(parser=name, **given)
    if option in APPLIES[name]:
        options.check()
    else:
        with pytest.raises(ParserError, match=rf"\b{name}\b"):
            options.check()


@pytest.mark.parametrize("other", PARSERS)
@pytest.mark.parametrize("name", PARSERS)
def test_an_option_of_another_backend_is_refused(name: str, other: str) -> None:
    own = {field.name for field in fields(find_parser(name).Options)}
    for option in find_parser(other).Options.describe():
        options = TrainOptions(parser=name, parser_options={option.name: option.default or "auto"})
        if option.name not in own:
            with pytest.raises(ParserError, match=f"{option.name} does not apply to {name}, which has"):
                options.check()
        elif other == name:
            options.check()


@pytest.mark.parametrize("name", PARSERS)
def test_treebank_weights_are_refused_by_backends_without_them(
    name: str, demo_train: tuple[Tree, ...]
) -> None:
    weighted = Treebank(demo_train, sources=(SourceWeight(len(demo_train), 0.5),))
    if find_parser(name).uses_example_weights:
        assert name in ("neural", "stanza", "supar")
    else:
        with pytest.raises(ParserError, match=f"{name} cannot weight treebanks"):
            train_parser(weighted, Treebank(), TrainOptions(parser=name))


def test_strings_are_converted_to_enums() -> None:
    options = TrainOptions(
        encoding="hn",  # type: ignore[arg-type]
        mode="continuous",  # type: ignore[arg-type]
        tags="gold",  # type: ignore[arg-type]
        punct="move",  # type: ignore[arg-type]
        functions="predict",  # type: ignore[arg-type]
    )
    assert (options.encoding, options.mode, options.tags) == (Encoding.HN, Mode.CONTINUOUS, TagSource.GOLD)
    assert (options.punct, options.functions) == (Punctuation.MOVE, FunctionPolicy.PREDICT)
    assert TrainOptions(punct="auto").punct is None  # type: ignore[arg-type]
    for name in ("encoding", "mode", "tags", "punct", "functions"):
        with pytest.raises(SpindleError, match=f"{name} cannot be 'none'; choose from"):
            TrainOptions(**{name: "none"})  # type: ignore[arg-type]


def test_a_card_contains_no_folder_names(tmp_path: Path) -> None:
    options = TrainOptions(heads=str(tmp_path / "mine.toml"), encoder=f"hf:{tmp_path}")
    assert options.to_dict()["heads"] == "mine.toml"
    assert str(tmp_path) not in str(options.to_dict())
    assert replace(options, heads=load_rules("negra")).to_dict()["heads"] == "negra"
