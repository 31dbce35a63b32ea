"""Conversion to NLTK trees, tested with a stand-in for its tree class: NLTK is not a dependency."""

import sys
import types

import pytest

from spindle.errors import SpindleError
from support.notation import tree
from support.strategies import deep_tree


class FakeTree(list[object]):
    def __init__(self, label: str, children: list[object]) -> None:
        super().__init__(children)
        self.label = label

    def __str__(self) -> str:
        return f"({self.label} {' '.join(map(str, self))})"


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
    crossing = tree("(S (NP (PPER 0=Es) (NN 2=Neues)) (VVFIN 1=kam))").to_nltk()
    assert str(crossing) == "(S (NP (PPER 0) (NN 2)) (VVFIN 1))"
    assert str(tree("(NN a)").to_nltk()) == "(NN a)"
    assert deep_tree(50_000).to_nltk().label == "X"


def test_nltk_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(SpindleError, match="pip install nltk"):
        tree("(NN a)").to_nltk()
