"""Transforms that bring English treebanks to one annotation."""

import pytest

from spindle.treebanks.transforms.parentheses import bracket_parentheses, nest_parentheses
from spindle.treebanks.transforms.penn import (
    PENN,
    collapse_repeated_nodes,
    dissolve_extra_labels,
    dissolve_labels,
    flatten_hyphenated_nouns,
    tag_dashes,
    to_penn,
    wrap_interjections,
    wrap_list_markers,
)
from spindle.treebanks.transforms.wh_phrases import label_wh_phrases
from support.notation import notation, tree


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(NP (NN cup) (SBAR (NP (WDT that)) (S x)))", None),  # a token is no clause
        (
            "(NP (NN cup) (SBAR (NP (WDT that)) (S (VP (VBD fell)))))",
            "(NP (NN cup) (SBAR (WHNP (WDT that)) (S (VP (VBD fell)))))",
        ),
        (
            "(SBARQ (NP (NP (WP$ whose) (NN aunt) (POS 's)) (NN car)) (SQ (VP (VBZ squeaks))))",
            "(SBARQ (WHNP (WHNP (WP$ whose) (NN aunt) (POS 's)) (NN car)) (SQ (VP (VBZ squeaks))))",
        ),
        (
            "(SBAR (PP (IN with) (NP (WP whom))) (S (NP (PRP I)) (VP (VBP live))))",
            "(SBAR (WHPP (IN with) (WHNP (WP whom))) (S (NP (PRP I)) (VP (VBP live))))",
        ),
        (
            "(SBAR (NP (NP (CD one)) (PP (IN of) (NP (WDT which)))) (S (VP (VBD sank))))",
            "(SBAR (WHNP (NP (CD one)) (WHPP (IN of) (WHNP (WDT which)))) (S (VP (VBD sank))))",
        ),
        (
            "(SBARQ (NP (ADJP (WRB how) (JJ many)) (NNS jars)) (SQ (VP (VBD broke))))",
            "(SBARQ (WHNP (WHADJP (WRB how) (JJ many)) (NNS jars)) (SQ (VP (VBD broke))))",
        ),
        (
            "(SBAR (ADVP (WRB where)) (S (NP (PRP we)) (VP (VBP sleep))))",
            "(SBAR (WHADVP (WRB where)) (S (NP (PRP we)) (VP (VBP sleep))))",
        ),
        ("(SQ (VBD did) (NP (PRP you)) (VP (VB see) (NP (WP what))))", None),  # in its place
        ("(SBAR (IN that) (S (NP (WP what)) (VP (VBZ matters))))", None),
        ("(SBAR (NP (DT the) (NN day)) (S (NP (PRP we)) (VP (VBD met))))", None),
    ],
)
def test_wh_phrases(before: str, after: str | None) -> None:
    assert notation(label_wh_phrases(tree(before))) == (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (  # the closing bracket is attached too high
            "(S (NP (NP (DT a) (NN box)) (-LRB- LRB) (NP (NN tin))) (-RRB- RRB) (VP (VBD fell)))",
            "(S (NP (NP (DT a) (NN box)) (PRN (-LRB- LRB) (NP (NN tin)) (-RRB- RRB))) (VP (VBD fell)))",
        ),
        (  # through several nodes
            "(S (NP (NP (NN tea)) (PP (IN for) (NP (NP (CD two)) (-LRB- LRB) (NP (NN us)))))"
            " (-RRB- RRB) (VP (VBD came)))",
            "(S (NP (NP (NN tea)) (PP (IN for) (NP (NP (CD two)) (PRN (-LRB- LRB) (NP (NN us)) (-RRB- RRB))"
            "))) (VP (VBD came)))",
        ),
        (  # the opening bracket is attached too high
            "(S (-LRB- LRB) (NP (NP (NN tin)) (-RRB- RRB) (NN box)) (VP (VBD fell)))",
            "(S (NP (PRN (-LRB- LRB) (NP (NN tin)) (-RRB- RRB)) (NN box)) (VP (VBD fell)))",
        ),
        (  # moving it would make a gap
            "(S (NP (NP (NN box)) (-LRB- LRB) (NP (NN tin))) (VP (VBD fell)) (-RRB- RRB))",
            None,
        ),
        (
            "(NP (NP (NN box)) (-LRB- LRB) (NP (NN tin)) (-RRB- RRB))",
            "(NP (NP (NN box)) (PRN (-LRB- LRB) (NP (NN tin)) (-RRB- RRB)))",
        ),
        (
            "(NP (NP (NN box)) (PRN (-LRB- LRB) (CD 1990) (-RRB- RRB)))",
            "(NP (NP (NN box)) (PRN (-LRB- LRB) (NP (CD 1990)) (-RRB- RRB)))",
        ),
        ("(NP (NN box) (-LRB- LRB) (SYM +) (-RRB- RRB))", None),
        ("(NP (-LRB- LRB) (NP (NN tin)) (-RRB- RRB))", None),
        ("(S (LST (-LRB- LRB) (LS a) (-RRB- RRB)) (NP (NN x)) (VP (VBZ y)))", None),
        ("(PRN (-LRB- LRB) (IN with) (-RRB- RRB))", None),
        ("(S (NP (NN x)) (-RRB- RRB) (VP (VBZ y)) (-LRB- LRB))", None),
        (
            "(NP (NP (NN x)) (-LRB- LRB) (NP (NP (NN y)) (-LRB- LRB) (NP (NN z)) (-RRB- RRB)) (-RRB- RRB))",
            "(NP (NP (NN x)) (PRN (-LRB- LRB) (NP (NP (NN y)) (PRN (-LRB- LRB) (NP (NN z)) (-RRB- RRB)))"
            " (-RRB- RRB)))",
        ),
    ],
)
def test_brackets(before: str, after: str | None) -> None:
    assert notation(bracket_parentheses(tree(before))) == (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "(NP (DT a) (ADJP (RB very) (JJ old)) (NN box) (PRN (NP (NN tin))))",
            "(NP (NP (DT a) (ADJP (RB very) (JJ old)) (NN box)) (PRN (NP (NN tin))))",
        ),
        ("(NP (NP (NN box)) (PRN (NP (NN tin))))", None),
        ("(NP (NN box) (PRN (NP (NN tin))) (NN lid))", None),
        ("(NP (PRN (NP (NN tin))))", None),
        ("(VP (VBD saw) (PRN (NP (NN tin))))", None),
    ],
)
def test_nested_parentheses(before: str, after: str | None) -> None:
    assert notation(nest_parentheses(tree(before))) == (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "(NP (DT a) (ADJP (CD two) (HYPH -) (NN year)) (NN plan))",
            "(NP (DT a) (CD two) (HYPH -) (NN year) (NN plan))",
        ),
        ("(NP (DT a) (ADJP (CD two) (HYPH -) (JJ sided)) (NN plan))", None),
        ("(NP (DT a) (ADJP (NP (CD two)) (HYPH -) (NN year)) (NN plan))", None),
        ("(VP (VBZ is) (ADJP (CD two) (HYPH -) (NN year)))", None),
    ],
)
def test_hyphenated_nouns(before: str, after: str | None) -> None:
    assert notation(flatten_hyphenated_nouns(tree(before))) == (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (ADVP (UH well)) (VP (VBZ x)))", "(S (INTJ (UH well)) (VP (VBZ x)))"),
        ("(S (NP (UH no)) (VP (VBZ x)))", "(S (INTJ (UH no)) (VP (VBZ x)))"),
        ("(S (UH yes) (, ,) (VP (VBZ x)))", "(S (INTJ (UH yes)) (, ,) (VP (VBZ x)))"),
        ("(S (INTJ (UH yes)) (VP (VBZ x)))", None),
        ("(NP (UH bye) (NN note))", None),
        ("(UH bye)", None),
    ],
)
def test_interjections(before: str, after: str | None) -> None:
    assert notation(wrap_interjections(tree(before))) == (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(NP (X (LS 1)) (NN tea))", "(NP (LST (LS 1)) (NN tea))"),
        ("(NP (LS 1) (NN tea))", "(NP (LST (LS 1)) (NN tea))"),
        ("(NP (LST (LS 1)) (NN tea))", None),
        ("(LS 1)", None),
    ],
)
def test_list_markers(before: str, after: str | None) -> None:
    assert notation(wrap_list_markers(tree(before))) == (after or before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (S (VP (VB go))) (HYPH -) (NP (RB now)))", "(S (S (VP (VB go))) (: -) (NP (RB now)))"),
        ("(NP (NP (NN east)) (HYPH -) (NP (NN west)))", None),
        ("(S (NP (NN east)) (HYPH -) (NN west))", None),
        ("(S (S (VP (VB go))) (HYPH /) (NP (RB now)))", None),
    ],
)
def test_dashes(before: str, after: str | None) -> None:
    assert notation(tag_dashes(tree(before))) == (after or before)


def test_dissolved_labels() -> None:
    assert notation(dissolve_labels(tree("(A (B (B (x y)) (C (z w))))"), {"A", "B"})) == "(A (x y) (C (z w)))"
    headline = tree("(ROOT (TITLE (NP (NML (NN tea) (NN cup)) (NX (NN lid)))))")
    assert notation(dissolve_extra_labels(headline)) == "(ROOT (NP (NN tea) (NN cup) (NN lid)))"


def test_repeated_nodes() -> None:
    repeated = tree("(S (NP (NP (NP (NN tea)))) (VP (VP (VBZ is)) (VP (VBZ x))))")
    assert notation(collapse_repeated_nodes(repeated)) == "(S (NP (NN tea)) (VP (VP (VBZ is)) (VP (VBZ x))))"


def test_all_in_order() -> None:
    before = tree(
        "(ROOT (S (UH oh) (NP (DT the) (NML (NN tea) (NN cup)) (PRN (-LRB- LRB) (CD 1) (-RRB- RRB)))"
        " (VP (VBZ is) (SBAR (NP (WP what)) (S (NP (PRP we)) (VP (VBP want)))))))"
    )
    after = (
        "(ROOT (S (INTJ (UH oh)) (NP (NP (DT the) (NN tea) (NN cup))"
        " (PRN (-LRB- LRB) (NP (CD 1)) (-RRB- RRB))) (VP (VBZ is)"
        " (SBAR (WHNP (WP what)) (S (NP (PRP we)) (VP (VBP want)))))))"
    )
    assert notation(to_penn(before)) == after
    assert notation(to_penn(to_penn(before))) == after
    for transform in PENN.values():
        assert (transform.__doc__ or "").partition("\n")[0].endswith("(lossy)")
