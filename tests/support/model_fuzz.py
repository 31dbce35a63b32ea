"""Mutants of model files with right checksums: `python model_fuzz.py FOLDER COUNT SEED [MODEL…]`.

Every mutant is loaded and parses two sentences. The outcomes `refused` and `parsed` are fine. Anything else
is a fault of Spindle: another exception than an error of Spindle's, a message of several lines, a slow
mutant, or the end of the process, for which the number of the mutant is written to a file before.
"""

from __future__ import annotations

import copy
import random
import sys
import time
from collections import Counter
from pathlib import Path

from spindle.errors import ModelError, SpindleError
from spindle.pipeline import load
from support.hostile_models import mutate_arrays, mutate_manifest, read_raw, write_raw

SECONDS = 20.0
"""More than any mutant of a small model may take on a busy machine."""
SENTENCES = ["Trees grow slowly in the north .", "Es kam nichts ."]


def run(model: Path, folder: Path, count: int, seed: int) -> Counter[str]:
    """Try `count` mutants of a model; return how often each outcome occurred. An AssertionError names
    all faults."""
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    arrays, manifest = read_raw(model)
    for number in range(count):
        chance = random.Random(f"{seed} {model.name} {number}")
        changed, its_manifest = dict(arrays), copy.deepcopy(manifest)
        steps = []
        for _ in range(chance.randint(1, 2)):
            if chance.random() < 0.75:
                steps.append(mutate_manifest(its_manifest, chance))
            else:
                steps.append(mutate_arrays(changed, chance))
        (folder / "running").write_text(f"{model} {seed} {number} {steps}")
        path = write_raw(folder / "mutant.model", changed, its_manifest)
        start = time.perf_counter()
        try:
            outcomes[try_model(path, f"mutant {number} of {model.name}, seed {seed}: {steps}")] += 1
            assert time.perf_counter() - start < SECONDS, f"slow: {steps}"
        except AssertionError as error:
            faults.append(f"{error!a}"[:500])
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults[:20])
    return outcomes


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
    except SpindleError:
        return "failed"
    except BaseException as error:
        raise AssertionError(f"{what}: parsing: {type(error).__name__}: {error}") from error
    return "parsed"


def small_models(folder: Path) -> list[str]:
    """Train a small model of every backend that is installed; models that are there are kept."""
    from spindle.parsers import find_parser
    from spindle.training import train
    from support.demo_treebank import demo_trees

    folder.mkdir(parents=True, exist_ok=True)
    small: dict[str, dict[str, object]] = {
        "basic": {"order": "basic", "parser_options": {"bits": 10}},
        "standard": {"parser_options": {"bits": 10}},
        "continuous": {"mode": "continuous", "parser_options": {"bits": 10}},
        "spacy": {"parser": "spacy", "parser_options": {"width": 8, "depth": 1}},
        "udpipe": {"parser": "udpipe"},
        "neural": {"parser": "neural", "parser_options": {"hidden": 16}},
    }
    found = []
    for name, options in small.items():
        path = folder / f"{name}.model"
        if find_parser(str(options.get("parser", "linear"))).version() is None:
            continue
        if not path.exists():
            train(demo_trees("train"), output=path, epochs=1, **options)  # type: ignore[arg-type]
        found.append(str(path))
    return found


def main(folder: str, count: str, seed: str, *models: str) -> None:
    """Run and print the outcomes; without models, small ones are trained in the folder."""
    models = models or tuple(small_models(Path(folder)))
    for model in models:
        print(model, dict(run(Path(model), Path(folder), int(count), int(seed))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
