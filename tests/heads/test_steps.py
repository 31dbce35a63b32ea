"""The meaning of each kind of step."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import HeadRuleError
from spindle.heads.steps import Candidates, Child, Choice, Kind, Place, Step, can_be_named
from support.strategies import texts


def found(step: str, labels: str) -> int | None:
    """Find a head among children written as `NN`, `NN/HD` (its edge), `,!` (punctuation), `*?` (empty)."""
    children = []
    for word in labels.split():
        kind = {"!": Kind.PUNCTUATION, "?": Kind.EMPTY}.get(word[-1], Kind.WORD)
        label, _, edge = word.rstrip("!?").partition("/")
        children.append(Child(label, edge, kind))
    return Step.parse(step).find(children, Candidates.among(children))


@pytest.mark.parametrize(
    ("step", "labels", "head"),
    [
        # the order of the labels decides, then the side
        ("leftmost NN NNS", "NNS NN DT NN", 1),
        ("rightmost NN NNS", "NN NN DT NNS", 1),
        ("leftmost NN NNS", "DT JJ", None),
        # the position decides
        ("leftmost of NN NNS", "DT NNS NN", 1),
        ("rightmost of NN NNS", "NN NNS DT", 1),
        # any child
        ("leftmost", "DT NN", 0),
        ("rightmost", "DT NN", 1),
        ("leftmost except DT", "DT NN NN", 1),
        ("leftmost except DT", "DT DT", None),
        # exactly one
        ("only NN", "DT NN", 1),
        ("only NN", "NN NN", None),
        ("only NN NNS", "NN NN NNS", 2),
        # the last one
        ("final POS", "NN POS", 1),
        ("final POS", "POS NN", None),
        ("final POS", "NN POS ,!", 1),
        # by edge: edges in order of priority, then labels
        ("rightmost with edge HD", "A/HD B/HD C/NK", 1),
        ("leftmost with edge HD NK", "A/NK B/HD", 1),
        ("leftmost NN NE with edge HD NK", "NN/NK NE/HD", 1),
        ("leftmost NN NE with edge HD NK", "NE/NK NN/NK", 1),
        ("leftmost of NN NE with edge NK", "NE/NK NN/NK", 0),
        ("leftmost except TRUNC with edge CJ", "TRUNC/CJ KON/CD NN/CJ", 2),
        ("only with edge HD", "A/HD B/HD", None),
        # punctuation is the head if a step names it, or if there is no word
        ("leftmost", ",! NN", 1),
        ("rightmost of NN :", "NN :!", 0),
        ("rightmost LS :", "CD :!", 1),
        ("rightmost NP", "NP NP!", 0),
        ("rightmost NP", "S NP!", None),
        ("leftmost except NN", "NN ,!", None),
        ("rightmost", ",! .!", 1),
        # empty elements are heads only without other candidates
        ("leftmost", "*? NN", 1),
        ("leftmost WHNP S", "WHNP? S", 1),
        ("leftmost", "*? ,!", 1),
        ("leftmost", "*? *?", 0),
    ],
)
def test_a_step_finds_its_head(step: str, labels: str, head: int | None) -> None:
    assert found(step, labels) == head


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "an empty step"),
        ("left NN", "starts with one of leftmost"),
        ("with edge HD", "starts with one of leftmost"),
        ("leftmost of", "needs labels"),
        ("leftmost except with edge HD", "needs labels"),
        ("final", "needs labels or edges"),
        ("leftmost with HD", "comes 'edge'"),
        ("leftmost NN with edge", "at least one edge"),
        ("leftmost NN of NNS", "reserved"),
    ],
)
def test_a_malformed_step_says_what_is_wrong(text: str, cause: str) -> None:
    with pytest.raises(HeadRuleError, match=cause):
        Step.parse(text)


NAMES = texts().filter(can_be_named)


@st.composite
def steps(draw: st.DrawFn) -> Step:
    place: Place = draw(st.sampled_from(get_args(Place)))
    choice: Choice = draw(st.sampled_from(get_args(Choice)))
    labels = draw(st.lists(NAMES, min_size=int(choice != "priority"), max_size=3))
    edges = draw(st.lists(NAMES, min_size=int(place in ("only", "final") and not labels), max_size=2))
    return Step(place, tuple(labels), choice, tuple(edges))


@given(steps())
def test_a_step_and_its_wording_are_inverse(step: Step) -> None:
    assert Step.parse(str(step)) == step
