"""The attachment of punctuation: moved into the tree, raised to the root, or removed.

Penn trees attach a comma among the words that it separates. NEGRA, TIGER and Alpino attach all punctuation
to the root, where it interrupts every constituent around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spindle.treebanks.transforms.draft import Draft
from spindle.trees import Tree
from spindle.trees.nodes import gaps
from spindle.trees.punctuation import is_punctuation

FINAL_MARKS = ".?!"


def remove_punctuation(tree: Tree) -> Tree:
    """Drop punctuation and the constituents that contain nothing else (lossy)"""
    marks = _marks(tree)
    if not marks:
        return tree
    draft = Draft(tree)
    draft.removed.update(marks)
    return draft.build()


def drop_final_marks(tree: Tree) -> Tree:
    """Drop the full stop, question or exclamation marks that end the sentence (lossy)"""
    draft = Draft(tree)
    for position in reversed(range(1, len(tree))):
        if set(tree.tokens[position].form) - set(FINAL_MARKS):
            break
        draft.removed.add(position)
    return draft.build() if draft.removed else tree


def raise_punctuation(tree: Tree) -> Tree:
    """Attach all punctuation to the topmost node (lossy)

    The topmost node is used whatever its label; no node is added. Constituents that contain only
    punctuation are dropped. This undoes `move_punctuation` for trees whose punctuation was attached there
    before.
    """
    marks = _marks(tree)
    if not tree.labels or not any(tree.leaf_parents[mark] for mark in marks):
        return tree
    draft = Draft(tree)
    for mark in marks:
        draft.leaf_parents[mark] = 0
    return draft.build()


def move_punctuation(tree: Tree) -> Tree:
    """Attach punctuation that interrupts a constituent inside it: then only words cause gaps (lossy)

    A mark between two words that interrupts a constituent with both words moves to the lowest such
    constituent. A mark that interrupts nothing stays, so marks at the start and end of a sentence remain at
    the root. A constituent that contains only punctuation moves as a whole. If it has gaps itself, it is
    dropped and its marks move one by one.
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
    """Punctuation that moves together: a mark, or a constituent without gaps that contains only marks."""

    vertex: int
    first: int
    last: int
    parent: int


def _units(tree: Tree, marks: list[int]) -> list[_Unit]:
    """Return the units from left to right; each has a parent with words."""
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
    """Yield lists of units without a word between them."""
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
    """Give the units between two neighbouring words parents such that no constituent is interrupted.

    From left to right, these parents first ascend among the ancestors of the left word, then are the lowest
    common ancestor of both words, and then descend among the ancestors of the right word.
    """
    left, right, common = _paths(tree, depths, run[0].first - 1, run[-1].last + 1)
    for unit in run:
        if unit.parent not in left and unit.parent not in right:
            unit.parent = common
    # A unit whose parent is above that of a unit farther from the same word would interrupt the latter's
    # parent.
    for path, outermost_first in ((left, reversed(run)), (right, run)):
        ceiling: int | None = None
        for unit in outermost_first:
            if unit.parent in path and (ceiling is None or depths[unit.parent] >= depths[ceiling]):
                ceiling = unit.parent
            elif ceiling is not None:
                unit.parent = ceiling


def _paths(tree: Tree, depths: list[int], left: int, right: int) -> tuple[set[int], set[int], int]:
    """Return the ancestors of only the left word, of only the right word, and their lowest common ancestor.

    The common ancestor is the root if there is no word on one side.
    """
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
