"""`spindle train` and `spindle info`."""

import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from spindle.cli import main, training_bar
from spindle.pipeline import load
from support import stand_ins
from support.stand_ins import Interrupted, SlowLearner

DATA = files("spindle.models") / "data"
TRAIN, DEV = str(DATA / "demo-train.dbr"), str(DATA / "demo-dev.dbr")


@pytest.fixture(autouse=True)
def _stages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins.plug_in(monkeypatch)


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_a_model_is_trained_and_described(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m"
    code, out, err = run(
        capsys, "train", TRAIN, "--dev", TRAIN, "-o", model, "--parser", "slow", "--licence", "MIT"
    )
    assert (code, out) == (0, "")
    assert "head rules: collins" in err
    assert "mode: discontinuous" in err
    assert "epoch 6, loss 0.1667, dev F1" in err
    assert f"{model}: dev F1" in err
    assert "discodop|" in err
    code, out, err = run(capsys, "info", model)
    assert (code, err) == (0, "")
    assert "data/demo-train.dbr: 43 sentences" in out
    for said in ("MIT", "slow, direct labels", "part tagger", "NP#1", "discodop|"):
        assert said in out
    code, out, _ = run(capsys, "info", model, "--json")
    card = json.loads(out)
    assert card["scores"]["epoch"] == 5
    assert card["label_sets"]["symbols"]
    assert card["parts"].keys() == {"pipeline", "parser", "tagger", "labeler", "unaries"}
    assert card["bytes"] == model.stat().st_size


def test_several_seeds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.model"
    command = (capsys, "train", TRAIN, "--dev", DEV, "-o", model, "--parser", "slow", "--seeds", "3,5")
    code, _, err = run(*command)
    assert code == 0
    scores = []
    for seed in (3, 5):
        path = tmp_path / f"m.seed{seed}.model"
        assert f"{path}: dev F1" in err
        card = load(path).card
        assert card.options["seed"] == seed
        scores.append(card.scores["f1"])
    assert f"2 seeds: dev F1 {sum(scores) / 2:.2f} ± " in err
    assert not model.exists()
    code, _, err = run(*command, "--resume")
    assert err.count("is finished already") == 2


@pytest.mark.parametrize("seeds", ["1,1", "a", "", "1,-2"])
def test_wrong_seeds(capsys: pytest.CaptureFixture[str], tmp_path: Path, seeds: str) -> None:
    code, _, err = run(capsys, "train", TRAIN, "-o", tmp_path / "m", "--seeds", seeds)
    assert code == 2
    assert "different whole numbers" in err


def test_one_seed_or_several(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "train", TRAIN, "-o", tmp_path / "m", "--seeds", "1,2", "--seed", "3")
    assert code == 2
    assert "cannot be combined" in err


def test_several_files_and_no_dev(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "train", TRAIN, DEV, "-o", tmp_path / "m", "--parser", "oracle")
    assert code == 0
    assert "without --dev it has no scores" in err
    card = load(tmp_path / "m").card
    assert card.training.sentences == 53
    assert card.training.files == ("data/demo-train.dbr", "data/demo-dev.dbr")


def test_config(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(
        f"""
        train = ["{TRAIN}"]
        dev = "{DEV}"
        parser = "slow"
        two-stage = true
        functions = "predict"
        epochs = 3
        seed = 7
        no-unaries = true
        [parser-option]
        order = "full"
        """
    )
    assert tomllib.loads(config.read_text())
    code, _, err = run(capsys, "train", "--config", config, "-o", tmp_path / "m", "--seed", "8")
    assert code == 0, err
    options = load(tmp_path / "m").card.options
    assert (options["parser"], options["epochs"], options["seed"]) == ("slow", 3, 8)
    assert (options["one_shot"], options["unaries"], options["parser_options"]) == (
        False,
        False,
        {"order": "full"},
    )
    config.write_text("epocs = 3")
    code, _, err = run(capsys, "train", TRAIN, "--config", config, "-o", tmp_path / "m")
    assert code == 2
    assert "there is no option 'epocs'" in err
    config.write_text("epochs = 'many'")
    assert run(capsys, "train", TRAIN, "--config", config, "-o", tmp_path / "m")[0] == 2
    config.write_text("epochs = = 3")
    assert "line 1" in run(capsys, "train", TRAIN, "--config", config, "-o", tmp_path / "m")[2]
    assert "No such file" in run(capsys, "train", TRAIN, "--config", tmp_path / "x", "-o", tmp_path / "m")[2]


def test_resume(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("train", TRAIN, "--dev", DEV, "--parser", "slow")
    run(capsys, *arguments, "-o", tmp_path / "whole")
    monkeypatch.setattr(SlowLearner, "interrupt_after", 2)
    with pytest.raises(Interrupted):
        main([str(one) for one in (*arguments, "-o", tmp_path / "part")])
    monkeypatch.setattr(SlowLearner, "interrupt_after", 0)
    capsys.readouterr()
    code, _, err = run(capsys, *arguments, "-o", tmp_path / "part", "--resume")
    assert code == 0
    assert "resumed" in err
    assert "epoch 2," not in err
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Missing argument 'TRAIN…'"),
        ((TRAIN,), 2, "Missing option '-o'"),
        ((TRAIN, "-o", TRAIN), 2, "is the input"),
        ((TRAIN, "-o", "."), 1, "is a folder"),
        ((TRAIN, "-o", "no/such/m"), 1, "there is no folder"),
        (("missing.ptb", "-o", "m", "--parser", "oracle"), 1, "missing.ptb: No such file"),
        ((TRAIN, "-o", "m", "--parser", "none"), 1, "there is no parser 'none'"),
        ((TRAIN, "-o", "m", "--parser", "oracle", "--order", "full"), 1, "order does not apply to oracle"),
        ((TRAIN, "-o", "m", "--parser", "slow", "--one-shot"), 1, "cannot label"),
        ((TRAIN, "-o", "m", "--parser", "slow", "--parser-option", "x"), 2, "KEY=VALUE"),
        ((TRAIN, "-o", "m", "--parser", "slow", "--epochs", "0"), 2, "--epochs"),
        ((TRAIN, "-o", "m", "--parser", "slow", "--heads", "nobody"), 1, "nobody"),
        ((TRAIN, "-o", "m", "--parser-option", "bits=many"), 1, "bits of linear cannot be 'many'"),
        (
            (TRAIN, "-o", "m", "--parser-option", "epochs=0"),
            1,
            "epochs of linear cannot be '0'; choose a whole number of at least 1",
        ),
        (
            (TRAIN, "-o", "m", "--parser", "neural", "--parser-option", "batch=x"),
            1,
            "batch of neural cannot be 'x'; choose a whole number of at least 1, or auto",
        ),
        ((TRAIN, "-o", "m", "--seed", "-1"), 2, "--seed"),
        ((TRAIN, "-o", "m", "--seed", str(1 << 64)), 1, "seed cannot be"),
    ],
)
def test_usage_errors(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    found, out, err = run(capsys, "train", *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("stage", ["{}", "fold 2 of 5: {}"])
def test_the_bar_says_what_it_counts(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    monkeypatch.setattr(training_bar, "shows_progress", lambda: True)
    with training_bar.TrainingBar() as bar:
        shown = []
        for name, loss in (("jackknifing", None), ("labeler", None), ("parser", 0.25)):
            bar.stage(stage.format(name))
            bar.progress(3, 10, loss)
            assert bar._progress is not None
            shown.append(bar._progress.tasks[-1].fields["figures"])
    assert shown[:2] == ["3 of 10 folds", "3 of 10 epochs"]
    assert re.fullmatch(r"3 of 10 sentences, \d+/s, loss 0\.25", shown[2])
