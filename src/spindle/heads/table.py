"""Head rules: for every phrase label the steps that find its head, and options for the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from spindle.errors import HeadRuleError
from spindle.heads.steps import Candidates, Child, Kind, Step, can_be_named

ROOT_LABEL = "ROOT"
"""The name of the empty label of an outermost node in a table."""


class Verdict(NamedTuple):
    """The index of the head child and the reason, for display; `unknown` if the label has no rule."""

    child: int
    reason: str
    unknown: bool = False


@dataclass(frozen=True)
class HeadRules:
    """A table of head rules. The keys of a rule file are the fields here; see `rule_files`.

    `parse_rules(format_rules(rules), rules.name) == rules` holds for every table that can be built.
    """

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
    skips_punctuation: bool = True

    def __post_init__(self) -> None:
        if self.otherwise not in ("leftmost", "rightmost"):
            raise HeadRuleError(f"'otherwise' must be leftmost or rightmost, not '{self.otherwise}'")
        if not self.head_edges:
            raise HeadRuleError("'head-edges' must name an edge")
        self._check_names()
        self._check_labels()

    def _check_names(self) -> None:
        """Raise for names with blanks: files separate names by blanks."""
        fields = {"conjunctions": self.conjunctions, "tags": self.tags, "head-edges": self.head_edges}
        for key, names in fields.items():
            for name in names:
                if name.split() != [name]:
                    raise HeadRuleError(f"'{key}' has the name {name!r}, which is empty or has blanks")

    def _check_labels(self) -> None:
        """Raise for labels that cannot be written in a rule, or that a lookup never finds."""
        for label, steps in self.steps.items():
            if not steps or not can_be_named(label):
                raise HeadRuleError(
                    f"the rule for '{label}' has no steps, or its label has blanks or is a reserved word"
                )
            for named in (label, *(named for step in steps for named in step.labels)):
                if self.normalise(named) != named:
                    raise HeadRuleError(
                        f"rule for {label}: '{named}' never matches, because labels are looked up "
                        f"as '{self.normalise(named)}'",
                        hint="write that, or change cut-labels-at or ignore-case",
                    )

    def normalise(self, label: str) -> str:
        """Return a label as it is looked up: `NP-SBJ=2` as `NP`, but `-LRB-` unchanged."""
        if label[:1] not in self.cut_labels_at:
            for mark in self.cut_labels_at:
                label = label.partition(mark)[0]
        return label.lower() if self.ignore_case else label

    @cached_property
    def uses_edges(self) -> bool:
        """Whether any step uses edge labels."""
        return any(step.edges for steps in self.steps.values() for step in steps)

    def decide(self, label: str, children: Sequence[Child], edges_first: bool) -> Verdict:
        """Return the head child of a node and the reason; all labels must be normalised."""
        if len(children) == 1:
            return Verdict(0, "only child")
        candidates = Candidates.among(children, self.skips_punctuation)
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
        """Move a head that comes directly after a conjunction to the conjunct before it."""
        before = verdict.child - 1
        if before < 1 or children[before].label not in self.conjunctions:
            return verdict
        for index in range(before - 1, -1, -1):
            if children[index].kind == Kind.WORD:
                reason = f"{verdict.reason}, then the conjunct before {children[before].label}"
                return verdict._replace(child=index, reason=reason)
        return verdict
