"""The command backend and the known programs, run with a toy parser that can imitate failures."""

import gc
import re
import shlex
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spindle.errors import ModelError, ParserError
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.parsers import FitSettings, find_parser
from spindle.parsers.external.command import CommandOptions, CommandParser
from spindle.parsers.external.program import Program
from spindle.reduction import Mode
from spindle.trees import Token
from support.examples import words
from support.watching import EXAMPLES, SENTENCES, Diary, wait_until_gone

TOY = shlex.join([sys.executable, str(Path(__file__).parents[2] / "support" / "toy_program.py")])
TRAIN = TOY + " train {train} {model}"
PARSE = TOY + " parse {input} {output} {model}"


def settings(
    fault: str = "", train: str = TRAIN, parse: str = PARSE, one_shot: bool = True, **options: str
) -> FitSettings:
    commands = {"train_command": train, "parse_command": f"{parse} {fault}"}
    given = CommandOptions.read({**commands, **options}, "command")
    return FitSettings(mode=Mode.DISCONTINUOUS, one_shot=one_shot, options=given)


def trained(given: FitSettings) -> CommandParser:
    parser = CommandParser()
    CommandParser.check(given.options)
    parser.fit(EXAMPLES, EXAMPLES[:1], given, Diary())
    return parser


@pytest.mark.parametrize("format", ["conllx", "conllu"])
def test_it_learns_and_parses(format: str) -> None:
    diary = Diary()
    parser = CommandParser()
    parser.fit(EXAMPLES, [], settings(format=format), diary)
    assert diary.epochs == [1]
    assert "the toy parser learns" in diary.notes[0]
    first, second, empty = parser.parse([SENTENCES[0], words("a/D cat/N naps/V"), ()], threads=1)
    assert list(first.heads) == [1, 2, -1]
    assert second.labels == ["N|P#1", "S#1", "root"]
    assert list(empty.heads) == []
    assert parser.parse([], 1) == []


def test_hostile_words_do_no_harm() -> None:
    parser = trained(settings())
    hostile = ["", " ", "_", "#", "|", "a\tb", "x" * 10_000, "\u2028", "é", "1-2", "\ud800", "=5f="]
    sentence = [Token(word, word, word, word) for word in hostile]
    (found,) = parser.parse([sentence], threads=1)
    assert len(found.heads) == len(hostile)


def test_two_stage_parsing_gives_no_labels() -> None:
    (found,) = trained(settings(one_shot=False)).parse(SENTENCES[:1], threads=1)
    assert found.labels is None
    assert list(found.heads) == [1, 2, -1]


def test_output_may_be_written_to_standard_output() -> None:
    parser = trained(settings(parse=TOY + " parse {input} - {model}"))
    assert parser.parse(SENTENCES, threads=1) == trained(settings()).parse(SENTENCES, threads=1)


def test_the_files_of_the_program_are_stored_in_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = trained(settings())
    write_model(tmp_path / "m", ModelFile("test", {}, {"parser": parser.to_part()}))
    part = read_model(tmp_path / "m", "test").parts["parser"]
    assert set(part.arrays) == {"parser/known.json", "parser/empty"}
    assert CommandParser.from_part(part).parse(SENTENCES, 1) == parser.parse(SENTENCES, 1)
    # as in another process: loading a model of unknown origin must not run the command stored in it
    monkeypatch.setattr(Program, "_trusted", set())
    again = CommandParser.from_part(part)
    with pytest.raises(ParserError, match=r"does not run unasked.*export SPINDLE_PARSE_COMMAND=…"):
        again.parse(SENTENCES, threads=1)
    monkeypatch.setenv("SPINDLE_PARSE_COMMAND", PARSE)
    assert again.parse(SENTENCES, threads=1) == parser.parse(SENTENCES, threads=1)
    folder = again._model_folder()
    assert folder.is_dir()
    del again
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil"])
def test_a_model_cannot_write_outside_its_folder(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_PARSE_COMMAND", PARSE)
    part = trained(settings()).to_part()
    evil = CommandParser.from_part(ModelPart(part.settings, {name: part.arrays["parser/known.json"]}))
    with pytest.raises(ModelError, match="could overwrite other files"):
        evil.parse(SENTENCES, threads=1)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("crash", "command failed with exit code 1; its last output:\nout of cheese"),
        ("drop", r"command returned nothing for sentence 2 \(a dog barks loudly\)"),
        ("drop-last", r"command returned nothing for sentence 4 \(a hearing is scheduled on this\)"),
        ("more", "command returned 5 sentences for 4$"),
        ("reorder", r"sentence 2 \(a dog barks loudly\) in the place of sentence 1 \(the cat sleeps\)"),
        ("change", r"changed word 2 of sentence 2 \(a dog barks loudly\) from 'dog' to 'changed'"),
        ("split", r"returned 5 words for the 4 of sentence 2 \(a dog barks loudly\)"),
        ("garbage", "line 5 of the output of command is no row .*: 'What"),
        ("no-head", "line 5 of the output of command is no row with a head"),
        ("no-output", "command wrote no output file"),
    ],
)
def test_wrong_output_is_reported(fault: str, message: str) -> None:
    with pytest.raises(ParserError, match=message):
        trained(settings(fault)).parse(SENTENCES, threads=1)


def test_a_program_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_CHILD", str(tmp_path / "child"))
    with pytest.raises(ParserError, match=r"stopped after 1.5 seconds; give it a higher timeout"):
        trained(settings("hang", timeout="1.5")).parse(SENTENCES, threads=1)
    assert wait_until_gone(int((tmp_path / "child").read_text()))


def test_memory_can_be_limited() -> None:
    with pytest.raises(ParserError, match=r"(?s)with 1,000 MB of memory allowed.*MemoryError"):
        trained(settings("greedy", memory="1000")).parse(SENTENCES, threads=1)


def test_a_training_that_fails_says_why() -> None:
    diary = Diary()
    with pytest.raises(ParserError, match="out of cheese"):
        CommandParser().fit(EXAMPLES, [], settings(train=f"{TRAIN} crash"), diary)
    assert "out of cheese" in diary.notes[0]  # the log contains it, too
    with pytest.raises(ParserError, match="ended without writing a model"):
        trained(settings(train=f"{TRAIN} no-model"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs the option parse_command"),
        ({"parse_command": PARSE}, "needs the option train_command"),
        ({"parse_command": "no-such-program {input}", "train_command": TRAIN}, "there is no program"),
        ({"parse_command": f"{TOY} 'quoted", "train_command": TRAIN}, "No closing quotation"),
        ({"parse_command": TOY, "train_command": TRAIN}, r"parse_command must contain {input}"),
        ({"parse_command": PARSE, "train_command": TOY}, r"train_command must contain {train}"),
        ({"parse_command": PARSE, "train_command": TOY + " {train}"}, r"train_command must contain {model}"),
    ],
)
def test_commands_are_checked_early(options: Mapping[str, str], message: str) -> None:
    with pytest.raises(ParserError, match=message):
        CommandParser.check(CommandOptions.read(options, "command"))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("timeout", "soon", "choose a number above 0"),
        ("timeout", "nan", "choose a number above 0"),
        ("timeout", "0", "choose a number above 0"),
        ("memory", "-5", "choose a number above 0"),
        ("memory", "0", "choose a number above 0"),
        ("memory", "9" * 20, "and below 1,099,511,627,776"),
    ],
)
def test_limits_are_checked_early(name: str, value: str, expected: str) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(ParserError, match=f"{name} of command cannot be '{value}'; .*{expected}"):
        settings(**given)


def test_a_relative_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParserError, match=r"the absolute path of \./mine"):
        CommandParser.check(CommandOptions(parse_command="./mine {input}", train_command=TRAIN))


# ── the known programs ─────────────────────────────────────────────────────────────────────────────

MIMIC = """#!{python}
import re, sys
sys.path.insert(0, {folder!r})
from support import toy_program
line = " ".join(sys.argv)
def named(*patterns):
    return next(m[1] for p in patterns if (m := re.search(p, line)))
if re.search(r"-m learn| train |--train |/train ", line):
    toy_program.train(named(r"-i (\\S+)", r"file_train=(\\S+)", r"train-file:(\\S+)", r"-c (\\S+)"), {model})
else:
    toy_program.parse(
        named(r"-i (\\S+)", r"file_test=(\\S+)", r"test-file:(\\S+)", r"-c (\\S+)"),
        named(r"-o (\\S+)", r"file_prediction=(\\S+)", r"output-file:(\\S+)", r"-c \\S+ (\\S+)"),
        {model}, "")
print(line)
"""
MODELS = {
    "malt": 'named(r"-w (\\S+)") + "/parser"',
    "mst": 'named(r"model-name:(\\S+)")',
    "turbo": 'named(r"file_model=(\\S+)")',
    "zpar": 'named(r"train -c \\S+ (\\S+)", r"depparser -c \\S+ \\S+ (\\S+)")',
}


def mimic(path: Path, name: str) -> Path:
    """Write a program with the command line of another one that runs the toy parser; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = str(Path(__file__).parents[2])
    path.write_text(MIMIC.format(python=sys.executable, folder=folder, model=MODELS[name]))
    path.chmod(0o755)
    return path


def placed(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install the mimic of a program; return its location in the form that its option needs."""
    if name in ("malt", "mst"):
        mimic(folder / "bin" / "java", name)
        monkeypatch.setenv("JAVA_HOME", str(folder))
        with zipfile.ZipFile(folder / "a.jar", "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        return f"{folder}/a.jar:{folder}/a.jar" if name == "mst" else f"{folder}/a.jar"
    if name == "zpar":
        mimic(folder / "train", name)
        mimic(folder / "depparser", name)
        return str(folder)
    return str(mimic(folder / "TurboParser", name))


@pytest.mark.parametrize(
    ("name", "mode", "options", "said"),
    [
        ("malt", Mode.CONTINUOUS, {}, "-a stackproj -l liblinear\n"),
        ("malt", Mode.DISCONTINUOUS, {"memory": "300"}, "-Xmx300m .*-a stackproj -l liblinear -pp head"),
        ("malt", Mode.DISCONTINUOUS, {"algorithm": "stacklazy"}, "-a stacklazy -l liblinear\n"),
        ("malt", Mode.DISCONTINUOUS, {"pseudo_projective": "path"}, "-pp path"),
        ("mst", Mode.CONTINUOUS, {"order": "1"}, "decode-type:proj order:1"),
        ("mst", Mode.DISCONTINUOUS, {"epochs": "3"}, "decode-type:non-proj order:2 .*iters:3"),
        ("zpar", Mode.CONTINUOUS, {"epochs": "2"}, "/train -c .* 2\n"),
        ("turbo", Mode.CONTINUOUS, {}, "--model_type=standard --projective=true"),
        ("turbo", Mode.DISCONTINUOUS, {"order": "basic"}, "--projective=false .*--prune_basic=false"),
    ],
)
def test_every_program_gets_its_own_arguments(
    name: str,
    mode: Mode,
    options: Mapping[str, str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backend = find_parser(name)
    assert issubclass(backend, Program)
    monkeypatch.delenv(backend.variable(), raising=False)
    assert backend.version() is None
    with pytest.raises(ParserError, match=f"export {backend.variable()}="):
        backend.check(backend.Options())
    with pytest.raises(ParserError, match=f"{name}: there is no .*/nowhere"):
        backend.check(backend.Options.read({backend.location: str(tmp_path / "nowhere")}, name))
    if name in ("malt", "mst"):
        with pytest.raises(ParserError, match="is no jar"):
            backend.check(backend.Options.read({backend.location: __file__}, name))
    where = placed(name, tmp_path, monkeypatch)
    given = backend.Options.read({**options, backend.location: where}, name)
    backend.check(given)
    diary, parser = Diary(), backend()
    parser.fit(EXAMPLES, [], FitSettings(mode=mode, one_shot=True, options=given), diary)
    assert re.search(said, diary.notes[0] + "\n")
    monkeypatch.setattr(Program, "_trusted", set())  # as in another process
    again = backend.from_part(parser.to_part())
    with pytest.raises(ParserError, match="does not run unasked"):
        again.parse(SENTENCES, threads=1)
    monkeypatch.setenv(backend.variable(), where)
    assert backend.version() == ""
    assert again.parse(SENTENCES, threads=1) == parser.parse(SENTENCES, threads=1)


def test_a_binary_is_searched_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = mimic(tmp_path / "TurboParser", "turbo")
    monkeypatch.setenv("PATH", str(tmp_path))
    backend = find_parser("turbo")
    assert issubclass(backend, Program)
    options = backend.Options.read({"binary": "TurboParser"}, "turbo")
    backend.check(options)
    diary = Diary()
    backend().fit(EXAMPLES, [], FitSettings(one_shot=True, options=options), diary)
    assert diary.notes[0].startswith(f"$ {path} ")
