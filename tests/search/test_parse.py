"""Patterns that cannot be read, and the place that the message points at."""

import pytest

from spindle.errors import PatternError
from spindle.search import compile_pattern
from spindle.search.parse import MAX_DEPTH, MAX_LENGTH, OPERATORS

MALFORMED = [
    # the pattern, and below it the place
    ("NP < (NN", "     ^", "not closed"),
    ("NP <", "    ^", "a label is expected"),
    ("NP < )", "     ^", "a label is expected"),
    ("NP < NN)", "       ^", "closes nothing"),
    ("NP NN", "   ^", "a relation"),
    ("NP < NN |", "         ^", "a label is expected"),
    ("NP < NN & NP", "          ^", "a relation is expected after &"),
    ("NP [< NN", "   ^", "not closed"),
    ("NP < NN ! NP", "          ^", "a relation is expected after !"),
    ("NP <0 NN", "   ^", "counted from 1"),
    ("/(/ < NN", " ^", "not a regular expression"),
    ("/NP < NN", "^", "not closed"),
    ('"NP < NN', "^", "not closed"),
    ("NP < =x", "      ^", "x"),
    ("NP !< NN=x < =x", "              ^", "x"),
    ("NP [< A=x | < B=y] << =x", "                       ^", "x"),
    ("NP < ~y", "      ^", "y"),
    ("NP=1 < NN", "   ^", "a name"),
    ("NP:gab", "   ^", "no attribute gab"),
    ("NP:len", "   ^", "len>=2"),
    ("NP:func", "   ^", "func=X"),
    ("NP:func=", "        ^", "a value is expected"),
    ("!__ < NN", "^", "every label"),
    ("", "^", "a label"),
    ("NP\n  < (NN", "    ^", "not closed"),
]


@pytest.mark.parametrize(("pattern", "mark", "cause"), MALFORMED, ids=[one[0] for one in MALFORMED])
def test_the_mark_is_below_the_mistake(pattern: str, mark: str, cause: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    assert cause in caught.value.cause
    line = pattern.splitlines()[-1] if pattern else ""
    assert str(caught.value).splitlines()[-2:] == [f"  {line}", f"  {mark}"]


@pytest.mark.parametrize("pattern", ["(" * 500, "A " + "!" * 500 + "< B", "A < " + "(A < " * 500])
def test_deep_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match=f"more than {MAX_DEPTH}"):
        compile_pattern(pattern)


def test_long_patterns_are_refused() -> None:
    with pytest.raises(PatternError, match="characters"):
        compile_pattern("A" * (MAX_LENGTH + 1))
    compile_pattern("A" + " < B" * ((MAX_LENGTH - 1) // 4))
    compile_pattern("A" + " : B" * ((MAX_LENGTH - 1) // 4))


@pytest.mark.parametrize("operator", sorted(OPERATORS))
def test_blanks_around_operators_may_be_left_out(operator: str) -> None:
    assert compile_pattern(f"A{operator}B").formulas == compile_pattern(f"A {operator} B").formulas


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A < B < C", "A < B & < C"),
        ("A < B < C", "A [< B < C]"),
        ("A < B & < C | < D", "A [[< B & < C] | < D]"),
        ("A <, B", "A <1 B"),
        ("A <- B", "A <-1 B"),
        ("A $+ B", "A $. B"),
        ("A $-- B", "A $,, B"),
        ("A % B", "A $ B"),
        ("A <` B", "A <' B"),
        ("A ! < B", "A !< B"),
        ("(A < B) < C", "A < B < C"),
        ("A|B < C", "A | B < C"),
        ("* < A", "__ < A"),
        (":gap", "__:gap"),
        ('"A" < B', "A < B"),
        (r"\A < B", "A < B"),
    ],
)
def test_two_spellings_of_the_same(one: str, other: str) -> None:
    first, second = compile_pattern(one), compile_pattern(other)
    assert (first.vertices, first.formulas) == (second.vertices, second.formulas)


@pytest.mark.parametrize("label", ["PRP$", "$", "-NONE-", "''", "S-TPC-2", "NP#1", "#", "3D", "don't", "A/B"])
def test_labels_that_need_no_quotes(label: str) -> None:
    assert compile_pattern(f"{label} < (__ < {label})").predicates == (frozenset({label}), frozenset({label}))


def test_numbers_need_not_fit_a_machine_word() -> None:
    compile_pattern("A:len>99999999999999999999 <99999999999999999999 B")
