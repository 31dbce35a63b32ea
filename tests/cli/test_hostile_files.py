"""Files that could control the terminal, be destroyed, or be continued by another command."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.hostile_models import rewritten

SPINDLE = [sys.executable, "-m", "spindle"]


def spindle(*arguments: object, stdin: Any = subprocess.DEVNULL) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*SPINDLE, *map(str, arguments)], stdin=stdin, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a bundled model."""
    from spindle.models.bundled import find_model

    path = tmp_path_factory.mktemp("light") / "light.model"
    path.write_bytes(find_model("light").read_bytes())
    return path


def test_a_card_cannot_control_the_terminal(fast: Path) -> None:
    def change(_: Any, manifest: dict[str, Any]) -> None:
        manifest["card"]["licence"] = "free\x1b]0;owned\x07\x9b31m\u202e"

    path = rewritten(fast, change)
    for arguments in ((path,), (path, "--json")):
        shown = spindle("info", *arguments).stdout
        assert "owned" in shown
        assert shown.replace("\n", "").isprintable()


def test_verify(fast: Path, tmp_path: Path) -> None:
    assert "as Spindle writes them" in spindle("info", "--verify", fast).stdout
    (tmp_path / "cut").write_bytes(fast.read_bytes()[:-1])
    done = spindle("info", "--verify", tmp_path / "cut")
    assert done.returncode == 1
    assert "cut off" in done.stderr


def test_standard_input_is_not_emptied(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("Trees grow .\n")
    with open(file, encoding="utf-8") as stdin:
        done = spindle("parse", "-", "-o", file, "--model", "light", stdin=stdin)
    assert done.returncode == 2
    assert "is the input" in done.stderr
    assert file.read_text() == "Trees grow .\n"


def test_resume_continues_only_what_the_same_command_made(tmp_path: Path) -> None:
    text, output = tmp_path / "text", tmp_path / "out.ptb"
    text.write_text("Trees grow .\n" * 3)
    output.write_text("somebody's work\n")
    arguments = ("parse", text, "-o", output, "--model", "light", "--resume")
    done = spindle(*arguments)
    assert done.returncode == 1
    assert "nothing says" in done.stderr
    assert output.read_text() == "somebody's work\n"
    output.unlink()
    assert spindle(*arguments).returncode == 0
    whole = output.read_text()
    for more, said in (
        (("--max-length", "9"), "--max-length 400, and now it is 9"),
        (("--to", "export"), "to bracket, and now it is export"),
        (("--k-best", "2"), "--k-best 1, and now it is 2"),
        (("--model", "english"), "another model"),
    ):
        done = spindle(*arguments, *more)
        assert done.returncode == 1, more
        assert said in done.stderr
        assert output.read_text() == whole
    text.write_text("Trees grow .\n" * 4)  # an input that has grown is continued
    assert spindle(*arguments).returncode == 0
    assert output.read_text().count("\n") == 4


def test_two_processes_with_one_output(tmp_path: Path) -> None:
    output = tmp_path / "out.ptb"
    first = subprocess.Popen(
        [*SPINDLE, "parse", "-", "-o", str(output), "--model", "light"], stdin=subprocess.PIPE, text=True
    )
    assert first.stdin is not None
    first.stdin.write("Trees grow .\n")
    first.stdin.flush()
    while not output.exists() or not output.stat().st_size:
        assert first.poll() is None
    done = spindle("parse", "It rains .", "-o", output, "--model", "light")
    first.stdin.close()
    assert first.wait(60) == 0
    assert done.returncode == 1
    assert "another process is writing it" in done.stderr
    assert "Trees" in output.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["out.ptb"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("parse", "a b", "--k-best", "600000000"),
        ("parse", "a b", "--threads", "99999999999"),
        ("train", "x", "-o", "y", "--threads", "99999999999"),
    ],
)
def test_huge_numbers(arguments: tuple[str, ...]) -> None:
    done = spindle(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "is not in the range" in done.stderr


def test_a_compressed_line_that_is_too_long(tmp_path: Path) -> None:
    import zstandard

    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    bomb = b"".join(compressor.compress(b"(" * 1_000_000) for _ in range(120)) + compressor.flush()
    assert len(bomb) < 50_000
    (tmp_path / "bomb.zst").write_bytes(bomb)
    done = spindle("stats", "--from", "bracket", tmp_path / "bomb.zst")
    assert done.returncode == 1
    assert "has more than 100,000,000 bytes" in done.stderr
    assert "Traceback" not in done.stderr
