"""Guess which head rules fit a treebank, from its labels and tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from spindle.heads.finder import kind_of
from spindle.heads.rule_files import load_rules
from spindle.heads.steps import Kind
from spindle.heads.table import ROOT_LABEL, HeadRules
from spindle.trees import ROOT, Tree
from spindle.trees.labels import base_label, without_indices

SAMPLE_TREES = 1_000
"""The number of trees, from the start of a treebank, that a guess is based on."""
# In order of preference, for treebanks that several tables fit equally well, such as very small ones.
GUESSED = ("collins", "negra", "french", "alpino", "chinese", "swedish", "korean", "icelandic", "indonesian")
# A treebank's own table fits nearly everything in it; most tables for other treebanks fit less than this.
_MIN_FIT = 0.8


class Guess(NamedTuple):
    """The name of a head-rule table, and the reason for the guess, for display."""

    name: str
    reason: str


def guess_rules(trees: Iterable[Tree]) -> Guess:
    """Guess the head rules for a treebank from its first trees, at most `SAMPLE_TREES`.

    The guess does not depend on whether traces, punctuation, wrappers, co-indices or functions in labels have
    been stripped.
    """
    tags, branching = count_labels(islice(trees, SAMPLE_TREES))
    best = max(map(load_rules, GUESSED), key=lambda rules: _fit(rules, tags, branching))
    if _fit(best, tags, branching) < _MIN_FIT:
        return Guess("leftmost-word", "no table fits the labels of this treebank")
    return Guess(best.name, f"the labels are those of {best.purpose}")


def count_labels(trees: Iterable[Tree]) -> tuple[Counter[str], Counter[str]]:
    """Count the tags of words, and the labels, without functions, of nodes with a choice between words."""
    tags: Counter[str] = Counter()
    branching: Counter[str] = Counter()
    for tree in trees:
        is_word = [kind_of(token) == Kind.WORD for token in tree.tokens]
        tags.update(
            without_indices(token.tag) for token, counts in zip(tree.tokens, is_word, strict=True) if counts
        )
        branching.update(_branching_labels(tree, is_word))
    return tags, branching


def _branching_labels(tree: Tree, is_word: list[bool]) -> list[str]:
    """Return the label, without functions, of each node that has at least two children with words."""
    children_with_words = [0] * len(tree.labels)
    for parent, counts in zip(tree.leaf_parents, is_word, strict=True):
        if counts and parent != ROOT:
            children_with_words[parent] += 1
    for node in range(len(tree.labels) - 1, 0, -1):  # children come after their parents
        if children_with_words[node]:
            children_with_words[tree.parents[node]] += 1
    return [
        base_label(label) for label, count in zip(tree.labels, children_with_words, strict=True) if count > 1
    ]


def _fit(rules: HeadRules, tags: Counter[str], branching: Counter[str]) -> float:
    """Return the fraction of words with a known tag times the fraction of branching nodes with a rule."""
    known = sum(count for tag, count in tags.items() if rules.normalise(tag) in rules.tags)
    ruled = sum(
        count for label, count in branching.items() if (rules.normalise(label) or ROOT_LABEL) in rules.steps
    )
    return known / max(tags.total(), 1) * (ruled / branching.total() if branching else 1.0)
