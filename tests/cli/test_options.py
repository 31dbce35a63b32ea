"""Options that all verbs share: their names, their old spellings, and how much is printed."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import spindle as library
from cli.conftest import Spindle
from cli.test_errors import all_commands, on_terminal
from spindle.treebanks import ReadingReport

DATA = Path(library.__file__).parent / "models" / "data"
TREE = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n"
PARSE = ("parse", "The public is still cautious.", "--model", "light")


@pytest.mark.parametrize(("name", "command"), list(all_commands()))
def test_one_name_for_one_thing(name: str, command: click.Command) -> None:
    """`--output` is a file, `--to` a format, `--encoding` that of labels, in every verb."""
    options = {flag: option for option in command.params for flag in option.opts}
    assert ("-o" in options) == ("--output" in options)
    if "--output" in options:
        assert options["--output"] is options["-o"]
        assert isinstance(options["--output"].type, click.Path)
    if "--to" in options:
        assert isinstance(options["--to"].type, click.Choice)
    if "--encoding" in options:
        assert isinstance(options["--encoding"].type, click.Choice)
        assert list(options["--encoding"].type.choices) == ["direct", "delta", "hn"]
    assert {"--quiet", "--verbose"} <= set(options)


@pytest.mark.parametrize("spelling", [("--encoding", "latin-1"), ("--encoding=latin-1",)])
def test_the_old_name_of_the_text_encoding(spindle: Spindle, spelling: tuple[str, ...]) -> None:
    Path("l1.ptb").write_bytes("(S (NN Größe))\n".encode("latin-1"))
    notice = (
        "spindle: --encoding is now --text-encoding; the old spelling will be removed in the next version\n"
    )
    assert spindle("convert", "l1.ptb", "-", "--to", "bracket", *spelling) == (0, "(S (NN Größe))\n", notice)
    code, _, err = spindle("heads", "show", "l1.ptb", "--heads", "negra", *spelling)
    assert (code, err.count(notice)) == (0, 1)
    assert "Invalid value for '--encoding'" in spindle("encode", "l1.ptb", "-o", "x.conllu", *spelling).err


def test_the_old_name_of_the_output_format(spindle: Spindle) -> None:
    new = spindle(*PARSE, "--to", "json")
    assert new.err == ""
    for spelling in (("--output", "json"), ("--output=json",)):
        code, out, err = spindle(*PARSE, *spelling)
        assert (code, out) == (0, new.out)
        assert err == "spindle: --output is now --to; the old spelling will be removed in the next version\n"
    # the old way to name both
    code, out, err = spindle(*PARSE, "-o", "old.txt", "--output", "json")
    assert (code, out, Path("old.txt").read_text("utf-8")) == (0, "", new.out)
    # any other value is a file, and -o always is one
    assert (
        spindle(*PARSE, "--output", "new.json")
        == spindle(*PARSE, "-o", "json", "--to", "json")
        == (0, "", "")
    )
    assert Path("new.json").read_text("utf-8") == Path("json").read_text("utf-8") == new.out


def test_a_notice_is_printed_once(spindle: Spindle) -> None:
    Path("x.ptb").write_text(TREE, "utf-8")
    _, _, err = spindle("stats", "x.ptb", "--encoding", "utf-8", "--encoding", "utf-8", "--heads", "collins")
    assert err.count("is now") == 1
    _, _, err = spindle("stats", "--", "--encoding")
    assert "is now" not in err


def test_convert_takes_the_output_as_an_option(spindle: Spindle) -> None:
    Path("x.ptb").write_text(TREE, "utf-8")
    assert (
        spindle("convert", "x.ptb", "-o", "y.export")
        == spindle("convert", "x.ptb", "z.export")
        == (0, "", "")
    )
    assert Path("y.export").read_bytes() == Path("z.export").read_bytes()
    code, _, err = spindle("convert", "x.ptb", "z.export", "--output", "y.export")
    assert (code, "Name the file to write once" in err) == (2, True)


# ── verbosity ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("flag", ["--quiet", "-q"])
def test_quiet(spindle: Spindle, flag: str) -> None:
    Path("x.ptb").write_text(TREE + "(S ())\n", "utf-8")
    run = ("encode", "x.ptb", "-o", "-", "--on-error", "skip")
    loud = spindle(*run)
    assert "head rules: collins" in loud.err
    assert spindle(flag, *run) == spindle(*run, flag) == (0, loud.out, "")
    assert spindle("encode", "x.ptb", "-o", "-", flag).err == "spindle: x.ptb:2: () is empty\n"
    assert spindle("heads", "show", "x.ptb", "--on-error", "skip", flag).err == ""
    assert spindle(*run).err == loud.err  # the next command is as loud as ever


@pytest.mark.parametrize("flag", ["--verbose", "-v"])
def test_verbose(spindle: Spindle, flag: str) -> None:
    Path("x.ptb").write_text(TREE, "utf-8")
    run = ("convert", "x.ptb", "y.export")
    assert spindle(*run).err == ""
    assert spindle(flag, *run).err == spindle(*run, flag).err == "spindle: x.ptb: read as bracket\n"
    assert "light.model: loaded in " in spindle(*PARSE, flag).err


def test_quiet_shows_no_progress_bar(tmp_path: Path) -> None:
    (tmp_path / "x.ptb").write_text(TREE * 15_000, "utf-8")
    assert "sentences" in on_terminal(["convert", "x.ptb", "y.dbr"], tmp_path)
    assert on_terminal(["convert", "x.ptb", "y.dbr", "--quiet"], tmp_path) == ""


# ── logging in the library ───────────────────────────────────────────────────────────────────────────


def test_a_training_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "spindle"):
        library.train(DATA / "demo-train.dbr", order="basic", epochs=1, tags="predicted")
    assert {record.name for record in caplog.records} == {"spindle.training"}
    assert "training: labeler" in caplog.messages
    assert any(message.startswith("epoch 1, loss ") for message in caplog.messages)


def test_remarks_of_readers_are_logged_unless_somebody_listens(caplog: pytest.LogCaptureFixture) -> None:
    remark = library.TreebankError("() is empty", file="x.ptb", line=2)
    heard: list[str] = []
    ReadingReport(lambda kind, _: heard.append(kind)).add("skipped", remark)
    assert (heard, caplog.messages) == (["skipped"], [])
    ReadingReport().add("skipped", remark)
    assert caplog.messages == ["x.ptb:2: () is empty (skipped)"]


def test_the_library_is_silent_by_itself(tmp_path: Path) -> None:
    (tmp_path / "x.ptb").write_text(TREE + "(S ())\n", "utf-8")
    program = "import spindle; print(len(list(spindle.read_trees('x.ptb', on_error='skip'))))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
