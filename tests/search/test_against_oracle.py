"""Every relation and attribute on random trees and d-trees, against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.heads import HeadFinder, load_rules
from spindle.reduction import encode
from spindle.search import Searcher
from spindle.search import search_trees as search
from spindle.trees import DTree, Tree
from support.search_oracle import Oracle
from support.search_patterns import (
    CONSTITUENT_OPERATORS,
    DEPENDENCY_OPERATORS,
    DESCRIPTIONS,
    LABELS,
    patterns,
    random_trees,
    words,
)
from support.strategies import trees

RULES = HeadFinder(load_rules("leftmost"))


def found(pattern: str, tree: Tree | DTree) -> dict[int, dict[str, set[int]]]:
    return {
        match.vertex.code: {name: {one.code for one in ones} for name, ones in match.names.items()}
        for match in search(pattern, [tree], threads=1)
    }


def check(pattern: str, tree: Tree | DTree) -> None:
    expected = Oracle(tree).matches(pattern)
    assert found(pattern, tree) == expected, pattern
    without_names = [codes for one in Searcher(pattern, threads=1).find([tree]) for codes in one.codes]
    assert sorted(without_names) == sorted(expected), pattern


@settings(max_examples=400, deadline=None)
@given(random_trees, st.data())
def test_trees(tree: Tree, data: st.DataObject) -> None:
    check(data.draw(patterns(CONSTITUENT_OPERATORS, DESCRIPTIONS)), RULES(tree))


@settings(max_examples=200, deadline=None)
@given(random_trees, st.data())
def test_dtrees(tree: Tree, data: st.DataObject) -> None:
    descriptions = (*DESCRIPTIONS, ":event=1", ":event>1", ":func=A")
    check(data.draw(patterns(DEPENDENCY_OPERATORS, descriptions)), encode(RULES(tree)).dtree)


@pytest.mark.parametrize("operator", CONSTITUENT_OPERATORS)
@settings(max_examples=8, deadline=None)
@given(trees(continuous=False, labels=st.sampled_from(LABELS), tokens=words))
def test_every_operator_on_discontinuous_trees(operator: str, tree: Tree) -> None:
    check(f"__=a {operator} __=b", RULES(tree))


@pytest.mark.parametrize("attribute", [":head=x", ":headtag=T", ":head!=/x|y/", *DESCRIPTIONS])
@settings(max_examples=8, deadline=None)
@given(random_trees)
def test_every_description(attribute: str, tree: Tree) -> None:
    check(attribute, RULES(tree))
