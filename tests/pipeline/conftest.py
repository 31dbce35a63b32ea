"""The demonstration treebank as fixtures; every test uses the stand-in stages."""

import pytest

from spindle.trees import Tree
from support import stand_ins
from support.demo_treebank import demo_trees


@pytest.fixture(autouse=True)
def _stages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins.plug_in(monkeypatch)


@pytest.fixture(scope="session")
def demo_train() -> tuple[Tree, ...]:
    return demo_trees("train")


@pytest.fixture(scope="session")
def demo_dev() -> tuple[Tree, ...]:
    return demo_trees("dev")
