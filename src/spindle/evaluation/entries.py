"""What a file holds sentence by sentence, where the empty ones matter: a parser may fail, a line stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spindle import _core
from spindle.errors import EvaluationError, TreebankError
from spindle.evaluation.lines import Line, LineFile
from spindle.evaluation.pairing import Absent, Entry
from spindle.treebanks import files, formats
from spindle.treebanks.balance import MIN_ONE_LINE_TREES
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Dependencies, Tree

LINE_FORMATS = ("bracket", "discbracket")
# What readers say of `(())` where trees run over several lines.
EMPTY_TREE = "empty tree (an unparsed sentence)"


def holds_dependencies(name: str | Path, format: str | None = None) -> bool:
    """Whether a file holds dependencies instead of trees."""
    return _format(files.sources(name)[0], format) in formats.DEPENDENCY_FORMATS


def read_entries(
    name: str | Path, format: str | None = None, encoding: str | None = None
) -> Iterator[Entry[Tree]]:
    """The sentences of a file in any tree format, including those without a tree."""
    for source in files.sources(name, encoding):
        found = _format(source, format)
        if found not in formats.TREE_FORMATS:
            raise EvaluationError(f"{source.name}: dependencies are scored against dependencies, not trees")
        if found in LINE_FORMATS:
            if source.name == "-":  # read twice, so it is held in memory
                source = Source.from_text("".join(source.lines()), source.name)
            if has_tree_a_line(source):
                yield from _read_lines(source, found)
                continue
        for entry in formats.TREE_FORMATS[found].read(source, ReadingReport()):
            is_empty = isinstance(entry, TreebankError) and entry.cause == EMPTY_TREE
            yield Absent.UNPARSED if is_empty else entry


def read_dependency_entries(
    name: str | Path, format: str | None = None, encoding: str | None = None
) -> Iterator[Entry[Dependencies]]:
    """The sentences of a CoNLL file."""
    for source in files.sources(name, encoding):
        found = _format(source, format)
        if found not in formats.DEPENDENCY_FORMATS:
            raise EvaluationError(f"{source.name}: trees are scored against trees, not dependencies")
        yield from formats.DEPENDENCY_FORMATS[found].read(source, ReadingReport())


def has_tree_a_line(source: Source) -> bool:
    """Whether every tree stands on a line of its own.

    Where the first few lines hold a tree each, a tree that is never closed does not change that if a new one
    starts on the line after it, and several trees on a line are one sentence with several roots.
    """
    depth = 0
    one_liners = 0
    try:
        for line in source.lines():
            opened, trees = _core.outline(line)
            is_settled = one_liners >= MIN_ONE_LINE_TREES
            if depth and is_settled and line.startswith("("):
                depth = 0
            if (depth and depth + opened <= 0) or (not depth and trees > 1 and not is_settled):
                return False
            depth = max(0, depth + opened)
            one_liners += not depth and trees
    except TreebankError:
        pass  # the reader will come to it, too, and tell
    return True


def _read_lines(source: Source, format: str) -> Iterator[Entry[Tree]]:
    file = LineFile(source.name, format == "discbracket")
    try:
        for number, line in enumerate(source.lines(), 1):
            if line.startswith("(") and line.strip("() \t\n"):
                yield Line(line, number, file)
            elif not line.strip("() \t\n"):
                yield Absent.UNPARSED
            else:
                # indented, or no tree at all: markup is left out, anything else is an error
                for entry in formats.TREE_FORMATS[format].read(Source.from_text(line), ReadingReport()):
                    yield (
                        Line(line, number, file)
                        if isinstance(entry, Tree)
                        else file.error(entry.cause, number)
                    )
    except TreebankError as error:
        yield error


def _format(source: Source, format: str | None) -> str:
    return format or formats.guess_format(source)
