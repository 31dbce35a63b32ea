"""Distillation of one network into another through the whole pipeline."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")

import spindle
from spindle.cli import main
from spindle.errors import ParserError, SpindleError
from spindle.heads import format_rules, load_rules
from spindle.models import read_model
from spindle.parsers.neural import NeuralParser
from spindle.pipeline import Parser, load
from spindle.training.distillation import DistillOptions, RawText
from spindle.training.listener import NullListener
from spindle.trees import Token, Tree
from support.demo_treebank import DATA, demo_trees

TRAIN, DEV = demo_trees("train"), demo_trees("dev")
SMALL = {"hidden": "40", "batch": "100", "dropout": "0.1"}
TEXT = [[token.form for token in tree.tokens] for tree in TRAIN]


@pytest.fixture(scope="module")
def teacher() -> Parser:
    """A parser that has memorised the demonstration treebank."""
    return spindle.train(TRAIN * 8, parser="neural", epochs=4, threads=1, parser_options=SMALL)


@pytest.fixture(scope="module")
def path(teacher: Parser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("teacher") / "teacher"
    teacher.save(path)
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    return int(ended.value.code or 0), capsys.readouterr().err


def parse_all(parser: Parser) -> list[Tree]:
    trees = [tree for tree in parser.parse_many(TEXT) if tree is not None]
    assert len(trees) == len(TEXT)
    return trees


def test_a_student_learns_from_raw_text_alone(teacher: Parser) -> None:
    student = spindle.distill(teacher, TEXT * 8, encoder="cnn", epochs=6, threads=1, parser_options=SMALL)
    assert isinstance(student.backend, NeuralParser)
    assert isinstance(teacher.backend, NeuralParser)
    assert student.backend.classes == teacher.backend.classes
    assert (student.settings.conventions, student.settings.tokenization) == (
        teacher.settings.conventions,
        teacher.settings.tokenization,
    )
    assert student.card.label_sets == teacher.card.label_sets
    agreed = spindle.evaluate(parse_all(teacher), parse_all(student), "discodop")
    assert agreed.f1 is not None
    assert agreed.f1 > 70
    assert agreed.tags is not None
    assert agreed.tags > 80
    # the training used no trees
    assert student.card.training.sentences == 0
    assert student.card.text.sentences == 8 * len(TEXT)


def test_the_head_rules_of_a_teacher_do_not_need_their_file(tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text(format_rules(load_rules("collins")))
    options: dict[str, Any] = {"epochs": 1, "threads": 1, "parser_options": SMALL}
    spindle.train(TRAIN, output=tmp_path / "teacher", parser="neural", heads=rules, **options)
    rules.unlink()
    student = spindle.distill(tmp_path / "teacher", TEXT, TRAIN, encoder="cnn", **options)
    assert student.settings.head_rules.name == "mine.toml"
    assert student.settings.head_rules.steps == load_rules("collins").steps


def test_the_whole_command(
    path: Path, teacher: Parser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, raw, student = tmp_path / "words.txt", tmp_path / "raw.txt", tmp_path / "student"
    words.write_text("".join(f"{' '.join(forms)}\n" for forms in TEXT) + "\n" + "word " * 40)
    raw.write_text("Trees grow. Nobody knows why.\n")
    gold = DATA / "demo-train.dbr"
    command = ["distill", path, "--text", words, words, "--input", "tokens", "--max-length", 30]
    command += ["--train", gold, f"{gold}:0.5", "--dev", DATA / "demo-dev.dbr", "-o", student]
    command += ["--encoder", "cnn", "--epochs", 2, "--threads", 1, "--parser-option", "hidden=16"]
    code, said = run(capsys, *command)
    assert code == 0, said
    assert "2 sentences without words were left out of the text" in said
    assert "2 sentences longer than 30 words were left out of the text" in said
    assert f"the teacher parsed {3 * len(TRAIN)} sentences" in said
    assert "epoch 2, loss" in said
    assert f"{student}: dev F1" in said
    assert not Path(f"{student}.checkpoint").exists()
    card = load(student).card
    assert card.training.sentences == 2 * len(TRAIN)
    assert card.text.files == (f"{tmp_path.name}/words.txt",) * 2
    assert card.teacher["name"] == f"{path.parent.name}/teacher"
    assert (card.teacher["encoder"], card.teacher["gold_share"]) == ("bilstm", 0.5)
    assert card.options["encoder"] == "cnn"
    assert load(student).parse("Trees grow.").tokens
    with pytest.raises(SystemExit):
        main(["info", str(student)])
    shown = capsys.readouterr().out
    assert "distilled from" in shown
    assert "distilled on" in shown
    with pytest.raises(SystemExit):
        main(["info", str(student), "--json"])
    assert json.loads(capsys.readouterr().out)["text"]["sentences"] == 2 * len(TEXT)
    # a finished training is not repeated
    assert "is finished already" in run(capsys, *command, "--resume")[1]
    # raw text is split as in `spindle parse`, and --sentences limits its size
    rest = ["-o", tmp_path / "other", "--epochs", 1, "--threads", 1, "--parser-option", "hidden=16"]
    assert run(capsys, "distill", path, "--text", raw, "--sentences", 1, *rest)[0] == 0
    text = load(tmp_path / "other").card.text
    assert (text.sentences, text.tokens) == (1, 3)


def test_a_resumed_distillation_keeps_the_soft_targets(
    teacher: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, again = tmp_path / "student", tmp_path / "again"
    options: dict[str, Any] = {"epochs": 2, "threads": 1, "encoder": "cnn", "parser_options": SMALL}

    class Interrupting(NullListener):
        def epoch(self, record: dict[str, object]) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spindle.distill(teacher, TEXT, TRAIN, DEV, output, listener=Interrupting(), **options)
    assert "targets" in read_model(Path(f"{output}.checkpoint"), "checkpoint").parts
    mute = NeuralParser.from_part(teacher.backend.to_part())
    monkeypatch.setattr(mute, "soft_targets", None)
    silenced = replace(teacher, backend=mute)
    resumed = spindle.distill(silenced, TEXT, TRAIN, DEV, output, resume=True, **options)
    whole = spindle.distill(teacher, TEXT, TRAIN, DEV, again, **options)
    for name, array in whole.backend.to_part().arrays.items():
        assert np.array_equal(array, resumed.backend.to_part().arrays[name]), name


def test_gold_trees_with_unknown_classes_are_left_out(teacher: Parser) -> None:
    notes: list[str] = []

    class Recorder(NullListener):
        def say(self, text: str) -> None:
            notes.append(text)

    one = TRAIN[0]
    odd = one.replace(tokens=(Token(one.tokens[0].form, "ODD"), *one.tokens[1:]))
    spindle.distill(
        teacher, [], [odd, *TRAIN[:3]], epochs=1, threads=1, parser_options=SMALL, listener=Recorder()
    )
    assert any("1 trees were left out" in note for note in notes)


def test_wrong_teachers_texts_and_weights_are_refused(
    teacher: Parser, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    linear = tmp_path / "linear"
    spindle.train(TRAIN[:5], output=linear, order="basic", epochs=1, tags="gold", threads=1)
    code, said = run(capsys, "distill", linear, "--text", "-", "-o", tmp_path / "m")
    assert code == 1, said
    assert "a teacher is a neural parser, but this one is linear; train one with --parser neural" in said
    code, said = run(capsys, "distill", linear, "--text", "nowhere", "-o", tmp_path / "m")
    assert (code, "There is no file nowhere." in said) == (2, True)
    with pytest.raises(ParserError, match="there is no training data"):
        spindle.distill(teacher, [], threads=1)
    with pytest.raises(SpindleError, match="gold_share cannot be 2"):
        DistillOptions(gold_share=2)
    with pytest.raises(SpindleError, match="text_weight cannot be 0"):
        DistillOptions(text_weight=0)


def test_raw_text_is_filtered_and_limited() -> None:
    words = RawText.collect(
        ["a b", [], ["a", "b"], ["c"] * 5, "d", "e"], splitter=spindle.text.TextSplitter(), limit=3, longest=4
    )
    assert words.sentences == (("a", "b"), ("a", "b"), ("d",))
    assert words.left_out == {"without words": 1, "longer than 4 words": 1}
