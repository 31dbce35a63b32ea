"""One tree from the trees of several parsers: the minimum Bayes risk tree under their votes.

Every parser votes for the constituents of its tree: a label over a yield. The probability of a constituent is
the mean of the votes. A constituent is worth its probability minus a threshold, and the tree with the largest
total worth is chosen: with a threshold of 0.5 that is the tree with the fewest expected errors, and with a
lower one the tree with a higher expected F1. Yields may have gaps.

Constituents over the same words are chosen together, as one of the chains that a parser has built, so that
labels are never combined in a way that no parser has proposed. Chosen yields must not cross. Yields that
cross others fall into small groups; each group is solved exactly, or greedily if it is very large.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle.errors import ParserError
from spindle.trees import ROOT, Token, Tree

THRESHOLD = 0.35
"""Measured: see `benchmarks/results/ensembles.md`."""
MAX_STEPS = 20_000
"""A group of crossing yields is solved greedily if the exact search takes more steps."""
TIE = 1e-6
"""What the first parser's vote counts more than those of the others."""


class Constituent(NamedTuple):
    """A node in the votes: its label, and how many nodes below it have the same label and yield."""

    label: str
    repeat: int


Chain = tuple[Constituent, ...]
"""The nodes over one yield, top-down."""


class Vote(NamedTuple):
    """A tree, and for every node how strongly its parser votes for it, from 0 to 1."""

    tree: Tree
    strengths: Sequence[float]


class Elected(NamedTuple):
    """The chosen tree, and the probability of every node."""

    tree: Tree
    probabilities: tuple[float, ...]


@dataclass
class _Yield:
    """The votes for the nodes over one yield."""

    votes: Counter[Constituent] = field(default_factory=Counter)
    chains: dict[Chain, None] = field(default_factory=dict)
    functions: dict[Constituent, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def best_chain(self, threshold: float) -> tuple[float, Chain]:
        """Return the largest worth of a chain, and that chain."""
        return max(
            ((sum(self.votes[one] - threshold for one in chain), chain) for chain in self.chains),
            key=lambda pair: pair[0],
        )


def elect(votes: Sequence[Vote], threshold: float = THRESHOLD) -> Elected:
    """Return the tree that the votes choose; all trees must have the same words.

    >>> from spindle.treebanks.bracket import parse_bracket
    >>> trees = map(parse_bracket, ["(S (X (A a) (B b)) (C c))", "(S (A a) (X (B b) (C c)))",
    ...                             "(S (X (A a) (B b)) (C c))", "(S (X (A a) (B b)) (C c))"])
    >>> elected = elect([Vote(tree, [1.0] * 2) for tree in trees])
    >>> print(elected.tree)
    (S (X (A a) (B b)) (C c))
    >>> elected.probabilities[0], round(elected.probabilities[1], 3)
    (1.0, 0.75)
    """
    tokens = _tokens([vote.tree for vote in votes])
    yields = _count(votes)
    everything = (1 << len(tokens)) - 1
    worths: dict[int, float] = {}
    chains: dict[int, Chain] = {}
    for mask, found in yields.items():
        worths[mask], chains[mask] = found.best_chain(threshold)
    chosen = {mask for mask in _compatible(worths) if mask != everything}
    if everything in yields:
        chosen.add(everything)
    return _build(tokens, chosen, chains, yields)


def _tokens(trees: Sequence[Tree]) -> tuple[Token, ...]:
    """Return the tokens, each the one that most trees have, or the first tree's."""
    for other in trees[1:]:
        if [token.form for token in other.tokens] != [token.form for token in trees[0].tokens]:
            raise ParserError("the parsers of an ensemble gave trees over different words")
    columns = zip(*(tree.tokens for tree in trees), strict=True)
    return tuple([Counter(column).most_common(1)[0][0] for column in columns])


def _count(votes: Sequence[Vote]) -> dict[int, _Yield]:
    """Return the votes by yield."""
    yields: dict[int, _Yield] = defaultdict(_Yield)
    for number, (tree, strengths) in enumerate(votes):
        by_mask: dict[int, list[int]] = defaultdict(list)
        for node, mask in enumerate(tree.masks):
            by_mask[mask].append(node)
        for mask, nodes in by_mask.items():
            seen: Counter[str] = Counter()
            chain: list[Constituent] = []
            for node in reversed(nodes):
                one = Constituent(tree.labels[node], seen[tree.labels[node]])
                seen[one.label] += 1
                chain.append(one)
                yields[mask].votes[one] += (strengths[node] + TIE * (not number)) / len(votes)  # type: ignore[assignment]
                yields[mask].functions[one][tree.functions[node]] += 1
            yields[mask].chains[tuple(reversed(chain))] = None
        if len(tree) == 1 and not tree.labels:
            yields[1].chains[()] = None
    return yields


def _compatible(worths: dict[int, float]) -> Iterable[int]:
    """Return the yields of the largest total worth that do not cross each other."""
    worthy = [mask for mask, worth in sorted(worths.items(), key=lambda pair: -pair[1]) if worth > 0]
    crossing = {
        mask: {other for other in worthy if mask & other and mask & other not in (mask, other)}
        for mask in worthy
    }
    for group in _groups(crossing):
        yield from _heaviest(group, crossing, worths)


def _groups(crossing: dict[int, set[int]]) -> Iterable[list[int]]:
    """Return the connected components, each with the worthiest yields first."""
    left = dict.fromkeys(crossing)
    while left:
        first = next(iter(left))
        waiting, group = [first], {first}
        while waiting:
            for other in crossing[waiting.pop()] - group:
                group.add(other)
                waiting.append(other)
        yield [mask for mask in left if mask in group]
        for mask in group:
            del left[mask]


def _heaviest(group: list[int], crossing: dict[int, set[int]], worths: dict[int, float]) -> list[int]:
    """Return the yields of a group that do not cross and have the largest total worth.

    Branch and bound; the first solution is the greedy one.
    """
    if len(group) == 1:
        return group
    best: list[int] = []
    best_worth = 0.0
    steps = 0

    def search(left: list[int], chosen: list[int], worth: float) -> None:
        nonlocal best, best_worth, steps
        steps += 1
        if worth > best_worth:
            best, best_worth = chosen, worth
        if not left or steps > MAX_STEPS or worth + sum(worths[mask] for mask in left) <= best_worth:
            return
        first, rest = left[0], left[1:]
        apart = [mask for mask in rest if mask not in crossing[first]]
        search(apart, [*chosen, first], worth + worths[first])
        if len(apart) < len(rest):
            search(rest, chosen, worth)

    search(group, [], 0.0)
    return best


def _build(
    tokens: tuple[Token, ...], chosen: set[int], chains: dict[int, Chain], yields: dict[int, _Yield]
) -> Elected:
    """Build the tree of the chosen yields."""
    labels: list[str] = []
    functions: list[str] = []
    parents: list[int] = []
    probabilities: list[float] = []
    leaf_parents = [ROOT] * len(tokens)
    for mask in sorted(chosen, key=lambda mask: (-mask.bit_count(), mask)):
        # every yield that contains this one is larger, so the smallest node above a word so far is the parent
        parent = leaf_parents[(mask & -mask).bit_length() - 1]
        for one in chains[mask]:
            labels.append(one.label)
            functions.append(yields[mask].functions[one].most_common(1)[0][0])
            parents.append(parent)
            probabilities.append(min(1.0, yields[mask].votes[one]))
            parent = len(labels) - 1
        for position in range(len(tokens)):
            if mask >> position & 1:
                leaf_parents[position] = parent
    tree = Tree.build(tokens, labels, parents, leaf_parents, functions)
    return Elected(tree, _in_order(tree, probabilities, labels, parents, leaf_parents))


def _in_order(
    tree: Tree,
    probabilities: Sequence[float],
    labels: Sequence[str],
    parents: Sequence[int],
    leaf_parents: Sequence[int],
) -> tuple[float, ...]:
    """Return the probabilities in the order of the nodes of the tree, which has sorted them."""
    if not labels:
        return ()
    known: dict[tuple[int, str], list[float]] = defaultdict(list)
    for node, mask in enumerate(_masks(parents, leaf_parents)):
        known[mask, labels[node]].append(probabilities[node])
    return tuple([known[mask, label].pop(0) for mask, label in zip(tree.masks, tree.labels, strict=True)])


def _masks(parents: Sequence[int], leaf_parents: Sequence[int]) -> list[int]:
    masks = [0] * len(parents)
    for position, parent in enumerate(leaf_parents):
        masks[parent] |= 1 << position
    for node in range(len(masks) - 1, 0, -1):
        masks[parents[node]] |= masks[node]
    return masks
