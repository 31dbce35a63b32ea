"""Every row of the table of repairs in `reduction.md`."""

from collections.abc import Callable, Sequence
from random import Random
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle import _core
from spindle.errors import TreeError
from spindle.reduction import Mode, Nesting, Reduced, decode, encode, repair
from spindle.reduction.repairs import ROOT_SYMBOL, repair_by_the_book
from spindle.trees import ROOT, DTree, Token
from support.strategies import dtrees


def words(count: int) -> list[Token]:
    return [Token(f"w{number}", "T") for number in range(count)]


def repaired(
    heads: Sequence[int],
    symbols: Sequence[str],
    indices: Sequence[int],
    mode: Mode = Mode.CONTINUOUS,
    **options: Nesting,
) -> tuple[DTree, dict[str, int]]:
    dtree, counts = repair(words(len(heads)), heads, symbols, indices, mode=mode, **options)
    return dtree, dict(counts.counts)


@pytest.mark.parametrize(
    ("nesting", "expected"), [(Nesting.LOWER_NEARER, (1, 1, 2)), (Nesting.RAISE_FARTHER, (1, 1, 1))]
)
def test_nesting(nesting: Nesting, expected: tuple[int, ...]) -> None:
    # 3, 1, 2 going outward becomes 1, 1, 2, or 3, 3, 3, which is renumbered to 1, 1, 1
    right, _ = repaired((-1, 0, 0, 0), ("", "A", "A", "A"), (0, 3, 1, 2), nesting=nesting)
    assert right.events[1:] == expected
    left, _ = repaired((3, 3, 3, -1), ("A", "A", "A", ""), (2, 1, 3, 0), nesting=nesting)
    assert left.events[2::-1] == expected


def test_nesting_is_left_alone_in_discontinuous_mode() -> None:
    dtree, counts = repaired((-1, 0, 0), ("", "A", "B"), (0, 2, 1), Mode.DISCONTINUOUS)
    assert dtree.events == (0, 2, 1)
    assert counts == {}


def test_symbol_of_the_nearest_modifier_wins() -> None:
    dtree, counts = repaired((3, 3, 3, -1, 3, 3), ("A", "A", "A", "", "A", "B"), (1, 1, 1, 0, 1, 1))
    assert set(dtree.symbols) == {"A", ""}
    assert counts == {"symbol": 1}


def test_symbol_ties_go_left() -> None:
    dtree, _ = repaired((1, -1, 1), ("L", "", "R"), (1, 0, 1))
    assert dtree.symbols == ("L", "", "L")


def test_ties_that_nesting_makes_are_settled_after_it() -> None:
    dtree, counts = repaired((-1, 0, 0), ("", "A", "B"), (0, 2, 1))
    assert (dtree.events, dtree.symbols) == ((0, 1, 1), ("", "A", "A"))
    assert counts == {"nesting": 1, "symbol": 1}


def test_gaps_are_renumbered() -> None:
    dtree, counts = repaired((-1, 0, 0), ("", "A", "B"), (0, 3, 7))
    assert dtree.events == (0, 1, 2)
    assert counts == {"gap": 2}


def test_indices_below_one() -> None:
    dtree, counts = repaired((-1, 0, 0), ("", "A", "A"), (0, 0, -4), Mode.DISCONTINUOUS)
    assert dtree.events == (0, 1, 1)
    assert counts == {"index": 2}


def test_several_roots_hang_under_the_first() -> None:
    dtree, counts = repaired((-1, 0, -1), ("", "A", ""), (0, 1, 0))
    assert dtree.heads == (-1, 0, 0)
    assert (dtree.symbols[2], dtree.events[2]) == (ROOT_SYMBOL, 2)
    assert counts == {"root": 1}


def test_cycles_are_cut() -> None:
    dtree, counts = repaired((1, 2, 0, -1), ("A", "A", "A", ""), (1, 1, 1, 0))
    assert dtree.root == 3
    assert counts["cycle"] == 1


def test_no_root_at_all() -> None:
    dtree, counts = repaired((1, 0), ("A", "A"), (1, 1))
    assert dtree.heads == (-1, 0)
    assert counts == {"cycle": 1}


def test_heads_that_do_not_exist() -> None:
    dtree, counts = repaired((-1, 17, 2), ("", "A", "A"), (0, 1, 1))
    assert dtree.heads == (-1, 0, 0)
    assert counts == {"head": 2}


def test_crossing_arcs_are_lifted() -> None:
    # 0 → 2 crosses 1 → 3
    dtree, counts = repaired((-1, 0, 0, 1), ("", "S", "S", "NP"), (0, 1, 1, 1))
    assert dtree.heads == (-1, 0, 0, 0)
    assert dtree.symbols == ("", "S", "S", "S")
    assert counts == {"crossing": 1}


def test_lifted_words_join_the_event_of_the_head_they_leave() -> None:
    # 4 depends on 1, across the root and 3; 3 depends on 0, but the root 2 is between them
    dtree, counts = repaired((1, 2, -1, 0, 1), ("A", "B", "", "C", "D"), (1, 1, 0, 1, 2))
    assert dtree.heads == (1, 2, -1, 2, 2)
    assert dtree.symbols == ("A", "B", "", "B", "B")
    assert counts == {"crossing": 2}


def test_a_head_keeps_what_makes_one_span_with_it() -> None:
    # 1 and 2 stay attached to 0; 4, beyond the gap, is moved
    dtree, counts = repaired((3, 0, 0, -1, 0), ("S", "A", "A", "", "A"), (1, 1, 2, 0, 2))
    assert dtree.heads == (3, 0, 0, -1, 3)
    assert counts == {"crossing": 1}


@pytest.mark.parametrize("heads", [(-1,), (0,), (1,), (-7,)])
def test_one_word(heads: tuple[int, ...]) -> None:
    dtree, counts = repaired(heads, ("",), (0,))
    assert decode(Reduced(dtree)).labels == ()
    assert counts == ({} if heads == (-1,) else {"head": 1})


def test_numbers_of_any_size() -> None:
    dtree, counts = repaired((-1, 0, 10**30), ("", "A", "A"), (0, 10**30, 1), Mode.DISCONTINUOUS)
    assert (dtree.heads, dtree.events) == ((-1, 0, 0), (0, 1, 2))
    assert counts == {"head": 1, "gap": 2}


SHAPES: dict[str, Callable[[int, Random], list[int]]] = {
    "random": lambda size, chance: [chance.randint(-1, size - 1) for _ in range(size)],
    "interleaved": lambda size, _: [-1, *(max(token - 2, 0) for token in range(1, size))],
    "halves": lambda size, _: [
        -1,
        *(token - (size // 2 if token > size // 2 else 1) for token in range(1, size)),
    ],
    "headless": lambda size, _: [size] * size,
    "a circle": lambda size, _: [(token + 1) % size for token in range(size)],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_long_sentences_take_no_longer_than_they_must(shape: str) -> None:
    size, chance = 2000, Random(1)
    heads = SHAPES[shape](size, chance)
    symbols, indices = [chance.choice("ABC") for _ in heads], [chance.randint(-1, 6) for _ in heads]
    start = process_time()
    dtree, _ = repaired(heads, symbols, indices)
    assert process_time() - start < 2
    assert decode(Reduced(dtree)).is_continuous


def test_tokens_are_told_by_kind_and_all_together() -> None:
    _, repairs = repair(words(3), (-1, 0, 0), ("", "A", "B"), (0, 2, 1), mode=Mode.CONTINUOUS)
    assert repairs == {"nesting": {1}, "symbol": {2}}
    assert repairs.tokens == {1, 2}
    assert repairs.counts == {"nesting": 1, "symbol": 1}


@st.composite
def predictions(draw: st.DrawFn) -> tuple[list[int], list[str], list[int]]:
    """Predictions of a bad parser: any head, any symbol, any index."""
    size = draw(st.integers(1, 9))
    heads = draw(st.lists(st.integers(-2, size), min_size=size, max_size=size))
    symbols = draw(st.lists(st.sampled_from("ABC"), min_size=size, max_size=size))
    indices = draw(st.lists(st.integers(-2, 6), min_size=size, max_size=size))
    return heads, symbols, indices


@given(predictions(), st.sampled_from(Nesting))
def test_anything_becomes_a_continuous_tree(
    prediction: tuple[list[int], list[str], list[int]], nesting: Nesting
) -> None:
    dtree, _ = repaired(*prediction, Mode.CONTINUOUS, nesting=nesting)
    assert dtree.is_ordered
    assert dtree.is_projective
    assert dtree.is_nested
    tree = decode(Reduced(dtree))
    assert tree.is_continuous
    assert encode(tree).dtree == dtree


@given(predictions())
def test_anything_becomes_a_tree(prediction: tuple[list[int], list[str], list[int]]) -> None:
    dtree, _ = repaired(*prediction, Mode.DISCONTINUOUS)
    assert encode(decode(Reduced(dtree))).dtree == dtree


@given(predictions(), st.sampled_from(Mode))
def test_repairing_twice_repairs_nothing(
    prediction: tuple[list[int], list[str], list[int]], mode: Mode
) -> None:
    once, _ = repaired(*prediction, mode)
    twice, counts = repaired(once.heads, once.symbols, once.events, mode)
    assert (twice.heads, twice.symbols, twice.events) == (once.heads, once.symbols, once.events)
    assert counts == {}


@given(predictions())
def test_heads_of_a_tree_are_kept_in_discontinuous_mode(
    prediction: tuple[list[int], list[str], list[int]],
) -> None:
    heads, symbols, indices = prediction
    dtree, counts = repaired(heads, symbols, indices, Mode.DISCONTINUOUS)
    if not {"head", "root", "cycle"} & set(counts):
        assert list(dtree.heads) == heads
        assert dtree.heads.count(ROOT) == 1


@given(predictions(), st.sampled_from(Mode), st.sampled_from(Nesting))
def test_whatever_is_changed_is_told(
    prediction: tuple[list[int], list[str], list[int]], mode: Mode, nesting: Nesting
) -> None:
    heads, symbols, indices = prediction
    dtree, repairs = repair(words(len(heads)), heads, symbols, indices, mode=mode, nesting=nesting)
    for token in set(range(len(heads))) - repairs.tokens:
        assert dtree.heads[token] == heads[token]
        if heads[token] != ROOT:
            assert (dtree.symbols[token], dtree.events[token]) == (symbols[token], indices[token])


@given(dtrees(6, symbols=st.sampled_from("AB")), st.data(), st.sampled_from(Mode), st.sampled_from(Nesting))
def test_the_core_repairs_events_by_the_book(
    tree: DTree, data: st.DataObject, mode: Mode, nesting: Nesting
) -> None:
    indices = data.draw(st.lists(st.integers(-1, 5), min_size=len(tree), max_size=len(tree)))
    columns = tree.tokens, tree.heads, tree.symbols, indices
    found, touched = repair(*columns, mode=mode, nesting=nesting)
    expected, by_the_book = repair_by_the_book(*columns, mode=mode, nesting=nesting)
    assert (found, touched) == (expected, by_the_book)
    for name in ("is_projective", "is_nested", "is_ordered", "is_strict"):
        assert getattr(found, name) is getattr(expected, name)


@pytest.mark.parametrize("short", range(4))
def test_columns_of_different_lengths_are_refused(short: int) -> None:
    columns: list[Any] = [words(3), (-1, 0, 1), ("", "A", "B"), (0, 1, 1)]
    columns[short] = columns[short][:-1]
    tokens, heads, symbols, indices = map(len, columns)
    counts = f"{tokens} tokens, {heads} heads, {symbols} symbols, {indices} indices"
    with pytest.raises(TreeError, match=rf"^sentence \?: length mismatch: {counts}$"):
        repair(*columns)
    with pytest.raises(ValueError, match="length mismatch: 2 heads, 1 indices"):
        _core.repair_events([-1, 0], ["", "S"], [0], True, True)


def test_heads_may_be_any_sequence() -> None:
    expected, _ = repaired((-1, 0, 1), ("", "A", "B"), (0, 1, 1))
    sequences: list[Any] = [range(-1, 2), np.array([-1, 0, 1])]
    for heads in sequences:
        assert repaired(heads, ("", "A", "B"), (0, 1, 1))[0] == expected


def test_numbers_that_no_processor_holds() -> None:
    dtree, counts = repaired((-1, 0, -(1 << 80)), ("", "A", "B"), (0, 1, 1))
    assert dtree.heads == (-1, 0, 0)
    assert counts == {"head": 1}
    dtree, counts = repaired((-1, 0, 0), ("", "A", "B"), (0, 1 << 80, -(1 << 80)))
    assert dtree.events == (0, 1, 1)
    assert counts == {"index": 1, "nesting": 1, "symbol": 1}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("function", [repair, repair_by_the_book])
def test_an_empty_sentence_is_refused(mode: Mode, function: Callable[..., Any]) -> None:
    with pytest.raises(TreeError, match="sentence 7: a d-tree needs at least one token"):
        function([], [], [], [], mode=mode, id="7")
    assert _core.repair_events((), (), (), mode is Mode.CONTINUOUS, True) is None


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("nesting", Nesting)
def test_broken_heads_are_repaired_within_bounds(mode: Mode, nesting: Nesting) -> None:
    """`make sanitize` runs this with AddressSanitizer: no step reads the symbol of the root's head."""
    random = Random(f"{mode} {nesting}")
    for _ in range(2000):
        size = random.randint(1, 7)
        heads = [random.randint(-3, size + 1) for _ in range(size)]
        columns = heads, [random.choice("AB") for _ in heads], [random.randint(-1, 3) for _ in heads]
        dtree, _ = repair(words(size), *columns, mode=mode, nesting=nesting)
        expected, _ = repair_by_the_book(words(size), *columns, mode=mode, nesting=nesting)
        assert dtree == expected
        if mode is Mode.CONTINUOUS:
            assert dtree.is_projective
