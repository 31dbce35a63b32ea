"""Cut a stream of lines into stretches with balanced brackets, and recover after an unclosed bracket.

A tree ends where the number of closed brackets equals the number of opened ones, on the same line or many
lines later. This module only counts brackets, which is fast; the format modules parse the content.

An unclosed tree would swallow the rest of the file. It is reported and abandoned where

- the next line starts with `(`, and in the file so far (at least three trees) only first lines of trees did;
- a blank line is followed by a line that starts with `(`;
- the file ends, or the tree exceeds the size limits.

Reading then resumes at the first line after the start of the abandoned tree that starts with `(`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.treebanks.source import Source

MAX_TREE_LINES = 20_000
MAX_TREE_CHARACTERS = 1 << 20
MIN_ONE_LINE_TREES = 3
"""Trees that show how a file is written: one tree per line, or only first lines start with a bracket."""


class Stretch(NamedTuple):
    """Whole lines with as many opening as closing brackets, and the number of the first line."""

    line: int
    text: str


def balanced_stretches(lines: Iterable[str], source: Source) -> Iterator[Stretch | TreebankError]:
    """Yield balanced stretches, and an error for each stretch that is unbalanced or undecodable.

    Blank lines between trees are dropped. An error that `lines` raises (a truncated archive) is yielded last.
    """
    cutter = _Cutter(source)
    failure = None
    try:
        for line in lines:
            yield from cutter.feed(line)
    except TreebankError as error:
        failure = error
    yield from cutter.finish()
    if failure is not None:
        yield failure


class _Cutter:
    """Collects the lines of a tree until its brackets balance."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.number = 0  # of the last line consumed
        self.held: list[str] = []
        self.start = 0  # the number of the first line held
        self.characters = 0
        self.depth = 0
        self.after_blank = False
        self.trees = 0  # balanced stretches with brackets
        self.is_indented = True  # no tree has had a later line that starts with "("
        # These lines are read for the second time; one that starts with "(" is taken for a new tree.
        self.suspect_until = 0

    def feed(self, line: str) -> Iterator[Stretch | TreebankError]:
        """Consume one line and yield the stretches that it completes."""
        if not self.held and line.count("(") == line.count(")"):  # every line of most files
            self.number += 1
            if not line.isspace():
                self.trees += "(" in line
                yield self.source.undecoded(line, self.number) or Stretch(self.number, line)
            return
        pending = deque([line])
        while pending:
            line = pending.popleft()
            self.number += 1
            if self.held and self._is_new_start(line):
                self.number -= 1
                pending.appendleft(line)
                yield self._abandon(pending)
            else:
                yield from self._hold(line, pending)

    def finish(self) -> Iterator[Stretch | TreebankError]:
        """Report the tree that is still open at the end of the file."""
        pending: deque[str] = deque()
        while self.held:
            yield self._abandon(pending)
            while pending:
                yield from self.feed(pending.popleft())

    def _is_new_start(self, line: str) -> bool:
        if not line.startswith("("):
            return False
        is_indented = self.is_indented and self.trees >= MIN_ONE_LINE_TREES
        return is_indented or self.after_blank or self.number <= self.suspect_until

    def _hold(self, line: str, pending: deque[str]) -> Iterator[Stretch | TreebankError]:
        is_blank = line.isspace() or not line
        self.after_blank = is_blank
        if not self.held:
            if is_blank:
                return
            self.start, self.characters, self.depth = self.number, 0, 0
        self.held.append(line)
        self.characters += len(line)
        self.depth += line.count("(") - line.count(")")
        if self.depth == 0:
            self.is_indented = self.is_indented and not any(later.startswith("(") for later in self.held[1:])
            text = "".join(self.held)
            self.trees += "(" in text
            self.held.clear()
            yield self.source.undecoded(text, self.start) or Stretch(self.start, text)
        elif self.depth < 0:
            yield self._error(f'{-self.depth} ")" too many')
            self.held.clear()
        elif len(self.held) > 1 and (
            len(self.held) > MAX_TREE_LINES or self.characters > MAX_TREE_CHARACTERS
        ):
            yield self._abandon(pending)

    def _abandon(self, pending: deque[str]) -> TreebankError:
        """Return the error for the unclosed tree; put its later lines, which may be other trees, back."""
        error = self._error(f'{self.depth} "(" not closed')
        starts = (index for index, line in enumerate(self.held) if index and line.startswith("("))
        first = next(starts, len(self.held))
        self.suspect_until = max(self.suspect_until, self.number)
        self.number = self.start + first - 1
        pending.extendleft(reversed(self.held[first:]))
        self.held.clear()
        self.after_blank = False
        return error

    def _error(self, cause: str) -> TreebankError:
        """Return the error for the held lines; undecodable bytes come first, as they explain the rest."""
        here = f" by line {self.number}" if self.number > self.start else ""
        error = TreebankError(cause + here, file=self.source.name, line=self.start)
        return self.source.undecoded("".join(self.held), self.start) or error
