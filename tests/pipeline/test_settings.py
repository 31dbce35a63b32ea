"""The settings of a model come back from JSON, and nothing reads the card."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from spindle.heads import available_rules, load_rules
from spindle.pipeline import Card, Parser, load
from spindle.pipeline.confidence import Calibration
from spindle.pipeline.conventions import Conventions, Punctuation
from spindle.pipeline.settings import PipelineSettings
from spindle.reduction import Encoding, Mode
from spindle.text import ENGLISH, TokenizationStyle
from spindle.training import train
from spindle.trees import Tree

Trees = tuple[Tree, ...]


@pytest.mark.parametrize("rules", available_rules())
def test_settings_come_back(rules: str) -> None:
    settings = PipelineSettings(
        encoding=Encoding.HN,
        mode=Mode.DISCONTINUOUS,
        head_rules=load_rules(rules),
        conventions=Conventions("", Punctuation.RESTORE, "TOP", True),
        tokenization=ENGLISH,
        predicted=frozenset({"tags", "labels"}),
        needs_tags=True,
        calibration=Calibration(1.5, -0.25, 0.9),
        fingerprint="abc",
    )
    assert PipelineSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    other = replace(settings, tokenization=TokenizationStyle(), conventions=Conventions(None))
    assert PipelineSettings.from_dict(json.loads(json.dumps(other.to_dict()))) == other


def test_a_model_without_a_card_parses_the_same(demo_train: Trees, tmp_path: Path) -> None:
    parser = train(demo_train, output=tmp_path / "m", parser="slow", epochs=2)
    replace(parser, card=Card()).save(tmp_path / "bare")
    bare: Parser = load(tmp_path / "bare")
    assert list(bare.parse_many(demo_train)) == list(parser.parse_many(demo_train))
    sentence = [token.form for token in demo_train[0].tokens]
    assert bare.parse(sentence) == parser.parse(sentence)
    assert bare.settings == parser.settings
