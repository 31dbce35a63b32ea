"""The model stores its head rules, so that their file is not needed again."""

from pathlib import Path

import pytest

from spindle.cli.common import choose_heads
from spindle.errors import ModelError
from spindle.heads import SAMPLE_TREES, format_rules, guess_rules, load_rules
from spindle.pipeline import load
from spindle.reduction import decode, read_rows
from spindle.training import train
from spindle.treebanks import parse_tree, read_dependencies, read_trees
from spindle.trees import Tree

Trees = tuple[Tree, ...]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "mine.toml"
    path.parent.mkdir()
    path.write_text(format_rules(load_rules("collins")))
    return path


def test_a_model_does_not_need_the_rule_file(tmp_path: Path, rules: Path, demo_train: Trees) -> None:
    train(demo_train, output=tmp_path / "m", parser="oracle", heads=rules)
    rules.unlink()
    parser = load(tmp_path / "m")
    assert parser.settings.head_rules.name == "mine.toml"
    assert parser.settings.head_rules.steps == load_rules("collins").steps
    assert str(tmp_path) not in str(parser.card)
    # another training can take the rules from this model
    again = train(demo_train, parser="oracle", heads=parser.settings.head_rules)
    assert again.settings.head_rules == parser.settings.head_rules


def test_parsing_to_conllu_does_not_need_the_rule_file(
    tmp_path: Path, rules: Path, demo_train: Trees, capsys: pytest.CaptureFixture[str]
) -> None:
    from importlib.resources import files

    from spindle.cli import main

    train(demo_train, output=tmp_path / "m", parser="oracle", heads=rules)
    rules.unlink()
    source = str(files("spindle.models") / "data" / "demo-train.dbr")
    output = tmp_path / "out.conllu"
    with pytest.raises(SystemExit) as ended:
        main(["parse", source, "--model", str(tmp_path / "m"), "-o", str(output)])
    assert ended.value.code == 0, capsys.readouterr().err
    rows = read_dependencies(output)
    assert [decode(reduced).replace(id="") for reduced, _ in read_rows(rows)] == list(read_trees(source))


def test_a_training_is_not_resumed_if_the_rule_file_has_changed(
    tmp_path: Path, rules: Path, demo_train: Trees, monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.stand_ins import Interrupted, SlowLearner

    monkeypatch.setattr(SlowLearner, "interrupt_after", 1)
    with pytest.raises(Interrupted):
        train(demo_train, output=tmp_path / "m", parser=SlowLearner, heads=rules)
    monkeypatch.setattr(SlowLearner, "interrupt_after", 0)
    rules.write_text(format_rules(load_rules("leftmost")))
    with pytest.raises(ModelError, match="other options or other trees"):
        train(demo_train, output=tmp_path / "m", parser=SlowLearner, heads=rules, resume=True)


def test_head_rules_are_guessed_from_the_first_treebank(demo_train: Trees) -> None:
    from spindle.training import SourceWeight, Treebank

    odd = tuple(one.replace(labels=tuple("X" for _ in one.labels)) for one in demo_train)
    both = Treebank((*demo_train, *odd), sources=(SourceWeight(len(demo_train)), SourceWeight(len(odd))))
    assert train(both, parser="oracle").settings.head_rules.name == "collins"


@pytest.mark.parametrize(("first", "expected"), [(200, "leftmost-word"), (SAMPLE_TREES, "collins")])
def test_encode_and_train_guess_from_the_same_sample(first: int, expected: str) -> None:
    """A treebank that changes its style: a sample of another size would give another table."""
    english = parse_tree("(S (NP (DT The) (NN cat)) (VP (VBZ sleeps) (NP (DT the) (NN day))))")
    french = parse_tree("(SENT (NP (DET Le) (NC chat)) (VN (V dort)) (NP (DET le) (NC jour)))")
    trees = [english] * first + [french] * (2 * SAMPLE_TREES - first)
    assert guess_rules(trees[:first]).name == "collins"
    _, of_encode, kept = choose_heads(iter(trees), None)
    assert list(kept) == trees
    assert of_encode == expected
    assert train(trees, parser="oracle").settings.head_rules.name == expected


def test_encode_and_train_choose_the_same_rules(treebanks: Path) -> None:
    """On every real treebank, from the trees as they are in the file."""
    from spindle.pipeline.conventions import learn_conventions
    from spindle.training.treebank import prepare

    for name in (
        "english-gum/dev.ptb",
        "english-craft/dev.ptb",
        "dutch-alpino/dev.export",
        "german-pcc/dev.export",
        "french-sequoia/dev.mrg",
        "icelandic-modern/dev",
        "indonesian/dev.bracket",
    ):
        trees = tuple(read_trees(treebanks / name))
        _, of_encode, _ = choose_heads(iter(trees), None)
        prepared = prepare(trees, learn_conventions(trees))
        assert of_encode == guess_rules(trees).name == guess_rules(prepared.trees).name, name
