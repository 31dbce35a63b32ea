import pytest

from spindle.treebanks.transforms import collapse_wrapper, set_wrapper
from support.notation import notation, tree


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(ROOT (S (NN x) (VB y)))", "(S (NN x) (VB y))"),
        ("( (TOP (S1 (S (NN x)))))", "(S (NN x))"),
        ("(VROOT (S (NN x)) (. .))", "(VROOT (S (NN x)) (. .))"),
        ("(ROOT (VROOT (S (NN x)) (. .)))", "(VROOT (S (NN x)) (. .))"),
        ("(S (ROOT (NN x)))", "(S (ROOT (NN x)))"),
        ("(TOP (NN x))", "(NN x)"),
        ("(NN x)", "(NN x)"),
    ],
)
def test_collapse(before: str, after: str) -> None:
    assert notation(collapse_wrapper(tree(before))) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (NN x))", "(TOP (S (NN x)))"),
        ("(ROOT (S (NN x)))", "(TOP (S (NN x)))"),
        ("( (S1 (S (NN x))))", "(TOP (S (NN x)))"),
        ("(VROOT (S (NN x)) (. .))", "(TOP (S (NN x)) (. .))"),
        ("(NN x)", "(TOP (NN x))"),
    ],
)
def test_set(before: str, after: str) -> None:
    assert notation(set_wrapper(tree(before), "TOP")) == after
