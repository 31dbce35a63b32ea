"""Mutants of model files with right checksums: `python model_fuzz.py FOLDER SEED COUNT [NAME=COUNT…]`.

Small models of every installed backend are trained in the folder and kept there. Every mutant is loaded and
parses two sentences in a forked process. The outcomes `refused`, `failed` (a clean error while it parses) and
`parsed` are fine. A fault of Spindle is another exception than an error of its own, a message of several
lines, a slow mutant, more than 4 GB of memory, or the end of the process. COUNT is for each kind of mutant;
NAME=COUNT is another count for one kind. Prints a row for each kind, and all faults.
"""

from __future__ import annotations

import copy
import multiprocessing
import os
import random
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spindle.errors import ModelError, SpindleError
from spindle.parsers import find_parser
from spindle.pipeline import load
from support.forked import Campaign, run_forked
from support.hostile_graphs import mutate_graph
from support.hostile_models import Arrays, mutate_arrays, mutate_manifest, read_raw, write_raw

SECONDS = 300.0
"""More than any mutant of a small model may take on a busy machine."""
MEMORY = 4 << 30
SENTENCES = ["Trees grow slowly in the north .", "Es kam nichts ."]
FOLDED = 1 << 14
"""The most numbers in a table of hashed weights: smaller files are read faster, and what they say is of no
account here."""


class Kind(NamedTuple):
    """A kind of mutants: the options with which the small model is trained, and what is changed in it."""

    options: Mapping[str, Any]
    change: Callable[[Arrays, dict[str, Any], random.Random], str]

    @property
    def parser(self) -> str:
        """The name of the backend."""
        return str(self.options.get("parser", "linear"))


def change_settings_or_arrays(arrays: Arrays, manifest: dict[str, Any], chance: random.Random) -> str:
    """One or two changes; return what was done."""
    steps = []
    for _ in range(chance.randint(1, 2)):
        if chance.random() < 0.75:
            steps.append(mutate_manifest(manifest, chance))
        else:
            steps.append(mutate_arrays(arrays, chance))
    return ", ".join(steps)


def change_graph(arrays: Arrays, manifest: dict[str, Any], chance: random.Random) -> str:
    """Change a network; return what was done."""
    del manifest
    return mutate_graph(arrays, chance)


NEURAL = {"parser": "neural", "parser_options": {"hidden": 8}}
KINDS = {
    "basic": Kind({"order": "basic", "parser_options": {"bits": 10}}, change_settings_or_arrays),
    "standard": Kind({"parser_options": {"bits": 10}}, change_settings_or_arrays),
    "continuous": Kind(
        {"mode": "continuous", "order": "full", "parser_options": {"bits": 10}}, change_settings_or_arrays
    ),
    "spacy": Kind({"parser": "spacy", "parser_options": {"width": 8, "depth": 1}}, change_settings_or_arrays),
    **{
        name: Kind({"parser": name, "parser_options": {"width": 8, "layers": 1}}, change_settings_or_arrays)
        for name in ("stanza", "supar")
    },
    "udpipe": Kind({"parser": "udpipe"}, change_settings_or_arrays),
    "neural": Kind(NEURAL, change_settings_or_arrays),
    "networks": Kind(NEURAL, change_graph),
}


def small_model(name: str, folder: Path) -> Path:
    """Train a small model for a kind of mutants, unless there is one.

    It is trained in a process of its own: torch starts threads, and a process that has them cannot be forked
    to compute with torch.
    """
    options = KINDS[name].options
    twin = next(other for other in KINDS if KINDS[other].options == options)
    path = folder / f"{twin}.model"
    if not path.exists():
        training = multiprocessing.get_context("fork").Process(target=_train, args=(path, options))
        training.start()
        training.join()
        assert training.exitcode == 0, f"{name}: the training ended with exit code {training.exitcode}"
    return path


def _train(path: Path, options: Mapping[str, Any]) -> None:
    from spindle.training import train
    from support.demo_treebank import demo_trees

    train(demo_trees("train"), output=path, epochs=1, **options)
    arrays, manifest = read_raw(path)
    hashed = {key for key in arrays if key.rpartition("/")[0] != "parser" and key.endswith("weights")}
    folded = {key: array[:FOLDED] if key in hashed else array for key, array in arrays.items()}
    write_raw(path, folded, manifest)
    load(path)


def run(name: str, model: Path, folder: Path, count: int, seed: int, workers: int = 1) -> Campaign:
    """Try `count` mutants of a model."""
    arrays, manifest = read_raw(model)

    def attempt(number: int) -> str:
        chance = random.Random(f"{seed} {name} {number}")
        changed, its_manifest = dict(arrays), copy.deepcopy(manifest)
        steps = KINDS[name].change(changed, its_manifest, chance)
        path = write_raw(folder / f"mutant-{number % workers}.model", changed, its_manifest)
        return try_model(path, f"{name} {number}, seed {seed}: {steps}")

    return run_forked(attempt, count, folder, seconds=SECONDS, workers=workers, memory=MEMORY)


def try_model(path: Path, what: str) -> str:
    """Load a model and parse; return the outcome."""
    try:
        parser = load(path)
    except ModelError as error:
        if str(error).isprintable():
            return "refused"
        raise AssertionError(f"{what}: {error!a}") from error
    except BaseException as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    try:
        sentences = [sentence.split(" ") for sentence in SENTENCES]
        k = 2 if parser.backend.gives_k_best else 1
        confident = "confidences" in parser.backend.predicts
        for analysis in parser.analyse(sentences, threads=1, k=k, confidences=confident):
            for candidate in analysis.candidates:
                str(candidate.tree)
    except SpindleError as error:
        if str(error).isprintable():
            return "failed"
        raise AssertionError(f"{what}: {error!a}") from error
    except BaseException as error:
        raise AssertionError(f"{what}: parsing: {type(error).__name__}: {error}") from error
    return "parsed"


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(folder: str, seed: str, *counts: str) -> None:
    """Try the mutants of every kind whose backend is installed."""
    warnings.simplefilter("ignore")  # numpy and spaCy compute with weights that overflow
    chosen = dict.fromkeys(KINDS, 0)
    for given in counts:
        names, _, number = given.rpartition("=")
        chosen.update(dict.fromkeys([names] if names else KINDS, int(number)))
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    workers = len(os.sched_getaffinity(0))
    whole = Campaign()
    say("| mutants of | number | refused | failed | parsed | memory, MB | CPU s |")
    say("|---|---|---|---|---|---|---|")
    for name, count in chosen.items():
        # onnx, which changes networks, is installed with what trains a neural parser
        if not count or find_parser(KINDS[name].parser).version() is None:
            continue
        model = small_model(name, place)
        start = os.times()
        seen = run(name, model, place, count, int(seed), workers)
        end = os.times()
        seconds = end.children_user + end.children_system - start.children_user - start.children_system
        figures = [count, *(seen.outcomes[one] for one in ("refused", "failed", "parsed")), seen.peak]
        say(f"| {name} | {' | '.join(f'{one:,}' for one in figures)} | {seconds:.1f} |")
        whole.add(seen)
    for fault in whole.faults:
        sys.stderr.write(f"{fault}\n")
    sys.exit(bool(whole.faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
