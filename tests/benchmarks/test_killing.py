"""A program that is ended by SIGKILL at random moments leaves nothing half done, and can be resumed."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "killing.py"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("work", ["convert", "parse", "train-linear", "index"])
def test_killed_and_resumed(work: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), work, "--moments", "3"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    name, kills, _, _, faults = done.stdout.splitlines()[-1].strip("| ").split(" | ")
    assert (name, kills, faults) == (work, "3", "0")
