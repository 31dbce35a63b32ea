"""The first ten minutes: help, models by name, files to try, notices, exit codes, what failures leave."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Spindle
from cli.test_engine import command, wait_for
from spindle.models.bundled import DATA, bundled_models, list_models

TRAIN = DATA / "demo-train.dbr"
QUICK = ("--order", "basic", "--epochs", "2", "--tags", "predicted", "--parser-option", "bits=12")


# ── help ─────────────────────────────────────────────────────────────────────────────────────────────


def test_help_leads_with_a_sentence_to_parse(spindle: Spindle) -> None:
    out = spindle("--help").out
    assert out.index('spindle parse "The public is still cautious."') < out.index("Examples:")
    assert "English models are inside" in out
    assert out.index("\n  parse ") < out.index("\n  demo ")
    assert "..." not in out[out.index("Commands:") :]  # no description is cut
    assert "Exit codes: 0 success, 1 error, 2 wrong" in out


def test_the_sentence_of_the_help_page_is_parsed(spindle: Spindle) -> None:
    assert spindle("parse", "The public is still cautious.").out.startswith("(ROOT (S (NP (DT The)")


def test_help_names_the_bundled_models(spindle: Spindle) -> None:
    out = " ".join(spindle("parse", "--help").out.split())
    assert "--model NAME|FILE A model file, or a model that comes with Spindle: dutch (Dutch," in out
    assert "english (English, accurate: a neural network); fast (English, fast: a small" in out
    assert "[default: english]" in out


@pytest.mark.parametrize("verb", ["parse", "info"])
def test_an_unknown_model_lists_those_there_are(spindle: Spindle, verb: str) -> None:
    options = ("A test.", "--model") if verb == "parse" else ()
    code, out, err = spindle(verb, *options, "large")
    assert (code, out) == (1, "")
    assert err == (
        "spindle: there is no model 'large'; set --model to a file or to one of "
        f"{', '.join(bundled_models())}; for another language train one with `spindle train`\n"
    )


# ── files to try ─────────────────────────────────────────────────────────────────────────────────────


def test_the_treebank_of_the_demo(spindle: Spindle) -> None:
    code, out, _ = spindle("demo", "--files", "some/folder")
    assert code == 0
    assert Path("some/folder/train.dbr").read_bytes() == TRAIN.read_bytes()
    assert Path("some/folder/dev.dbr").exists()
    tried = [line.split() for line in out.splitlines() if line.startswith("  spindle ")]
    assert [words[1] for words in tried] == ["draw", "stats", "train", "parse", "evaluate"]
    for words in tried:
        assert spindle(*words[1:], *(QUICK if words[1] == "train" else ())).code == 0
    code, _, err = spindle("demo", "--files", "some/folder")
    assert (code, "some/folder/train.dbr exists; name another folder." in err) == (2, True)


# ── training on one file ─────────────────────────────────────────────────────────────────────────────


def test_a_share_of_the_training_trees(spindle: Spindle) -> None:
    code, _, err = spindle("train", TRAIN, "--dev", "10%", "-o", "m", "--seed", 4, *QUICK)
    assert code == 0
    said = "4 of 43, 10% of data/demo-train.dbr at random, seed 4"
    assert f"spindle: development trees: {said}\n" in err
    assert "10% of data/demo-train.dbr at random, seed 4: 4 sentences" in spindle("info", "m").out
    code, _, err = spindle("train", TRAIN, "--dev", "100%", "-o", "m2", *QUICK)
    assert (code, "100% of the trees cannot be held out" in err) == (1, True)
    assert not list(Path().glob("m2*"))


def test_cross_validation(spindle: Spindle) -> None:
    options = ("crossval", TRAIN, "--folds", 3, "-o", "folds", *QUICK)
    code, out, err = spindle(*options)
    assert code == 0
    assert "3 folds of 43 trees: contiguous parts, as in the treebank" in err
    assert err.count("fold 2 of 3: F1 ") == 1
    assert err.count("head rules:") <= 1  # not in every fold
    assert "\nstandard deviation " in out
    assert "\nall as one " in out
    assert "discodop|prm:proper" in out
    report = json.loads(Path("folds/report.json").read_text("utf-8"))
    assert json.loads(spindle(*options, "--resume", "--json").out) == report
    rows = list(csv.DictReader(spindle(*options, "--resume", "--csv").out.splitlines()))
    assert [row["fold"] for row in rows] == ["1", "2", "3", "mean", "deviation", "all"]
    assert float(rows[3]["f1"]) == report["mean"]["f1"]
    latex = spindle(*options, "--resume", "--latex").out
    assert "\nstandard deviation & " in latex
    score = spindle("evaluate", TRAIN, "folds/predictions.dbr", "--json")
    assert json.loads(score.out)["f1"] == report["score"]["f1"]
    assert "the folder is not empty" in spindle(*options).err
    assert "--dev is a share" in spindle(*options, "--dev", "dev.ptb").err


def test_an_interrupted_cross_validation_names_resume(tmp_path: Path) -> None:
    folder = tmp_path / "folds"
    process = subprocess.Popen(
        command("crossval", TRAIN, "-o", folder, "--epochs", "3000"), stderr=subprocess.PIPE, text=True
    )
    log = folder / "fold-01.model.log.jsonl"
    wait_for(lambda: log.exists() and '"epoch": 2' in log.read_text())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "folds has all that is finished; the same command with --resume continues" in err


# ── reports ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_models_are_listed(spindle: Spindle) -> None:
    lines = spindle("models").out.splitlines()
    assert [line.split()[0] for line in lines[1:2]] == ["english"]
    assert lines[-1] == "For another language: spindle train TREEBANK --dev 10% -o MODEL"
    told = json.loads(spindle("models", "--json").out)
    assert [one["name"] for one in told] == [model.name for model in list_models()]
    assert [one["default"] for one in told] == [True] + [False] * (len(told) - 1)
    assert all(one["licence"] and one["description"] and one["f1"] > 70 for one in told)


def test_every_verb_that_prints_a_table_has_json(spindle: Spindle) -> None:
    Path("x.ptb").write_text("(S (NP (NN a)) (VP (VB b)))\n" * 20, "utf-8")
    spindle("encode", "x.ptb", "-o", "x.conllu", "--heads", "collins")
    backends = json.loads(spindle("backends", "--json").out)
    assert [one["name"] for one in backends][:2] == ["linear", "neural"]
    neural = json.loads(spindle("backends", "neural", "--json").out)
    assert neural == backends[1]
    assert {"name", "default", "choices", "meaning"} == set(neural["options"][0])
    tables = json.loads(spindle("heads", "list", "--json").out)
    collins = next(one for one in tables if one["name"] == "collins")
    assert collins["rules"]["NP"]
    assert json.loads(spindle("heads", "list", "collins", "--json").out) == collins
    [shown] = json.loads(spindle("heads", "show", "x.ptb", "--json", "--limit", 1).out)
    assert [(node["label"], node["word"]) for node in shown["nodes"]] == [
        ("S", "b"),
        ("NP", "a"),
        ("VP", "b"),
    ]
    induced = json.loads(spindle("heads", "induce", "x.ptb", "x.conllu", "-o", "r.toml", "--json").out)
    assert induced["all"]["new_percent"] == 100.0
    assert set(induced["by_label"]) <= {"S", "NP", "VP"}
    assert json.loads(spindle("info", "--json").out)["scores"]


def test_repeated_notices_are_counted(spindle: Spindle) -> None:
    gold = "(S (A a) (B b))\n"
    Path("gold.ptb").write_text(gold * 30, "utf-8")
    Path("pred.ptb").write_text((gold + "\n") * 15, "utf-8")
    _, _, err = spindle("evaluate", "gold.ptb", "pred.ptb")
    assert err.count("no parse; counts as a failure") == 10
    assert "more of this kind (sentences, counts as a failure) are only counted\n" in err
    assert err.endswith("spindle: sentences, counts as a failure: 15\n")
    Path("bad.ptb").write_text((gold + "(S (A a)\n") * 15, "utf-8")
    _, _, err = spindle("convert", "bad.ptb", "out.ptb", "--on-error", "skip")
    assert err.count("bad.ptb:") == 10
    assert err.endswith("spindle: sentence skipped: 15\n")


# ── exit codes, and what failures leave behind ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments",
    [
        ("parse", "many.txt", "--model", "light"),
        ("evaluate", "many.ptb", "many.ptb", "--per-sentence"),
        ("stats", "many.ptb", "--json", "--heads", "collins"),
        ("heads", "show", "many.ptb", "--limit", "100000", "--heads", "collins"),
        ("encode", "many.ptb", "-o", "-", "--heads", "collins"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_head_closes_the_pipe(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "many.txt").write_text("It rains.\n" * 20_000)
    labels = "".join(f"(S{number} (A a) (B b))\n" for number in range(20_000))
    (tmp_path / "many.ptb").write_text(labels)
    # unbuffered, Python itself loses the rest of a long text without an error
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen(
        command(*arguments),
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()  # as `head -1` does
    err = process.stderr.read()
    assert process.wait(timeout=60) == 141
    process.stderr.close()
    assert not any(word in err for word in ("Traceback", "Broken", "Exception"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "bad.ptb", "out.export"),
        ("convert", "bad.ptb", "out.export.gz"),
        ("encode", "bad.ptb", "-o", "out.conllu", "--heads", "collins"),
        ("decode", "bad.conllu", "-o", "out.ptb"),
        ("parse", "bad.ptb", "--input", "trees", "-o", "out.export", "--model", "light"),
        ("draw", "bad.ptb", "-o", "out.svg"),
        ("train", "bad.ptb", "-o", "out"),
        ("train", "words.ptb", "--dev", "bad.ptb", "-o", "out"),
        ("train", "empty.ptb", "-o", "out"),
        ("crossval", "bad.ptb", "-o", "out"),
        ("crossval", "words.ptb", "-o", "out"),
        ("heads", "induce", "bad.ptb", "bad.conllu", "-o", "out.toml", "--heads", "collins"),
        ("evaluate", "absent.ptb", "words.ptb", "--plot", "out.svg"),
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_a_failed_command_leaves_no_files(spindle: Spindle, arguments: tuple[str, ...]) -> None:
    Path("bad.ptb").write_text("(S (A a)\n", "utf-8")
    Path("empty.ptb").write_text("(S (-NONE- *))\n", "utf-8")
    Path("words.ptb").write_text("(S (A a) (B b))\n", "utf-8")
    Path("bad.conllu").write_text("1\ta\n", "utf-8")
    code, _, err = spindle(*arguments)
    assert code == 1
    assert err.startswith("spindle: ")
    assert sorted(path.name for path in Path().iterdir()) == [
        *("bad.conllu", "bad.ptb", "empty.ptb", "words.ptb")
    ]


def test_an_old_file_survives_unreadable_input(spindle: Spindle) -> None:
    Path("bad.ptb").write_text("(S (A a)\n", "utf-8")
    Path("out.export").write_text("precious\n", "utf-8")
    for arguments in (
        ("convert", "bad.ptb", "out.export"),
        ("parse", "bad.ptb", "--input", "trees", "-o", "out.export", "--model", "light"),
    ):
        assert spindle(*arguments).code == 1
        assert Path("out.export").read_text("utf-8") == "precious\n"


# ── the start ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        (("-m", "spindle", "--help"), 0.2),
        (("-c", "import spindle"), 0.2),
        (("-m", "spindle", "parse", "The public is still cautious ."), 0.5),
    ],
    ids=["help", "import", "first tree"],
)
def test_start_up(tmp_path: Path, arguments: tuple[str, ...], limit: float) -> None:
    """The limits are those of `benchmarks/start_up.py`, doubled because other jobs run beside."""
    resource = pytest.importorskip("resource")
    environment = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PATH": ""}  # with compiled modules, as installed
    seconds = []
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds[1:]) < 2 * limit
