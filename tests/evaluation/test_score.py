"""The score object: figures, JSON, signature, addition."""

from __future__ import annotations

import json

import pytest

from spindle.errors import EvaluationError
from spindle.evaluation import Parameters, evaluate
from spindle.evaluation.pairing import Absent, pair_entries
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.treebanks import parse_tree
from support.notation import tree

GOLD = tree("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
PRED = tree("(S (NP (DT the) (JJ cat)) (VBZ sleeps))")
KEYS = (
    *("precision", "recall", "f1", "exact", "tags"),
    *("disc_precision", "disc_recall", "disc_f1", "disc_exact"),
    *("sentences", "scored", "missing", "left_out", "extra", "signature"),
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
    for part in (
        "evalb",
        "prm:collins",
        "missing:count",
        "punct:deleted-by-own-tags",
        "tags:pred",
        "cut:all",
        "v:",
    ):
        assert part in score.signature
    other = evaluate([GOLD], [GOLD], "spmrl", cutoff=40, missing="skip", disc_only=True)
    for part in ("spmrl", "punct:kept", "tags:gold", "cut:40", "missing:skip", "scored:1/1", "brackets:disc"):
        assert part in other.signature
    assert "prm:given#" in evaluate([GOLD], [GOLD], params=Parameters()).signature
    assert "punct:kept" in evaluate([GOLD], [GOLD], params=Parameters()).signature


def test_cutoff_leaves_out_longer_sentences() -> None:
    short = tree("(S (NN cat))")
    score = evaluate([GOLD, short], [PRED, short], cutoff=2)
    assert (score.totals.sentences, score.f1) == (1, 100.0)
    assert score.breakdown.gold == {"S": 1}


def test_an_unparsed_sentence_is_skipped_or_counted() -> None:
    skipped = evaluate([GOLD, GOLD], [GOLD, Absent.UNPARSED], missing="skip")
    assert (skipped.totals.skipped, skipped.recall, skipped.tags) == (1, 100.0, 100.0)
    counted = evaluate([GOLD, GOLD], [GOLD, Absent.UNPARSED])
    assert (counted.totals.skipped, counted.recall, counted.precision, counted.tags) == (0, 50.0, 100.0, 50.0)
    assert counted.breakdown.missing.total() == 3


def test_scores_add_up_only_if_computed_alike() -> None:
    both = evaluate([GOLD], [PRED]) + evaluate([GOLD], [GOLD])
    assert both.totals == evaluate([GOLD, GOLD], [PRED, GOLD]).totals
    with pytest.raises(EvaluationError, match="different settings cannot be added"):
        evaluate([GOLD], [PRED]) + evaluate([GOLD], [PRED], "spmrl")


def test_unknown_scheme() -> None:
    with pytest.raises(
        EvaluationError, match="unknown scheme 'bleu'; choose one of evalb, evalb-gold, spmrl, discodop"
    ):
        evaluate([GOLD], [PRED], scheme="bleu")


TEN = [tree(f"(S (NP (DT the) (NN cat{number})) (VP (VBZ sleeps)))") for number in range(10)]


def test_missing_sentences_count_as_failures() -> None:
    score = evaluate(TEN, [TEN[1], TEN[4], TEN[8]])
    assert (score.precision, score.recall, score.exact) == (100.0, 30.0, 30.0)
    assert score.totals.coverage == {"sentences": 10, "scored": 3, "missing": 7, "left_out": 0, "extra": 0}
    assert "scored:3/10" in score.signature
    assert "scored 3  missing 7  left_out 0" in str(score)
    skipped = evaluate(TEN, [TEN[1], TEN[4], TEN[8]], missing="skip")
    assert (skipped.f1, skipped.totals.missing) == (100.0, 7)
    assert "missing:skip|scored:3/10" in skipped.signature


def test_files_of_different_length_without_ids_are_aligned_by_words() -> None:
    remarks: list[str] = []
    pairs = list(pair_entries(TEN, [TEN[1], TEN[4], GOLD, TEN[8]], on_remark=remarks.append))
    assert [pair.pred for pair in pairs if pair.pred is pair.gold] == [TEN[1], TEN[4], TEN[8]]
    assert [pair.pred for pair in pairs if pair.gold is Absent.MISSING] == [GOLD]
    assert remarks == [
        "10 sentences in gold, 4 in the prediction, and no ids to pair them by: "
        "they are aligned by their words"
    ]
    by_position = list(pair_entries(TEN, [TEN[1]], official=True))
    assert (by_position[0].gold, by_position[0].pred) == (TEN[0], TEN[1])


def test_a_scheme_that_leaves_nothing_out() -> None:
    gold = tree("(S (NP (DT the) (NN cat)) (, ,) (VP (VBZ sleeps)))")
    pred = tree("(S (NP (DT the) (NN cat)) (NN ,) (VP (VBZ sleeps)))")
    assert "scored:0/1" in evaluate([gold], [pred], "evalb").signature
    score = evaluate([gold], [pred], "evalb-gold")
    assert score.f1 == 100.0
    assert "evalb-gold|prm:collins|labels:yes|punct:deleted-by-gold-tags" in score.signature
    assert "scored:1/1" in score.signature


def test_the_scheme_follows_from_the_gold_trees() -> None:
    crossing = parse_tree("(S (NP (DT 0=a) (NN 2=b)) (VP (VB 1=c)) (. 3=.))")
    at_punctuation = parse_tree("(S (NP (DT 0=a) (NN 2=b)) (, 1=,) (VP (VB 3=c)))")
    assert evaluate([crossing], [crossing]).settings.scheme.name == "discodop"
    assert evaluate([at_punctuation], [at_punctuation]).settings.scheme.name == "evalb"
    choice, entries = choose_scheme([GOLD] * 199 + [crossing])
    assert choice == ("evalb", "0.5% of the gold trees are discontinuous")
    assert len(list(entries)) == 200
