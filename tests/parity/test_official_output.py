"""Our `--official` output against what the official programs printed: whole texts, not just figures."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from click.testing import CliRunner

from spindle.cli.evaluate import evaluate
from spindle.evaluation.parameters import read_parameters
from spindle.evaluation.schemes import DISCODOP, EVALB, SPMRL

BRACKETS = ("plain", "functions", "errors", "unparsed", "long")
BRACKET_PROGRAMS = {
    "collins": ("--scheme", "evalb"),
    "new": ("--scheme", "evalb", "--params", "../params/new.prm"),
    "spmrl": ("--scheme", "spmrl"),
    "spmrl-L": ("--scheme", "spmrl", "--view", "compact"),
    "spmrl-X": ("--scheme", "spmrl", "--unparsed", "count"),
}
DISCONTINUOUS = ("pcc", "alpino")
DISCONTINUOUS_PROGRAMS = {
    "proper": (),
    "proper-disconly": ("--disc-only",),
    "proper-cut30": ("--cutoff", "30"),
    "rootonly": ("--params", "../params/rootonly.prm"),
}


@pytest.mark.parametrize("program", BRACKET_PROGRAMS)
@pytest.mark.parametrize("name", BRACKETS)
def test_evalb_and_spmrl(golden: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str) -> None:
    folder = golden / "evalb"
    monkeypatch.chdir(folder)  # the compact view prints the file's name as it was given
    result = CliRunner().invoke(
        evaluate, [f"{name}.gold", f"{name}.pred", "--official", *BRACKET_PROGRAMS[program]]
    )
    assert result.stdout == (folder / f"{name}.{program}.out").read_text()
    assert result.exit_code == 0
    messages = folder / f"{name}.{program}.err"
    if messages.exists():
        assert result.stderr == messages.read_text()


@pytest.mark.parametrize("program", DISCONTINUOUS_PROGRAMS)
@pytest.mark.parametrize("name", DISCONTINUOUS)
def test_discodop(golden: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str) -> None:
    folder = golden / "discodop"
    monkeypatch.chdir(folder)
    files = (f"{name}.gold.dbr", f"{name}.pred.dbr")
    options = ("--official", "--scheme", "discodop", *DISCONTINUOUS_PROGRAMS[program])
    result = CliRunner().invoke(evaluate, [*files, *options])
    assert result.exit_code == 0
    table, summary = result.stdout.split("\n\n")
    expected = (folder / f"{name}.{program}.out").read_text()
    assert summary == expected[expected.rindex("\n\n") + 2 :]
    if program != "proper-cut30":  # the program was not asked for the table there
        start, end = expected.index("   Sentence"), expected.index("\n\n Rewrite rule")
        assert table == expected[start:end]


def test_parameters_equal_the_official_files(golden: Path) -> None:
    for scheme, name in ((EVALB, "COLLINS"), (SPMRL, "spmrl"), (DISCODOP, "proper")):
        theirs = dataclasses.asdict(read_parameters(golden / "params" / f"{name}.prm"))
        for field, ours in dataclasses.asdict(scheme.parameters).items():
            as_set = set if isinstance(ours, tuple) else lambda value: value
            assert as_set(ours) == as_set(theirs[field]), (name, field)
