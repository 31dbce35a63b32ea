"""The files and tests that docs/paper.md names exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/paper.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/.:]+)`", PAGE)))
FILES = sorted(set(re.findall(r"\]\(([^)#]+)\)", PAGE)))


@cache
def functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("name", TESTS)
def test_a_named_test_exists(name: str) -> None:
    file, _, function = name.partition("::")
    assert (ROOT / file).is_file()
    assert not function or function in functions(ROOT / file)


@pytest.mark.parametrize("name", FILES)
def test_a_named_file_exists(name: str) -> None:
    assert (ROOT / "docs" / name).exists()


def test_every_row_says_how_it_is_checked() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| item")]
    assert len(rows) > 40
    for row in rows:
        _, place, check, verdict, _ = row.split(" |")
        assert place.strip(), row
        assert check.strip(), row
        assert verdict.strip(), row
