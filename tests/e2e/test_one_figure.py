"""`train`, `parse` + `evaluate`, and the model's card agree on one figure for one file."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from spindle import load
from spindle.cli import cli
from spindle.cli.verbosity import messages_on_standard_error
from spindle.training.options import TrainOptions
from spindle.training.run import train_parser
from spindle.training.treebank import Treebank
from support.demo_treebank import DATA, demo_trees


@pytest.mark.parametrize("mode", ["discontinuous", "continuous"])
def test_training_evaluation_and_card_have_one_figure(mode: str, tmp_path: Path) -> None:
    # A continuous parser of discontinuous trees, too: the trees decide about the scheme, not the parser.
    model, parsed = tmp_path / "model", tmp_path / "parsed.dbr"
    options = TrainOptions(mode=mode, order="basic", epochs=2, tags="predicted")  # type: ignore[arg-type]
    train_parser(Treebank(demo_trees("train")), Treebank(demo_trees("dev")), options, output=model)
    dev = str(DATA / "demo-dev.dbr")
    assert (
        CliRunner()
        .invoke(cli, ["parse", dev, "--input", "trees", "--model", str(model), "-o", str(parsed)])
        .exit_code
        == 0
    )
    with messages_on_standard_error():
        result = CliRunner().invoke(cli, ["evaluate", dev, str(parsed), "--json"])
    evaluated = json.loads(result.stdout)
    card = load(model).card.scores
    epochs = [json.loads(line) for line in (tmp_path / "model.log.jsonl").read_text().splitlines()]
    trained = max(record["f1"] for record in epochs if "epoch" in record and "f1" in record)
    assert round(evaluated["f1"], 4) == card["f1"] == trained
    assert card["signature"].startswith(evaluated["signature"])
    assert evaluated["signature"].startswith("discodop|")
    assert "spindle: scheme: discodop (" in result.stderr
    assert "of the gold trees are discontinuous)" in result.stderr
