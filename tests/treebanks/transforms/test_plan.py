from collections.abc import Sequence
from typing import Any

import pytest

from spindle.errors import SpindleError, TreebankError
from spindle.treebanks.transforms import FUNCTIONS, PUNCTUATION, STRIP, apply, plan
from spindle.trees import Token, Tree
from support.notation import notation, tree


def only(trees: Sequence[Tree | TreebankError]) -> Tree:
    """The only item, which is a tree."""
    (found,) = trees
    assert isinstance(found, Tree)
    return found


def test_every_transform_says_whether_it_can_be_undone() -> None:
    for table in (STRIP, PUNCTUATION, FUNCTIONS):
        for transform in table.values():
            assert transform.summary.endswith(("(lossless)", "(lossy)"))
            assert transform.is_lossless == transform.summary.endswith("(lossless)")


def test_the_order_is_not_the_users() -> None:
    before = tree("(ROOT (S-2 (WHNP-1 (WP what)) (S (NP (PRP I)) (VP (VBD saw) (NP-1 (-NONE- *T*))))) (. .))")
    steps = plan(strip=["wrapper", "indices"], resolve=True, punctuation="remove")
    assert steps == plan(strip=["indices", "wrapper"], punctuation="remove", resolve=True)
    after = only(list(apply(steps, [before])))
    assert notation(after) == "(S (S (VP (WHNP (WP 0=what)) (VBD 2=saw)) (NP (PRP 1=I))))"


def test_a_wrapper_is_set_after_punctuation_and_functions_merged_last() -> None:
    after = only(list(apply(plan(wrapper="TOP", functions="merge"), [tree("(S/X (NN/SB a))")])))
    assert notation(after) == "(TOP (S-X (NN-SB a)))"


def test_nothing_asked_for() -> None:
    assert plan() == ()


def test_errors_are_passed_on_and_made() -> None:
    broken = TreebankError("broken", file="x.export", line=3)
    empty = tree("(S (-NONE- *))")
    fine = tree("(S (NN a))")
    results = list(apply(plan(strip=["traces"]), [broken, empty, fine]))
    assert results[0] is broken
    assert (
        str(results[1])
        == "<input> (sentence 2): no words are left; set the error policy to skip to leave such sentences out"
    )
    assert results[2] == fine


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"strip": ["colour"]}, "'colour' cannot be stripped; choose from traces, "),
        ({"punctuation": "hide"}, "punctuation cannot be 'hide'; choose one of leave, move, "),
        ({"functions": "hide"}, "functions cannot be 'hide'; choose one of leave, merge, split"),
        ({"strip": ["wrapper"], "wrapper": "TOP"}, "a wrapper can be stripped or set, not both"),
    ],
)
def test_what_cannot_be_asked_for(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(SpindleError, match=message):
        plan(**asked)


def test_strip_morphology() -> None:
    token = Token("Hund", "NN", "hund", "Nom.Sg", "HD")
    after = only(list(apply(plan(strip=["morphology"]), [Tree.build([token], ["NP"], [-1], [0])])))
    assert after.tokens == (Token("Hund", "NN", function="HD"),)
