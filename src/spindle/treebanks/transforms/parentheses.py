"""Parentheses in Penn trees: PRN above the brackets, and an NP beside it."""

from __future__ import annotations

from collections.abc import Iterator

from spindle.treebanks.transforms.draft import Draft
from spindle.trees import ROOT, Tree

OPENING, CLOSING = "-LRB-", "-RRB-"
IN_FLAT_NP = frozenset({"ADJP", "QP", "UCP"})
"""Phrases that stand before the noun, in an NP that needs no NP inside."""
IN_NP = frozenset({"CD", "NN", "NNS", "NNP", "NNPS", ",", ":", "HYPH", "SYM", "JJ", "DT", "FW"})
NUMBERS_AND_NOUNS = frozenset({"CD", "NN", "NNS", "NNP", "NNPS", "FW"})


def bracket_parentheses(tree: Tree) -> Tree:
    """Put PRN above a pair of brackets with phrases in between, and NP above bare words in a PRN (lossy)

    A bracket that is attached above the constituent beside it, which begins or ends in the other bracket of
    the pair, moves there: `(NP (NP x) (-LRB- () (NP y)) (-RRB- ))` becomes `(NP (NP x) (PRN (-LRB- () (NP y)
    (-RRB- ))))`. Brackets without phrases inside, as in names of substances, stay as they are, unless they
    are all that a PRN has.
    """
    pairs = list(_pairs(tree))
    if not pairs:
        return tree
    draft = Draft(tree)
    for opening, closing in pairs:
        moved = _join(draft, opening, closing)
        parent = draft.leaf_parents[opening]
        if parent != draft.leaf_parents[closing] or parent == ROOT:
            continue
        children = draft.children_of(parent)
        whole = children[children.index(opening) : children.index(closing) + 1]
        inside = whole[1:-1]
        has_phrases = any(child >= len(tree) for child in inside)
        if draft.labels[parent] in ("PRN", "LST"):
            tags = {tree.tokens[child].tag for child in inside if child < len(tree)}
            is_bare = not has_phrases and tags <= IN_NP and tags & NUMBERS_AND_NOUNS
            if draft.labels[parent] == "PRN" and whole == children and is_bare:
                draft.add_node("NP", parent, inside)
        elif inside and whole != children and (has_phrases or moved):
            draft.add_node("PRN", parent, whole)
    return draft.build()


def nest_parentheses(tree: Tree) -> Tree:
    """Put NP above the words of an NP that ends in a PRN, `(NP (NN x) (PRN …))` (lossy)

    The result is `(NP (NP (NN x)) (PRN …))`. An NP that has a phrase beside the PRN, other than those before
    a noun, stays as it is.
    """
    size = len(tree)
    draft = Draft(tree)
    for node, children in enumerate(tree.children):
        *words, last = children
        if tree.labels[node] != "NP" or not words or last < size or tree.labels[last - size] != "PRN":
            continue
        if all(child < size or tree.labels[child - size] in IN_FLAT_NP for child in words):
            draft.add_node("NP", node, words)
    return draft.build()


def _pairs(tree: Tree) -> Iterator[tuple[int, int]]:
    """Yield the positions of matching brackets, inner pairs first."""
    stack = []
    for position, token in enumerate(tree.tokens):
        if token.tag == OPENING:
            stack.append(position)
        elif token.tag == CLOSING and stack:
            yield stack.pop(), position


def _join(draft: Draft, opening: int, closing: int) -> bool:
    """Give both brackets one parent, if moving one of them down makes no gap; return whether one moved."""
    low, high = draft.leaf_parents[opening], draft.leaf_parents[closing]
    if low == high or ROOT in (low, high):
        return False
    for moving, beside, start, target in (
        (closing, closing - 1, low, high),
        (opening, opening + 1, high, low),
    ):
        node, last = start, start
        while node not in (ROOT, target):
            last, node = node, draft.parents[node]
        if node != target:
            continue
        # `start` … `last` are below the other parent; all must border on the bracket that moves
        edge = max if moving == closing else min
        if all(edge(draft.positions_of(at)) == beside for at in (start, last)):
            draft.leaf_parents[moving] = start
            return True
    return False
