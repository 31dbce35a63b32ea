"""Induce head rules from a treebank whose sentences also have dependencies.

Versley (2014) made head rules for Swedish this way. The procedure is not published, so this is our own
reconstruction. Heads come from the dependencies where these are unambiguous; `learn` turns them into rules;
held-out cases measure how good the rules are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.heads.learn import Example, learn_steps
from spindle.heads.project import GIVEN, INNER, project
from spindle.heads.steps import Candidates, Child, Kind, can_be_named
from spindle.heads.table import ROOT_LABEL, HeadRules
from spindle.trees import Dependencies, Tree

HELD_OUT_EVERY = 10
"""Every tenth tree is held out from learning and used to measure the rules."""


class Case(NamedTuple):
    """A node whose head the dependencies determine: its label, its children, the index of the head child."""

    label: str
    children: tuple[Child, ...]
    child: int


class Agreement(NamedTuple):
    """How often rules find the head that the dependencies determine."""

    right: int
    total: int

    @property
    def percent(self) -> float:
        """The agreement from 0 to 100."""
        return 100 * self.right / self.total if self.total else 0.0


@dataclass(frozen=True)
class Induction:
    """The induced rules, the held-out cases, and the outcome counts of the projection."""

    rules: HeadRules
    held_out: Counter[Case]
    counts: Counter[str]


def induce_rules(pairs: Iterable[tuple[Tree, Dependencies]], fallback: HeadRules) -> Induction:
    """Induce head rules from trees and the dependencies of the same sentences.

    `fallback` decides where the dependencies are ambiguous, and determines how labels are looked up.
    """
    learned: Counter[Case] = Counter()
    held_out: Counter[Case] = Counter()
    counts: Counter[str] = Counter()
    for number, (tree, dependencies) in enumerate(pairs, 1):
        cases = held_out if number % HELD_OUT_EVERY == 0 else learned
        try:
            choices = list(project(tree, dependencies, fallback))
        except TreebankError as error:
            error.sentence = error.sentence or str(number)
            raise
        for choice in choices:
            if choice.outcome:
                counts[choice.outcome] += 1
                counts[INNER] += choice.is_inner_mismatch
            if choice.outcome == GIVEN and any(child.kind == Kind.WORD for child in choice.children):
                label = fallback.normalise(tree.labels[choice.node]) or ROOT_LABEL
                cases[Case(label, choice.children, choice.child)] += 1
    by_label: defaultdict[str, Counter[Example]] = defaultdict(Counter)
    for case, count in learned.items():
        if can_be_named(case.label):
            by_label[case.label][_example(case)] += count
    steps = {
        label: learn_steps(examples)
        for label, examples in sorted(by_label.items(), key=lambda item: (-item[1].total(), item[0]))
    }
    rules = HeadRules(
        name="induced",
        title="Induced from dependencies",
        source="Induced by Spindle from trees and dependencies of the same sentences.",
        steps=steps,
        cut_labels_at=fallback.cut_labels_at,
        ignore_case=fallback.ignore_case,
    )
    return Induction(rules, held_out, counts)


def agreement(rules: HeadRules, cases: Mapping[Case, int]) -> dict[str, Agreement]:
    """Return the agreement of rules with the dependencies, by label, the most frequent label first."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for case, count in cases.items():
        verdict = rules.decide(case.label, case.children, rules.edges_first)
        total[case.label] += count
        right[case.label] += count * (verdict.child == case.child)
    labels = sorted(total, key=lambda label: (-total[label], label))
    return {label: Agreement(right[label], total[label]) for label in labels}


def overall(agreements: Iterable[Agreement]) -> Agreement:
    """Return the agreement on all labels together."""
    right, total = 0, 0
    for part in agreements:
        right, total = right + part.right, total + part.total
    return Agreement(right, total)


def _example(case: Case) -> Example:
    """Return a case as an example for learning: without punctuation and empty elements."""
    best = Candidates.among(case.children).best
    return Example(tuple(case.children[index].label for index in best), best.index(case.child))
