"""The head-ordered d-tree: its properties against their definitions, and rejected input."""

from __future__ import annotations

import pytest
from hypothesis import given

from spindle.errors import TreeError
from spindle.trees import ROOT, DTree, Token
from support.strategies import dtrees


def dtree(heads: tuple[int, ...], events: tuple[int, ...], symbols: tuple[str, ...] | None = None) -> DTree:
    if symbols is None:
        symbols = tuple("" if head == ROOT else "X" for head in heads)
    return DTree(tuple(Token("w", "T") for _ in heads), heads, symbols, events)


def depends_on(drawn: DTree, word: int, other: int) -> bool:
    """Whether `other` is `word` or one of its ancestors."""
    while word not in (other, ROOT):
        word = drawn.heads[word]
    return word == other


def sides(drawn: DTree, head: int) -> list[list[int]]:
    """The modifiers on the left and on the right, the nearest first."""
    modifiers = [word for word in range(len(drawn)) if drawn.heads[word] == head]
    return [
        [word for word in reversed(modifiers) if word < head],
        [word for word in modifiers if word > head],
    ]


# ── properties against their definitions ─────────────────────────────────────────────────────────────


@given(dtrees())
def test_projective_means_that_arcs_stretch_over_dependents_of_their_heads_only(drawn: DTree) -> None:
    assert drawn.is_projective == all(
        depends_on(drawn, between, head)
        for modifier, head in enumerate(drawn.heads)
        if head != ROOT
        for between in range(min(head, modifier) + 1, max(head, modifier))
    )


@given(dtrees())
def test_nested_means_that_farther_modifiers_never_have_smaller_events(drawn: DTree) -> None:
    assert drawn.is_nested == all(
        drawn.events[near] <= drawn.events[far]
        for head in range(len(drawn))
        for side in sides(drawn, head)
        for place, near in enumerate(side)
        for far in side[place + 1 :]
    )


@given(dtrees())
def test_ordered_means_that_events_have_no_holes_and_one_symbol_each(drawn: DTree) -> None:
    is_ordered = True
    for modifiers in drawn.modifiers:
        made = {(drawn.events[word], drawn.symbols[word]) for word in modifiers}
        is_ordered &= sorted(event for event, _ in made) == list(range(1, len(made) + 1))
    assert drawn.is_ordered == is_ordered


@given(dtrees())
def test_strict_means_that_no_event_has_two_modifiers(drawn: DTree) -> None:
    arcs = [(head, event) for head, event in zip(drawn.heads, drawn.events, strict=True) if head != ROOT]
    assert drawn.is_strict == (len(set(arcs)) == len(arcs))


@given(dtrees())
def test_modifiers_are_the_inverse_of_heads(drawn: DTree) -> None:
    for head, modifiers in enumerate(drawn.modifiers):
        assert list(modifiers) == [word for word in range(len(drawn)) if drawn.heads[word] == head]
    assert drawn.heads[drawn.root] == ROOT


@pytest.mark.parametrize(
    ("drawn", "projective", "nested", "ordered", "strict"),
    [
        (dtree((1, ROOT, 1), (1, 0, 1)), True, True, True, False),  # really needs caution, flat
        (dtree((1, ROOT, 1), (2, 0, 1)), True, True, True, True),
        (dtree((ROOT, 0, 0), (0, 2, 1)), True, False, True, True),  # a discontinuity without a crossing arc
        (dtree((3, ROOT, 3, 1, 1), (2, 0, 1, 1, 2)), False, True, True, True),  # the German tree
        (dtree((ROOT, 0, 0), (0, 1, 3)), True, True, False, True),  # an event is missing
        (dtree((ROOT, 0), (0, 2)), True, True, False, True),
        (dtree((ROOT, 0, 0), (0, 1, 1), ("", "A", "B")), True, True, False, False),
        (dtree((ROOT,), (0,)), True, True, True, True),
    ],
)
def test_properties_by_hand(
    drawn: DTree, projective: bool, nested: bool, ordered: bool, strict: bool
) -> None:
    assert (drawn.is_projective, drawn.is_nested, drawn.is_ordered, drawn.is_strict) == (
        projective,
        nested,
        ordered,
        strict,
    )


# ── building ─────────────────────────────────────────────────────────────────────────────────────────


def test_columns_become_tuples() -> None:
    drawn = DTree([Token("a"), Token("b")], [1, ROOT], ["X", ""], [1, 0])  # type: ignore[arg-type]
    assert (drawn.heads, drawn.symbols, drawn.events) == ((1, ROOT), ("X", ""), (1, 0))
    assert hash(drawn) == hash(drawn.replace())
    assert (len(drawn), drawn.root) == (2, 1)
    assert drawn.replace(id="7").id == "7"


@pytest.mark.parametrize(
    ("heads", "events", "message"),
    [
        ((), (), "a d-tree needs at least one token"),
        ((0, ROOT), (1, 0), "token 1 cannot have token 1 as its head"),
        ((2, ROOT), (1, 0), "token 1 cannot have token 3 as its head"),
        ((-2, ROOT), (1, 0), "token 1 cannot have token -1 as its head"),
        ((ROOT, ROOT), (0, 0), "a d-tree has one root, not 2"),
        ((1, 0), (1, 1), "a d-tree has one root, not 0"),
        ((ROOT, 2, 1), (0, 1, 1), "token 2 is its own ancestor, or depends on one that is"),
        ((ROOT, 2, 3, 2), (0, 1, 1, 1), "token 2 is its own ancestor, or depends on one that is"),
        ((ROOT, 0), (0, 0), "token 2 has event 0; events start at 1"),
        ((ROOT, 0), (0, -1), "token 2 has event -1; events start at 1"),
        ((ROOT, 0), (1, 1), "token 1 is the root and cannot have an event"),
    ],
)
def test_what_is_no_dtree_is_refused(heads: tuple[int, ...], events: tuple[int, ...], message: str) -> None:
    with pytest.raises(TreeError, match=f"^{message}$"):
        dtree(heads, events)


def test_the_root_has_no_symbol() -> None:
    with pytest.raises(TreeError, match="token 1 is the root and must not have a symbol"):
        dtree((ROOT,), (0,), ("X",))


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(TreeError, match="length mismatch: 2 tokens, 1 heads, 1 symbols, 1 events"):
        DTree((Token("a"), Token("b")), (ROOT,), ("",), (0,))


def test_depth_needs_no_recursion() -> None:
    size = 5000
    chain = dtree(tuple(range(-1, size - 1)), (0, *[1] * (size - 1)))
    assert chain.is_projective
    assert chain.is_strict
