"""The entries of a file, one per sentence, including sentences without a tree (a parser may fail)."""

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
# The cause that readers report for `(())` where trees span several lines.
EMPTY_TREE = "empty tree (an unparsed sentence)"


def read_entries(
    name: str | Path | list[Source], format: str | None = None, encoding: str | None = None
) -> Iterator[Entry[Tree]]:
    """Yield the sentences of a file in any tree format, including those without a tree."""
    for source in files.sources(name, encoding):
        found = _format(source, format)
        if found not in formats.TREE_FORMATS:
            raise EvaluationError(
                f"{source.name}: contains dependencies, which cannot be scored against trees"
            )
        if found in LINE_FORMATS:
            if source.name == "-":  # it is read twice, so keep it in memory
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
    """Yield the sentences of a CoNLL file."""
    for source in files.sources(name, encoding):
        found = _format(source, format)
        if found not in formats.DEPENDENCY_FORMATS:
            raise EvaluationError(
                f"{source.name}: contains trees, which cannot be scored against dependencies"
            )
        yield from formats.DEPENDENCY_FORMATS[found].read(source, ReadingReport())


def has_tree_a_line(source: Source) -> bool:
    """Return whether every tree stands on a line of its own.

    After enough lines with one tree each, two things no longer change the answer: an unclosed tree, if the
    next line starts a new tree; and several trees on a line, which are one sentence with several roots.
    """
    depth = 0
    one_liners = 0
    try:
        for line in source.lines():
            opened, trees = _core.bracket_balance(line)
            is_settled = one_liners >= MIN_ONE_LINE_TREES
            if depth and is_settled and line.startswith("("):
                depth = 0
            if (depth and depth + opened <= 0) or (not depth and trees > 1 and not is_settled):
                return False
            depth = max(0, depth + opened)
            one_liners += not depth and trees
    except TreebankError:
        pass  # the reader will reach the same line and report it
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
                # indented, or not a tree: markup is skipped, anything else is an error
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
