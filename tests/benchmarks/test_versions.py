"""Two versions of Spindle are compared; here both are the same one."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

VERSIONS = Path(__file__).parents[2] / "benchmarks" / "versions.py"
DATA = files("spindle.models") / "data"
TRAIN, DEV = str(DATA / "demo-train.dbr"), str(DATA / "demo-dev.dbr")


def versions(task: str, *arguments: str, old: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(VERSIONS), task, old, sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def only_row(printed: str) -> dict[str, str]:
    """Return the row of a table by the names of the columns."""
    head, _, row = ([cell.strip() for cell in line.split("|")[1:-1]] for line in printed.splitlines())
    return dict(zip(head, row, strict=True))


def test_parsing_is_compared() -> None:
    done = versions("parse", DEV, "--model", "light", "--rounds", "2")
    assert done.returncode == 0, done.stderr
    row = only_row(done.stdout)
    assert (row["task"], row["rounds"], row["identical output"]) == ("parse demo-dev.dbr, light", "2", "yes")
    assert float(row["old, CPU s"]) > 0
    assert float(row["new, CPU s"]) > 0
    low, high = map(float, row["by round"].split(" … "))
    assert 0 < low <= high
    order = [line.split(":")[0] for line in done.stderr.splitlines()]
    assert order == ["round 1, old", "round 1, new", "round 2, old", "round 2, new"]


def test_training_is_compared() -> None:
    done = versions("train", TRAIN, "--dev", DEV, "--order", "basic", "--epochs", "1")
    assert done.returncode == 0, done.stderr
    row = only_row(done.stdout)
    assert (row["task"], row["rounds"]) == ("train demo-train.dbr, basic", "1")
    assert (row["identical model"], row["identical parses"]) == ("yes", "yes")


def test_a_failing_version_is_reported() -> None:
    done = versions("parse", DEV, "--model", "nowhere.model")
    assert done.returncode == 1
    assert "failed" in done.stderr
    assert "nowhere.model" in done.stderr
    assert "Traceback" not in done.stderr
    missing = versions("parse", DEV, old="nowhere/python")
    assert missing.returncode == 2
    assert "there is no file nowhere/python" in missing.stderr
