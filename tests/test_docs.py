"""The README and the pages in docs/ tell the truth: their commands and examples are run.

A ```console block is a session: lines after `$ ` are typed into a shell (a line that ends in a backslash goes
on), and what follows must be printed. `…` stands for any part of a line, and on a line of its own for any
number of lines. All sessions of a page run in one folder, in order, so that one can use the files of another.
A ```python block with `>>>` is a doctest. In a block of no language, which shows what needs more than is
here, the verbs and options of every `spindle` command must be there.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from spindle.cli import cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```[a-z]+\n.*?^```$", re.MULTILINE | re.DOTALL)


def commands(session: str) -> list[tuple[str, str]]:
    """The commands of a session, each with what it should print."""
    typed = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    pairs = []
    for text in typed:
        lines = text.splitlines(keepends=True)
        end = next(number for number, line in enumerate(lines, start=1) if not line.endswith("\\\n"))
        pairs.append(("".join(lines[:end]), "".join(lines[end:])))
    return pairs


def matches(expected: str, printed: str) -> bool:
    """Whether the lines are the same; blanks at their ends do not count."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"\n"
        for line in expected.strip().splitlines()
    )
    return (
        re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines()))
        is not None
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "TERM": "dumb", "PYTHONUTF8": "1"}
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    for language, content in blocks:
        if language == "python":
            parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            here = Path.cwd()
            os.chdir(tmp_path)
            try:
                runner.run(parser.get_doctest(content, {}, page.name, str(page), 0))
            finally:
                os.chdir(here)
            assert runner.failures == 0, content
            continue
        for command, expected in commands(content):
            if command.startswith("make "):  # needs a checkout of its own; what they run is tested elsewhere
                continue
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
            )
            assert matches(expected, done.stdout), f"$ {command}\n{done.stdout}\ninstead of\n{expected}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_of_what_is_only_shown(page: Path) -> None:
    for content in SHOWN.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        for line in content.replace("\\\n", "").splitlines():
            if line.startswith("spindle "):
                words = shlex.split(line, comments=True)[1:]
                name, command, rest = cli.resolve_command(click.Context(cli), words)
                assert command is not None
                command.make_context(name, rest)  # a usage error says which option there is not
