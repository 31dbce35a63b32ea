"""Every benchmark can be imported and explains itself."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.name for path in BENCHMARKS.glob("*.py") if "__main__" in path.read_text("utf-8"))
"""All but the modules that several scripts share."""


@pytest.mark.parametrize("script", SCRIPTS)
def test_help(script: str) -> None:
    command = [sys.executable, str(BENCHMARKS / script), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"python benchmarks/{script}" in done.stdout
