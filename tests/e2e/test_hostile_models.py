"""Models from strangers: checksums are right, content is not. None may crash, hang, or do more than fail."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from spindle.errors import ModelError
from spindle.models import read_model
from spindle.pipeline import load
from spindle.pipeline.parser import verify
from spindle.training import train
from support import model_fuzz
from support.demo_treebank import demo_trees
from support.hostile_models import rewritten

SMALL = {"width": 8, "depth": 1}
MUTANTS = {
    **dict.fromkeys(("basic", "standard", "continuous"), 1350),
    **dict.fromkeys(("udpipe", "spacy", "stanza", "supar"), 60),
    "neural": 300,
    "networks": 410,
}
"""In the suite: 5,000; `make fuzz` runs many more."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m"
    train(demo_trees("train"), output=path, epochs=1, mode="continuous", parser_options={"bits": "10"})
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="forks, and reads /proc")
def test_mutants_are_refused_or_harmless(tmp_path: Path) -> None:
    counts = [f"{name}={count}" for name, count in MUTANTS.items()]
    command = [sys.executable, "-W", "ignore", model_fuzz.__file__, str(tmp_path), "1", *counts]
    environment = {**os.environ, "PYTHONPATH": str(Path(model_fuzz.__file__).parents[1])}
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-5000:]
    rows = [line.strip("| ").split(" | ") for line in run.stdout.splitlines()[2:]]
    assert rows[0][0] == "basic"
    for name, *figures in rows:
        count, refused, failed, parsed = (int(figure.replace(",", "")) for figure in figures[:4])
        assert count == MUTANTS[name] == refused + failed + parsed
        # the test would be useless if all mutants were refused, or none
        assert min(refused, parsed) > count / 10


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_crash_a_hang_and_an_exception_are_faults(tmp_path: Path) -> None:
    """Of the runner itself: what follows a fault is tried, too."""
    program = f"""
import os, sys, time
from pathlib import Path
from support.forked import run_forked

def attempt(number):
    if number == 3:
        os.abort()
    if number == 4:
        time.sleep(60)
    assert number != 5, "wrong"
    return "right"

seen = run_forked(attempt, 10, Path({str(tmp_path)!r}), seconds=0.5, workers=2)
print(dict(seen.outcomes), sorted(seen.faults))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(model_fuzz.__file__).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == (
        "{'right': 7} ['3: ended the process with SIGABRT', '4: took more than 0.5 s', "
        "\"5: AssertionError('wrong')\"]\n"
    )


def changed(part: str, name: str, value: Any) -> Callable[[Any, dict[str, Any]], None]:
    def change(_: Any, manifest: dict[str, Any]) -> None:
        manifest["parts"][part][name] = value

    return change


@pytest.mark.parametrize(
    ("part", "name", "value", "said"),
    [
        *(("parser", "arcs_scale", value, "arcs_scale") for value in (1e30, -1.0, "1", None, True)),
        ("parser", "starts", 2**31 - 1, "parser.starts is 2147483647"),
        ("parser", "candidates", 10**12, "candidates"),
        ("parser", "seed", -1, "seed"),
        ("parser", "labels", ["\ud800"], "UTF-8"),
        ("pipeline", "calibration", {"slope": "x", "shift": 0.0, "above_word": 1.0}, "slope"),
        ("pipeline", "tokenization", {"clitics": 5}, "clitics"),
        ("pipeline", "head_rules", {"name": "x", "text": "like = '/etc/passwd'"}, "bundled table"),
        ("pipeline", "parser", "os", "not installed"),
        ("tagger", "tag", {"classes": [["NN"]], "features": 1}, "tagger.tag.classes"),
        ("labeler", "classes", [[1]], "labeler.classes"),
    ],
)
def test_hostile_settings(model: Path, part: str, name: str, value: Any, said: str) -> None:
    path = rewritten(model, changed(part, name, value))
    for check in (load, verify):
        with pytest.raises(ModelError, match=said) as raised:
            check(path)
        assert str(raised.value).isprintable()


def test_numbers_that_json_lacks(model: Path) -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ModelError, match="altered or damaged"):
            load(rewritten(model, changed("parser", "arcs_scale", value)))


def test_extreme_scales_in_arrays(model: Path) -> None:
    for value in (numpy.nan, numpy.inf, 1e30):

        def change(arrays: dict[str, Any], _: Any, value: float = value) -> None:
            arrays["labeler/scale"] = numpy.array([value], dtype=numpy.float32)

        with pytest.raises(ModelError, match="between 0 and 1e6"):
            load(rewritten(model, change))


def test_a_parser_of_spacy_is_built_from_our_configuration_only(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    path = tmp_path / "m"
    train(
        demo_trees("train")[:5],
        output=path,
        parser="spacy",
        epochs=1,
        parser_options={"width": 8, "depth": 1},
    )
    evil = tmp_path / "made-by-the-model"
    reader = {"@readers": "srsly.read_json.v1", "path": str(evil)}
    for name, value in (("width", reader), ("depth", {"@misc": "x"}), ("width", 10**9), ("depth", 10**6)):
        with pytest.raises(ModelError, match=f"parser.{name} is"):
            load(rewritten(path, changed("parser", name, value)))
    assert not evil.exists()

    def shrink(arrays: dict[str, Any], _: Any) -> None:
        name = next(name for name in arrays if name.startswith("parser/") and arrays[name].ndim == 2)
        arrays[name] = arrays[name][:1].copy()

    with pytest.raises(ModelError, match="but spaCy needs"):
        load(rewritten(path, shrink))


def test_a_model_may_not_choose_a_program(tmp_path: Path, model: Path) -> None:
    """The commands that a model stores are shown and not run."""
    made = tmp_path / "made"

    def change(_: Any, manifest: dict[str, Any]) -> None:
        manifest["parts"]["pipeline"] |= {"parser": "command", "predicted": ["labels"]}
        options = {"parse_command": f"touch {made} {{input}}", "train_command": f"touch {made}"}
        manifest["parts"]["parser"] = {
            "mode": "continuous", "one_shot": True, "seed": 1, "options": options
        }  # fmt: skip

    parser = load(rewritten(model, change))
    with pytest.raises(Exception, match="does not run unasked"):
        parser.parse(["Trees", "grow"])
    assert not made.exists()


def test_verify_accepts_what_load_accepts(model: Path) -> None:
    assert verify(model).parts.keys() == read_model(model, "parser").parts.keys()
    assert verify("english").kind == "parser"
