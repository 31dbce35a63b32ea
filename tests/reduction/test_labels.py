"""Labels without information or with impossible information: read as far as possible, and recorded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.reduction import Encoding, Mode, Reduced, decode, read_labels, repair
from spindle.reduction.repairs import Repairs
from spindle.trees import Token


def read(label: str, encoding: Encoding) -> tuple[str, int, Repairs]:
    """The symbol and index of the second of two words; the first is the root, with spine VP|S in hn."""
    root = "VP|S#0" if encoding is Encoding.HN else "root"
    symbols, indices, faults = read_labels((-1, 0), (root, label), encoding)
    return symbols[1], indices[1], faults


@pytest.mark.parametrize(
    ("label", "symbol", "index", "is_fault"),
    [
        ("NP#2", "NP", 2, False),
        ("NP#12", "NP", 12, False),
        ("A#1#2", "A#1", 2, False),
        ("#2", "", 2, False),
        ("\\e#2", "", 2, False),
        ("a\\sb\\pc#1", "a b|c", 1, False),
        ("NP#0", "NP", 0, False),  # what is below 1 is for `repair` to see
        ("NP#-3", "NP", -3, False),
        ("nsubj", "nsubj", 1, True),
        ("NP#", "NP#", 1, True),
        ("NP#x", "NP#x", 1, True),
        ("NP#1234567890", "NP#1234567890", 1, True),
        ("NP#٣", "NP#٣", 1, True),
        ("", "X", 1, True),
        ("root", "X", 1, True),
    ],
)
@pytest.mark.parametrize("encoding", [Encoding.DIRECT, Encoding.DELTA])
def test_direct_and_delta(label: str, symbol: str, index: int, is_fault: bool, encoding: Encoding) -> None:
    assert read(label, encoding) == (symbol, index, {"label": {1}} if is_fault else {})


@pytest.mark.parametrize(
    ("label", "symbol", "index", "faults"),
    [
        ("NP#1", "VP", 1, {}),
        ("#2", "S", 2, {}),
        ("#3", "S", 2, {"spine": {1}}),  # clipped to the top of the head's spine
        ("#0", "VP", 0, {}),
        ("#-1", "VP", -1, {}),
        ("nsubj", "VP", 1, {"label": {1}}),
    ],
)
def test_hall_and_nivre(label: str, symbol: str, index: int, faults: Repairs) -> None:
    assert read(label, Encoding.HN) == (symbol, index, faults)


def test_hall_and_nivre_without_a_spine_to_stand_on() -> None:
    assert read_labels((-1, 0, 1), ("root", "#2", "NP#1"), Encoding.HN) == (
        ["", "X", "X"],
        [0, 1, 1],
        {"label": {0}, "spine": {1, 2}},
    )


def test_a_signed_delta_gone_wrong_is_summed_up_before_it_is_mended() -> None:
    labels = ("root", "A#2", "A#-5", "A#4")
    symbols, indices, _ = read_labels((-1, 0, 0, 0), labels, Encoding.DELTA)
    assert indices == [0, 2, -3, 1]
    dtree, repairs = repair([Token("w")] * 4, (-1, 0, 0, 0), symbols, indices)
    assert dtree.events == (0, 2, 1, 1)
    assert repairs == {"index": {2}}


LABELS = st.sampled_from(
    ["root", "NP#1", "S#2", "X#-1", "NP|S#1", "#3", "", "#", "NP#999999999", "a|b|c#999999999"]
)


@given(st.data(), st.sampled_from(Encoding), st.sampled_from(Mode))
def test_anything_can_be_read(data: st.DataObject, encoding: Encoding, mode: Mode) -> None:
    size = data.draw(st.integers(1, 8))
    heads = data.draw(st.lists(st.integers(-3, size + 2), min_size=size, max_size=size))
    labels = data.draw(st.lists(LABELS, min_size=size, max_size=size))
    symbols, indices, _ = read_labels(heads, labels, encoding)
    dtree, _ = repair([Token("w")] * size, heads, symbols, indices, mode=mode)
    tree = decode(Reduced(dtree))
    assert tree.is_continuous or mode is Mode.DISCONTINUOUS


@pytest.mark.parametrize("encoding", [Encoding.DIRECT, Encoding.DELTA])
def test_heads_may_be_any_sequence(encoding: Encoding) -> None:
    heads, labels = [1, -1, 1, 1], ["NP#1", "root", "VP#1", "VP#2"]
    expected = read_labels(heads, labels, encoding)
    assert read_labels(np.array(heads), labels, encoding) == expected  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="length mismatch: 4 heads, 3 labels"):
        read_labels(heads, labels[:3], encoding)
