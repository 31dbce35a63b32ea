"""Nested brackets as text, both ways: what `bracket`, `discbracket` and `psd` have in common.

`scan_nests` finds the brackets of a text and what is directly inside each, without asking what it means;
`nest` writes a tree as nested brackets. The scanner is the readable twin of the compiled one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spindle.errors import TreebankError
from spindle.trees import ROOT, Tree

# Only these blanks separate: others, such as a no-break space, may be part of a word.
_PIECE = re.compile(r"[()]|[^() \t\n\r]+")
LONG_WORD = 40


@dataclass(slots=True)
class Bracket:
    """A pair of brackets and what is directly inside it.

    The label is the first thing inside if that is a word. A lone word is a label in `(word)` but not in
    `( word)`, which is how a word without a tag is written.
    """

    parent: int
    line: int
    start: int
    end: int = 0
    label: str = ""
    is_spaced: bool = False
    words: list[str] = field(default_factory=list)
    inner: int = 0
    """How many brackets are directly inside."""

    @property
    def is_bare(self) -> bool:
        """Whether this is `()` or `(label)`."""
        return not self.words and not self.inner

    @property
    def is_text(self) -> bool:
        """Whether this is `(label word)`, with one word or several."""
        return bool(self.words) and not self.inner

    @property
    def size(self) -> int:
        """How many things follow the label."""
        return len(self.words) + self.inner


@dataclass(slots=True)
class Nest:
    """An outermost bracket with all that is in it."""

    line: int
    brackets: list[Bracket] = field(default_factory=list)
    """In the order in which they open."""
    order: list[tuple[int, str | None]] = field(default_factory=list)
    """The number of a bracket and None where it opens, and again with each of its words, as in the text."""

    def check_not_empty(self) -> None:
        """Raise Fault if there are only brackets, which is how to write a sentence that was not parsed."""
        if not any(bracket.label or bracket.words for bracket in self.brackets):
            raise Fault(self.line, "empty tree (an unparsed sentence)", self.line)

    def check_not_bare(self, bracket: Bracket) -> None:
        """Raise Fault if a bracket has nothing in it, or a lone word."""
        if bracket.is_bare:
            cause = (
                f"{quoted(bracket.label)} alone in brackets is no leaf" if bracket.label else "() is empty"
            )
            raise Fault(self.line, cause, bracket.line)


@dataclass(eq=False)
class Fault(Exception):
    """What is wrong with a nest, the line it starts on and the line of the fault, from 1."""

    line: int
    cause: str
    fault_line: int

    def in_file(self, file: str, first_line: int) -> TreebankError:
        """The same for a text that starts on this line of a file."""
        cause = self.cause
        if self.fault_line != self.line:
            cause += f" in line {first_line + self.fault_line - 1}"
        return TreebankError(cause, file=file, line=first_line + self.line - 1)


def scan_nests(text: str) -> Iterator[Nest | Fault]:
    """All outermost brackets of a text, and what is wrong between and with them."""
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
    """A word as messages show it."""
    return f'"{word}"' if len(word) <= LONG_WORD else f'"{word[:LONG_WORD]}…"'


def refuse_discontinuous(tree: Tree) -> TreebankError | None:
    """Why plain brackets cannot hold a tree."""
    if tree.is_continuous:
        return None
    return TreebankError(
        "a discontinuous tree cannot be written in brackets without positions",
        hint="write discbracket, export or tigerxml instead",
    )


def nest(tree: Tree, labels: Sequence[str], leaves: Sequence[str]) -> tuple[str, bool]:
    """A tree as nested brackets, and whether its tokens come in their order, as in a continuous tree.

    `labels` and `leaves` say how every node's label and every token is to be written.
    """
    if not labels:
        return leaves[0], True
    size = len(leaves)
    pieces: list[str] = []
    position = -1
    is_ordered = True
    # What is still to be written, last first: vertices, and -1 for a closing bracket.
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
