"""Which predicted sentence belongs to which gold sentence."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.trees import Tree


class Absent(Enum):
    """Why there is no tree."""

    UNPARSED = "no parse"
    """The file has the sentence, as an empty line or `(())`."""
    MISSING = "no such sentence"


Entry = Tree | Absent | TreebankError
"""What a file holds for a sentence: a tree, none, or something that cannot be read."""


class Pair(NamedTuple):
    """A gold sentence and its prediction; `number` counts sentences (or lines) from 1."""

    number: int
    gold: Entry
    pred: Entry
