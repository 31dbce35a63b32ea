"""Transforms on whole treebanks, for cases that random trees rarely contain."""

from pathlib import Path

import pytest

from spindle.errors import TreebankError
from spindle.treebanks.files import read_trees
from spindle.treebanks.transforms import move_punctuation, raise_punctuation, resolution
from spindle.trees import Tree
from spindle.trees.punctuation import is_punctuation


def has_its_punctuation_at_the_root(tree: Tree) -> bool:
    pairs = zip(tree.tokens, tree.leaf_parents, strict=True)
    return all(parent <= 0 for token, parent in pairs if is_punctuation(token))


@pytest.mark.parametrize(
    ("name", "elsewhere"),
    [
        ("dutch-alpino/train.export", 25),
        ("dutch-alpino/dev.export", 4),
        ("german-pcc/train.export", 0),
        ("german-pcc/dev.export", 0),
    ],
)
def test_raising_undoes_moving(treebanks: Path, name: str, elsewhere: int) -> None:
    for tree in read_trees(treebanks / name):
        moved = move_punctuation(tree)
        assert sorted(moved.labels) == sorted(tree.labels)
        if has_its_punctuation_at_the_root(tree):
            assert raise_punctuation(moved) == tree
        else:
            elsewhere -= 1
    assert elsewhere == 0


@pytest.mark.parametrize(
    ("name", "discontinuous", "resolved", "unresolved"),
    [
        ("english-craft/dev.ptb", 178, 459, 30),
        ("indonesian/train.bracket", 152, 162, 30),
        ("icelandic-modern/dev", 66, 110, 158),
    ],
)
def test_resolved_traces(
    treebanks: Path, name: str, discontinuous: int, resolved: int, unresolved: int
) -> None:
    for tree in read_trees(treebanks / name):
        try:
            result = resolution(tree)
        except TreebankError:
            continue
        words = [token for token in tree.tokens if not token.is_empty]
        assert list(result.tree.tokens) == words
        discontinuous -= not result.tree.is_continuous
        resolved -= result.outcomes["resolved"]
        unresolved -= result.outcomes.total() - result.outcomes["resolved"] - result.outcomes["shared"]
    assert (discontinuous, resolved, unresolved) == (0, 0, 0)
