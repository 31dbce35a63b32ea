"""Nested brackets, read and written: the common part of `bracket`, `discbracket` and `psd`.

`scan_nests` finds the brackets of a text and their direct content, without interpreting it. `nest` writes a
tree as nested brackets. The scanner is the reference implementation of the compiled one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spindle.errors import TreebankError
from spindle.trees import ROOT, Tree

# Only these blanks are separators; others, such as a no-break space, may be part of a word.
_PIECE = re.compile(r"[()]|[^() \t\n\r]+")
MAX_QUOTED_CHARACTERS = 40
"""Error messages cut longer words."""


@dataclass(slots=True)
class Bracket:
    """A pair of brackets and its direct content.

    The label is the first item inside, if that is a word. A lone word is a label in `(word)`. In `( word)`
    it is a word without a tag.
    """

    parent: int
    line: int
    start: int
    end: int = 0
    label: str = ""
    is_spaced: bool = False
    words: list[str] = field(default_factory=list)
    inner: int = 0
    """The number of brackets directly inside."""

    @property
    def is_bare(self) -> bool:
        """True for `()` and `(label)`."""
        return not self.words and not self.inner

    @property
    def is_text(self) -> bool:
        """True for `(label word)`, with one word or several."""
        return bool(self.words) and not self.inner

    @property
    def size(self) -> int:
        """The number of words and brackets after the label."""
        return len(self.words) + self.inner


@dataclass(slots=True)
class Nest:
    """An outermost bracket with its whole content."""

    line: int
    brackets: list[Bracket] = field(default_factory=list)
    """All brackets, in the order in which they open."""
    order: list[tuple[int, str | None]] = field(default_factory=list)
    """The text as pairs: (bracket, None) where a bracket opens, (bracket, word) for each of its words."""

    def check_not_empty(self) -> None:
        """Raise a Fault if there are only brackets: parsers write that for a sentence without a parse."""
        if not any(bracket.label or bracket.words for bracket in self.brackets):
            raise Fault(self.line, "empty tree (an unparsed sentence)", self.line)

    def check_not_bare(self, bracket: Bracket) -> None:
        """Raise a Fault if a bracket is empty or contains only one word."""
        if bracket.is_bare:
            cause = (
                f"{quoted(bracket.label)} alone in brackets is no leaf" if bracket.label else "() is empty"
            )
            raise Fault(self.line, cause, bracket.line)


@dataclass(eq=False)
class Fault(Exception):
    """What is wrong with a nest, the line where the nest starts and the line of the fault, from 1."""

    line: int
    cause: str
    fault_line: int

    def in_file(self, file: str, first_line: int) -> TreebankError:
        """Return the error for a text that starts on line `first_line` of a file."""
        cause = self.cause
        if self.fault_line != self.line:
            cause += f" in line {first_line + self.fault_line - 1}"
        return TreebankError(cause, file=file, line=first_line + self.line - 1)


def scan_nests(text: str) -> Iterator[Nest | Fault]:
    """Yield the outermost brackets of a text, and a fault for each malformed place."""
    nest = Nest(0)
    stack: list[int] = []
    line, counted, is_outside = 1, 0, False
    for match in _PIECE.finditer(text):
        piece, start = match[0], match.start()
        line += text.count("\n", counted, start)
        counted = start
        if piece == "(":
            is_outside = False
            if not stack:
                nest = Nest(line)
            else:
                nest.brackets[stack[-1]].inner += 1
            nest.order.append((len(nest.brackets), None))
            stack.append(len(nest.brackets))
            nest.brackets.append(Bracket(stack[-2] if len(stack) > 1 else ROOT, line, start))
        elif piece == ")":
            is_outside = False
            if not stack:
                yield Fault(line, '")" closes nothing', line)
                continue
            bracket = nest.brackets[stack[-1]]
            bracket.end = match.end()
            if bracket.is_spaced and bracket.is_bare:
                nest.order.append((stack[-1], bracket.label))
                bracket.words.append(bracket.label)
                bracket.label = ""
            stack.pop()
            if not stack:
                yield nest
        elif stack:
            bracket = nest.brackets[stack[-1]]
            if bracket.is_bare and not bracket.label:
                bracket.label = piece
                bracket.is_spaced = start != bracket.start + 1
            else:
                nest.order.append((stack[-1], piece))
                bracket.words.append(piece)
        elif not is_outside:
            is_outside = True
            yield Fault(line, f"{quoted(piece)} stands outside the brackets", line)
    if stack:
        yield Fault(nest.line, f'{len(stack)} "(" not closed', nest.line)


def quoted(word: str) -> str:
    """Return a word in quotation marks, shortened if it is long, for error messages."""
    if len(word) > MAX_QUOTED_CHARACTERS:
        word = f"{word[:MAX_QUOTED_CHARACTERS]}…"
    return f'"{word}"'


DISCONTINUOUS_HINT = "write discbracket, export or tigerxml instead"


def refuse_discontinuous(tree: Tree) -> TreebankError | None:
    """Return the reason why plain brackets cannot represent a tree, or None."""
    if tree.is_continuous:
        return None
    return TreebankError(
        "a discontinuous tree cannot be written in brackets without positions", hint=DISCONTINUOUS_HINT
    )


def nest(tree: Tree, labels: Sequence[str], leaves: Sequence[str]) -> tuple[str, bool]:
    """Return a tree as nested brackets, and whether its tokens are in order (the tree is continuous).

    `labels` are the written labels of the nodes, `leaves` the written tokens.
    """
    if not labels:
        return leaves[0], True
    size = len(leaves)
    pieces: list[str] = []
    position = -1
    is_ordered = True
    # The vertices still to write, last first; -1 is a closing bracket.
    stack = [size]
    while stack:
        vertex = stack.pop()
        if vertex < 0:
            pieces.append(")")
        elif vertex < size:
            pieces.append(" " + leaves[vertex])
            is_ordered = is_ordered and vertex > position
            position = vertex
        else:
            node = vertex - size
            pieces.append(f" ({labels[node]}")
            stack.append(-1)
            stack.extend(reversed(tree.children[node]))
    return "".join(pieces)[1:], is_ordered
