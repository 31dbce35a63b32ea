"""The neural parser in the pipeline: training, saving, loading and parsing."""

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")


from spindle.cli import main
from spindle.pipeline import load
from spindle.treebanks import parse_tree
from support.second_environment import environment

FIRST = """(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (NN {0})))))
(TOP (S (NP (NN {0})) (VP (VBZ sleeps)) (. .)))
(TOP (NP (JJ big) (NN {0})))
"""
SECOND = """( (TITLE (NML (JJ big) (NN {0}))))
( (S (NP (NML (NN {0}) (NN milk))) (VP (VBZ is) (ADJP (JJ white)))))
"""


def test_two_treebanks_become_one_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["milk", "mice", "dogs", "bread", "rain", "snow", "birds", "fish"]
    first, second, model = tmp_path / "first.ptb", tmp_path / "second.ptb", tmp_path / "model"
    first.write_text("".join(FIRST.format(word) for word in words) * 12)
    second.write_text("".join(SECOND.format(word) for word in words) * 18)
    with pytest.raises(SystemExit) as ended:
        main(
            ["train", str(first), f"{second}:0.5", "--dev", str(first), "-o", str(model)]
            + ["--parser", "neural", "--epochs", "4", "--threads", "1", "--seed", "2"]
            + [f"--parser-option={option}" for option in ("hidden=24", "batch=60", "dropout=0.1")]
        )
    assert not ended.value.code
    said = capsys.readouterr().err
    assert "million weights; training takes about" in said
    assert "compressed, the parser has F1" in said
    parser = load(model)
    assert parser.settings.conventions.wrapper == "TOP"  # as in the first treebank
    assert parser.card.scores["f1"] > 60
    tree = parser.parse("the cat sees snow")
    assert tree.labels[0] == "TOP"
    assert all(token.tag for token in tree.tokens)
    best, *others = next(iter(parser.analyse(["big fish"], k=3, confidences=True))).candidates
    assert all(0 <= sure <= 1 for sure in best.confidences or [2])
    assert best.tree == parser.parse("big fish")
    assert others
    # parsing does not need torch
    python = environment(tmp_path / "second")
    asked = subprocess.run([python, "-c", "import onnxruntime, torch"], capture_output=True, text=True)
    assert "No module named 'torch'" in asked.stderr
    run = [str(python), "-m", "spindle", "parse", "the cat sees snow", "--model", str(model)]
    there = subprocess.run(run, capture_output=True, text=True, check=True)
    assert parse_tree(there.stdout).replace(heads=tree.heads) == tree
