"""A head table: for every phrase label the steps that find its head, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from spindle.errors import HeadRuleError
from spindle.heads.steps import Candidates, Child, Kind, Step, can_be_named

ROOT_LABEL = "ROOT"
"""Under this name a table speaks of the outermost node where that has no label of its own."""


class Verdict(NamedTuple):
    """Which child is the head, counted from 0, and why; `unknown` if the label has no rule."""

    child: int
    reason: str
    unknown: bool = False


@dataclass(frozen=True)
class HeadRules:
    """A head table. `load_rules` reads one from a file; the keys there are the fields here."""

    name: str
    title: str
    steps: Mapping[str, tuple[Step, ...]]
    otherwise: Literal["leftmost", "rightmost"] = "leftmost"
    source: str = ""
    purpose: str = ""
    conjunctions: frozenset[str] = frozenset()
    cut_labels_at: str = ""
    ignore_case: bool = False
    edges_first: bool = False
    head_edges: tuple[str, ...] = ("HD", "hd")
    tags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.otherwise not in ("leftmost", "rightmost"):
            raise HeadRuleError(f"'otherwise' must be leftmost or rightmost, not '{self.otherwise}'")
        if not self.head_edges:
            raise HeadRuleError("'head-edges' must name an edge")
        for label, steps in self.steps.items():
            if not steps or not can_be_named(label):
                raise HeadRuleError(
                    f"a rule needs a label without blanks, and steps; this one is for '{label}'"
                )
            for named in (label, *(named for step in steps for named in step.labels)):
                if self.normalise(named) != named:
                    raise HeadRuleError(
                        f"rule for {label}: '{named}' can never be met, since labels are looked up "
                        f"as '{self.normalise(named)}'; write that, or change cut-labels-at or ignore-case"
                    )

    def normalise(self, label: str) -> str:
        """A label as the table writes it: `NP-SBJ=2` is an NP, but `-LRB-` is itself."""
        if label[:1] not in self.cut_labels_at:
            for mark in self.cut_labels_at:
                label = label.partition(mark)[0]
        return label.lower() if self.ignore_case else label

    @cached_property
    def sees_edges(self) -> bool:
        """Whether any step asks for edge labels."""
        return any(step.edges for steps in self.steps.values() for step in steps)

    def decide(self, label: str, children: Sequence[Child], edges_first: bool) -> Verdict:
        """Find the head of a node; all labels must be normalised."""
        if len(children) == 1:
            return Verdict(0, "only child")
        candidates = Candidates.among(children)
        if len(candidates.best) == 1 and not candidates.punctuation:
            return Verdict(candidates.best[0], "only word")
        if edges_first:
            index = Step("leftmost", edges=self.head_edges).find(children, candidates)
            if index is not None:
                return Verdict(index, f"edge {children[index].function}")
        steps = self.steps.get(label or ROOT_LABEL, ())
        for step in steps:
            index = step.find(children, candidates)
            if index is not None:
                return self._first_conjunct(Verdict(index, str(step)), children)
        if len(candidates.best) == 1:
            return Verdict(candidates.best[0], "only word")
        side = steps[-1].side if steps else self.otherwise
        unknown = not steps and bool(self.steps)
        reason = "nothing matched: " if steps else "no rule for the label: " if unknown else ""
        index = candidates.best[-1 if side == "rightmost" else 0]
        return self._first_conjunct(Verdict(index, reason + side, unknown), children)

    def _first_conjunct(self, verdict: Verdict, children: Sequence[Child]) -> Verdict:
        """Move a head that stands right after a conjunction to the conjunct before it."""
        before = verdict.child - 1
        if before < 1 or children[before].label not in self.conjunctions:
            return verdict
        for index in range(before - 1, -1, -1):
            if children[index].kind == Kind.WORD:
                reason = f"{verdict.reason}, then the conjunct before {children[before].label}"
                return verdict._replace(child=index, reason=reason)
        return verdict
