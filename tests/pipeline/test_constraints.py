"""Constraints that cannot be honoured are refused by name; files of constraints."""

from pathlib import Path
from typing import Any

import pytest

import spindle
from spindle.errors import ConstraintError, ParserError, TreebankError, WrongType
from spindle.pipeline import Bracket, Constraints, Ensemble, Parser
from spindle.pipeline.constrained import check_constraints
from spindle.pipeline.constraints import read_constraints
from spindle.pipeline.conventions import Conventions, Punctuation
from spindle.reduction import Mode
from spindle.trees import Token

WORDS = ["She", "saw", "the", "man", "."]


@pytest.fixture(scope="module")
def fast() -> Parser:
    return spindle.load("light")


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({"required": [Bracket([1, 2]), Bracket([2, 3])]}, "cross each other"),
        ({"required": [Bracket([2, 3], "NP")], "forbidden": [Bracket([2, 3])]}, "contradict each other"),
        ({"required": [Bracket([0, 2])]}, "without gaps"),
        ({"forbidden": [Bracket(range(5))]}, "a node over all words"),
        ({"forbidden": [Bracket(range(5), "ROOT")]}, "has ROOT at the top"),
        ({"required": [Bracket([7])]}, "no word 7"),
        ({"heads": {1: -1, 2: -1}}, "cannot both be the root"),
        ({"heads": {1: 2, 2: 1}}, "circle"),
        ({"heads": {0: 2, 1: 3}}, "these constraints together: .*'saw'"),
        (
            {"required": [Bracket([2, 3])], "heads": {0: 1, 2: 1, 3: 1}},
            r"words 2, 3 \('the man'\); .*of word 2 \('the'\); .*of word 3 \('man'\)$",
        ),
        (
            {"heads": {0: 1, 1: 2, 2: -1, 3: 2, 4: 2}, "forbidden": [Bracket([0, 1])]},
            "not a node over words 0",
        ),
    ],
)
def test_contradictions_are_named(fast: Parser, fixed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        fast.parse(WORDS, constraints=Constraints(**fixed))


def test_a_tag_makes_punctuation_of_a_word() -> None:
    """A tree whose punctuation was raised because of its tag can be asked for with that tag."""
    words, raised = list(map(Token, ("She", "saw", "2", "them"))), Bracket([1, 3], "VP")
    conventions = Conventions(punctuation=Punctuation.RESTORE)
    check_constraints(words, Constraints((raised,), tags={2: ","}), Mode.CONTINUOUS, conventions)
    with pytest.raises(ConstraintError, match="without gaps"):
        check_constraints(words, Constraints((raised,), tags={2: "CD"}), Mode.CONTINUOUS, conventions)


def test_requests_that_do_not_go_with_constraints(fast: Parser) -> None:
    fixed = Constraints(required=(Bracket([1, 2]),))
    with pytest.raises(ConstraintError, match="ensemble"):
        Ensemble((fast, fast)).parse(WORDS, constraints=fixed)
    assert Ensemble((fast,)).parse(WORDS, constraints=fixed) == fast.parse(WORDS, constraints=fixed)
    with pytest.raises(ConstraintError, match="only its best"):
        list(fast.analyse([WORDS], k=2, constraints=[fixed]))
    with pytest.raises(ConstraintError, match="pieces"):
        list(fast.parse_many([WORDS], longest=3, constraints=[fixed]))
    with pytest.raises(ParserError, match="length mismatch"):
        list(fast.parse_many([WORDS, WORDS], constraints=[fixed]))
    with pytest.raises(WrongType, match="one for each"):
        list(fast.parse_many([WORDS], constraints=fixed))  # type: ignore[call-overload]


def test_confidences_belong_to_the_constrained_tree(fast: Parser) -> None:
    fixed = Constraints(required=(Bracket([0, 1], "XX"),))
    (found,) = fast.analyse([WORDS], confidences=True, constraints=[fixed])
    best = found.candidates[0]
    assert best.confidences is not None
    assert len(best.confidences) == len(best.tree.labels)
    assert "(XX" in str(best.tree)


def test_a_file_of_constraints(tmp_path: Path) -> None:
    path = tmp_path / "fixed.jsonl"
    path.write_text('{"heads": {"0": 1}}\n\nnull\n{"required": [{"words": [1], "label": "NP"}]}\n')
    first, empty, null, last = read_constraints(str(path))
    assert first == Constraints(heads={0: 1})
    assert empty is null is None
    assert last == Constraints(required=(Bracket([1], "NP"),))
    for line in ("{", "[]", '{"brackets": []}', '{"required": [[1]]}', '{"heads": {"0": "x"}}'):
        path.write_text(f"null\n{line}\n")
        with pytest.raises(TreebankError, match=r"fixed\.jsonl:2"):
            list(read_constraints(str(path)))
