"""The choice of a scheme from the gold trees. `spindle train` and `spindle evaluate` both use it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.evaluation.comparison import brackets, kept_alone
from spindle.evaluation.lines import Line
from spindle.evaluation.pairing import Entry
from spindle.evaluation.schemes import DISCODOP, EVALB
from spindle.evaluation.settings import Settings
from spindle.trees import Tree
from spindle.trees.nodes import gaps

SAMPLE_SENTENCES = 1_000
"""The number of gold sentences that the choice looks at."""
RARE_DISCONTINUITY = 0.01
"""A treebank with a smaller proportion of discontinuous trees is treated as continuous."""

_SETTINGS = Settings(DISCODOP, DISCODOP.parameters, DISCODOP.parameters_name)


class SchemeChoice(NamedTuple):
    """The name of a scheme, and why it was chosen."""

    name: str
    reason: str


def choose_scheme(gold: Iterable[Entry[Tree]]) -> tuple[SchemeChoice, Iterator[Entry[Tree]]]:
    """Choose disco-dop's scheme for discontinuous trees, else EVALB's; returns all entries, too.

    A tree is discontinuous if it has a bracket with a gap that is not punctuation.
    """
    entries = iter(gold)
    sample = list(islice(entries, SAMPLE_SENTENCES))
    trees = [tree for tree in map(_tree, sample) if tree is not None]
    discontinuous = sum(map(_is_discontinuous, trees))
    everything = chain(sample, entries)
    if not discontinuous:
        return SchemeChoice(EVALB.name, "the gold trees are continuous"), everything
    # the proportion of the sentences that could be discontinuous: continuous lines are not parsed
    proportion = discontinuous / len(sample)
    reason = f"{proportion:.1%} of the gold trees are discontinuous"
    chosen = EVALB if proportion < RARE_DISCONTINUITY else DISCODOP
    return SchemeChoice(chosen.name, reason), everything


def _tree(entry: Entry[Tree]) -> Tree | None:
    """Return the tree of an entry; None if it has none or cannot be discontinuous."""
    if isinstance(entry, Line):
        read = entry.read() if entry.file.is_discontinuous else None
        return None if isinstance(read, TreebankError) else read
    return entry if isinstance(entry, Tree) else None


def _is_discontinuous(tree: Tree) -> bool:
    if tree.is_continuous:
        return False
    found = brackets(tree, kept_alone(tree.tokens, _SETTINGS), _SETTINGS)
    return any(gaps(bracket.mask) > 0 for bracket in found.values())
