"""One parser trained on several treebanks with weights."""

from pathlib import Path

import pytest

from spindle.cli import main
from spindle.training import SourceWeight, Treebank
from support.notation import tree

TREES = "(TOP (S (NP (NN milk)) (VP (VBZ is) (ADJP (JJ white)))))\n"


def test_every_tree_has_the_number_and_weight_of_its_source() -> None:
    trees = tuple(tree(f"(S (NN {word}) (VB b))") for word in "xyz")
    treebank = Treebank(trees, ("a", "b"), (SourceWeight(1), SourceWeight(2, 0.5)))
    assert treebank.origins == [(0, 1.0), (1, 0.5), (1, 0.5)]
    assert treebank.primary_trees == trees[:1]
    assert Treebank(trees).origins == [(0, 1.0)] * 3
    assert Treebank(trees).primary_trees == trees


def test_weights_are_refused_by_the_linear_parser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trees.ptb"
    path.write_text(TREES)
    with pytest.raises(SystemExit) as ended:
        main(["train", str(path), f"{path}:2", "-o", str(tmp_path / "model")])
    assert ended.value.code == 1
    assert "linear cannot weight treebanks" in capsys.readouterr().err


def test_a_file_name_may_contain_a_colon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trees:2"
    path.write_text(TREES)
    with pytest.raises(SystemExit):
        main(["train", str(path), str(tmp_path / "none:x"), "-o", str(tmp_path / "model")])
    assert "none:x: No such file" in capsys.readouterr().err
