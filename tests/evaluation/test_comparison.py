"""Counted and ignored words and brackets, scheme by scheme, on trees small enough to count by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from spindle.evaluation import Score, evaluate
from spindle.evaluation.breakdown import Kind
from spindle.evaluation.parameters import Parameters, parse_parameters
from spindle.evaluation.schemes import EVALB
from support.notation import tree

SENTENCE = "(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))"


def score(gold: str, pred: str, scheme: str = "evalb", **options: Any) -> Score:
    return evaluate([tree(gold)], [tree(pred)], scheme, **options)


def counts(result: Score) -> tuple[int, int, int]:
    return result.totals.gold, result.totals.pred, result.totals.matched


def test_function_tags_and_indices_are_cut() -> None:
    assert counts(score(SENTENCE, SENTENCE.replace("NP-SBJ", "NP=2"))) == (3, 3, 3)


def test_labels_that_start_with_a_mark_are_not_cut() -> None:
    assert counts(score("(-X- (A a) (B b))", "(-Y- (A a) (B b))")) == (1, 1, 0)


def test_equal_labels_are_equal_for_phrases_and_in_evalb_for_tags() -> None:
    assert counts(score("(S (ADVP (RB up)) (A a))", "(S (PRT (RB up)) (A a))")) == (2, 2, 2)
    assert score("(S (ADVP up) (A a))", "(S (PRT up) (A a))").tags == 100.0
    assert score("(S (ADVP up) (A a))", "(S (PRT up) (A a))", "discodop").tags == 50.0


@pytest.mark.parametrize("scheme", ["evalb", "spmrl", "discodop"])
@pytest.mark.parametrize("wrapper", ["", "TOP", "ROOT", "S1", "VROOT"])
def test_a_wrapper_never_counts(scheme: str, wrapper: str) -> None:
    assert counts(score(f"({wrapper} {SENTENCE})", SENTENCE, scheme)) == (3, 3, 3)
    assert "wrapper:ignored" in score(SENTENCE, SENTENCE, scheme).signature


def test_a_wrapper_that_branches_counts_unless_it_is_deleted() -> None:
    branching = "(ROOT (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"
    assert counts(score(branching, branching)) == (3, 3, 3)
    assert counts(score(branching, branching, "spmrl")) == (2, 2, 2)


@pytest.mark.parametrize("scheme", ["evalb", "spmrl", "discodop"])
def test_traces_in_gold_are_dropped(scheme: str) -> None:
    gold = "(S (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (-NONE- *T*-1))))"
    result = score(gold, "(S (VP (VB Go)))", scheme)
    assert counts(result) == (2, 2, 2)
    assert result.sentences[0].length == 1


def test_punctuation_is_deleted_by_each_files_own_tags() -> None:
    result = score(SENTENCE, SENTENCE.replace("(. .)", "(NN .)"))
    assert (result.totals.errors, result.totals.scored) == (1, 0)
    assert "length mismatch: 3 counted words in gold, 4 in the prediction" in result.sentences[0].problem


def test_punctuation_counts_in_spmrl() -> None:
    result = score(SENTENCE, SENTENCE.replace("(. .)", "(NN .)"), "spmrl")
    assert (result.totals.words, result.totals.correct_tags) == (4, 3)


def test_in_discodop_gold_decides_what_is_deleted() -> None:
    result = score(SENTENCE, SENTENCE.replace("(. .)", "(NN !x)"), "discodop")
    assert result.totals.errors == 1  # the word is another
    result = score(SENTENCE, SENTENCE.replace("(. .)", "(NN .)"), "discodop")
    assert (result.totals.words, counts(result)) == (3, (3, 3, 3))


def test_in_discodop_a_trace_is_no_word_even_if_it_looks_like_one() -> None:
    gold = "(S (VP (-NONE- a) (NN a)) (, a))"
    assert counts(score(gold, gold, "discodop")) == (2, 2, 2)


def test_discontinuity_is_judged_without_the_words_that_do_not_count() -> None:
    gold = "(S (NP (A 0=a) (B 2=b)) ($, 1=,) (V 3=v))"
    assert score(gold, gold, "discodop").totals.disc_gold == 0
    assert score(gold, gold, "spmrl").totals.disc_gold == 1


def test_disc_only() -> None:
    gold = "(S (NP (A 0=a) (B 2=b)) (V 1=v))"
    assert counts(score(gold, gold, "discodop", disc_only=True)) == (1, 1, 1)


def test_a_bracket_matches_as_often_as_both_have_it() -> None:
    assert counts(score("(S (NP (NP (NP (N a)))) (V v))", "(S (NP (NP (N a))) (V v))")) == (4, 3, 3)


def test_unlabeled() -> None:
    parameters = dataclasses.replace(EVALB.parameters, labeled=False)
    assert counts(score(SENTENCE, SENTENCE.replace("VP", "XX"), params=parameters)) == (3, 3, 3)


def test_crossing_counts_predicted_brackets() -> None:
    gold = "(S (X (A a) (B b)) (Y (C c) (D d)))"
    pred = "(S (A a) (Z (U (B b) (C c))) (D d))"
    assert score(gold, pred).totals.crossing == 2
    assert score(gold, gold).totals.crossing == 0


QUOTES = parse_parameters("DELETE_LABEL ''\nQUOTE_LABEL ''\nQUOTE_LABEL POS\n")


@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_quotation_mark_with_a_doubtful_tag_is_put_back(is_swapped: bool) -> None:
    quote = "(S (NP (NNS boys) ('' ')) (VP (VBP sleep)))"
    possessive = quote.replace("'' '", "POS '")
    pair = (possessive, quote) if is_swapped else (quote, possessive)
    result = score(*pair, params=QUOTES)
    assert (counts(result), result.totals.words, result.totals.errors) == ((3, 3, 3), 3, 0)
    without = dataclasses.replace(QUOTES, quote_labels=())
    assert score(*pair, params=without).totals.errors == 1


def test_equal_words() -> None:
    parameters = Parameters(equal_words=(("colour", "color"),))
    assert score("(S (N colour) (V v))", "(S (N color) (V v))", params=parameters).f1 == 100.0
    assert score("(S (N colour) (V v))", "(S (N color) (V v))").totals.errors == 1


def test_a_sentence_of_punctuation_is_left_out_by_programs_that_delete_by_tag() -> None:
    assert score("(S (. .))", "(S (. .))").totals.errors == 1
    assert score("(S (. .))", "(S (. .))").f1 is None
    assert score("(S ($. .))", "(S ($. .))", "discodop").totals.scored == 1


@pytest.mark.parametrize(
    ("gold", "pred", "kind"),
    [
        ("(S (NP (A a) (B b)) (C c))", "(S (VP (A a) (B b)) (C c))", Kind.LABEL),
        ("(S (NP (A a)) (C c))", "(S (A a) (C c))", Kind.UNARY),
        ("(S (VP (NP (A a) (B b))) (C c))", "(S (NP (A a) (B b)) (C c))", Kind.UNARY),
        ("(S (NP (A a) (CC and) (B b)) (C c))", "(S (A a) (CC and) (B b) (C c))", Kind.COORDINATION),
        ("(S (NP (A a) (B b)) (C c))", "(S (A a) (B b) (C c))", Kind.ATTACHMENT),
        ("(S (VP (V v) (P p)) (C c))", "(S (VP (V v)) (P p) (C c))", Kind.ATTACHMENT),
    ],
)
def test_kinds_of_errors(gold: str, pred: str, kind: Kind) -> None:
    assert dict(score(gold, pred).breakdown.missing) == {kind: 1}
    assert dict(score(pred, gold).breakdown.extra) == {kind: 1}


def test_confusions_and_labels() -> None:
    result = score("(S (NP (A a) (B b)) (C c))", "(S (VP (A a) (B b)) (C c))")
    assert result.breakdown.confused == {("NP", "VP"): 1}
    assert (result.breakdown.gold, result.breakdown.pred) == ({"S": 1, "NP": 1}, {"S": 1, "VP": 1})
    assert result.breakdown.matched == {"S": 1}
