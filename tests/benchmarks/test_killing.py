"""A program that is ended by SIGKILL at random moments leaves nothing half done, and can be resumed."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("work", ["convert", "parse", "train-linear"])
def test_killed_and_resumed(work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    killing: Any = import_module("killing")
    killing.prepare(tmp_path, [work])
    runner = killing.Runner(work, tmp_path, tmp_path)
    found = runner.run(3, Random(1))
    assert found.kills == 3
    assert found.faults == []
