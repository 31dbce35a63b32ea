"""Runs the commands and examples in the README and in docs/.

A ```console block is a session: a line after `$ ` is run in a shell (a backslash at its end continues it on
the next line), and the lines below must equal its output. `…` matches any part of a line; on a line of its
own it matches any number of lines. All sessions of a page run in one folder, in order, so that later ones can
use the files of earlier ones. A ```python block with `>>>` is a doctest. Commands in a block without a
language are not run, because they need files or programs that may be missing; their verbs and options must
exist.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from spindle.cli import cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXTRAS = ("spacy", "pyarrow", "pandas", "polars", "nltk", "huggingface_hub", "dask")
LARGE = ("ray",)
"""Packages that may be missing without the other examples of a page being skipped."""
FENCED = re.compile(r"^```[a-z]+\n.*?^```$", re.MULTILINE | re.DOTALL)


def commands(session: str) -> list[tuple[str, str]]:
    """Return the commands of a session with their expected output."""
    typed = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    pairs = []
    for text in typed:
        lines = text.splitlines(keepends=True)
        end = next(number for number, line in enumerate(lines, start=1) if not line.endswith("\\\n"))
        pairs.append(("".join(lines[:end]), "".join(lines[end:])))
    return pairs


def matches(expected: str, printed: str) -> bool:
    """Return whether the printed lines match the expected ones; spaces at line ends do not count."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"\n"
        for line in expected.strip().splitlines()
    )
    return (
        re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines()))
        is not None
    )


def needed_packages(text: str) -> list[str]:
    """Return the packages of extras that the examples of a page import."""
    return imported(text, EXTRAS)


def imported(text: str, packages: Sequence[str]) -> list[str]:
    """Return which of some packages the examples import."""
    return sorted(set(re.findall(rf"^>>> import ({'|'.join(packages)})\b", text, flags=re.MULTILINE)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path) -> None:
    for package in needed_packages(page.read_text(encoding="utf-8")):
        pytest.importorskip(package, reason=f"the examples need {package}, which an extra installs")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "TERM": "dumb", "PYTHONUTF8": "1"}
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    missing: set[str] = set()
    for language, content in blocks:
        if lacks := [name for name in imported(content, LARGE) if find_spec(name) is None]:
            missing.update(lacks)
            continue
        if language == "python":
            parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            here = Path.cwd()
            os.chdir(tmp_path)
            try:
                with warnings.catch_warnings():
                    if imported(content, LARGE):  # its own use of what is deprecated is no fault of ours
                        warnings.simplefilter("ignore")
                    runner.run(parser.get_doctest(content, {}, page.name, str(page), 0))
            finally:
                os.chdir(here)
            assert runner.failures == 0, content
            continue
        for command, expected in commands(content):
            if command.startswith("make "):  # needs a checkout of its own; other tests cover it
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
    if missing:
        pytest.skip(f"all but the examples that need {', '.join(sorted(missing))}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_not_run_have_valid_options(page: Path) -> None:
    for content in SHOWN.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        for line in content.replace("\\\n", "").splitlines():
            if line.startswith("spindle "):
                words = shlex.split(line, comments=True)[1:]
                name, command, rest = cli.resolve_command(click.Context(cli), words)
                assert command is not None
                command.make_context(name, rest)  # raises a usage error that names an unknown option
