"""Lines with one tree each, parsed only when the tree is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.bracket import join_trees, tree_or_error
from spindle.trees import Token, Tree


@dataclass
class LineFile:
    """The file that lines come from."""

    name: str
    is_discontinuous: bool
    is_nested: bool = False
    """Whether leaves are written as `(TAG (word))`; an ambiguous line is read like the lines before it."""

    def error(self, cause: str, line: int) -> TreebankError:
        """Return an error located in a line of the file."""
        return TreebankError(cause, file=self.name, line=line)


class Line(NamedTuple):
    """A line that should contain a tree."""

    text: str
    number: int
    file: LineFile

    @property
    def id(self) -> str:
        """Always "": bracketed trees have no ids."""
        return ""

    def read(self) -> Tree | TreebankError:
        """Parse the tree."""
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
        # several trees are one sentence; the node that joins them is not in the file and must not count
        joined = join_trees(trees)
        return joined.replace(labels=("TOP", *joined.labels[1:]))
