"""The paper's Table 1 on a treebank of a few sentences."""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

TABLE1 = Path(__file__).parents[2] / "benchmarks" / "table1.py"
DATA = files("spindle.models") / "data"


def table1(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    treebank = (str(DATA / "demo-train.dbr"), "--dev", str(DATA / "demo-dev.dbr"), "--output", str(folder))
    command = [sys.executable, str(TABLE1), *treebank, "--set", "linear.epochs=2", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_rows_are_measured_stored_and_plotted(tmp_path: Path) -> None:
    done = table1(tmp_path, "--only", "linear", "--tags", "gold")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| linear")]
    assert [row.split("|")[1].strip() for row in rows] == [
        "linear basic + labeler",
        "linear standard + labeler",
        *["linear full + labeler"] * 3,
    ]
    assert "disc. F1" in done.stdout
    assert "`discodop|prm:proper" in done.stdout
    records = [json.loads(line) for line in (tmp_path / "table1-demo-train.jsonl").read_text().splitlines()]
    assert all(record["f1"] > 50 and record["las"] > 50 and record["speed"] > 0 for record in records)
    assert (tmp_path / "table1-demo-train.md").read_text() == done.stdout
    picture = (tmp_path / "table1-demo-train.svg").read_text()
    assert picture.count("<circle") == 5
    # finished rows are not repeated, and an option that a parser lacks is reported in its row
    again = table1(tmp_path, "--only", "udpipe", "--set", "udpipe.no=1", "--tags", "gold")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("| linear") == 5
    if "| udpipe |" in again.stdout:  # only if UDPipe is installed
        assert "no does not apply to udpipe" in again.stdout
