"""Counts of errors by label, by pair of confused labels, and by kind.

The kinds depend on no language or treebank. Every missing or extra bracket has exactly one kind, the first
of these that applies:

- label: the other tree has an unmatched bracket over the same words, with another label;
- unary: the bracket covers one word, or the same words as another bracket of its own tree, and no unmatched
  bracket with its label in the other tree contains it or is inside it (that would be a wrong extent);
- coordination: the constituent or its parent has a coordinating conjunction as a child;
- attachment: all others; words are attached to the wrong constituent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from spindle.evaluation.comparison import Bracket, Comparison
from spindle.evaluation.totals import percent
from spindle.trees import ROOT, Tree

T = TypeVar("T", str, tuple[str, str])

# Penn, French and Indonesian; UD; Icelandic; STTS; Alpino.
CONJUNCTION_TAGS = frozenset({"CC", "CCONJ", "CONJ", "KON", "vg"})


class Kind(Enum):
    """The kind of error that an unmatched bracket is."""

    ATTACHMENT = "attachment"
    UNARY = "unary"
    COORDINATION = "coordination"
    LABEL = "label"


@dataclass
class Breakdown:
    """Counts of brackets by label and of errors by kind, summed over the sentences added so far."""

    gold: Counter[str] = field(default_factory=Counter)
    pred: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Counts of (gold label, predicted label) pairs over the same words."""
    missing: Counter[Kind] = field(default_factory=Counter)
    extra: Counter[Kind] = field(default_factory=Counter)

    def add(self, gold: Tree, pred: Tree, compared: Comparison) -> None:
        """Add the brackets of one sentence."""
        self.gold.update(bracket.label for bracket in compared.gold.values())
        self.pred.update(bracket.label for bracket in compared.pred.values())
        self.matched.update(bracket.label for bracket in compared.matched.elements())
        missing, extra = find_errors(gold, pred, compared)
        self.missing.update(error.kind for error in missing)
        self.extra.update(error.kind for error in extra)
        self.confused.update((error.label, error.other) for error in missing if error.kind is Kind.LABEL)

    def add_unparsed(self, gold: Tree, brackets: dict[int, Bracket]) -> None:
        """Add the gold brackets of a sentence without a prediction; all of them are missing."""
        self.gold.update(bracket.label for bracket in brackets.values())
        self.missing.update(error.kind for error in all_missing(gold, brackets))

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain data, ready for JSON.

        The most frequent labels and pairs come first; of equally frequent ones the first in the alphabet.
        """
        return {
            "by_label": {
                label: {
                    "gold": self.gold[label],
                    "pred": self.pred[label],
                    "matched": self.matched[label],
                    "precision": percent(self.matched[label], self.pred[label]),
                    "recall": percent(self.matched[label], self.gold[label]),
                    "f1": percent(2 * self.matched[label], both),
                }
                for label, both in _ranked(self.gold + self.pred)
            },
            "confusions": [
                {"gold": gold, "pred": pred, "count": count} for (gold, pred), count in _ranked(self.confused)
            ],
            "errors_by_kind": {
                kind.value: {"missing": self.missing[kind], "extra": self.extra[kind]} for kind in Kind
            },
        }

    def __add__(self, other: Breakdown) -> Breakdown:
        return Breakdown(
            self.gold + other.gold,
            self.pred + other.pred,
            self.matched + other.matched,
            self.confused + other.confused,
            self.missing + other.missing,
            self.extra + other.extra,
        )


def _ranked(counts: Counter[T]) -> list[tuple[T, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


class BracketError(NamedTuple):
    """A bracket of one tree without a match in the other: its node, its label and its kind of error."""

    node: int
    label: str
    kind: Kind
    other: str = ""
    """The label that the other tree has over the same words, for an error of the kind `label`."""


def find_errors(
    gold: Tree, pred: Tree, compared: Comparison
) -> tuple[list[BracketError], list[BracketError]]:
    """Return the missing brackets of the gold tree and the extra ones of the predicted tree, top-down."""
    matched = compared.matched
    missing, extra = _left_over(compared.gold, matched), _left_over(compared.pred, matched)
    confused = dict(_over_same_words(missing, compared.gold, extra, compared.pred))
    lost = {compared.gold[node] for node in missing if node not in confused}
    added = {compared.pred[node] for node in set(extra) - set(confused.values())}
    originals = {other: one for one, other in confused.items()}
    return (
        [
            _label_error(compared.gold, node, compared.pred, confused[node])
            if node in confused
            else _error(node, gold, compared.gold, added)
            for node in missing
        ],
        [
            _label_error(compared.pred, node, compared.gold, originals[node])
            if node in originals
            else _error(node, pred, compared.pred, lost)
            for node in extra
        ],
    )


def all_missing(gold: Tree, brackets: dict[int, Bracket]) -> list[BracketError]:
    """Return the errors of a sentence without a predicted tree: every gold bracket is missing."""
    return [_error(node, gold, brackets, set()) for node in brackets]


def _label_error(
    brackets: dict[int, Bracket], node: int, others: dict[int, Bracket], other: int
) -> BracketError:
    return BracketError(node, brackets[node].label, Kind.LABEL, others[other].label)


def _error(node: int, tree: Tree, brackets: dict[int, Bracket], others: set[Bracket]) -> BracketError:
    return BracketError(node, brackets[node].label, _kind(node, tree, brackets, others))


def _left_over(brackets: dict[int, Bracket], matched: Counter[Bracket]) -> list[int]:
    """Return the nodes whose brackets have no match left in the other tree."""
    remaining = Counter(matched)
    left = []
    for node, bracket in brackets.items():
        if remaining[bracket]:
            remaining[bracket] -= 1
        else:
            left.append(node)
    return left


def _over_same_words(
    missing: list[int], gold: dict[int, Bracket], extra: list[int], pred: dict[int, Bracket]
) -> list[tuple[int, int]]:
    """Return pairs of unmatched nodes with the same yield, top-down."""
    candidates = defaultdict(list)
    for node in reversed(extra):
        candidates[pred[node].mask].append(node)
    return [(node, candidates[gold[node].mask].pop()) for node in missing if candidates[gold[node].mask]]


def _kind(node: int, tree: Tree, brackets: dict[int, Bracket], others: set[Bracket]) -> Kind:
    """Return the kind of an unmatched bracket, given the unmatched brackets of the other tree."""
    label, mask = brackets[node]
    is_unary = mask.bit_count() == 1 or sum(bracket.mask == mask for bracket in brackets.values()) > 1
    if is_unary and not any(label == other.label and _are_nested(mask, other.mask) for other in others):
        return Kind.UNARY
    if _joins(tree, node) or (tree.parents[node] != ROOT and _joins(tree, tree.parents[node])):
        return Kind.COORDINATION
    return Kind.ATTACHMENT


def _are_nested(one: int, other: int) -> bool:
    return one & other in (one, other)


def _joins(tree: Tree, node: int) -> bool:
    """Return whether a child is a conjunction; a sentence-initial one (`And so …`) does not count."""
    return any(
        parent == node and position > 0 and tree.tokens[position].tag in CONJUNCTION_TAGS
        for position, parent in enumerate(tree.leaf_parents)
    )
