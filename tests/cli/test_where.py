"""`--where` in draw, stats, evaluate and diff."""

import json
from pathlib import Path

import pytest

from cli.conftest import Spindle
from spindle.cli.where import with_match
from spindle.search import loaded, select
from spindle.trees import Tree

GOLD = """\
(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
(S (NP (NN 0=er)) (VVFIN 1=kam))
(S (NP (NN 0=sie)) (VVFIN 1=kam))
"""
PRED = GOLD.replace("(NP (NN 0=sie))", "(VP (NN 0=sie))").replace("(NP (PPER 0=Es)", "(VP (PPER 0=Es)")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "gold.dbr").write_text(GOLD)
    (tmp_path / "pred.dbr").write_text(PRED)
    return "gold.dbr", "pred.dbr"


def test_draw(spindle: Spindle, files: tuple[str, str]) -> None:
    out = spindle("draw", files[0], "--where", "NN < sie").out
    assert out.startswith("3\n")
    assert "kam" in out
    code, _, err = spindle("draw", files[0], "--where", "XP")
    assert (code, err) == (1, "spindle: gold.dbr has no trees with a match.\n")


def test_stats(spindle: Spindle, files: tuple[str, str]) -> None:
    out = spindle("stats", files[0], "--where", "NP:!gap", "--json").out
    assert json.loads(out)["sentences"] == 2


def test_evaluate_and_diff(spindle: Spindle, files: tuple[str, str]) -> None:
    out = spindle("evaluate", *files, "--where", "NP:!gap", "--json", "--scheme", "discodop").out
    assert json.loads(out)["sentences"] == 2
    code, _, err = spindle("evaluate", *files, "--where", "XP")
    assert code == 1
    assert "contains no sentences with a match" in err
    out = spindle("diff", *files, "--where", "NP:gap").out
    assert "nichts" in out
    assert "sie" not in out


def test_mistakes_in_the_pattern(spindle: Spindle, files: tuple[str, str]) -> None:
    for args in (("draw", files[0]), ("stats", files[0]), ("evaluate", *files), ("diff", *files)):
        code, _, err = spindle(*args, "--where", "NP <")
        assert (code, err.splitlines()[-2:]) == (1, ["  NP <", "      ^"])


def test_items_are_selected_in_order_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded, "BATCH", 3)
    trees = [Tree.from_string(f"(S (NN w{at}))") for at in range(20)]
    numbered = list(enumerate(trees))
    chosen = select("/[37]$/", numbered, lambda item: item[1])
    assert [number for number, _ in chosen] == [3, 7, 13, 17]
    assert list(with_match(trees, "S:head=w4")) == [trees[4]]
    assert list(with_match(trees, None)) == trees
