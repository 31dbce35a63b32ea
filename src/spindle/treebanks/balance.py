"""Cut a stream of lines into stretches whose brackets balance, and find back into a file that breaks.

A tree ends where as many brackets are closed as were opened, whether it fills one line or fifty; lines are
only counted here, so this costs next to nothing. What is inside is for the formats to say.

A tree that is never closed would swallow the rest of the file. It is given up where

- the file has one tree a line so far (at least three) and the next line starts with `(`;
- a blank line is followed by a line that starts with `(`;
- the file ends, or the tree has grown past what any sentence needs.

Reading then goes on at the first line after the tree's own start that starts with `(`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.treebanks.source import Source

MANY_LINES = 20_000
MANY_CHARACTERS = 1 << 20
ENOUGH_ONE_LINERS = 3


class Stretch(NamedTuple):
    """Whole lines with as many opening as closing brackets, and the number of the first of them."""

    line: int
    text: str


def balanced_stretches(lines: Iterable[str], source: Source) -> Iterator[Stretch | TreebankError]:
    """Cut the lines of a source where brackets balance; blank lines between trees are dropped.

    A stretch that could not be decoded is an error. What `lines` itself raises (a cut-off archive) is yielded
    as the last one.
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
    """The lines of the tree that is being collected, and what has been learnt about the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.number = 0  # of the last line taken
        self.held: list[str] = []
        self.start = 0  # the number of the first line held
        self.characters = 0
        self.depth = 0
        self.after_blank = False
        self.one_liners = 0  # trees, or a few trees together, on one line
        self.all_one_liners = True
        # Up to this line, one that starts with "(" is taken for a new tree: we have been here before.
        self.suspect_until = 0

    def feed(self, line: str) -> Iterator[Stretch | TreebankError]:
        """Take one line; yield what it completes."""
        if not self.held and line.count("(") == line.count(")"):  # every line of most files
            self.number += 1
            if not line.isspace():
                self.one_liners += "(" in line
                yield self.source.undecoded(line, self.number) or Stretch(self.number, line)
            return
        again = deque([line])
        while again:
            line = again.popleft()
            self.number += 1
            if self.held and self._is_new_start(line):
                self.number -= 1
                again.appendleft(line)
                yield self._give_up(again)
            else:
                yield from self._hold(line, again)

    def finish(self) -> Iterator[Stretch | TreebankError]:
        """The file has ended: report what is still open."""
        again: deque[str] = deque()
        while self.held:
            yield self._give_up(again)
            while again:
                yield from self.feed(again.popleft())

    def _is_new_start(self, line: str) -> bool:
        if not line.startswith("("):
            return False
        all_one_liners = self.all_one_liners and self.one_liners >= ENOUGH_ONE_LINERS
        return all_one_liners or self.after_blank or self.number <= self.suspect_until

    def _hold(self, line: str, again: deque[str]) -> Iterator[Stretch | TreebankError]:
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
            self.all_one_liners = self.all_one_liners and len(self.held) == 1
            text = "".join(self.held)
            self.held.clear()
            yield self.source.undecoded(text, self.start) or Stretch(self.start, text)
        elif self.depth < 0:
            yield self._error(f'{-self.depth} ")" too many')
            self.held.clear()
        elif len(self.held) > 1 and (len(self.held) > MANY_LINES or self.characters > MANY_CHARACTERS):
            yield self._give_up(again)

    def _give_up(self, again: deque[str]) -> TreebankError:
        """Report the tree held as unfinished, and put what may be other trees back to be read again."""
        error = self._error(f'{self.depth} "(" not closed')
        starts = (index for index, line in enumerate(self.held) if index and line.startswith("("))
        first = next(starts, len(self.held))
        self.suspect_until = max(self.suspect_until, self.number)
        self.number = self.start + first - 1
        again.extendleft(reversed(self.held[first:]))
        self.held.clear()
        self.after_blank = False
        return error

    def _error(self, cause: str) -> TreebankError:
        """What is wrong with the lines held; that they cannot be decoded explains anything else."""
        here = f" by line {self.number}" if self.number > self.start else ""
        error = TreebankError(cause + here, file=self.source.name, line=self.start)
        return self.source.undecoded("".join(self.held), self.start) or error
