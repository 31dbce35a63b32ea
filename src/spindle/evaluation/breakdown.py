"""Where the errors are: by label, by pairs of labels that were confused, and by kind.

The kinds need no knowledge of a language or a treebank, and every bracket that is missing or too many is
of exactly one kind, the first that fits:

- label: the other tree has an unmatched bracket over the same words, with another label;
- unary: the bracket is over one word, or over the same words as another one of its own tree, and it is not
  just of the wrong extent: no unmatched bracket with its label in the other tree contains it or is in it;
- coordination: the constituent, or the one it hangs in, joins others by a coordinating conjunction;
- attachment: anything else, where words went to the wrong constituent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum

from spindle.evaluation.comparison import Bracket, Comparison
from spindle.trees import ROOT, Tree

# Penn, French and Indonesian; UD; Icelandic; STTS; Alpino.
CONJUNCTION_TAGS = frozenset({"CC", "CCONJ", "CONJ", "KON", "vg"})


class Kind(Enum):
    """What kind of error a bracket is."""

    ATTACHMENT = "attachment"
    UNARY = "unary"
    COORDINATION = "coordination"
    LABEL = "label"


@dataclass
class Breakdown:
    """Counts of brackets by label and of errors by kind, over all sentences added so far."""

    gold: Counter[str] = field(default_factory=Counter)
    pred: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a gold label was predicted as another."""
    missing: Counter[Kind] = field(default_factory=Counter)
    extra: Counter[Kind] = field(default_factory=Counter)

    def add(self, gold: Tree, pred: Tree, compared: Comparison) -> None:
        """Count the brackets of one more sentence."""
        matched = compared.matched
        self.gold.update(bracket.label for bracket in compared.gold.values())
        self.pred.update(bracket.label for bracket in compared.pred.values())
        self.matched.update(bracket.label for bracket in matched.elements())
        missing, extra = _left_over(compared.gold, matched), _left_over(compared.pred, matched)
        for one, other in _over_same_words(missing, compared.gold, extra, compared.pred):
            missing.remove(one)
            extra.remove(other)
            self.confused[compared.gold[one].label, compared.pred[other].label] += 1
            self.missing[Kind.LABEL] += 1
            self.extra[Kind.LABEL] += 1
        lost = {compared.gold[node] for node in missing}
        added = {compared.pred[node] for node in extra}
        self.missing.update(_kind(node, gold, compared.gold, added) for node in missing)
        self.extra.update(_kind(node, pred, compared.pred, lost) for node in extra)

    def add_unparsed(self, gold: Tree, brackets: dict[int, Bracket]) -> None:
        """Count the brackets of a sentence for which there is no prediction."""
        self.gold.update(bracket.label for bracket in brackets.values())
        self.missing.update(_kind(node, gold, brackets, set()) for node in brackets)

    def __add__(self, other: Breakdown) -> Breakdown:
        return Breakdown(
            self.gold + other.gold,
            self.pred + other.pred,
            self.matched + other.matched,
            self.confused + other.confused,
            self.missing + other.missing,
            self.extra + other.extra,
        )


def _left_over(brackets: dict[int, Bracket], matched: Counter[Bracket]) -> list[int]:
    """The nodes whose brackets the other tree has not, or not as often."""
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
    """Pairs of unmatched nodes with the same yield, from the top down."""
    candidates = defaultdict(list)
    for node in reversed(extra):
        candidates[pred[node].mask].append(node)
    return [(node, candidates[gold[node].mask].pop()) for node in missing if candidates[gold[node].mask]]


def _kind(node: int, tree: Tree, brackets: dict[int, Bracket], others: set[Bracket]) -> Kind:
    """The kind of an unmatched bracket, given those of the other tree."""
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
    """Whether a conjunction hangs in this node; one that opens the sentence (`And so …`) joins nothing."""
    return any(
        parent == node and position > 0 and tree.tokens[position].tag in CONJUNCTION_TAGS
        for position, parent in enumerate(tree.leaf_parents)
    )
