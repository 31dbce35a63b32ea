"""The demonstration treebank, and the stand-in stages."""

import pytest

import stand_ins
from demo_treebank import demo_trees
from spindle.trees import Tree


@pytest.fixture(autouse=True)
def _stages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins.plug_in(monkeypatch)


@pytest.fixture(scope="session")
def demo_train() -> tuple[Tree, ...]:
    return demo_trees("train")


@pytest.fixture(scope="session")
def demo_dev() -> tuple[Tree, ...]:
    return demo_trees("dev")
