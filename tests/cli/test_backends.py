"""`spindle backends`, and what `spindle train` says of parsers that are not there."""

import os
import shlex
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

DATA = files("spindle.models") / "data"
SPINDLE = [sys.executable, "-m", "spindle"]
TOY = shlex.join([sys.executable, str(Path(__file__).parents[1] / "parsers" / "toy_program.py")])


def spindle(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SPINDLE, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120", **environment},
    )


def test_backends_are_listed() -> None:
    listed = spindle("backends", SPINDLE_MALT_JAR="", SPINDLE_ZPAR_FOLDER="").stdout
    rows = {line.split()[0]: line for line in listed.splitlines() if line}
    assert "here" in rows["linear"]
    assert "SPINDLE_ZPAR_FOLDER" in listed
    assert "malt     Java and MaltParser" in listed.partition("To get the others")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--parser", "nobody"], "there is no parser 'nobody'; there are linear, neural"),
        (["--parser", "malt"], "--parser-option jar=… or export SPINDLE_MALT_JAR=…"),
        (["--parser", "malt", "--parser-option", "jra=x"], "jra does not apply to malt, which has jar"),
        (["--parser", "malt", "--parser-option", "algorithm=x"], "algorithm of malt cannot be 'x'"),
        (["--parser", "zpar", "--mode", "discontinuous"], "zpar cannot give crossing arcs"),
        (["--parser", "command"], "--parse-command"),
        (["--train-command", "x {train}"], "train_command does not apply to linear"),
    ],
)
def test_training_refuses_early(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = spindle("train", "no-such-file", "-o", str(tmp_path / "m"), *arguments, SPINDLE_MALT_JAR="")
    assert message in done.stderr
    assert done.returncode == 1


def test_a_command_is_trained_and_used(tmp_path: Path) -> None:
    parse = TOY + " parse {input} {output} {model}"
    model = str(tmp_path / "m")
    done = spindle(
        *("train", str(DATA / "demo-train.dbr"), "--dev", str(DATA / "demo-dev.dbr"), "-o", model),
        *("--parser", "command", "--parser-option", "format=conllu", "--tags", "gold", "--threads", "1"),
        *("--train-command", TOY + " train {train} {model}", "--parse-command", parse),
    )
    assert "dev F1" in done.stderr, done.stderr
    assert "the toy parser learns" in (tmp_path / "m.log.jsonl").read_text()
    asked = ("parse", str(DATA / "demo-dev.dbr"), "--input", "trees", "--tags", "gold", "--model", model)
    refused = spindle(*asked)
    assert "SPINDLE_PARSE_COMMAND" in refused.stderr
    answered = spindle(*asked, SPINDLE_PARSE_COMMAND=parse)
    assert answered.returncode == 0, answered.stderr
    assert answered.stdout.count("\n") >= 10
