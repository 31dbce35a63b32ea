"""A fixture that runs the command in an empty folder."""

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
