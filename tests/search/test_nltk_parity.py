"""The same matches as NLTK's tgrep, for everything that both have, on random continuous trees.

The words of a tree are all different, because NLTK compares vertices by content. Words have no
relations of their own, because NLTK's words do not know their parents.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spindle.search import Searcher
from spindle.trees import Leaf, Tree
from support.strategies import tokens, trees

pytest.importorskip("pyparsing", reason="NLTK needs it for tgrep")
pytest.importorskip("nltk")

OPERATORS = (
    *(
        "<",
        ">",
        "<<",
        ">>",
        "<,",
        ">,",
        "<'",
        ">'",
        "<-",
        ">-",
        "<:",
        ">:",
        "<<,",
        ">>,",
        "<<'",
        ">>'",
        "<<:",
        ">>:",
    ),
    *("<1", "<2", "<-1", "<-2", ">1", ">2", ">-1", ">-2", ".", ",", "..", ",,", "$", "%"),
    *("$.", "$,", "$..", "$,,", "%.", "%,", "%..", "%,,"),
)
NODES = ("A", "B", "T", "U", "*", "__", "A|T", "/^[AB]$/", '"A"', 'i@"a"', "w1", "/w[0-2]/")
LABELED = tuple(node for node in NODES if node not in ("*", "__", "w1", "/w[0-2]/"))


@st.composite
def patterns(draw: st.DrawFn) -> str:
    def node(budget: int) -> str:
        if budget and draw(st.booleans()):
            return f"({draw(st.sampled_from(LABELED))} {relations(budget - 1)})"
        return draw(st.sampled_from(NODES))

    def relations(budget: int) -> str:
        kind = draw(st.integers(0, 6))
        if kind == 0 and budget:
            return f"[{relations(budget - 1)} | {relations(budget - 1)}]"
        if kind == 1 and budget:
            return f"{relations(budget - 1)} & {relations(budget - 1)}"
        negation = "!" if kind == 2 else ""
        return f"{negation}{draw(st.sampled_from(OPERATORS))} {node(budget)}"

    root = draw(st.sampled_from(LABELED))
    return f"{root} {relations(2)}" if draw(st.integers(0, 9)) else root


def in_nltk(pattern: str, nltk_trees: list[Any]) -> list[list[tuple[int, ...]]]:
    from nltk import tgrep
    from nltk.tree import ParentedTree

    parented = [ParentedTree.convert(tree) for tree in nltk_trees]
    found = tgrep.tgrep_positions(pattern, parented, search_leaves=False)
    return [sorted(map(tuple, positions)) for positions in found]


def position(tree: Tree, code: int) -> tuple[int, ...]:
    """Return a vertex as NLTK does: the child numbers on the way from the root."""
    view = Leaf(tree, code) if code < len(tree) else list(tree.nodes())[code - len(tree)]
    path: list[int] = []
    while view.parent is not None:
        path.insert(0, view.parent.children.index(view))
        view = view.parent
    return tuple(path)


words = tokens(st.just("w"), st.sampled_from(("T", "U")))
continuous = trees(continuous=True, labels=st.sampled_from(("A", "B", "C")), tokens=words, wrappers=("A",))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NLTK uses old names of pyparsing
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(continuous, min_size=4, max_size=4), patterns())
def test_same_matches(drawn: list[Tree], pattern: str) -> None:
    numbered = [
        tree.replace(tokens=tuple(token._replace(form=f"w{at}") for at, token in enumerate(tree.tokens)))
        for tree in drawn
    ]
    found: dict[int, list[tuple[int, ...]]] = {}
    for one in Searcher(pattern, threads=1).find(numbered):
        tree = numbered[one.number - 1]
        found[one.number] = sorted(position(tree, code) for code in one.codes if code >= 0)
    expected = dict(enumerate(in_nltk(pattern, [tree.to_nltk() for tree in numbered]), start=1))
    assert {number: places for number, places in found.items() if places} == {
        number: places for number, places in expected.items() if places
    }, pattern
