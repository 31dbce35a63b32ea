"""Lines that hold a tree each, and are read only when someone asks for the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.bracket import join_trees, tree_or_error
from spindle.trees import Token, Tree


@dataclass
class LineFile:
    """What is known of the file that lines come from."""

    name: str
    is_discontinuous: bool
    is_nested: bool = False
    """Whether leaves are written as `(TAG (word))`; lines that do not tell follow those that did."""

    def error(self, cause: str, line: int) -> TreebankError:
        """Something that is wrong in a line."""
        return TreebankError(cause, file=self.name, line=line)


class Line(NamedTuple):
    """A line that is a tree, or should be."""

    text: str
    number: int
    file: LineFile

    @property
    def id(self) -> str:
        """Bracketed trees have no ids."""
        return ""

    def read(self) -> Tree | TreebankError:
        """The tree."""
        if self.file.is_discontinuous:
            parsed = _core.parse_discbrackets(self.text, Token)
        else:
            parsed, self.file.is_nested = _core.parse_brackets(self.text, self.file.is_nested, Token)
        found = [tree_or_error(one, self.file.name, self.number) for one in parsed]
        for one in found:
            if isinstance(one, TreebankError):
                return one
        trees = [one for one in found if isinstance(one, Tree)]
        if len(trees) == 1:
            return trees[0]
        # several trees are one sentence; what holds them together is not in the file and must not count
        joined = join_trees(trees)
        return joined.replace(labels=("TOP", *joined.labels[1:]))
