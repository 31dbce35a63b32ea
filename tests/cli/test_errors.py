"""Usage errors, a full disk, a closed pipe and Ctrl-C never print a traceback."""

import ast
import copy
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.conftest import Spindle
from spindle import errors
from spindle.cli import VERBS as VERBS_OF_CLI
from spindle.cli import cli
from spindle.cli.common import FLAGS, error_message
from spindle.errors import Hint, ModelError, Setting, TreebankError

SPINDLE = Path(sys.executable).with_name("spindle")
TREE = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n"


def shell(command: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    """Return exit code, output and messages of a bash command line with `spindle` on its path."""
    path = f"{SPINDLE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def on_terminal(arguments: list[str], folder: Path, prints_there: bool = False, **environment: str) -> str:
    """Return what a command writes to a terminal of 80 columns: messages, and output if `prints_there`."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [SPINDLE, *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", **environment},
        stdin=subprocess.DEVNULL,
        stdout=follower if prints_there else subprocess.DEVNULL,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # on Linux: the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    process.wait(timeout=60)
    return seen.decode()


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    (tmp_path / "x.ptb").write_text(TREE * 3, "utf-8")
    return tmp_path


@pytest.fixture
def many(tmp_path: Path) -> Path:
    (tmp_path / "many.ptb").write_text(TREE * 200_000, "utf-8")
    return tmp_path


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("convrt x.ptb y.ptb", "There is no verb 'convrt'. Did you mean 'convert'?"),
        ("frobnicate", "There is no verb 'frobnicate'. `spindle --help` lists the verbs."),
        ("convert x.ptb", "Missing argument 'OUT'."),
        ("convert x.ptb y.ptb --bogus", "No such option '--bogus'"),
        ("convert x.ptb y.ptb --to alpino", "'alpino' is not one of"),
        ("convert x.ptb y.ptb --from penn", "'penn' is not one of"),
        ("convert x.ptb y.ptb --punct up", "'up' is not one of"),
        (
            "convert x.ptb y.ptb --strip functions,foo",
            "'foo' cannot be stripped; choose from traces, indices",
        ),
        ("convert x.ptb y.ptb --strip wrapper --wrapper TOP", "A wrapper can be stripped or set, not both."),
        ("convert x.ptb y.ptb --text-encoding lat1n", "there is no text encoding 'lat1n'."),
        ("convert x.ptb y.txt", "Cannot tell which format to write to y.txt; set --to."),
        ("convert x.ptb -", "Cannot tell which format to write to standard output; set --to."),
        ("convert x.ptb x.ptb", "x.ptb is the input; write to another file."),
        ("stats", "Missing argument 'IN'."),
        ("draw x.ptb --limit none", "'none' is not a valid integer"),
        ("completion tcsh", "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_usage(spindle: Spindle, trees: Path, arguments: str, said: str) -> None:
    code, out, err = spindle(*arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("Usage: spindle")
    assert said in err.splitlines()[-1]
    assert not Path("y.ptb").exists()


@pytest.mark.parametrize("verb", [("convert", "{}", "y.export"), ("stats", "{}"), ("draw", "{}")])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.ptb", None, "none.ptb: No such file or directory"),
        ("x.ptb/none", None, "x.ptb/none: Not a directory"),
        ("a" * 300, None, "File name too long"),
        ("folder", None, "folder: the folder has no files"),
        ("text.txt", b"nothing\n", "text.txt: cannot tell the format of this file; set --from (bracket,"),
        ("text.ptb", b"nothing here\n", 'text.ptb:1: "nothing" stands outside the brackets'),
        ("blob.ptb", b"\x7fELF\x02\x01\xfe\x00(", "blob.ptb:1: byte 0xfe is not utf-8; set --text-encoding,"),
        ("page.xml", b"<html><body>hi</body></html>", "page.xml: <html> contains no sentence <s>; is this"),
        ("cut.xml", b"<corpus><body><s id='a'><gra", "cut.xml:1 (sentence a): broken XML: unclosed token"),
        ("x.export", b"#BOS 7\na\t--\tNN\t--\t--\t500\n#EOS 7\n", "x.export:2 (sentence 7): a has the"),
        ("bomb.xml", b'<!DOCTYPE c [<!ENTITY a "b">]><corpus>&a;</corpus>', "declares the entity 'a'"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(
    spindle: Spindle, trees: Path, verb: tuple[str, ...], name: str, content: bytes | None, said: str
) -> None:
    Path("folder").mkdir()
    if content is not None:
        Path(name).write_bytes(content)
    code, out, err = spindle(*(argument.format(name) for argument in verb))
    assert (code, out) == (1, "")
    last = err.splitlines()[-1]
    assert last.startswith("spindle: ")
    assert said in last
    assert not Path("y.export").exists()


def all_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield the name of every command, including those of `spindle heads`, and the command."""
    for name in VERBS_OF_CLI:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", found) for inner, found in command.commands.items())
        else:
            yield name, command


def flags_of(command: click.Command) -> set[str]:
    return {flag for option in command.params if isinstance(option, click.Option) for flag in option.opts}


def test_every_setting_has_a_flag_that_exists() -> None:
    assert set(FLAGS) == set(Setting)
    known = {flag for _, command in all_commands() for flag in flags_of(command)}
    assert set(FLAGS.values()) <= known


@pytest.mark.parametrize(("name", "command"), list(all_commands()))
def test_a_verb_has_the_flags_that_hints_can_name(name: str, command: click.Command) -> None:
    """A verb that has a flag for the input format also has one for the text encoding."""
    flags = flags_of(command)
    assert ("--from" in flags) <= ("--text-encoding" in flags), name
    assert ("--strip" in flags) <= ("--on-error" in flags), name


def test_hints_name_settings_in_the_library_and_flags_on_the_command_line() -> None:
    hint = Hint("set {}, e.g. to latin-1", Setting.TEXT_ENCODING)
    error = TreebankError("bad byte", file="x.ptb", line=3, hint=hint)
    assert str(error) == "x.ptb:3: bad byte; set the text encoding, e.g. to latin-1"
    assert error_message(error) == "x.ptb:3: bad byte; set --text-encoding, e.g. to latin-1"
    assert error_message(ModelError("m: cut off", hint="copy it again")) == "m: cut off; copy it again"
    assert error_message(ModelError("m: cut off")) == str(ModelError("m: cut off")) == "m: cut off"
    duplicate = copy.deepcopy(error)
    assert (str(duplicate), duplicate.hint, duplicate.place) == (str(error), hint, error.place)


def test_the_library_names_no_flags() -> None:
    """Flags are named in `cli` only; the error messages of the library name settings and parameters."""
    package = Path(errors.__file__).parent
    # the flags of another program, an example in a docstring, and the variables of a style sheet
    names = ("parsers/external/binaries.py", "errors.py", "drawing/page.py")
    exceptions = {package / name for name in names}
    for path in set(package.rglob("*.py")) - exceptions:
        if path.relative_to(package).parts[0] != "cli":
            strings = [
                node.value
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
            flags = [text for text in strings if re.search(r"(?<![\w-])--[a-z]", text)]
            assert all("pip install" in text for text in flags), (path, flags)


def test_formats_of_the_other_kind(spindle: Spindle, trees: Path) -> None:
    code, _, err = spindle("convert", "x.ptb", "y.conllu")
    assert code == 1
    assert (
        "y.conllu: conllu contains dependencies, not trees; `spindle encode` turns trees into dependencies"
        in err
    )
    spindle("encode", "x.ptb", "-o", "x.conllu")
    code, _, err = spindle("convert", "x.conllu", "y.ptb")
    assert code == 1
    assert "y.ptb: bracket contains trees, not dependencies" in err
    code, _, err = spindle("convert", "x.conllu", "y.conllx", "--strip", "traces")
    assert code == 2
    assert "Dependencies cannot be transformed; decode them to trees first." in err


def test_standard_input_can_be_read_only_once(spindle: Spindle, trees: Path) -> None:
    code, _, err = spindle("heads", "induce", "-", "-", "-o", "rules.toml", stdin=TREE)
    assert code == 1
    assert err.endswith("standard input can be read only once; save it to a file first\n")


# ── help, version, completion ────────────────────────────────────────────────────────────────────

VERBS = (
    *("demo", "convert", "train", "parse", "info", "encode", "decode", "stats", "draw", "evaluate"),
    *("compare", "completion", "crossval", "backends", "distill"),
)


def test_help_and_version(spindle: Spindle) -> None:
    code, out, _ = spindle("--help")
    assert code == 0
    assert all(f"\n  {verb} " in out for verb in (*VERBS, "heads"))
    assert spindle("-h").out == out
    assert spindle("--version") == (0, "spindle 0.1.0\n", "")


@pytest.mark.parametrize("verb", [*VERBS, "heads", "heads list", "heads show", "heads induce"])
def test_every_verb_has_examples(spindle: Spindle, verb: str) -> None:
    code, out, _ = spindle(*verb.split(), "--help")
    assert code == 0
    assert re.search(rf"\n  Examples?:\n    (.* \| )?(eval \"\$\()?spindle {verb}", out)


@pytest.mark.parametrize("columns", ["40", "100"])
def test_help_fits_the_terminal(trees: Path, columns: str) -> None:
    _, out, _ = shell("spindle convert --help", trees, COLUMNS=columns)
    prose = out[: out.index("Examples:")]
    assert max(map(len, prose.splitlines())) <= int(columns) + 10  # the minimum width of click is 50


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("spindle con", ["plain,convert"]),
        ("spindle convert --to ti", ["plain,tigerxml"]),
        ("spindle convert --strip functions,tr", ["plain,functions,traces"]),
        ("spindle convert x", ["file,x"]),
        ("spindle heads in", ["plain,induce"]),
        ("spindle parse --model fa", ["file,fa", "plain,fast"]),
        ("spindle parse --model=en", ["file,en", "plain,english"]),
        ("spindle info eng", ["file,eng", "plain,english"]),
        ("spindle train --parser ne", ["plain,neural"]),
        ("spindle backends ud", ["plain,udpipe"]),
        ("spindle train --heads tr", ["file,tr", "plain,try"]),
        ("spindle encode --heads tiger-e", ["file,tiger-e", "plain,tiger-edges"]),
        ("spindle stats --heads tiger-e", ["file,tiger-e", "plain,tiger-edges"]),
        ("spindle heads show --heads tiger-e", ["file,tiger-e", "plain,tiger-edges"]),
        ("spindle parse --to dis", ["plain,discbracket"]),
        ("spindle decode --to ex", ["plain,export", "plain,export3"]),
    ],
)
def test_completion(
    spindle: Spindle, monkeypatch: pytest.MonkeyPatch, typed: str, offered: list[str]
) -> None:
    monkeypatch.setenv("_SPINDLE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert spindle().out.split() == offered


def test_completion_in_bash(tmp_path: Path) -> None:
    code, out, err = shell(
        'eval "$(spindle completion bash)"; COMP_WORDS=(spindle dra); COMP_CWORD=1; '
        "_spindle_completion spindle dra spindle; echo ${COMPREPLY[*]}; complete -p spindle",
        tmp_path,
    )
    assert (code, err) == (0, "")
    assert out.splitlines() == ["draw", "complete -o nosort -F _spindle_completion spindle"]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_scripts(spindle: Spindle, name: str) -> None:
    code, out, _ = spindle("completion", name)
    assert code == 0
    assert f"_SPINDLE_COMPLETE={name}_complete" in out


# ── streams that fail ────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("spindle convert x.ptb - --to export > /dev/full", "<stdout>: cannot be written: No space left"),
        ("spindle convert x.ptb full.export.gz", "full.export.gz: cannot be written: No space left"),
        ("spindle draw x.ptb > /dev/full", "standard output: No space left"),
        ("spindle stats x.ptb --heads collins > /dev/full", "standard output: No space left"),
        ("spindle --help > /dev/full", "standard output: No space left"),
    ],
)
def test_a_full_disk(trees: Path, command: str, said: str) -> None:
    (trees / "full.export.gz").symlink_to("/dev/full")
    assert shell(command, trees) == (1, "", f"spindle: {said} on device\n")


def test_closed_streams(trees: Path) -> None:
    for command in ("spindle draw x.ptb >&-", "spindle convert x.ptb y.ptb <&-", "spindle --help >&-"):
        assert shell(command, trees) == (0, "", "")
    assert shell("spindle convert x.ptb none.txt 2>&-", trees)[0] == 2
    code, _, err = shell("spindle draw - <&-", trees)
    assert (code, "<stdin>: the input is empty" in err) == (1, True)


@pytest.mark.parametrize("command", ["convert many.ptb - --to export", "draw many.ptb"])
def test_a_pipe_that_is_closed_early(many: Path, command: str) -> None:
    code, out, err = shell(f"spindle {command} | head -1; exit ${{PIPESTATUS[0]}}", many)
    assert (code, out.count("\n"), err) == (141, 1, "")


def test_pipes_of_the_shell(trees: Path) -> None:
    assert shell("spindle convert <(cat x.ptb | gzip) >(cat) --to bracket", trees) == (0, TREE * 3, "")
    assert shell("cat x.ptb | spindle convert /dev/stdin - --to bracket", trees) == (0, TREE * 3, "")


def test_an_interruption_keeps_the_finished_output(many: Path) -> None:
    out = many / "out.export"
    process = subprocess.Popen(
        [SPINDLE, "convert", "many.ptb", out], cwd=many, stderr=subprocess.PIPE, text=True
    )
    unfinished = many / ".out.export.unfinished"
    for _ in range(600):
        if unfinished.exists() and unfinished.stat().st_size > 100_000:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "spindle: interrupted; finished output has been written\n")
    assert out.read_text("utf-8").splitlines()[-1].startswith("#EOS")
    assert not unfinished.exists()


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_other_locales(tmp_path: Path, locale: dict[str, str]) -> None:
    (tmp_path / "ä.ptb").write_text("(S (NN Größe))\n", "utf-8")
    command = (
        "spindle draw ä.ptb > drawing && spindle stats ä.ptb --heads negra > table"
        " && spindle convert ä.ptb - --to bracket"
    )
    assert shell(command, tmp_path, **locale) == (0, "(S (NN Größe))\n", "")
    assert shell("spindle convert nö.ptb y.ptb 2>/dev/null", tmp_path, **locale) == (1, "", "")


# ── terminals ────────────────────────────────────────────────────────────────────────────────────


def test_the_progress_bar_on_a_terminal_is_erased_before_messages(tmp_path: Path) -> None:
    (tmp_path / "x.ptb").write_text(TREE * 5000 + "(S ())\n" + TREE * 10_000, "utf-8")
    seen = on_terminal(["convert", "x.ptb", "y.dbr", "--on-error", "skip"], tmp_path)
    assert re.search(r"[1-9][0-9,]* sentences .*━.* %", seen)
    assert "\x1b[2Kspindle: x.ptb:5001: () is empty\r\n" in seen
    assert seen.endswith("\x1b[2Kspindle: sentence skipped: 1\r\n")  # the bar is erased
    assert (tmp_path / "y.dbr").read_text("utf-8").count("\n") == 15_000


def test_no_progress_bar_in_a_pipe_or_in_the_output(trees: Path) -> None:
    assert shell("spindle convert x.ptb y.dbr", trees) == (0, "", "")
    seen = on_terminal(["convert", "x.ptb", "-", "--to", "bracket"], trees, prints_there=True)
    assert seen.replace("\r", "") == TREE * 3


def test_colours_can_be_turned_off(trees: Path) -> None:
    assert "\x1b[" in on_terminal(["draw", "x.ptb"], trees, prints_there=True)
    for refused in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b[" not in on_terminal(["draw", "x.ptb"], trees, prints_there=True, **refused)
