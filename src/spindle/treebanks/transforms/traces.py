"""Traces: empty elements at the original place of a moved constituent. Drop them, or undo the move.

Resolving follows the discontinuous Penn Treebank (Evang and Kallmeyer 2011): the moved constituent, the
*filler*, is attached where its trace is. A co-index becomes a crossing branch. In detail:

- `*T*` (wh-movement, topicalisation), `*ICH*` (extraposition), `*EXP*` (`It … that …`) and `*RNR*` (right
  node raising) are resolved. `*`, `*PRO*`, `*U*`, `0` and `*?*` are only dropped: they do not mark crossing
  branches.
- The filler replaces the constituent that contains only the trace, and keeps its own label. With `*EXP*`
  the clause joins the pronoun: `(NP (NP It) (SBAR *EXP*-1))` becomes an NP above both.
- A filler has one parent. Of several traces (`*RNR*`; `*T*` in a coordination) the nearest one gets the
  filler; for right node raising that is the last conjunct.
- A filler never moves into itself. If it contains its own trace, as the clause around `, he said *T*-1,`
  does, it stays.
- A trace refers to its filler by the number in its form (`*T*-1`, Penn Treebank, CorpusSearch), or else in
  the label above it (`(NP-SBJ-1 (-NONE- *T*))`, CRAFT).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from spindle.treebanks.transforms.draft import Draft
from spindle.trees import ROOT, Tree
from spindle.trees.labels import co_index

RESOLVED = frozenset(["*T*", "*ICH*", "*EXP*", "*RNR*"])


class Resolution(NamedTuple):
    """A tree without traces, and the outcome counts of the traces that mark a movement.

    The outcomes are `resolved`, `shared` (another trace got the filler), `filler is empty` (a silent relative
    pronoun), `filler contains the trace`, and `no filler`.
    """

    tree: Tree
    outcomes: Counter[str]


def strip_traces(tree: Tree) -> Tree:
    """Drop empty elements and the constituents that contain nothing else (lossy)"""
    empties = {position for position, token in enumerate(tree.tokens) if token.is_empty}
    if not empties:
        return tree
    draft = Draft(tree)
    draft.removed |= empties
    return draft.build()


def resolve_traces(tree: Tree) -> Tree:
    """Attach moved constituents where their traces are, and drop all empty elements (lossy)"""
    return resolution(tree).tree


def resolution(tree: Tree) -> Resolution:
    """Return the tree of `resolve_traces`, with the outcome counts."""
    traces = [position for position in range(len(tree)) if _marks_movement(tree, position)]
    if not traces:
        return Resolution(strip_traces(tree), Counter())
    words = sum(1 << position for position, token in enumerate(tree.tokens) if not token.is_empty)
    masks = (*(1 << position for position in range(len(tree))), *tree.masks)
    named = _vertices_by_index(tree)
    outcomes: Counter[str] = Counter()
    candidates: dict[int, list[int]] = {}
    for position in traces:
        own = len(tree) + tree.leaf_parents[position]
        fillers = [vertex for vertex in named.get(_reference(tree, position), ()) if vertex != own]
        overt = [vertex for vertex in fillers if masks[vertex] & words]
        if overt:
            filler = min(overt, key=lambda vertex: _remoteness(masks[vertex], words, position))
            candidates.setdefault(filler, []).append(position)
        else:
            outcomes["filler is empty" if fillers else "no filler"] += 1
    draft = Draft(tree)
    for filler, positions in candidates.items():
        positions.sort(key=lambda position: _remoteness(masks[filler], words, position))
        outcomes[_attach(draft, filler, positions)] += 1
        outcomes["shared"] += len(positions) - 1
    draft.removed |= {position for position, token in enumerate(tree.tokens) if token.is_empty}
    return Resolution(draft.build(), +outcomes)


def _vertices_by_index(tree: Tree) -> dict[str, list[int]]:
    """Return the vertices by co-index: constituents, and words such as a fronted verb, `(VB-1 leyfa)`."""
    named: dict[str, list[int]] = {}
    for vertex, label in enumerate((*(token.tag for token in tree.tokens), *tree.labels)):
        if index := co_index(label):
            named.setdefault(index, []).append(vertex)
    return named


def _marks_movement(tree: Tree, position: int) -> bool:
    token = tree.tokens[position]
    return token.is_empty and token.form.removesuffix("-" + co_index(token.form)) in RESOLVED


def _reference(tree: Tree, position: int) -> str:
    """Return the co-index of the filler of a trace."""
    own = co_index(tree.tokens[position].form)
    parent = tree.leaf_parents[position]
    return own or (co_index(tree.labels[parent]) if parent != ROOT else "")


def _remoteness(mask: int, words: int, position: int) -> tuple[bool, int]:
    """Return the sort key of a filler: its distance from a trace; fillers that contain it come last."""
    overt = mask & words
    first, last = (overt & -overt).bit_length() - 1, overt.bit_length() - 1
    return bool(mask >> position & 1), max(first - position, position - last, 0)


def _attach(draft: Draft, filler: int, positions: list[int]) -> str:
    """Attach a filler (a vertex) at the first trace that it does not contain; return the outcome."""
    size = len(draft.tree)
    node = filler - size  # negative for a word, which contains no trace
    for position in positions:
        slot = draft.leaf_parents[position]
        if len(draft.tree.children[slot]) == 1:
            slot = draft.parents[slot]  # the filler replaces the constituent that contains only the trace
        ancestor = slot
        while ancestor not in (ROOT, node):
            ancestor = draft.parents[ancestor]
        if slot != ROOT and ancestor == ROOT:
            if filler < size:
                draft.leaf_parents[filler] = slot
            else:
                draft.parents[node] = slot
            return "resolved"
    return "filler contains the trace"
