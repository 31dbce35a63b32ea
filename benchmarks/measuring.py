"""Helpers that several benchmarks share: treebanks, scores, calibration errors and timing."""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from spindle.evaluation import Score, evaluate
from spindle.evaluation.pairing import Absent
from spindle.pipeline import Parser, Sentence
from spindle.reduction import Mode
from spindle.treebanks import read_trees
from spindle.trees import Tree

TREEBANKS = Path(__file__).resolve().parents[2] / "shared" / "treebanks"
ENDINGS = (".ptb", ".export", ".mrg", ".bracket", "")

Result = TypeVar("Result")


def command_line(description: str | None) -> argparse.ArgumentParser:
    """Return an argument parser whose help shows the docstring of a benchmark as it is."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


# ── treebanks ────────────────────────────────────────────────────────────────────────────────────────


def part(name: str, which: str) -> Path:
    """Return the file or the folder with one part ("train", "dev") of a treebank in ../shared/treebanks."""
    paths = [TREEBANKS / name / f"{which}{ending}" for ending in ENDINGS]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        sys.exit(f"{name}: there is no {which} part in {TREEBANKS / name}; name a folder of {TREEBANKS}")
    return found


def train_and_dev(name: str, dev: str | None) -> tuple[Path, Path]:
    """Return the two parts of a treebank folder, or the two files `name` and `dev`."""
    if dev is not None:
        return Path(name), Path(dev)
    if not (TREEBANKS / name).is_dir():
        sys.exit(f"{name} is not a folder of {TREEBANKS}; name two files: TRAIN --dev DEV")
    return part(name, "train"), part(name, "dev")


def part_trees(name: str, which: str) -> Iterator[Tree]:
    """Yield the trees of one part of a treebank; malformed sentences are left out."""
    return iter(read_trees(part(name, which), on_error="skip"))


def has_words(tree: Tree) -> bool:
    """Return whether a tree has a token that is not a trace."""
    return not all(token.is_empty for token in tree.tokens)


def dev_trees(parser: Parser, name: str) -> list[Tree]:
    """Return the development trees in the form in which the parser's output is scored."""
    return [parser.settings.conventions.gold(tree) for tree in part_trees(name, "dev") if has_words(tree)]


def untagged(trees: Sequence[Tree]) -> list[Sentence]:
    """Return the words of trees without their tags."""
    return [Sentence.of(tree).without_tags() for tree in trees]


def score_parser(parser: Parser, gold: Sequence[Tree]) -> Score:
    """Parse the words of gold trees and score the result, by disco-dop's rules if the model has gaps."""
    return score_trees(gold, parser.parse_many(untagged(gold)), scheme_of(parser))


def score_trees(gold: Sequence[Tree], found: Iterable[Tree | None], scheme: str) -> Score:
    """Score parsed trees in the order of the gold trees; a sentence without a tree counts as a failure."""
    return evaluate(gold, [Absent.UNPARSED if tree is None else tree for tree in found], scheme)


def scheme_of(parser: Parser) -> str:
    """Return the evaluation scheme for the mode of a parser: one that leaves no sentence out."""
    return "evalb-gold" if parser.settings.mode is Mode.CONTINUOUS else "discodop"


def coverage(score: Score) -> str:
    """Return how many sentences were scored, as in the signature."""
    return score.totals.scored_of_all


def with_evalb(score: Score, evalb: Score) -> str:
    """Write an F1 with EVALB's beside it, each with its coverage."""
    return f"{score.f1 or 0:.2f} ({coverage(score)}); EVALB {evalb.f1 or 0:.2f} ({coverage(evalb)})"


# ── confidences ──────────────────────────────────────────────────────────────────────────────────────

BINS = 10
Outcomes = Sequence[tuple[float, bool]]
"""The confidences of predictions, each with whether the prediction is correct."""


def binned(outcomes: Outcomes) -> list[tuple[int, list[tuple[float, bool]]]]:
    """Return the bins of equal width that are not empty, with their numbers."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for confidence, is_correct in outcomes:
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, is_correct))
    return [(number, members) for number, members in enumerate(bins) if members]


def calibration_error(outcomes: Outcomes) -> float:
    """Return the expected calibration error: the mean gap between confidence and accuracy of a bin."""
    gaps = (
        abs(sum(confidence - correct for confidence, correct in members)) for _, members in binned(outcomes)
    )
    return sum(gaps) / len(outcomes)


# ── memory ───────────────────────────────────────────────────────────────────────────────────────────


def memory(process: int | str) -> tuple[int, int]:
    """Return the megabytes that a process uses now and has used at most; "self" is this process."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    now, most = (re.search(rf"{name}:\s+(\d+) kB", status) for name in ("VmRSS", "VmHWM"))
    assert now is not None
    assert most is not None
    return int(now[1]) // 1024, int(most[1]) // 1024


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────


class Timed(NamedTuple, Generic[Result]):
    """The result of a task with the seconds that it took."""

    result: Result
    cpu: float
    wall: float


def timed(task: Callable[[], Result], rounds: int = 1) -> Timed[Result]:
    """Run a task `rounds` times and return the round with the least CPU time of this process."""
    return min((_timed_once(task) for _ in range(rounds)), key=lambda one: one.cpu)


def _timed_once(task: Callable[[], Result]) -> Timed[Result]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = task()
    return Timed(result, time.process_time() - cpu, time.perf_counter() - wall)


class Program(NamedTuple):
    """The standard output of a program and its CPU seconds, user and system."""

    output: str
    cpu: float


def run_program(command: Sequence[str], folder: Path | None = None) -> Program:
    """Run a program to its end, in `folder`; if it fails, exit with its error output."""
    start = child_cpu_seconds()
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        sys.exit(f"{command[0]} failed with {' '.join(command[-4:])}:\n{done.stderr}")
    return Program(done.stdout, child_cpu_seconds() - start)


def child_cpu_seconds() -> float:
    """Return the CPU time, user and system, of the finished programs that this process has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the programs that it has started."""
    return time.process_time() + child_cpu_seconds()
