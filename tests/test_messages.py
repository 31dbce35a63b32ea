"""Library messages speak of parameters; only the command line speaks of flags."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import spindle
from spindle.cli.common import FLAGS
from spindle.errors import Setting

SOURCES = Path(spindle.__file__).parent
LIBRARY = sorted(path for path in SOURCES.rglob("*.py") if "cli" not in path.relative_to(SOURCES).parts)
FLAG = re.compile(r"[\s`'\"(]--[a-z]")
# the flags of other programs
OTHERS = re.compile(r"pip install --upgrade")


def messages(source: str) -> Iterator[str]:
    """Yield the strings of a module, docstrings excepted."""
    parsed = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    prose = {
        id(statement.value)
        for node in ast.walk(parsed)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(parsed):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_no_message_of_the_library_speaks_of_flags(path: Path) -> None:
    found = [text for text in messages(path.read_text(encoding="utf-8")) if FLAG.search(OTHERS.sub("", text))]
    assert found == []


def test_the_search_finds_flags() -> None:
    source = 'def f():\n    """Use --this."""\n    raise ValueError(f"{f}: set --that")\n'
    assert [text for text in messages(source) if FLAG.search(text)] == [": set --that"]


def test_every_setting_has_a_flag() -> None:
    assert set(FLAGS) == set(Setting)
