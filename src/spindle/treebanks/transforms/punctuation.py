"""Where punctuation hangs: moved into the tree, raised to its top, or removed.

Treebanks differ: Penn trees hang a comma among the words it separates; NEGRA, TIGER and Alpino leave all
punctuation at the root, where it breaks every constituent it stands in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spindle.treebanks.transforms.draft import Draft
from spindle.trees import Tree
from spindle.trees.punctuation import is_punctuation
from spindle.trees.tree import gaps


def remove_punctuation(tree: Tree) -> Tree:
    """Drop punctuation and the constituents that hold nothing else (lossy)"""
    marks = _marks(tree)
    if not marks:
        return tree
    draft = Draft(tree)
    draft.removed.update(marks)
    return draft.build()


def raise_punctuation(tree: Tree) -> Tree:
    """Hang all punctuation directly under the topmost node (lossy)

    The topmost node takes it whatever its label: none is invented. Constituents of nothing but
    punctuation go. For trees whose punctuation hung there before, this undoes `move_punctuation`.
    """
    marks = _marks(tree)
    if not tree.labels or not any(tree.leaf_parents[mark] for mark in marks):
        return tree
    draft = Draft(tree)
    for mark in marks:
        draft.leaf_parents[mark] = 0
    return draft.build()


def move_punctuation(tree: Tree) -> Tree:
    """Hang punctuation that breaks a constituent inside it: only words make discontinuities then (lossy)

    What stands between two words and interrupts a constituent that holds both goes to the lowest such
    constituent. What breaks nothing stays, so that marks at the start and the end of a sentence remain at
    the root. A constituent of nothing but punctuation moves as a whole, unless it is broken itself: then it
    goes and its marks move one by one.
    """
    marks = _marks(tree)
    if not marks or len(marks) == len(tree) or tree.is_continuous:
        return tree
    units, depths = _units(tree, marks), _depths(tree)
    draft = Draft(tree)
    for run in _runs(units):
        _settle(tree, depths, run)
        for unit in run:
            if unit.vertex < len(tree):
                draft.leaf_parents[unit.vertex] = unit.parent
            else:
                draft.parents[unit.vertex - len(tree)] = unit.parent
    return draft.build()


def _marks(tree: Tree) -> list[int]:
    return [position for position, token in enumerate(tree.tokens) if is_punctuation(token)]


@dataclass(slots=True)
class _Unit:
    """What moves together: a mark, or an unbroken constituent of nothing but marks."""

    vertex: int
    first: int
    last: int
    parent: int


def _units(tree: Tree, marks: list[int]) -> list[_Unit]:
    """The units from left to right; each hangs under a node that has words."""
    words = (1 << len(tree)) - 1 - sum(1 << mark for mark in marks)
    wordless = [not mask & words for mask in tree.masks]
    broken = [gaps(mask) > 0 for mask in tree.masks]
    for node in range(len(broken) - 1, 0, -1):
        broken[tree.parents[node]] |= broken[node]
    units: list[_Unit] = []
    for mark in marks:
        if units and mark <= units[-1].last:
            continue
        whole, parent = None, tree.leaf_parents[mark]
        while wordless[parent]:
            whole, parent = parent, tree.parents[parent]
        if whole is None or broken[whole]:
            units.append(_Unit(mark, mark, mark, parent))
        else:
            units.append(_Unit(len(tree) + whole, mark, tree.masks[whole].bit_length() - 1, parent))
    return units


def _runs(units: list[_Unit]) -> Iterator[list[_Unit]]:
    """Units that no word keeps apart."""
    run: list[_Unit] = []
    for unit in units:
        if run and run[-1].last + 1 < unit.first:
            yield run
            run = []
        run.append(unit)
    yield run


def _depths(tree: Tree) -> list[int]:
    depths = [0] * len(tree.labels)
    for node in range(1, len(depths)):
        depths[node] = depths[tree.parents[node]] + 1
    return depths


def _settle(tree: Tree, depths: list[int], run: list[_Unit]) -> None:
    """Give the units between two neighbouring words parents that break nothing.

    Such parents, read from left to right, first climb among the nodes over the word on the left, then are
    the lowest node over both words, and then descend among the nodes over the word on the right.
    """
    left, right, common = _paths(tree, depths, run[0].first - 1, run[-1].last + 1)
    for unit in run:
        if unit.parent not in left and unit.parent not in right:
            unit.parent = common
    # Who hangs above a mark that stands farther from the same word breaks that mark's constituent.
    for path, outermost_first in ((left, reversed(run)), (right, run)):
        ceiling: int | None = None
        for unit in outermost_first:
            if unit.parent in path and (ceiling is None or depths[unit.parent] >= depths[ceiling]):
                ceiling = unit.parent
            elif ceiling is not None:
                unit.parent = ceiling


def _paths(tree: Tree, depths: list[int], left: int, right: int) -> tuple[set[int], set[int], int]:
    """The nodes over one word only, for each word, and the lowest over both; the root if one is missing."""
    if left < 0 or right == len(tree):
        common = 0
    else:
        common, other = tree.leaf_parents[left], tree.leaf_parents[right]
        while common != other:
            if depths[common] < depths[other]:
                common, other = other, common
            common = tree.parents[common]
    paths: list[set[int]] = []
    for word in (left, right):
        path: set[int] = set()
        if 0 <= word < len(tree):
            node = tree.leaf_parents[word]
            while node != common:
                path.add(node)
                node = tree.parents[node]
        paths.append(path)
    return paths[0], paths[1], common
