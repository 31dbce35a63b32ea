"""`spindle index`, and what `spindle search` says about indexes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import TREES, Spindle


def test_making_and_checking(spindle: Spindle, trees: str) -> None:
    line = "some.dbr.spindle-index: 3 trees, 8 words, 0.0 MB"
    assert spindle("index", trees) == (0, f"{line}\n", "")
    assert spindle("index", trees) == (0, f"{line}, up to date\n", "")
    assert spindle("index", trees, "--force") == (0, f"{line}\n", "")
    assert spindle("index", trees, "--check") == (0, f"{line}, undamaged\n", "")
    Path(trees).write_text(TREES * 2)
    code, out, err = spindle("index", trees, "--check")
    assert (code, out) == (1, "")
    assert "out of date" in err
    assert spindle("index", trees).out == line.replace("3 trees, 8", "6 trees, 16") + "\n"


def test_checking_what_is_not_there(spindle: Spindle, trees: str) -> None:
    code, _, err = spindle("index", trees, "--check")
    assert code == 1
    assert err == "spindle: some.dbr.spindle-index cannot be read: No such file or directory\n"


def test_folders_and_standard_input(spindle: Spindle, trees: str, tmp_path: Path) -> None:
    (tmp_path / "more.ptb").write_text("(S (NN cat))\n")
    assert len(spindle("index", ".").out.splitlines()) == 2
    assert len(spindle("index", ".").out.splitlines()) == 2  # indexes have no indexes
    code, _, err = spindle("index", "-", stdin=TREES)
    assert code == 1
    assert err == "spindle: <stdin>: only a file can have an index; save it to a file first\n"


OPTIONS = (
    ("NP < NN",),
    ("NP < NN=n", "--json"),
    ("VVFIN", "--count"),
    ("NP:gap", "--show", "drawings"),
    ("NN=n", "--freq", "n", "--by", "words"),
    ("NP", "--show", "csv"),
    ("S < NP", "--show", "subtrees"),
    ("PPER", "--limit", 1),
    ("NP:head=Mann", "--heads", "negra"),
    ("VVFIN < NN", "--dtree", "--heads", "negra"),
    ("NP:gap", "--punct", "remove"),
    ("XX",),
)


@pytest.mark.parametrize("options", OPTIONS, ids=[" ".join(map(str, one)) for one in OPTIONS])
def test_the_same_output(spindle: Spindle, trees: str, options: tuple[str, ...]) -> None:
    assert spindle("index", trees).code == 0
    with_index = spindle("search", *options, trees)
    assert with_index == spindle("search", *options, trees, "--no-index")
    assert with_index.code == 0


def test_mistakes_are_the_same(spindle: Spindle, trees: str) -> None:
    spindle("index", trees)
    for options in (("NP", "--heads", "negra"), ("NP < (NN",)):
        found = spindle("search", *options, trees)
        assert found == spindle("search", *options, trees, "--no-index")
        assert found.code != 0


def test_an_index_that_does_not_fit_is_not_used(spindle: Spindle, trees: str, tmp_path: Path) -> None:
    spindle("index", trees)
    (tmp_path / trees).write_text(TREES * 2)
    code, out, err = spindle("search", "NP", trees, "--show", "ids")
    assert (code, len(out.splitlines())) == (0, 6)
    assert "out of date" in err
    assert "searching without it" in err
    assert "out of date" not in spindle("search", "NP", trees, "--no-index").err


def test_skipped_sentences_are_counted(spindle: Spindle, trees: str, tmp_path: Path) -> None:
    (tmp_path / trees).write_text(TREES + "(S (NP\n")
    assert spindle("index", trees).code == 1
    assert not (tmp_path / "some.dbr.spindle-index").exists()
    assert spindle("index", trees, "--on-error", "skip").code == 0
    _, out, err = spindle("search", "NP", trees, "--show", "ids", "--on-error", "skip")
    assert len(out.splitlines()) == 3
    assert "sentence skipped: 1" in err
    assert spindle("search", "NP", trees).code == 1  # the error policy is to stop
