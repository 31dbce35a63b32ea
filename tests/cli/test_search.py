"""`spindle search` and `--where`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from cli.conftest import TREES, Spindle


def test_lines_in_context(spindle: Spindle, trees: str) -> None:
    code, out, err = spindle("search", "NP < NN", trees, "--context", 8)
    assert code == 0
    assert out.splitlines() == [
        "some.dbr:1\t         [Es (kam) nichts]",
        "some.dbr:2\t         [er] kam",
        "some.dbr:3\t         [der Mann] kam",
    ]
    assert err == "spindle: 3 matches in 3 of 3 trees\n"


def test_json(spindle: Spindle, trees: str) -> None:
    code, out, err = spindle("search", "NP < NN=n", trees, "-", "--json", stdin=TREES)
    assert (code, err) == (0, "")
    found = json.loads(out)
    hits = found.pop("hits")
    assert found == {
        "pattern": "NP < NN=n",
        "matches": 6,
        "trees": 6,
        "searched": 6,
        "files": [
            {"file": "some.dbr", "searched": 3, "trees": 3, "matches": 3},
            {"file": "-", "searched": 3, "trees": 3, "matches": 3},
        ],
    }
    assert hits[0] == {
        "file": "some.dbr",
        "id": "1",
        "number": 1,
        "kind": "node",
        "label": "NP",
        "positions": [0, 2],
        "text": "Es nichts",
        "names": {"n": [{"kind": "tag", "label": "NN", "positions": [2], "text": "nichts"}]},
    }
    code, out, _ = spindle("search", "XP", trees, "--json")
    assert code == 0
    assert json.loads(out) | {"files": []} == {
        "pattern": "XP",
        "hits": [],
        "matches": 0,
        "trees": 0,
        "searched": 3,
        "files": [],
    }


def test_counts(spindle: Spindle, trees: str) -> None:
    assert spindle("search", "NP", trees, "--count").out == (
        "matches\ttrees\tsearched\tfile\n3\t3\t3\tsome.dbr\n"
    )
    out = spindle("search", ":gap", trees, "-", "--count", stdin=TREES).out
    assert out.splitlines()[-1] == "2\t2\t6\ttotal"


def test_frequencies(spindle: Spindle, trees: str) -> None:
    assert spindle("search", "NP < __=child", trees, "--freq", "child").out == (
        "3   60.0 %  NN\n1   20.0 %  ART\n1   20.0 %  PPER\n"
    )
    out = spindle("search", "NP < NN=n", trees, "--freq", "n", "--by", "words", "--json").out
    assert json.loads(out) == {"total": 3, "frequencies": {"Mann": 1, "er": 1, "nichts": 1}}
    assert (
        spindle("search", "NP", trees, "--freq", ".", "--by", "tag").out.splitlines()[0]
        == "1   33.3 %  ART NN"
    )
    code, out, err = spindle("search", "NP < NN=n", trees, "--freq", "m")
    assert (code, out) == (2, "")
    assert "does not name 'm'; it has n." in err


def test_csv(spindle: Spindle, trees: str) -> None:
    out = spindle("search", "NP < NN=n", trees, "--show", "csv").out
    assert list(csv.reader(io.StringIO(out)))[:2] == [
        ["file", "id", "kind", "label", "positions", "text", "n"],
        ["some.dbr", "1", "node", "NP", "0 2", "Es nichts", "nichts"],
    ]


def test_ids_trees_and_subtrees(spindle: Spindle, trees: str, tmp_path: Path) -> None:
    assert spindle("search", "NP:gap", trees, "--show", "ids").out == "some.dbr:1\n"
    assert spindle("search", "VP", trees, "--show", "trees").out == TREES.splitlines(keepends=True)[1]
    assert spindle("search", "NP|VVFIN", trees, "--show", "subtrees", "--to", "bracket").out == (
        "(NP (PPER Es) (NN nichts))\n(VVFIN kam)\n(NP (NN er))\n(VVFIN kam)\n"
        "(NP (ART der) (NN Mann))\n(VVFIN kam)\n"
    )
    code, out, _ = spindle("search", "VP", trees, "--show", "trees", "-o", "found.export")
    assert (code, out) == (0, "")
    assert "#BOS" in (tmp_path / "found.export").read_text()
    assert spindle("search", "NP:gap", trees, "--show", "trees", "--to", "bracket").code == 1


def test_drawings(spindle: Spindle, trees: str, tmp_path: Path) -> None:
    out = spindle("search", "NP:gap", trees, "--show", "drawings").out
    assert out.startswith("some.dbr:1  NP [Es nichts]\n")
    assert "▸NP" in out
    out = spindle("search", "kam", trees, "--show", "drawings", "--limit", 1).out
    assert "▸kam" in out
    assert spindle("search", "NP:gap", trees, "--svg", "found.svg").code == 0
    assert "pill" in (tmp_path / "found.svg").read_text()
    assert spindle("search", "XP", trees, "--svg", "none.svg").code == 1
    assert not (tmp_path / "none.svg").exists()


def test_dtrees(spindle: Spindle, trees: str) -> None:
    pattern = "VVFIN < (NN:func=S < __)"
    out = spindle("search", pattern, trees, "--dtree", "--heads", "negra", "--json").out
    assert [hit["text"] for hit in json.loads(out)["hits"]] == ["kam", "kam"]
    assert spindle("encode", trees, "-o", "some.conllu", "--heads", "negra").code == 0
    assert json.loads(spindle("search", pattern, "some.conllu", "--json").out)["matches"] == 2
    assert "▸kam" in spindle("search", pattern, "some.conllu", "--show", "drawings").out
    code, _, err = spindle("search", pattern, "some.conllu", "--show", "trees")
    assert (code, "constituent trees" in err) == (2, True)
    assert spindle("search", "NN <# kam", "some.conllu").code == 2


def test_heads_and_transforms(spindle: Spindle, trees: str) -> None:
    out = spindle("search", "S:head=kam", trees, "--heads", "negra", "--count").out
    assert out.splitlines()[-1].startswith("3\t3\t3")
    assert spindle("search", "NP", trees, "--heads", "negra").code == 2  # an option without effect
    tree = "(S (NP (-NONE- *)) (VP-TPC (VB Go)))\n"
    out = spindle("search", "S <: VP", "-", "--strip", "traces,functions", "--count", stdin=tree).out
    assert out.splitlines()[-1] == "1\t1\t1\t-"


def test_limit_and_progress_of_counts(spindle: Spindle, trees: str) -> None:
    _, out, err = spindle("search", "NP", trees, "--limit", 2, "--show", "ids")
    assert out == "some.dbr:1\nsome.dbr:2\n"
    assert "2 matches in 2 of 2 trees" in err


def test_mistakes(spindle: Spindle, trees: str) -> None:
    code, out, err = spindle("search", "NP < (NN", trees)
    assert (code, out) == (1, "")
    assert err == "spindle: a bracket is not closed\n  NP < (NN\n       ^\n"
    assert spindle("search", "NP", "missing.ptb").code == 1
    assert spindle("search", "NP", trees, "--count", "--json").code == 2
    assert spindle("search", "NP", trees, "--to", "export").code == 2
    assert spindle("search", "NP", trees, "--show", "trees", "-o", trees).code == 2
    _, out, err = spindle(
        "search", "NP", "-", "--on-error", "skip", "--count", stdin="(S (NP (DT the) x))\n(S (NP (NN a)))\n"
    )
    assert out.splitlines()[-1] == "1\t1\t1\t-"
    assert "sentence skipped: 1" in err
