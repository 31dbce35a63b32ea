"""What a file holds sentence by sentence, where the empty ones matter: a parser may fail, a line stays."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from spindle.errors import EvaluationError, TreebankError
from spindle.evaluation.pairing import Absent, Entry
from spindle.treebanks import files, formats
from spindle.treebanks.remarks import Remarks
from spindle.treebanks.source import Source
from spindle.trees import Dependencies, Tree

LINE_FORMATS = ("bracket", "psd", "discbracket")


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
            raise EvaluationError(f"{source.name}: dependencies cannot be scored against trees")
        read = formats.TREE_FORMATS[found].read
        if found in LINE_FORMATS:
            feed = _Feed.of(source)
            for entry in read(feed, Remarks()):
                yield from feed.take()
                yield entry
            yield from feed.take()
        else:
            yield from read(source, Remarks())


def read_dependency_entries(
    name: str | Path, format: str | None = None, encoding: str | None = None
) -> Iterator[Entry[Dependencies]]:
    """The sentences of a CoNLL file."""
    for source in files.sources(name, encoding):
        found = _format(source, format)
        if found not in formats.DEPENDENCY_FORMATS:
            raise EvaluationError(f"{source.name}: trees cannot be scored against dependencies")
        yield from formats.DEPENDENCY_FORMATS[found].read(source, Remarks())


def _format(source: Source, format: str | None) -> str:
    return format or formats.guess_format(source)


@dataclass
class _Feed(Source):
    """Bracketed lines for a reader, with the lines that hold no tree taken out and kept aside, in order.

    A reader asks for a line only when it has given all trees of the lines before, so what was kept aside
    when it gives a tree belongs before that tree.
    """

    text: Source = field(kw_only=True)
    has_tree_a_line: bool = field(kw_only=True)
    aside: deque[Absent | TreebankError] = field(default_factory=deque)

    @classmethod
    def of(cls, source: Source) -> _Feed:
        """Look through the source first; standard input is held in memory for that."""
        if source.name == "-":
            source = Source.from_text("".join(source.lines()), source.name)
        return cls(source.name, text=source, has_tree_a_line=has_tree_a_line(source))

    def take(self) -> Iterator[Absent | TreebankError]:
        """What has been kept aside since the last time."""
        while self.aside:
            yield self.aside.popleft()

    def lines(self, fallback: str | None = None) -> Iterator[str]:
        """The lines; one that was taken out is left empty, so that line numbers stay true."""
        depth = 0
        for number, line in enumerate(self.text.lines(fallback), 1):
            opened = line.count("(") - line.count(")")
            if not line.strip("() \t\n") and not opened:
                if self.has_tree_a_line or (depth == 0 and "(" in line):
                    self.aside.append(Absent.UNPARSED)
                    line = "\n"
            elif opened and self.has_tree_a_line:
                problem = f'{opened} "(" not closed' if opened > 0 else f'{-opened} ")" too many'
                self.aside.append(TreebankError(problem, file=self.name, line=number))
                line = "\n"
            else:
                depth = max(0, depth + opened)
            yield line


ENOUGH_ONE_LINERS = 3


def has_tree_a_line(source: Source) -> bool:
    """Whether every tree stands on a line of its own.

    A tree that is never closed does not change that where trees stood on lines of their own before it and
    a new one starts on the line after it.
    """
    depth = 0
    one_liners = 0
    try:
        for line in source.lines():
            if depth and one_liners >= ENOUGH_ONE_LINERS and line.startswith("("):
                depth = 0
            before, depth = depth, max(0, depth + line.count("(") - line.count(")"))
            if not depth and before:
                return False
            one_liners += not depth and "(" in line
    except TreebankError:
        pass  # the reader will come to it, too, and tell
    return True
