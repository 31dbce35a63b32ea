"""Several treebanks for one parser."""

from pathlib import Path

import pytest

from spindle.cli import main
from spindle.training import SourceWeight, Treebank
from support.notation import tree

TREES = "(TOP (S (NP (NN milk)) (VP (VBZ is) (ADJP (JJ white)))))\n"


def test_every_tree_knows_where_it_is_from() -> None:
    trees = tuple(tree(f"(S (NN {word}) (VB b))") for word in "xyz")
    treebank = Treebank(trees, ("a", "b"), (SourceWeight(1), SourceWeight(2, 0.5)))
    assert treebank.origins == [(0, 1.0), (1, 0.5), (1, 0.5)]
    assert treebank.primary_trees == trees[:1]
    assert Treebank(trees).origins == [(0, 1.0)] * 3
    assert Treebank(trees).primary_trees == trees


def test_weights_are_refused_where_nobody_heeds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trees.ptb"
    path.write_text(TREES)
    with pytest.raises(SystemExit) as ended:
        main(["train", str(path), f"{path}:2", "-o", str(tmp_path / "model")])
    assert ended.value.code == 1
    assert "linear cannot weight treebanks" in capsys.readouterr().err


def test_a_file_may_have_a_colon_in_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trees:2"
    path.write_text(TREES)
    with pytest.raises(SystemExit):
        main(["train", str(path), str(tmp_path / "none:x"), "-o", str(tmp_path / "model")])
    assert "none:x: No such file" in capsys.readouterr().err
