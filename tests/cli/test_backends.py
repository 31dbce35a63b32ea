"""`spindle backends`, and the errors of `spindle train` for backends that are missing or fail."""

import os
import shlex
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest

from support.watching import wait_until_gone

DATA = files("spindle.models") / "data"
SPINDLE = [sys.executable, "-m", "spindle"]
TOY = shlex.join([sys.executable, str(Path(__file__).parents[1] / "support" / "toy_program.py")])


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
    assert rows["linear"].split()[1] == "installed"
    assert "SPINDLE_ZPAR_FOLDER" in listed
    missing = listed.partition("To get the others")[2]
    assert "malt     Java and MaltParser 1.9 (maltparser.org): export SPINDLE_MALT_JAR=" in missing
    assert version("ufal.udpipe") in rows["udpipe"]
    assert version("spacy") in rows["spacy"]


def test_the_options_of_a_backend_are_listed() -> None:
    told = spindle("backends", "mst").stdout.splitlines()
    assert told[0] == "MSTParser: graph-based, of first or second order."
    assert "  jar=…  (its jar, or its class path)" in told
    assert "  decode_type=auto  or proj, non-proj  (whether arcs may cross)" in told
    assert "there is no parser 'nobody'" in spindle("backends", "nobody").stderr


def test_a_wrong_file_is_not_listed_as_installed() -> None:
    rows = spindle("backends", SPINDLE_MALT_JAR=__file__, SPINDLE_TURBO_BINARY=__file__).stdout.splitlines()
    assert all("not installed" in row for row in rows if row.startswith(("malt  ", "turbo  ")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--parser", "nobody"], "there is no parser 'nobody'; choose from linear, neural"),
        (["--parser", "malt"], "give its path as the option jar or export SPINDLE_MALT_JAR=…"),
        (
            ["--parser", "malt", "--parser-option", "jra=x"],
            "jra does not apply to malt, which has timeout, memory, output, jar",
        ),
        (["--parser", "malt", "--parser-option", "algorithm=x"], "algorithm of malt cannot be 'x'"),
        (["--parser", "malt", "--parser-option", f"jar={__file__}"], "test_backends.py is no jar"),
        (["--parser", "udpipe", "--parser-option", "epochs=0"], "epochs of udpipe cannot be '0'"),
        (["--parser", "udpipe", "--parser-option", "l2=1;epochs=9"], "l2 of udpipe cannot be '1;epochs=9'"),
        (
            ["--parser", "udpipe", "--parser-option", "timeout=0"],
            "timeout of udpipe cannot be '0'; choose a number above 0",
        ),
        (["--parser", "spacy", "--parser-option", "dropout=x"], "dropout of spacy cannot be 'x'"),
        (
            ["--parser", "spacy", "--parser-option", "dropout=7"],
            "dropout of spacy cannot be '7'; choose a number of at least 0 and below 1",
        ),
        (
            ["--parser", "neural", "--parser-option", "dropout=1"],
            "dropout of neural cannot be '1'; choose a number of at least 0 and below 1, or auto",
        ),
        (["--parser", "zpar", "--mode", "discontinuous"], "zpar cannot give crossing arcs"),
        (["--parser", "command"], "command needs the option parse_command"),
        (["--train-command", "x {train}"], "train_command does not apply to linear"),
    ],
)
def test_training_checks_options_before_it_reads_files(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = spindle("train", "no-such-file", "-o", str(tmp_path / "m"), *arguments, SPINDLE_MALT_JAR="")
    assert message in done.stderr
    assert done.returncode == 1


def test_an_external_command_is_trained_and_parses(tmp_path: Path) -> None:
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


FAULTS = {
    "crash": "command failed with exit code 1; its last output:\nout of cheese",
    "hang": "command was stopped after 8 seconds",
    "drop": "command returned nothing for sentence 2 (",
    "reorder": "in the place of sentence 1 (",
    "change": "command changed word 2 of sentence 2 (",
    "split": "it must not split or join words",
}


def faulty(fault: str, model: Path, *options: str) -> list[str]:
    parse = f"{TOY} parse {{input}} {{output}} {{model}} {fault}"
    return [
        *("train", str(DATA / "demo-train.dbr"), "--dev", str(DATA / "demo-dev.dbr"), "-o", str(model)),
        *("--parser", "command", "--tags", "gold", "--threads", "1", *options),
        *("--train-command", TOY + " train {train} {model}", "--parse-command", parse),
    ]


@pytest.mark.parametrize("fault", FAULTS)
def test_failures_of_a_command_are_reported(tmp_path: Path, fault: str) -> None:
    limit = ("--parser-option", "timeout=8") if fault == "hang" else ()
    child = tmp_path / "child"
    done = spindle(*faulty(fault, tmp_path / "m", *limit), TOY_CHILD=str(child))
    assert done.returncode == 1
    assert FAULTS[fault] in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "m").exists()
    if fault == "crash":
        assert "out of cheese" in (tmp_path / "m.log.jsonl").read_text()
    if fault == "hang":
        assert wait_until_gone(int(child.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_also_ends_the_command_and_its_children(tmp_path: Path, number: signal.Signals) -> None:
    child, folder = tmp_path / "child", tmp_path / "temporary"
    folder.mkdir()
    environment = {**os.environ, "TOY_CHILD": str(child), "TMPDIR": str(folder)}
    command = [*SPINDLE, *faulty("hang", tmp_path / "m")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        while not (child.exists() and child.read_text()):
            time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert ("interrupted" in said) == (number is signal.SIGINT)
    assert wait_until_gone(int(child.read_text()))
    assert not list(folder.iterdir())
