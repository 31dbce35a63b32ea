"""Several runs of a system: means, deviations, and significance over sentences and runs."""

from __future__ import annotations

import csv
import io
import json
from itertools import permutations, product
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest

from cli.conftest import Spindle
from cli.conftest import spindle as spindle
from spindle.errors import EvaluationError
from spindle.evaluation import Runs, compare, evaluate, evaluate_runs
from spindle.evaluation.significance import _counts, _figures, bootstrap_runs, randomise_runs
from support.notation import tree

RIGHT = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps) (NP (NN now))))"
WRONG = "(S (NP (DT the) (NN cat)) (VBZ sleeps) (NP (NN now)))"
WORSE = "(S (DT the) (NN cat) (VBZ sleeps) (NN now))"
GOLD = [tree(RIGHT)] * 4
RUNS = [[tree(one) for one in run] for run in ((RIGHT, WRONG, RIGHT, WORSE), (RIGHT, RIGHT, WRONG, RIGHT))]
BETTER = [[tree(one) for one in run] for run in ((RIGHT, RIGHT, RIGHT, WRONG), (RIGHT,) * 4, (WRONG,) * 4)]


def test_means_and_deviations() -> None:
    runs = evaluate_runs(GOLD, RUNS)
    values = [evaluate(GOLD, run).f1 for run in RUNS]
    found = runs.figures["f1"]
    assert found is not None
    assert found.mean == pytest.approx(mean(values))  # type: ignore[type-var]
    assert found.deviation == pytest.approx(stdev(values))  # type: ignore[type-var]
    assert runs.figures["disc_f1"] is None
    assert runs.signature.startswith("runs:2|evalb|")


def test_one_run_has_no_deviation() -> None:
    found = evaluate_runs(GOLD, RUNS[:1]).figures["f1"]
    assert found is not None
    assert found.deviation is None


def test_runs_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(EvaluationError, match="no run"):
        Runs(())
    with pytest.raises(EvaluationError, match="different settings"):
        Runs((evaluate(GOLD, RUNS[0], "evalb"), evaluate(GOLD, RUNS[0], "spmrl")))
    with pytest.raises(EvaluationError, match="different gold trees"):
        Runs((evaluate(GOLD, RUNS[0]), evaluate(GOLD[:2], RUNS[0][:2])))


def test_comparing_single_runs_is_comparing_scores() -> None:
    first, second = evaluate(GOLD, RUNS[0]), evaluate(GOLD, BETTER[0])
    assert compare([first], [second], rounds=50) == compare(first, second, rounds=50)


def test_the_figures_of_several_runs_are_means() -> None:
    ours, theirs = ([evaluate(GOLD, run) for run in runs] for runs in (RUNS, BETTER))
    result = compare(ours, theirs, rounds=100)
    f1 = result.differences[0]
    assert result.runs == (2, 3)
    assert f1.first == pytest.approx(mean([one.f1 for one in ours]))  # type: ignore[type-var]
    assert f1.second == pytest.approx(mean([one.f1 for one in theirs]))  # type: ignore[type-var]
    assert f1.second_deviation == pytest.approx(stdev([one.f1 for one in theirs]))  # type: ignore[type-var]
    assert result.to_dict()["runs"] == [2, 3]
    with pytest.raises(EvaluationError, match="without a run"):
        compare(ours, [], rounds=10)


def counts(runs: list[list[object]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    scores = [evaluate(GOLD[:2], run[:2]) for run in runs]  # type: ignore[arg-type]
    return np.array([[_counts(one) for one in score.sentences] for score in scores], dtype=float)


def test_randomisation_comes_near_the_exact_answer() -> None:
    ours, theirs = counts(RUNS), counts(BETTER[1:])  # type: ignore[arg-type]
    every = np.concatenate([ours, theirs])
    exact = []
    for first, second in product(permutations(range(4)), repeat=2):
        sums = every[list(first), 0] + every[list(second), 1]
        figures = _figures(sums)[:, 0]
        exact.append(figures[2:].mean() - figures[:2].mean())
    drawn = randomise_runs(ours, theirs, 20_000, np.random.default_rng(1))[:, 0]
    for limit in np.unique(np.round(exact, 6)):
        expected = np.mean(np.array(exact) >= limit - 1e-9)
        assert np.mean(drawn >= limit - 1e-9) == pytest.approx(expected, abs=0.02)


def test_the_bootstrap_covers_the_chance_of_runs() -> None:
    """Systems whose sentences are all alike differ by their runs only."""
    same = [[GOLD[0]] * 4, [tree(WORSE)] * 4]
    drawn = bootstrap_runs(counts(same), counts(same), 400, np.random.default_rng(1))[:, 0]  # type: ignore[arg-type]
    assert drawn.std() > 10
    one = counts(same[:1])  # type: ignore[arg-type]
    assert bootstrap_runs(one, one, 400, np.random.default_rng(1))[:, 0].std() == 0


# ── the command line ─────────────────────────────────────────────────────────────────────────────────


def write() -> None:
    for name, trees in {"gold": GOLD, "a1": RUNS[0], "a2": RUNS[1], "b1": BETTER[0], "b2": BETTER[1]}.items():
        Path(name).write_text("".join(f"{one}\n" for one in trees))


def test_evaluate_several_files(spindle: Spindle) -> None:
    write()
    outcome = spindle("evaluate", "gold", "a1", "a2", "--json")
    figures = json.loads(outcome.out)
    assert outcome.code == 0
    assert figures["names"] == ["a1", "a2"]
    assert figures["mean"]["f1"] == pytest.approx(mean([run["f1"] for run in figures["runs"]]))
    table = spindle("evaluate", "gold", "a1", "a2").out
    assert "deviation" in table
    assert f"{figures['mean']['f1']:.2f}" in table
    rows = list(csv.DictReader(io.StringIO(spindle("evaluate", "gold", "a1", "a2", "--csv").out)))
    assert [row["pred"] for row in rows] == ["a1", "a2", "mean", "deviation"]
    assert float(rows[2]["f1"]) == pytest.approx(figures["mean"]["f1"])
    assert "±" in spindle("evaluate", "gold", "a1", "a2", "--latex").out


def test_what_applies_to_one_file_only(spindle: Spindle) -> None:
    write()
    for option in ("--official", "--per-sentence"):
        outcome = spindle("evaluate", "gold", "a1", "a2", option)
        assert outcome.code == 2
        assert "one prediction only" in outcome.err


def test_compare_several_files(spindle: Spindle) -> None:
    write()
    outcome = spindle("compare", "gold", "a1", "a2", "vs", "b1", "b2", "--rounds", "100")
    assert outcome.code == 0
    assert "A = a1 a2   B = b1 b2" in outcome.out
    assert "Runs: 2 of A, 2 of B" in outcome.out
    for files in (("a1", "a2", "b1"), ("vs", "a1"), ("a1", "vs"), ("a1", "vs", "b1", "vs", "b2"), ("a1",)):
        assert spindle("compare", "gold", *files).code == 2
