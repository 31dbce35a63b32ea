"""docs/architecture.md lists every folder, and its walks name a few functions that exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(spindle(?:\.\w+)+)`", PAGE)))
WALKS = re.findall(r"^### (.+?)\n(.*?)(?=^##)", PAGE, flags=re.MULTILINE | re.DOTALL)


def find(name: str) -> object:
    """Return the object with this dotted name."""
    module, parts = name, []
    while True:
        try:
            found: object = import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            parts.append(last)
    for part in reversed(parts):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_name_exists(name: str) -> None:
    assert find(name) is not None


@pytest.mark.parametrize(("engine", "walk"), WALKS)
def test_a_walk_is_short(engine: str, walk: str) -> None:
    steps = re.findall(r"^\d+\. `(spindle[\w.]+)`", walk, flags=re.MULTILINE)
    assert 5 <= len(steps) <= 12, engine
    assert len(re.findall(r"^\d+\. ", walk, flags=re.MULTILINE)) == len(steps)


def test_every_folder_is_listed() -> None:
    folders = {
        path.relative_to(ROOT / "src" / "spindle").as_posix() + "/"
        for pattern in ("*/__init__.py", "parsers/*/__init__.py")
        for path in (file.parent for file in (ROOT / "src" / "spindle").glob(pattern))
    }
    listed = set(re.findall(r"^\| `([\w/]+/)`", PAGE, flags=re.MULTILINE))
    assert folders <= listed
