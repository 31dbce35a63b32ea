"""Conversion to NLTK trees and back, tested with a stand-in for its tree class: NLTK is not a dependency."""

import sys
import types

import pytest
from hypothesis import HealthCheck, given, settings

from spindle.errors import SpindleError, TreeError, WrongType
from spindle.trees import Token, Tree
from support.notation import tree
from support.strategies import deep_tree, trees


class FakeTree(list[object]):
    def __init__(self, label: str, children: list[object]) -> None:
        super().__init__(children)
        self._label = label

    def label(self) -> str:
        return self._label

    def __str__(self) -> str:
        return f"({self._label} {' '.join(map(str, self))})"


@pytest.fixture
def _nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("nltk.tree")
    monkeypatch.setattr(module, "Tree", FakeTree, raising=False)
    monkeypatch.setitem(sys.modules, "nltk", types.ModuleType("nltk"))
    monkeypatch.setitem(sys.modules, "nltk.tree", module)


@pytest.mark.usefixtures("_nltk")
def test_words_or_positions() -> None:
    text = "(S (NP (DT The) (NN end)) (VP (VBZ is) (RB near)))"
    assert str(tree(text).to_nltk()) == text
    text = "(S (NP (PPER 0=Es) (NN 2=Neues)) (VVFIN 1=kam))"
    assert str(tree(text).to_nltk()) == text
    assert str(tree(text).to_nltk("positions")) == "(S (NP (PPER 0) (NN 2)) (VVFIN 1))"
    assert str(tree(text).to_nltk("words")) == "(S (NP (PPER Es) (NN Neues)) (VVFIN kam))"
    assert str(tree("(NN a)").to_nltk()) == "(NN a)"
    assert deep_tree(50_000).to_nltk().label() == "X"


def test_nltk_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(SpindleError, match="pip install 'spindle-parser"):
        tree("(NN a)").to_nltk()


@pytest.mark.usefixtures("_nltk")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(trees())
def test_from_nltk_is_the_inverse(drawn: Tree) -> None:
    assert Tree.from_nltk(drawn.to_nltk()) == drawn
    assert Tree.from_nltk(drawn.to_nltk("indexed")) == drawn
    words = [token.form for token in drawn.tokens]
    assert Tree.from_nltk(drawn.to_nltk("positions"), words) == drawn


def test_leaves_of_chunkers_and_leaves_without_tags() -> None:
    chunks = FakeTree("S", [FakeTree("NP", [("the", "DT"), ("cat", "NN")]), ("slept", "VBD")])
    assert Tree.from_nltk(chunks) == tree("(S (NP (DT the) (NN cat)) (VBD slept))")
    bare = Tree.from_nltk(FakeTree("NP", ["the", "cat"]))
    assert (bare.labels, bare.tokens) == (("NP",), (Token("the"), Token("cat")))
    deep: object = FakeTree("NN", ["word"])
    for _ in range(20_000):
        deep = FakeTree("X", [deep])
    assert len(Tree.from_nltk(deep).labels) == 20_000


@pytest.mark.usefixtures("_nltk")
def test_what_is_no_nltk_tree_is_refused() -> None:
    crossing = tree("(S (NP (PPER 0=Es) (NN 2=Neues)) (VVFIN 1=kam))").to_nltk("positions")
    with pytest.raises(TreeError, match="positions; give the words"):
        Tree.from_nltk(crossing)
    with pytest.raises(TreeError, match="not those of 2 words"):
        Tree.from_nltk(crossing, ["Es", "kam"])
    with pytest.raises(TreeError, match="neither words nor positions"):
        Tree.from_nltk(FakeTree("S", [FakeTree("A", [None]), FakeTree("B", ["b"])]))
    with pytest.raises(SpindleError, match="choose one of words, indexed, positions"):
        tree("(NN a)").to_nltk("leaves")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="not str"):
        Tree.from_nltk("(S (A a))")
