"""The two significance tests, against exact enumeration and on cases with a known answer."""

from __future__ import annotations

import time
from itertools import product

import pytest

from spindle.errors import EvaluationError
from spindle.evaluation import Score, compare
from spindle.evaluation.breakdown import Breakdown
from spindle.evaluation.corpus import make_settings
from spindle.evaluation.sentence_score import SentenceScore, Status

SETTINGS = make_settings()


def made(*counts: tuple[int, int, int]) -> Score:
    """A score from the matched, gold and predicted brackets of every sentence."""
    sentences = (
        SentenceScore(number, length=5, gold=gold, pred=pred, matched=matched, words=5, tags=5)
        for number, (matched, gold, pred) in enumerate(counts, 1)
    )
    return Score(SETTINGS, tuple(sentences), Breakdown())


def exact_randomisation(first: list[tuple[int, int, int]], second: list[tuple[int, int, int]]) -> float:
    def f1(rows: list[tuple[int, int, int]]) -> float:
        return 200 * sum(row[0] for row in rows) / sum(row[1] + row[2] for row in rows)

    observed = abs(f1(second) - f1(first))
    large = 0
    for coins in product((False, True), repeat=len(first)):
        ours = [b if coin else a for a, b, coin in zip(first, second, coins, strict=True)]
        theirs = [a if coin else b for a, b, coin in zip(first, second, coins, strict=True)]
        large += abs(f1(theirs) - f1(ours)) >= observed - 1e-9
    return large / (1 << len(first))


FIRST = [(3, 5, 5), (4, 6, 5), (2, 4, 4), (5, 7, 7), (1, 3, 4), (6, 8, 8), (3, 4, 4), (2, 5, 5)]
SECOND = [(4, 5, 5), (5, 6, 6), (2, 4, 3), (6, 7, 7), (2, 3, 4), (6, 8, 9), (4, 4, 4), (2, 5, 4)]


def test_randomisation_comes_near_the_exact_answer() -> None:
    result = compare(made(*FIRST), made(*SECOND), rounds=20_000)
    f1 = result.differences[0]
    assert f1.figure == "f1"
    assert f1.p_randomisation == pytest.approx(exact_randomisation(FIRST, SECOND), abs=0.02)


def test_figures_are_those_of_the_scores() -> None:
    first, second = made(*FIRST), made(*SECOND)
    for one in compare(first, second, rounds=10).differences:
        assert one.first == pytest.approx(getattr(first, one.figure), nan_ok=True)
        assert one.second == pytest.approx(getattr(second, one.figure), nan_ok=True)


def test_the_same_parser_twice() -> None:
    result = compare(made(*FIRST), made(*FIRST), rounds=100)
    assert [one.p_randomisation for one in result.differences[:4]] == [1.0] * 4
    assert [one.p_bootstrap for one in result.differences[:4]] == [1.0] * 4
    assert (result.differences[0].low, result.differences[0].high) == (0.0, 0.0)
    assert result.differences[4].p_bootstrap is None  # no discontinuous brackets


def test_a_clear_difference() -> None:
    result = compare(made(*[(1, 5, 5)] * 50), made(*[(4, 5, 5)] * 50), rounds=1000).differences[0]
    assert result.difference == pytest.approx(60.0)
    assert result.p_bootstrap == pytest.approx(2 / 1001)
    assert result.p_randomisation == pytest.approx(1 / 1001)
    assert result.low == result.high == pytest.approx(60.0)


def test_the_seed_decides() -> None:
    scores = made(*FIRST), made(*SECOND)
    assert compare(*scores, rounds=500) == compare(*scores, rounds=500)
    assert compare(*scores, rounds=500) != compare(*scores, rounds=500, seed=2)


def test_only_sentences_that_both_were_scored_on() -> None:
    second = made(*SECOND)
    skipped = (second.sentences[0]._replace(status=Status.SKIPPED), *second.sentences[1:])
    result = compare(made(*FIRST), Score(SETTINGS, skipped, Breakdown()), rounds=10)
    assert (result.sentences, result.left_out) == (7, 1)
    nothing = Score(SETTINGS, (), Breakdown())
    with pytest.raises(EvaluationError, match="no sentence is in the scores of both"):
        compare(nothing, second)
    with pytest.raises(EvaluationError, match="different settings cannot be compared"):
        compare(second, Score(make_settings("spmrl"), second.sentences, Breakdown()))


def test_ten_thousand_rounds_on_five_thousand_sentences_in_ten_seconds() -> None:
    many = 5000 // len(FIRST)
    start = time.process_time()
    compare(made(*FIRST * many), made(*SECOND * many))
    assert time.process_time() - start < 10
