"""Find heads from a dependency treebank of the same sentences instead of rules.

The head of a constituent is the child whose head word depends on a word outside the constituent; the head
words of the other children depend on words inside. If the two treebanks disagree, there are several such
children or none. Then rules decide, and the case is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.heads.finder import children_for_rules
from spindle.heads.steps import Candidates, Child
from spindle.heads.table import HeadRules
from spindle.trees import ROOT, Dependencies, Tree

GIVEN = "head given by the dependencies"
SEVERAL = "several children governed from outside"
NONE = "no child governed from outside"
INNER = "head given, but another child is not governed by it"
# One treebank may escape brackets and the other not.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def project_heads(
    tree: Tree, dependencies: Dependencies, fallback: HeadRules, counts: Counter[str] | None = None
) -> Tree:
    """Return the tree with the heads that the dependencies determine; `fallback` decides the ambiguous cases.

    `counts` counts the outcome of every node with several candidates: `GIVEN`, `SEVERAL` or `NONE`, and
    `INNER` in addition to `GIVEN`.
    """
    heads = [0] * len(tree.labels)
    for choice in project(tree, dependencies, fallback):
        heads[choice.node] = choice.head
        if counts is not None and choice.outcome:
            counts[choice.outcome] += 1
            counts[INNER] += choice.is_inner_mismatch
    return tree.with_heads(tuple(heads))


class Projected(NamedTuple):
    """The head of one node: child index and word. `outcome` is "" if there was only one candidate."""

    node: int
    children: tuple[Child, ...]
    child: int
    head: int
    outcome: str
    is_inner_mismatch: bool = False


def project(tree: Tree, dependencies: Dependencies, fallback: HeadRules) -> Iterator[Projected]:
    """Yield for every node, from the bottom, the head child that the dependencies determine."""
    governors = _governors(tree, dependencies)
    children = children_for_rules(tree, fallback)
    size = len(tree)
    heads = [*range(size), *(0 for _ in tree.labels)]
    for node in range(len(tree.labels) - 1, -1, -1):
        words = [heads[child] for child in tree.children[node]]
        candidates = Candidates.among(children[node]).best
        mask = tree.masks[node]
        index, outcome, inner = candidates[0], "", False
        if len(candidates) > 1:
            outside = [i for i in candidates if not _is_inside(governors[words[i]], mask)]
            if len(outside) == 1:
                index, outcome = outside[0], GIVEN
                inner = any(i != index and governors[words[i]] != words[index] for i in candidates)
            else:
                label = fallback.normalise(tree.labels[node])
                index = fallback.decide(label, children[node], fallback.edges_first).child
                outcome = SEVERAL if outside else NONE
        heads[size + node] = words[index]
        yield Projected(node, children[node], index, words[index], outcome, inner)


def _is_inside(governor: int, mask: int) -> bool:
    return governor != ROOT and bool(mask >> governor & 1)


def _governors(tree: Tree, dependencies: Dependencies) -> list[int]:
    """Return the governor of every token; `ROOT` for traces, which the dependencies leave out."""
    positions = [position for position, token in enumerate(tree.tokens) if not token.is_empty]
    words = dependencies.words
    sentence = dependencies.id or tree.id
    hint = "the trees and the dependencies must contain the same sentences in the same order"
    for number, (position, word) in enumerate(zip(positions, words, strict=False), 1):
        form = tree.tokens[position].form
        if _plain(form) != _plain(word.form):
            cause = f"word {number} is '{form}' in the tree and '{word.form}' in the dependencies"
            raise TreebankError(cause, sentence=sentence, hint=hint)
        if not 0 <= word.head <= len(words):
            raise TreebankError(f"word {number} ('{word.form}') has no head", sentence=sentence)
    if len(positions) != len(words):
        cause = f"the tree has {len(positions)} words and the dependencies have {len(words)}"
        raise TreebankError(cause, sentence=sentence, hint=hint)
    governors = [ROOT] * len(tree)
    for position, word in zip(positions, words, strict=True):
        if word.head:
            governors[position] = positions[word.head - 1]
    return governors


def _plain(form: str) -> str:
    """Return a form without escapes for brackets, which may also be inside a word: `:-RRB-`."""
    if "-" in form:
        for name, bracket in _BRACKETS.items():
            form = form.replace(name, bracket)
    return form
