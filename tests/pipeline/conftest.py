"""The demonstration treebank, and the stand-in stages."""

from importlib.resources import files

import pytest

import stand_ins
from spindle.treebanks import read_trees
from spindle.trees import Tree

DATA = files("spindle.models") / "data"


@pytest.fixture(autouse=True)
def _stages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins.plug_in(monkeypatch)


@pytest.fixture(scope="session")
def demo_train() -> tuple[Tree, ...]:
    return tuple(read_trees(str(DATA / "demo-train.dbr")))


@pytest.fixture(scope="session")
def demo_dev() -> tuple[Tree, ...]:
    return tuple(read_trees(str(DATA / "demo-dev.dbr")))
