"""The labels of question phrases and relative phrases: WHNP, WHPP, WHADVP, WHADJP."""

from __future__ import annotations

from itertools import pairwise

from spindle.trees import Tree

WH_LABELS = {"NP": "WHNP", "PP": "WHPP", "ADVP": "WHADVP", "ADJP": "WHADJP"}
WH_TAGS = {"NP": {"WDT", "WP", "WP$"}, "PP": set[str](), "ADVP": {"WRB"}, "ADJP": {"WRB"}}
"""The tags that make each of these phrases a WH-phrase, if they are tags of its own tokens."""
INTRODUCED = frozenset({"SBAR", "SBARQ"})
CLAUSES = frozenset({"S", "SQ", "SINV", "SBARQ", "VP", "FRAG"})


def label_wh_phrases(tree: Tree) -> Tree:
    """Label the phrases that introduce questions and relative clauses WHNP, WHPP, WHADVP or WHADJP (lossy)

    Such a phrase is a child of an SBAR or SBARQ, stands before its clause, and has a token tagged WDT, WP,
    WP$ or WRB or another WH-phrase: `(SBAR (NP (WDT that)) (S …))` becomes `(SBAR (WHNP (WDT that)) (S …))`.
    A question word that stays in its place, `you saw (NP what)`, keeps its label.
    """
    size = len(tree)
    labels = list(tree.labels)
    is_wh = [label in WH_LABELS.values() for label in labels]
    for node in reversed(range(len(labels))):  # children come after their parents
        if labels[node] in WH_LABELS:
            tags = WH_TAGS[labels[node]]
            is_wh[node] = any(
                tree.tokens[child].tag in tags if child < size else is_wh[child - size]
                for child in tree.children[node]
            )
    pending = []
    for node, children in enumerate(tree.children):
        if labels[node] in INTRODUCED:
            nodes = [child - size for child in children if child >= size]
            pending += [left for left, right in pairwise(nodes) if is_wh[left] and labels[right] in CLAUSES]
    while pending:
        node = pending.pop()
        labels[node] = WH_LABELS.get(labels[node], labels[node])
        pending += [child - size for child in tree.children[node] if child >= size and is_wh[child - size]]
    return tree.replace(labels=tuple(labels))
