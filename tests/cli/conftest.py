"""Fixtures that run the command in an empty folder, and put a small treebank there."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from spindle.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Spindle = Callable[..., Outcome]

TREES = """\
(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
(S (NP (NN 0=er)) (VP (VVFIN 1=kam)))
(S (NP (ART 0=der) (NN 1=Mann)) (VVFIN 2=kam))
"""


@pytest.fixture
def spindle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Spindle:
    """Return a function that runs `spindle ARGS` in an empty folder, with the given standard input."""
    monkeypatch.chdir(tmp_path)

    def run(*args: object, stdin: str | bytes = b"") -> Outcome:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def trees(tmp_path: Path) -> str:
    """Return the name of a file with three trees, one of them discontinuous."""
    (tmp_path / "some.dbr").write_text(TREES)
    return "some.dbr"
