"""A training that was ended by SIGKILL, without any cleanup, can be resumed."""

import signal
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SCRIPT = """
import os, signal, sys
from pathlib import Path
import pytest
from support import stand_ins
from spindle.models import model_file
from spindle.training import train
from spindle.treebanks import read_trees

folder, name, die_at = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
stand_ins.plug_in(pytest.MonkeyPatch())
writes = 0
write_bytes = model_file._bytes

def killed(array):
    global writes
    writes += 1
    if writes == die_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return write_bytes(array)

model_file._bytes = killed
data = Path(model_file.__file__).parent / "data"
trees, dev = (tuple(read_trees(data / f"demo-{part}.dbr")) for part in ("train", "dev"))
train(trees, dev, folder / name, parser="slow", resume=True)
print(writes)
"""


def run(folder: Path, name: str, die_at: int = 0) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", SCRIPT, str(folder), name, str(die_at)]
    environment = {"PYTHONPATH": str(TESTS), "PATH": "", "PYTHONUTF8": "1"}
    return subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=60)


def test_a_killed_training_resumes_to_the_same_model(tmp_path: Path) -> None:
    whole = run(tmp_path, "whole")
    assert whole.returncode == 0, whole.stderr
    writes = int(whole.stdout)
    assert writes > 20
    for die_at in (1, writes // 3):  # during the writing of a checkpoint array
        assert run(tmp_path, "part", die_at).returncode == -signal.SIGKILL
        assert not (tmp_path / "part").exists()
    assert run(tmp_path, "part").returncode == 0
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()
    left = sorted(path.name for path in tmp_path.iterdir() if "whole" not in path.name)
    assert left == ["part", "part.curve.svg", "part.log.jsonl"]
