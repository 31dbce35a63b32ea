"""The strategies generate what they promise; otherwise properties would hold trivially."""

from hypothesis import given, settings

from spindle.trees import Tree
from support.strategies import deep_tree, headed_trees, trees


@given(trees(continuous=True, unary=False))
def test_continuous_and_branching(tree: Tree) -> None:
    assert tree.is_continuous
    assert all(len(children) > 1 for children in tree.children)


@given(trees(continuous=False))
def test_discontinuous(tree: Tree) -> None:
    assert not tree.is_continuous


@settings(max_examples=50)
@given(headed_trees())
def test_headed(tree: Tree) -> None:
    assert tree.heads is not None


def test_deep() -> None:
    tree = deep_tree(100_000)
    assert len(tree.labels) == 100_000
