"""Compare the speed of two versions of Spindle in one run.

    python benchmarks/versions.py parse OLD-PYTHON NEW-PYTHON english-gum --model light --rounds 7
    python benchmarks/versions.py train OLD-PYTHON NEW-PYTHON english-gum --order standard --epochs 2
    python benchmarks/versions.py train OLD-PYTHON NEW-PYTHON train.ptb --dev dev.ptb

OLD-PYTHON and NEW-PYTHON are the Python executables of two environments, each with its own version of
Spindle. TREEBANK is a folder of ../shared/treebanks, or a file. Every measurement is a process with one
thread. The two versions take turns, so that other work on the machine slows both. Times are CPU seconds of
the processes, user and system, start-up included; the table has their medians. A ratio above 1 means that the
new version is faster.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from measuring import command_line, part, run_program, train_and_dev

VERSIONS = ("old", "new")


class Run(NamedTuple):
    """The CPU seconds of a command and the digest of the file that it wrote."""

    seconds: float
    digest: str


def spindle(python: Path, *arguments: str, output: Path) -> Run:
    """Run `spindle` in an environment, in a process of its own, and measure it."""
    command = [str(python), "-m", "spindle", *arguments, "-o", str(output), "--threads", "1"]
    done = run_program(command, output.parent)
    return Run(done.cpu, hashlib.sha256(output.read_bytes()).hexdigest())


def parse(python: Path, dev: Path, model: str, folder: Path) -> Run:
    """Parse the words of trees with a bundled model or a model file."""
    return spindle(python, "parse", str(dev), "--input", "trees", "--model", model, output=folder / "parsed")


def take_turns(rounds: int, measure: Callable[[str], Run]) -> dict[str, list[Run]]:
    """Measure the old and the new version alternately."""
    runs: dict[str, list[Run]] = {version: [] for version in VERSIONS}
    for number in range(1, rounds + 1):
        for version in VERSIONS:
            run = measure(version)
            runs[version].append(run)
            print(f"round {number}, {version}: {run.seconds:.2f} CPU s", file=sys.stderr, flush=True)
    return runs


def identical(*digests: str) -> str:
    """Return whether all outputs have the same bytes, as a table shows it."""
    return "yes" if len(set(digests)) == 1 else "no"


def print_table(task: str, runs: dict[str, list[Run]], columns: dict[str, str]) -> None:
    """Print the medians, their ratio, the range of the ratios of single rounds, and more columns."""
    old, new = ([run.seconds for run in runs[version]] for version in VERSIONS)
    ratios = [before / after for before, after in zip(old, new, strict=True)]
    medians = statistics.median(old), statistics.median(new)
    cells = {
        "task": task,
        "rounds": str(len(ratios)),
        "old, CPU s": f"{medians[0]:.2f}",
        "new, CPU s": f"{medians[1]:.2f}",
        "old / new": f"{medians[0] / medians[1]:.3f}",
        "by round": f"{min(ratios):.3f} … {max(ratios):.3f}",
        **columns,
    }
    print(f"| {' | '.join(cells)} |\n{'|---' * len(cells)}|\n| {' | '.join(cells.values())} |", flush=True)


def compare_parsing(given: argparse.Namespace, pythons: dict[str, Path], folder: Path) -> None:
    """Parse the development part with the model that each version brings along, or with a model file."""
    dev = dev_file(given.treebank)
    model = str(Path(given.model).absolute()) if Path(given.model).is_file() else given.model
    runs = take_turns(given.rounds, lambda version: parse(pythons[version], dev, model, folder))
    digests = [run.digest for version in VERSIONS for run in runs[version]]
    task = f"parse {Path(given.treebank).name}, {Path(given.model).name}"
    print_table(task, runs, {"identical output": identical(*digests)})


def dev_file(treebank: str) -> Path:
    """Return the file itself, or the development part of a treebank folder."""
    return Path(treebank).absolute() if Path(treebank).is_file() else part(treebank, "dev")


def compare_training(given: argparse.Namespace, pythons: dict[str, Path], folder: Path) -> None:
    """Train with each version, then let each parse the development part with the model it has trained."""
    train, dev = (path.absolute() for path in train_and_dev(given.treebank, given.dev))
    options = ["--dev", str(dev), "--order", given.order, "--seed", "1"]
    if given.epochs is not None:
        options += ["--epochs", str(given.epochs)]
    models = {version: folder / f"{version}.model" for version in VERSIONS}
    runs = take_turns(
        given.rounds,
        lambda version: spindle(pythons[version], "train", str(train), *options, output=models[version]),
    )
    digests = [run.digest for version in VERSIONS for run in runs[version]]
    parses = [parse(pythons[version], dev, str(models[version]), folder).digest for version in VERSIONS]
    columns = {"identical model": identical(*digests), "identical parses": identical(*parses)}
    print_table(f"train {Path(given.treebank).name}, {given.order}", runs, columns)


def python_path(text: str) -> Path:
    """Return an executable's absolute path; links stay, because they tell environments apart."""
    path = Path(text).absolute()
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}; name the Python of an environment")
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare parsing or training."""
    parser = command_line(__doc__)
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    parsing = tasks.add_parser("parse", help="parse the development part")
    training = tasks.add_parser("train", help="train the linear parser")
    for task in (parsing, training):
        task.add_argument("old", type=python_path, metavar="OLD-PYTHON")
        task.add_argument("new", type=python_path, metavar="NEW-PYTHON")
        task.add_argument("treebank", metavar="TREEBANK")
    parsing.add_argument("--model", default="light", help="english, fast, light, or a file [default: light]")
    parsing.add_argument("--rounds", type=int, default=5)
    parsing.set_defaults(compare=compare_parsing)
    training.add_argument("--dev", metavar="FILE", help="development trees, if TREEBANK is a file")
    training.add_argument("--order", default="standard")
    training.add_argument("--epochs", type=int)
    training.add_argument("--rounds", type=int, default=1)
    training.set_defaults(compare=compare_training)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        given.compare(given, {"old": given.old, "new": given.new}, Path(folder))


if __name__ == "__main__":
    main()
