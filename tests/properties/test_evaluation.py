"""Properties of every score; the compiled scorer agrees with the reference implementation."""

from __future__ import annotations

import dataclasses
from functools import reduce
from operator import add
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from spindle.evaluation import Score, evaluate
from spindle.evaluation.breakdown import Breakdown
from spindle.evaluation.comparison import Comparison
from spindle.evaluation.corpus import make_settings, score_pairs
from spindle.evaluation.entries import read_entries
from spindle.evaluation.lines import Line, LineFile
from spindle.evaluation.pairing import Pair, pair_entries
from spindle.evaluation.parameters import Parameters, parse_parameters, write_parameters
from spindle.evaluation.scorer import Scorer
from spindle.evaluation.sentence_score import compare_pair
from spindle.evaluation.settings import Settings
from spindle.treebanks.discbracket import write_discbracket
from spindle.trees import Token, Tree
from support.strategies import tokens, trees

SCHEMES = ("evalb", "evalb-gold", "spmrl", "discodop")
LABELS = st.sampled_from(["S", "NP", "NP-SBJ", "VP", "ADVP", "PRT", "PP=2", "TOP", "-"])
TAGS = st.sampled_from(["NN", "VB", "CC", ",", ".", "``", "-NONE-", "POS", "VBZ-x"])
WORDS = tokens(forms=st.sampled_from(["a", "b", "cat", ",", "(", "'", "*"]), tags=TAGS)


@st.composite
def tree_pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two trees over the same words, with different labels, tags and attachments."""
    gold = draw(trees(labels=LABELS, tokens=WORDS))
    retagged = [token._replace(tag=draw(TAGS)) if draw(st.booleans()) else token for token in gold.tokens]
    pred = Tree.build(
        retagged if draw(st.booleans()) else gold.tokens,
        [draw(LABELS) if draw(st.booleans()) else label for label in gold.labels],
        gold.parents,
        draw(st.permutations(gold.leaf_parents)) if draw(st.booleans()) else gold.leaf_parents,
    )
    return gold, pred


CORPORA = st.lists(tree_pairs(), min_size=1, max_size=4)


def score(pairs: list[tuple[Tree, Tree]], scheme: str, **options: Any) -> Score:
    return evaluate([gold for gold, _ in pairs], [pred for _, pred in pairs], scheme, **options)


@pytest.mark.parametrize("scheme", SCHEMES)
@examples(max_examples=30)
@given(gold=trees(labels=LABELS, tokens=WORDS))
def test_a_tree_against_itself_is_perfect_or_undefined(scheme: str, gold: Tree) -> None:
    result = score([(gold, gold)], scheme)
    for figure in (
        "precision",
        "recall",
        "f1",
        "tags",
        "disc_precision",
        "disc_recall",
        "disc_f1",
        "disc_exact",
    ):
        assert getattr(result, figure) in (100.0, None), figure
    assert result.totals.crossing == 0
    assert not result.breakdown.missing
    assert not result.breakdown.extra
    if result.totals.scored:
        assert result.exact == 100.0


@pytest.mark.parametrize("scheme", SCHEMES)
@examples(max_examples=30)
@given(pairs=CORPORA)
def test_f1_does_not_care_which_file_is_gold(scheme: str, pairs: list[tuple[Tree, Tree]]) -> None:
    # disco-dop deletes by the gold tags, so both files must have the same ones
    pairs = [(gold, pred.replace(tokens=gold.tokens)) for gold, pred in pairs]
    there, back = score(pairs, scheme), score([(pred, gold) for gold, pred in pairs], scheme)
    assert there.f1 == back.f1
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.disc_f1 == back.disc_f1


@pytest.mark.parametrize("scheme", SCHEMES)
@examples(max_examples=30)
@given(pairs=CORPORA, missing=st.sampled_from(["skip", "count"]))
def test_scores_of_shards_add_up(scheme: str, pairs: list[tuple[Tree, Tree]], missing: str) -> None:
    whole = score(pairs, scheme, missing=missing)
    shards = [score([pair], scheme, missing=missing) for pair in pairs]
    assert reduce(add, shards).to_dict() | {"problems": []} == whole.to_dict() | {"problems": []}
    assert reduce(add, shards).breakdown == whole.breakdown


@st.composite
def settings(draw: st.DrawFn) -> Settings:
    """Any scheme with any settings."""
    scheme = draw(st.sampled_from(SCHEMES))
    chosen = make_settings(
        scheme,
        disc_only=draw(st.booleans()),
        missing=draw(st.sampled_from(["skip", "count"])),
        official=scheme != "evalb-gold" and draw(st.booleans()),
    )
    parameters = dataclasses.replace(
        chosen.parameters,
        labeled=draw(st.booleans()),
        quote_labels=draw(st.sampled_from([(), ("``", "POS")])),
        equal_words=draw(st.sampled_from([(), (("a", "b"),)])),
        delete_words=draw(st.sampled_from([(), ("cat", "(")])),
    )
    return dataclasses.replace(chosen, parameters=parameters, cutoff=draw(st.sampled_from([None, 3])))


@given(pairs=CORPORA, settings=settings(), as_lines=st.booleans())
def test_the_compiled_engine_counts_as_the_readable_one(
    pairs: list[tuple[Tree, Tree]], settings: Settings, as_lines: bool
) -> None:
    scorer, breakdown = Scorer(settings), Breakdown()
    file = LineFile("lines", is_discontinuous=True)
    for number, (gold, pred) in enumerate(pairs, 1):
        sentence, compared = compare_pair(Pair(number, gold, pred), settings)
        if as_lines and all(tree.labels for tree in (gold, pred)):
            one, other = (Line(text, number, file) for text in write_discbracket([gold, pred]))
            found = scorer.score(Pair(number, one, other))
        else:
            found = scorer.score(Pair(number, gold, pred))
        if settings.cutoff is not None and sentence.length > settings.cutoff:
            assert found.length == sentence.length
            continue
        assert found == sentence
        if isinstance(compared, Comparison):
            breakdown.add(gold, pred, compared)
        assert scorer.breakdown.confused == breakdown.confused
    if settings.missing == "skip":
        assert scorer.breakdown == breakdown + Breakdown()


@given(
    st.builds(
        Parameters,
        debug=st.integers(-1, 2),
        max_error=st.integers(0, 99),
        cutoff=st.integers(0, 99),
        labeled=st.booleans(),
        delete_labels=st.lists(LABELS).map(tuple),
        delete_labels_for_length=st.lists(TAGS).map(tuple),
        delete_words=st.lists(st.sampled_from(["«", "...", "#"])).map(tuple),
        quote_labels=st.lists(TAGS).map(tuple),
        equal_labels=st.lists(st.tuples(LABELS, LABELS)).map(tuple),
        equal_words=st.lists(st.tuples(LABELS, LABELS)).map(tuple),
        disc_only=st.booleans(),
    )
)
def test_parameters_survive_writing_and_reading(parameters: Parameters) -> None:
    assert parse_parameters(write_parameters(parameters)) == parameters


@given(st.permutations(range(5)), st.sets(st.integers(0, 4)), st.sets(st.integers(0, 4)))
def test_sentences_find_each_other_by_id(order: list[int], in_gold: set[int], in_pred: set[int]) -> None:
    def sentence(number: int) -> Tree:
        return Tree((Token("word", "NN"),), ("S",), (-1,), (0,), id=f"s{number}")

    gold = [sentence(number) for number in sorted(in_gold)]
    pred = [sentence(number) for number in order if number in in_pred]
    pairs = list(pair_entries(gold, pred))
    if not in_gold or not in_pred:
        assert len(pairs) == len(gold) + len(pred)
        return
    names = [(getattr(pair.gold, "id", None), getattr(pair.pred, "id", None)) for pair in pairs]
    both = [(name, name) for name in (f"s{number}" for number in sorted(in_gold & in_pred))]
    assert [name for name in names if None not in name] == both
    assert {name for name in names if name[1] is None} == {
        (f"s{number}", None) for number in in_gold - in_pred
    }
    assert {name for name in names if name[0] is None} == {
        (None, f"s{number}") for number in in_pred - in_gold
    }


PIECES = st.sampled_from(["(", ")", "(S ", "(NN a)", " a", "\n", "(())", "\t", "<x>", "é", "(A (B b))"])
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@examples(max_examples=60)
@given(gold=TEXTS, pred=TEXTS, scheme=st.sampled_from(SCHEMES))
def test_any_two_texts_can_be_scored(
    tmp_path_factory: pytest.TempPathFactory, gold: str, pred: str, scheme: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "gold.ptb").write_text(gold, encoding="utf-8")
    (folder / "pred.ptb").write_text(pred, encoding="utf-8")
    settings = make_settings(scheme)
    entries = (read_entries(folder / name, "bracket") for name in ("gold.ptb", "pred.ptb"))
    result = score_pairs(pair_entries(*entries), settings)
    totals = result.totals
    assert totals.scored + totals.missing + totals.errors == totals.gold_sentences
    assert all(sentence.problem for sentence in result.sentences if not sentence.counts)
