"""Our `--official` output against the output of the official programs: whole texts, not only figures.

`tests/golden` has trees written by us, so that these tests run on every clone. `../shared/golden` has damaged
treebank trees; its tests are skipped where it is absent.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from click.testing import CliRunner

from spindle.cli.evaluate import evaluate
from spindle.evaluation.parameters import read_parameters
from spindle.evaluation.schemes import DISCODOP, EVALB, SPMRL

OURS = Path(__file__).resolve().parents[1] / "golden"

BRACKETS = ("plain", "functions", "errors", "unparsed", "long")
OUR_BRACKETS = ("plain", "marks", "wrappers", "errors", "unparsed", "nothing", "long", "stop", "random")
BRACKET_PROGRAMS = {
    "collins": ("--scheme", "evalb"),
    "new": ("--scheme", "evalb", "--params", "../params/new.prm"),
    "spmrl": ("--scheme", "spmrl"),
    "spmrl-L": ("--scheme", "spmrl", "--view", "compact"),
    "spmrl-X": ("--scheme", "spmrl", "--unparsed", "count"),
}
STATUS = {("stop", "collins"): 1, ("stop", "new"): 1}
"""Exit statuses of the official programs that are not 0."""

DISCONTINUOUS = ("pcc", "alpino")
OUR_DISCONTINUOUS = {"small": "dbr", "ids": "export", "edges": "export", "hyphens": "dbr"}
DISCONTINUOUS_PROGRAMS = {
    "proper": (),
    "proper-disconly": ("--disc-only",),
    "proper-cut30": ("--cutoff", "30"),
    "rootonly": ("--params", "../params/rootonly.prm"),
}
OUR_DISCONTINUOUS_PROGRAMS = {
    "proper": (),
    "proper-disconly": ("--disc-only",),
    "proper-cut6": ("--cutoff", "6"),
    "rootonly": ("--params", "../params/rootonly.prm"),
}


def assert_brackets_agree(folder: Path, name: str, program: str, status: int = 0) -> Path:
    """Compare output, messages and exit status; returns the file of the messages."""
    result = CliRunner().invoke(
        evaluate, [f"{name}.gold", f"{name}.pred", "--official", *BRACKET_PROGRAMS[program]]
    )
    assert result.stdout == (folder / f"{name}.{program}.out").read_text()
    assert result.exit_code == status
    messages = folder / f"{name}.{program}.err"
    if messages.exists():
        assert result.stderr == messages.read_text()
    return messages


def assert_discontinuous_agree(
    folder: Path, name: str, ending: str, program: str, options: tuple[str, ...]
) -> None:
    files = (f"{name}.gold.{ending}", f"{name}.pred.{ending}")
    result = CliRunner().invoke(evaluate, [*files, "--official", "--scheme", "discodop", *options])
    assert result.exit_code == 0
    table, summary = result.stdout.split("\n\n")
    expected = (folder / f"{name}.{program}.out").read_text()
    assert summary == expected[expected.rindex("\n\n") + 2 :]
    if "--cutoff" not in options:  # the program was not asked for the table there
        start, end = expected.index("   Sentence"), expected.index("\n\n Rewrite rule")
        assert table == expected[start:end].lstrip("\n")


def assert_parameters_agree(folder: Path) -> None:
    for scheme, name in ((EVALB, "COLLINS"), (SPMRL, "spmrl"), (DISCODOP, "proper")):
        theirs = dataclasses.asdict(read_parameters(folder / f"{name}.prm"))
        for field, ours in dataclasses.asdict(scheme.parameters).items():
            if isinstance(ours, tuple):
                assert set(ours) == set(theirs[field]), (name, field)
            else:
                assert ours == theirs[field], (name, field)


# ── trees of our own ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("program", BRACKET_PROGRAMS)
@pytest.mark.parametrize("name", OUR_BRACKETS)
def test_evalb_and_spmrl_on_our_trees(monkeypatch: pytest.MonkeyPatch, name: str, program: str) -> None:
    monkeypatch.chdir(OURS / "evalb")  # the compact view prints the file name as given
    messages = assert_brackets_agree(OURS / "evalb", name, program, STATUS.get((name, program), 0))
    if not messages.exists():  # empty files are not stored
        options = BRACKET_PROGRAMS[program]
        result = CliRunner().invoke(evaluate, [f"{name}.gold", f"{name}.pred", "--official", *options])
        assert result.stderr == ""


@pytest.mark.parametrize("program", OUR_DISCONTINUOUS_PROGRAMS)
@pytest.mark.parametrize("name", OUR_DISCONTINUOUS)
def test_discodop_on_our_trees(monkeypatch: pytest.MonkeyPatch, name: str, program: str) -> None:
    monkeypatch.chdir(OURS / "discodop")
    options = OUR_DISCONTINUOUS_PROGRAMS[program]
    assert_discontinuous_agree(OURS / "discodop", name, OUR_DISCONTINUOUS[name], program, options)


def test_our_parameters_are_the_schemes() -> None:
    assert_parameters_agree(OURS / "params")


# ── damaged treebank trees ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("program", BRACKET_PROGRAMS)
@pytest.mark.parametrize("name", BRACKETS)
def test_evalb_and_spmrl(golden: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str) -> None:
    monkeypatch.chdir(golden / "evalb")
    assert_brackets_agree(golden / "evalb", name, program)


@pytest.mark.parametrize("program", DISCONTINUOUS_PROGRAMS)
@pytest.mark.parametrize("name", DISCONTINUOUS)
def test_discodop(golden: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str) -> None:
    monkeypatch.chdir(golden / "discodop")
    options = DISCONTINUOUS_PROGRAMS[program]
    assert_discontinuous_agree(golden / "discodop", name, "dbr", program, options)


def test_parameters_equal_the_official_files(golden: Path) -> None:
    assert_parameters_agree(golden / "params")
