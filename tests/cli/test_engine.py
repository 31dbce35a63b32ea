"""The command line with real linear models, trained on the demonstration treebank."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from cli.conftest import Spindle
from spindle.models import bundled
from spindle.pipeline import load
from spindle.treebanks import read_dependencies, read_trees, write_trees
from support.hostile_lines import HOSTILE, UNDECODABLE
from support.notation import tree

DATA = files("spindle.models") / "data"
TRAIN, DEV = str(DATA / "demo-train.dbr"), str(DATA / "demo-dev.dbr")
QUICK = ("--order", "basic", "--epochs", "4", "--tags", "predicted")
FORMATS = ("bracket", "discbracket", "export", "tigerxml", "conllu", "conllu-tree", "json")


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "spindle", *map(str, args)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a continuous and a discontinuous model; return their folder."""
    folder = tmp_path_factory.mktemp("models")
    for mode in ("continuous", "discontinuous"):
        arguments = ("train", TRAIN, "--dev", DEV, "-o", folder / mode, "--mode", mode, *QUICK)
        subprocess.run(command(*arguments), check=True, capture_output=True)
    return folder


# ── parse ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_sentence(spindle: Spindle, models: Path) -> None:
    code, out, err = spindle("parse", "The weaver opened the window.", "--model", models / "continuous")
    tree = "(ROOT (S (NP (DT The) (NN weaver)) (VP (VBD opened) (NP (DT the) (NN window))) (. .)))"
    assert (code, out, err) == (0, tree + "\n", "")
    _, out, _ = spindle(
        "parse", "A man who knew us came in.", "", "--to", "export", "--model", models / "discontinuous"
    )
    assert out.count("#BOS") == 1
    _, out, _ = spindle("parse", " ", "--model", models / "continuous")
    assert out == "\n"


@pytest.mark.parametrize("to", FORMATS)
def test_hostile_lines_are_parsed(spindle: Spindle, models: Path, to: str) -> None:
    lines = "".join(f"{line}\n" for line in HOSTILE).encode() + UNDECODABLE + b"\nthe end ."
    arguments = ("parse", "-", "--model", models / "continuous", "--to", to, "-o", f"out.{to}")
    code, _, err = spindle(*arguments, "--input", "tokens", stdin=lines)
    assert code == 0
    assert "sentences longer than --max-length, parsed in pieces: 1" in err
    assert "byte 0xff is not utf-8" in err
    output = Path(f"out.{to}")
    if to == "json":
        records = [json.loads(line) for line in output.read_text().split("\n")[:-1]]
        assert len(records) == len(HOSTILE) + 2
        forms = [[token["form"] for token in record["tokens"]] if record else [] for record in records]
        assert forms[: len(HOSTILE)] == [line.split(" ") if line else [] for line in HOSTILE]
    elif to == "conllu":
        assert sum(1 for _ in read_dependencies(output, to)) == len(HOSTILE) + 1
    else:
        found = [[token.form for token in one.tokens] for one in read_trees(output, to)]
        assert len(found) == len(HOSTILE) + 1
        assert (found[0], found[-1]) == (["word"] * 2000, ["the", "end", "."])
    for more in ((), ("--max-length", "2"), ("--input", "tagged")) if to == "bracket" else ():
        assert spindle(*arguments, *more, stdin=lines)[0] == 0


def test_k_best_lists_and_confidences(spindle: Spindle, models: Path) -> None:
    text = "The weaver opened the window. A man who knew us came in."
    for mode in ("continuous", "discontinuous"):
        run = ("parse", text, "--model", models / mode, "--to", "json")
        _, plain, _ = spindle(*run)
        code, out, err = spindle(*run, "--k-best", "5", "--scores")
        assert code == 0
        assert "candidates" not in err  # exact
        for line, best in zip(out.splitlines(), plain.splitlines(), strict=True):
            found = json.loads(line).get("candidates", [json.loads(line)])
            trees = [candidate["tree"] for candidate in found]
            assert trees[0] == json.loads(line)["tree"] == json.loads(best)["tree"]
            assert len(set(trees)) == len(trees) <= 5
            scores = [candidate["score"] for candidate in found]
            assert scores == pytest.approx(sorted(scores, reverse=True))
            assert all(0 <= node["confidence"] <= 1 for candidate in found for node in candidate["nodes"])
            assert "confidence" not in json.loads(best)["nodes"][0]


def test_k_best_lists_that_are_not_exact(spindle: Spindle, tmp_path: Path) -> None:
    options = ("--order", "standard", "--epochs", "1", "--tags", "predicted")
    assert spindle("train", TRAIN, "-o", tmp_path / "m", *options)[0] == 0
    code, out, err = spindle(
        "parse", "The weaver opened the window.", "--k-best", "3", "--model", tmp_path / "m"
    )
    assert code == 0
    trees = out.splitlines()[:-1]  # with an empty line after them
    assert 1 < len(set(trees)) == len(trees) <= 3
    assert err.count("the best of a list of candidates") == 1


def test_a_long_line_in_one_piece(spindle: Spindle, models: Path) -> None:
    for mode in ("continuous", "discontinuous"):
        run = ("parse", "--input", "tokens", "--model", models / mode, "--max-length", "500")
        code, out, err = spindle(*run, stdin=" ".join(["word"] * 500))
        assert (code, out.count("word")) == (0, 500)
        assert "in pieces" not in err


@pytest.mark.parametrize("mode", ["continuous", "discontinuous"])
def test_ids_order_and_threads(spindle: Spindle, models: Path, mode: str) -> None:
    trees = [one.replace(id=f"s{number}") for number, one in enumerate(read_trees(TRAIN))]
    write_trees(trees * 8, "in.export")  # more than one batch
    run = ("parse", "in.export", "--to", "export", "--model", models / mode, "--threads")
    one, two = (spindle(*run, threads)[1] for threads in (1, 2))
    assert one == two
    assert [line for line in one.splitlines() if line[:4] == "#BOS"] == [f"#BOS {t.id}" for t in trees] * 8


def test_resuming_an_interrupted_parse(spindle: Spindle, models: Path) -> None:
    Path("in.txt").write_text("The cat slept.\n\nNobody saw the thief. We know.\n" * 500)
    run = ("parse", "in.txt", "--model", models / "continuous", "--to", "json", "-o")
    assert spindle(*run, "whole.json")[0] == 0
    process = subprocess.Popen(command(*run, "part.json"), stderr=subprocess.PIPE, text=True)
    wait_for(lambda: Path("part.json").exists() and Path("part.json").stat().st_size > 1000)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; part.json has all that is finished; the same command with --resume" in err
    assert spindle(*run, "part.json", "--resume")[0] == 0
    assert Path("part.json").read_bytes() == Path("whole.json").read_bytes()


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("nothing happened for a minute")


# ── train ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_killed_and_resumed_training_gives_the_same_model(tmp_path: Path) -> None:
    """After `kill -9` at several moments, --resume gives the same model, byte for byte."""
    arguments = ("train", TRAIN, "--dev", DEV, "--epochs", "6", "--parser-option", "bits=14")
    whole, part = tmp_path / "whole", tmp_path / "part"
    subprocess.run(command(*arguments, "-o", whole, "--threads", "2"), check=True, capture_output=True)
    checkpoint, log = tmp_path / "part.checkpoint", tmp_path / "part.log.jsonl"
    for moment in ('"stage": "labeler"', '"stage": "parser"', '"epoch": 2'):
        process = subprocess.Popen(
            command(*arguments, "-o", part, "--threads", "1", "--resume"), stderr=subprocess.DEVNULL
        )
        wait_for(lambda: log.exists() and moment in log.read_text())  # noqa: B023
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert checkpoint.exists()
        assert not part.exists()
    ended = subprocess.run(command(*arguments, "-o", part, "--resume"), capture_output=True, text=True)
    assert ended.returncode == 0
    assert "resumed: tagger, tags, labeler" in ended.stderr
    assert part.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()


def test_a_training_interrupted_by_sigint(tmp_path: Path) -> None:
    arguments = ("train", TRAIN, "--dev", DEV, "-o", tmp_path / "m", "--epochs", "5000")
    process = subprocess.Popen(command(*arguments), stderr=subprocess.PIPE, text=True)
    log = tmp_path / "m.log.jsonl"
    wait_for(lambda: log.exists() and '"epoch": 2' in log.read_text())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "m.checkpoint has the finished stages and epochs; the same command with --resume" in err
    assert (tmp_path / "m.checkpoint").exists()


def test_inferred_settings_are_stored_in_the_model(spindle: Spindle) -> None:
    Path("settings.toml").write_text(
        f"""
        train = ["{TRAIN}"]
        dev = "{DEV}"
        order = "basic"
        epochs = 2
        heads = "try"
        punct = "move"
        encoding = "hn"
        no-unaries = true
        licence = "MIT"
        """
    )
    code, _, err = spindle("train", "--config", "settings.toml", "-o", "m", "--seed", 3)
    assert code == 0, err
    assert "head rules leftmost-word: F1" in err
    card = load("m").card
    assert (card.chosen["punct"], card.chosen["encoding"], card.licence) == ("move", "hn", "MIT")
    assert not any("unaries" in part for part in json.loads(spindle("info", "m", "--json")[1])["parts"])
    assert spindle("parse", "We know the road.", "--model", "m")[1].startswith("(ROOT (")


@pytest.mark.parametrize("where", ["in labels", "on edges"])
def test_functions_are_restored_where_the_treebank_has_them(spindle: Spindle, where: str) -> None:
    if where == "in labels":
        trees = [tree(f"(TOP (S (NP-SBJ (NN {x})) (VP (VB eat) (NP (NN {y})))))") for x, y in PAIRS]
        write_trees(trees, "train.ptb")
    else:
        trees = [tree(f"(S (NP/SB (NN {x}) (NE Z)) (VB/HD eat) (NP/OA (NN {y}) (NE Z)))") for x, y in PAIRS]
        write_trees(trees, "train.export")
    name = next(Path().glob("train.*"))
    code, _, err = spindle("train", name, "--dev", name, "-o", "m", *QUICK, "--functions", "predict")
    assert code == 0, err
    assert spindle("parse", name, "--model", "m", "--to", "export", "-o", "out.export")[0] == 0
    assert [one.replace(id="") for one in read_trees("out.export")] == trees
    spindle("train", name, "-o", "stripped", *QUICK)
    _, out, _ = spindle("parse", name, "--model", "stripped", "--to", "export")
    assert not any(function in out for function in ("SB", "OA", "HD"))


WORDS = ("cats", "dogs", "mice", "fish", "cows")
PAIRS = [(x, y) for x in WORDS for y in WORDS if x != y]


def test_the_card_is_shown(spindle: Spindle, models: Path) -> None:
    _, out, _ = spindle("info", models / "discontinuous")
    for said in ("43 sentences", "10 sentences", "order basic", "direct labels", "part tagger", "discodop|"):
        assert said in out


@pytest.mark.parametrize("is_bundled", [False, True])
def test_the_demonstration(
    spindle: Spindle, models: Path, monkeypatch: pytest.MonkeyPatch, is_bundled: bool
) -> None:
    """`spindle demo` prints the trees of the bundled model, or says that there is none."""
    (models / "english.model").unlink(missing_ok=True)
    for part in ("train", "dev"):
        shutil.copy(str(DATA / f"demo-{part}.dbr"), models)
    if is_bundled:
        shutil.copy(models / "continuous", models / "english.model")
    monkeypatch.setattr(bundled, "DATA", models)
    code, out, err = spindle("demo")
    assert (code, err) == (0, "")
    assert "A parser trained on 43 sentences" in out
    assert ("The public is still cautious" in out) == is_bundled
    assert ("This installation has no bundled model" in out) != is_bundled
    if is_bundled:
        assert spindle("parse", "Nobody saw the thief.")[1].startswith("(ROOT (S (NP (NN Nobody))")
        assert "english.model" in spindle("info")[1]
