"""The score object: figures, JSON, signature, addition."""

from __future__ import annotations

import json

import pytest

from spindle.errors import EvaluationError
from spindle.evaluation import Parameters, evaluate
from spindle.evaluation.pairing import Absent
from support.notation import tree

GOLD = tree("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
PRED = tree("(S (NP (DT the) (JJ cat)) (VBZ sleeps))")
KEYS = (
    *("precision", "recall", "f1", "exact", "tags"),
    *("disc_precision", "disc_recall", "disc_f1", "disc_exact"),
    *("sentences", "errors", "skipped", "signature"),
)


def test_figures() -> None:
    score = evaluate([GOLD], [PRED])
    assert (score.precision, score.f1, score.exact) == (100.0, 80.0, 0.0)
    assert score.recall == pytest.approx(100 * 2 / 3)
    assert score.tags == pytest.approx(100 * 2 / 3)
    assert score.disc_f1 is None


def test_json_has_every_key() -> None:
    figures = json.loads(json.dumps(evaluate([GOLD], [PRED]).to_dict(per_sentence=True)))
    assert set(KEYS) <= set(figures)
    assert figures["disc_f1"] is None
    assert figures["per_sentence"][0]["matched"] == 2
    assert figures["per_sentence"][0]["status"] == "scored"


def test_the_text_says_undefined_and_how_it_was_computed() -> None:
    text = str(evaluate([GOLD], [PRED]))
    assert "f1 80.00" in text
    assert "disc_f1 undefined" in text
    assert text.endswith(evaluate([GOLD], [PRED]).signature)


def test_signature() -> None:
    score = evaluate([GOLD], [PRED])
    for part in ("evalb", "prm:collins", "punct:deleted-by-own-tags", "tags:pred", "cut:all", "v:"):
        assert part in score.signature
    other = evaluate([GOLD], [GOLD], "spmrl", cutoff=40, unparsed="count", disc_only=True)
    for part in ("spmrl", "punct:kept", "tags:gold", "cut:40", "unparsed:count", "brackets:disc"):
        assert part in other.signature
    assert "prm:given#" in evaluate([GOLD], [GOLD], params=Parameters()).signature
    assert "punct:kept" in evaluate([GOLD], [GOLD], params=Parameters()).signature


def test_cutoff_leaves_out_longer_sentences() -> None:
    short = tree("(S (NN cat))")
    score = evaluate([GOLD, short], [PRED, short], cutoff=2)
    assert (score.totals.sentences, score.f1) == (1, 100.0)
    assert score.breakdown.gold == {"S": 1}


def test_an_unparsed_sentence_is_skipped_or_counted() -> None:
    skipped = evaluate([GOLD, GOLD], [GOLD, Absent.UNPARSED])
    assert (skipped.totals.skipped, skipped.recall, skipped.tags) == (1, 100.0, 100.0)
    counted = evaluate([GOLD, GOLD], [GOLD, Absent.UNPARSED], unparsed="count")
    assert (counted.totals.skipped, counted.recall, counted.precision, counted.tags) == (0, 50.0, 100.0, 50.0)
    assert counted.breakdown.missing.total() == 3


def test_scores_add_up_only_if_computed_alike() -> None:
    both = evaluate([GOLD], [PRED]) + evaluate([GOLD], [GOLD])
    assert both.totals == evaluate([GOLD, GOLD], [PRED, GOLD]).totals
    with pytest.raises(EvaluationError, match="different settings cannot be added"):
        evaluate([GOLD], [PRED]) + evaluate([GOLD], [PRED], "spmrl")


def test_unknown_scheme() -> None:
    with pytest.raises(EvaluationError, match="unknown scheme 'bleu'; choose one of evalb, spmrl, discodop"):
        evaluate([GOLD], [PRED], scheme="bleu")
