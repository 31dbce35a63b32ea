"""English treebanks in one annotation: that of the Penn Treebank II guidelines.

Treebanks that follow the same guidelines still disagree. A parser that learns from several of them should
not learn the differences; see `benchmarks/results/treebank-agreement.md` for how often each one occurs. The
transforms work on trees without traces and without functions in labels. `PENN` has them in the order in which
`to_penn` applies them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from spindle.treebanks.transforms.draft import Draft
from spindle.treebanks.transforms.parentheses import bracket_parentheses, nest_parentheses
from spindle.treebanks.transforms.wh_phrases import label_wh_phrases
from spindle.trees import ROOT, Tree

EXTRA_LABELS = frozenset({"NML", "NX", "CIT", "TITLE", "HEADING", "CAPTION"})
"""Nodes inside noun phrases and kinds of headings, which not all treebanks have."""
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD"})
CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ", "FRAG", "VP", "ROOT"})
DASHES = frozenset({"-", "--", "–", "—"})


def dissolve_labels(tree: Tree, labels: Collection[str]) -> Tree:
    """Remove the nodes with these labels; their children move to the parent (lossy)

    The root stays whatever its label.
    """
    return _dissolve(tree, [at > 0 and label in labels for at, label in enumerate(tree.labels)])


def dissolve_extra_labels(tree: Tree) -> Tree:
    """Remove the nodes NML, NX, CIT, TITLE, HEADING and CAPTION (lossy)"""
    return dissolve_labels(tree, EXTRA_LABELS)


def flatten_hyphenated_nouns(tree: Tree) -> Tree:
    """Remove the ADJP of a hyphenated noun that modifies a noun, `two - year` in `a two - year plan` (lossy)

    It is a phrase of tokens in an NP, with a hyphen tagged HYPH, and ends with a noun or a number.
    """
    size = len(tree)
    gone = [False] * len(tree.labels)
    for node, children in enumerate(tree.children):
        if tree.labels[node] == "ADJP" and node > 0 and tree.labels[tree.parents[node]] == "NP":
            tags = [tree.tokens[child].tag for child in children if child < size]
            gone[node] = len(tags) == len(children) and "HYPH" in tags and tags[-1] in NOUN_TAGS
    return _dissolve(tree, gone)


def collapse_repeated_nodes(tree: Tree) -> Tree:
    """Remove a node whose parent has the same label and no other child (lossy)

    Such pairs remain where traces or other nodes were removed.
    """
    return _dissolve(
        tree,
        [
            parent != ROOT and len(tree.children[parent]) == 1 and tree.labels[parent] == tree.labels[node]
            for node, parent in enumerate(tree.parents)
        ],
    )


def wrap_interjections(tree: Tree) -> Tree:
    """Put INTJ above interjections (UH) that are alone in an NP or ADVP, or directly in a clause (lossy)"""
    draft = Draft(tree)
    for position, token in enumerate(tree.tokens):
        parent = tree.leaf_parents[position]
        if token.tag != "UH" or parent == ROOT:
            continue
        if tree.labels[parent] in ("NP", "ADVP") and len(tree.children[parent]) == 1:
            draft.labels[parent] = "INTJ"
        elif tree.labels[parent] in CLAUSES:
            draft.add_node("INTJ", parent, [position])
    return draft.build()


def wrap_list_markers(tree: Tree) -> Tree:
    """Put LST above list markers (LS) that are alone in an X, or not in an LST (lossy)"""
    draft = Draft(tree)
    for position, token in enumerate(tree.tokens):
        parent = tree.leaf_parents[position]
        if token.tag != "LS" or parent == ROOT or tree.labels[parent] == "LST":
            continue
        if tree.labels[parent] == "X" and len(tree.children[parent]) == 1:
            draft.labels[parent] = "LST"
        else:
            draft.add_node("LST", parent, [position])
    return draft.build()


def tag_dashes(tree: Tree) -> Tree:
    """Tag a dash between the phrases of a clause `:`, not HYPH, which is a hyphen inside a word (lossy)"""
    size = len(tree)
    tokens = list(tree.tokens)
    for position, token in enumerate(tokens):
        parent = tree.leaf_parents[position]
        if token.tag != "HYPH" or token.form not in DASHES or parent == ROOT:
            continue
        siblings = tree.children[parent]
        at = siblings.index(position)
        beside = siblings[max(at - 1, 0) : at] + siblings[at + 1 : at + 2]
        if tree.labels[parent] in CLAUSES and all(sibling >= size for sibling in beside):
            tokens[position] = token._replace(tag=":")
    return tree.replace(tokens=tuple(tokens))


PENN: dict[str, Callable[[Tree], Tree]] = {
    "extra-labels": dissolve_extra_labels,
    "wh-phrases": label_wh_phrases,
    "parentheses": bracket_parentheses,
    "nested-parentheses": nest_parentheses,
    "hyphenated-nouns": flatten_hyphenated_nouns,
    "interjections": wrap_interjections,
    "list-markers": wrap_list_markers,
    "dashes": tag_dashes,
    "repeated-nodes": collapse_repeated_nodes,
}


def to_penn(tree: Tree) -> Tree:
    """Apply all transforms of `PENN` (lossy)"""
    for transform in PENN.values():
        tree = transform(tree)
    return tree


def _dissolve(tree: Tree, gone: list[bool]) -> Tree:
    if not any(gone):
        return tree
    draft = Draft(tree)
    draft.dissolve(gone)
    return draft.build()
