"""Guessing which head table suits a treebank, from the labels and tags in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from spindle.heads.rule_files import available_rules, load_rules
from spindle.heads.table import ROOT_LABEL, HeadRules
from spindle.trees import Tree

_ENOUGH = 0.08  # real treebanks: at least 0.14 for their own table, at most 0.05 for another


class Guess(NamedTuple):
    """The name of a table, and why it was chosen, for people to read."""

    name: str
    reason: str


def guess_rules(trees: Iterable[Tree]) -> Guess:
    """Guess the head table for a treebank from some of its trees; a few hundred tell enough."""
    branching: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for tree in trees:
        labels.update(tree.labels)
        labels.update(token.tag for token in tree.tokens)
        branching.update(
            label for label, children in zip(tree.labels, tree.children, strict=True) if len(children) > 1
        )
    tables = [rules for rules in map(load_rules, available_rules()) if rules.typical]
    best = max(tables, key=lambda rules: _fit(rules, labels, branching))
    fit = _fit(best, labels, branching)
    if fit < _ENOUGH:
        return Guess("leftmost", "the labels are those of no treebank that there is a table for")
    known = {best.normalise(label) for label in labels} & best.typical
    seen = sorted(known, key=lambda label: -labels[label])[:5]
    return Guess(best.name, f"labels such as {', '.join(seen)} are those of {best.purpose}")


def _fit(rules: HeadRules, labels: Counter[str], branching: Counter[str]) -> float:
    """How much of a treebank is typical of a table, and how many of its choices the table knows."""
    typical = sum(count for label, count in labels.items() if rules.normalise(label) in rules.typical)
    known = sum(
        count for label, count in branching.items() if (rules.normalise(label) or ROOT_LABEL) in rules.steps
    )
    return typical / max(labels.total(), 1) * known / max(branching.total(), 1)
