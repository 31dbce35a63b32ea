"""What the system refuses: a clear error, the right exit code, and no half file under the final name."""

import os
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

DEMO = files("spindle.models") / "data" / "demo-train.dbr"
SPINDLE = shlex.join([sys.executable, "-m", "spindle"])
OLD = "somebody's work\n"


def shell(
    limits: str, arguments: str, folder: Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run Spindle after a command of the shell that sets limits."""
    return subprocess.run(
        ["bash", "-c", f"{limits}; exec {SPINDLE} {arguments}"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def one_line(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the only line of a failure."""
    assert done.returncode == 1, done.stderr
    line, *more = done.stderr.splitlines()
    assert not more, done.stderr
    return line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a treebank that is larger than 100 blocks, and an old output."""
    (tmp_path / "trees.dbr").write_text(DEMO.read_text(encoding="utf-8") * 30)
    (tmp_path / "old.export").write_text(OLD)
    return tmp_path


@pytest.mark.parametrize("output", ["old.export", "new.export", "new.export.gz"])
def test_no_more_room(folder: Path, output: str) -> None:
    limits = "trap '' XFSZ; ulimit -f 8"  # in blocks of 1,024 bytes; a file that gets larger is refused
    line = one_line(shell(limits, f"convert trees.dbr {output}", folder))
    assert f"{output}: cannot be written: File too large" in line
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["old.export", "trees.dbr"]
    assert (folder / "old.export").read_text() == OLD


def test_a_mistake_in_the_middle_keeps_the_old_file(folder: Path) -> None:
    with open(folder / "trees.dbr", "a", encoding="utf-8") as file:
        file.write("(S (NP 0=a\n")
    assert "trees.dbr:" in one_line(shell("true", "convert trees.dbr old.export", folder))
    assert (folder / "old.export").read_text() == OLD


def test_an_output_keeps_its_link_and_its_rights(folder: Path) -> None:
    (folder / "old.export").chmod(0o640)
    (folder / "link.export").symlink_to("old.export")
    assert shell("true", "convert trees.dbr link.export", folder).returncode == 0
    assert (folder / "link.export").is_symlink()
    assert (folder / "old.export").stat().st_mode & 0o777 == 0o640
    assert (folder / "old.export").read_text().startswith("#FORMAT")


def test_no_more_files(folder: Path) -> None:
    done = shell("ulimit -n 4", "convert trees.dbr new.export", folder)
    assert done.returncode == 1
    assert not (folder / "new.export").exists()
    assert shell("ulimit -n 24", "convert trees.dbr new.export", folder).returncode == 0


def test_little_memory(folder: Path) -> None:
    (folder / "text").write_text("the wind " * 8_000)
    arguments = "parse text --input tokens --model light --max-length 100000 --threads 1 -o out.ptb"
    assert "not enough memory" in one_line(shell("ulimit -v 700000", arguments, folder))


def test_no_home_and_no_temporary_folder(folder: Path) -> None:
    done = shell(
        "unset HOME", "parse 'Trees grow .' --model light", folder, TMPDIR="/no/such/folder", LC_ALL="C"
    )
    assert done.returncode == 0, done.stderr
    assert "(NNS Trees)" in done.stdout


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs /proc, a folder nobody can write to")
def test_a_read_only_folder(folder: Path) -> None:
    line = one_line(shell("true", "convert trees.dbr /proc/new.export", folder))
    assert "/proc/new.export: cannot be written" in line
    line = one_line(shell("true", "train trees.dbr -o /proc/model --epochs 1", folder))
    assert "/proc/model" in line


def test_checkpoints_that_are_none(folder: Path) -> None:
    whole = DEMO.read_bytes()
    model = (files("spindle.models") / "data" / "light.model").read_bytes()
    for content in (b"", whole, model, model[:1000]):
        (folder / "m.checkpoint").write_bytes(content)
        done = shell("true", "train trees.dbr -o m --epochs 1 --threads 1 --resume", folder)
        assert done.returncode == 1
        assert "m.checkpoint: " in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
        assert not (folder / "m").exists()
        assert (folder / "m.checkpoint").read_bytes() == content
