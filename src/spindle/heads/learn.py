"""Learn the head rule of one phrase label from examples.

1. Count how often a child labelled A is the head next to a child labelled B: A beats B.
2. Sort the labels by these counts; the largest margins take precedence.
3. For every label, determine whether its leftmost or its rightmost child is the head.
4. Where two labels beat each other, let the position decide between them, if that is right more often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, groupby
from typing import Literal, NamedTuple, get_args

from spindle.heads.steps import Step, can_be_named

Side = Literal["leftmost", "rightmost"]
Wins = Mapping[tuple[str, str], int]


class Example(NamedTuple):
    """An example: the labels of the children, and which child is the head."""

    labels: tuple[str, ...]
    head: int


class Group(NamedTuple):
    """Labels among which the position decides. Most labels are a group of their own."""

    labels: frozenset[str]
    side: Side

    def find(self, labels: tuple[str, ...]) -> int | None:
        """Return the index of the head among children with these labels, or None."""
        hits = [position for position, label in enumerate(labels) if label in self.labels]
        return (hits[0] if self.side == "leftmost" else hits[-1]) if hits else None


def learn_steps(examples: Counter[Example]) -> tuple[Step, ...]:
    """Return the steps that find the heads of most examples."""
    wins: Counter[tuple[str, str]] = Counter()
    heads: Counter[str] = Counter()
    for example, count in examples.items():
        winner = example.labels[example.head]
        heads[winner] += count
        for loser in set(example.labels) - {winner}:
            wins[winner, loser] += count
    all_labels = frozenset(label for example in examples for label in example.labels)
    default = _side(examples, all_labels, "leftmost")
    groups: list[Group] = []
    for label in _order(heads, wins):
        labels = frozenset({label})
        # A label that never occurs twice takes the side of the label before it, which shortens the rules.
        groups.append(Group(labels, _side(examples, labels, groups[-1].side if groups else default)))
    return tuple(_steps(_merge(groups, examples, wins), default))


def _side(examples: Counter[Example], labels: frozenset[str], default: Side) -> Side:
    """Return the side of the head among several children with these labels."""
    left, right = Group(labels, "leftmost"), Group(labels, "rightmost")
    balance = 0
    for example, count in examples.items():
        if example.labels[example.head] in labels:
            balance += count * (left.find(example.labels) == example.head)
            balance -= count * (right.find(example.labels) == example.head)
    return "leftmost" if balance > 0 else "rightmost" if balance < 0 else default


def _order(heads: Counter[str], wins: Wins) -> list[str]:
    """Sort the labels so that a label comes before those that it beats (ranked pairs).

    Pairs are considered by decreasing margin. A pair that would close a cycle with earlier ones is ignored.
    """
    labels = [label for label in heads if can_be_named(label)]
    above: dict[str, set[str]] = {label: set() for label in labels}
    margins = ((wins[a, b] - wins[b, a], a, b) for a in labels for b in labels)
    for margin, winner, loser in sorted(margins, key=lambda item: (-item[0], item[1:])):
        if margin > 0 and loser not in above[winner]:
            better = above[winner] | {winner}
            for label in labels:
                if label == loser or loser in above[label]:
                    above[label] |= better
    # A label has fewer labels above it than the labels below it have.
    return sorted(labels, key=lambda label: (len(above[label]), -heads[label], label))


def _merge(groups: list[Group], examples: Counter[Example], wins: Wins) -> list[Group]:
    """Merge groups of labels that beat each other, where deciding by position is right more often."""
    labels = [label for group in groups for label in group.labels]
    contested = [
        (min(wins[a, b], wins[b, a]), a, b) for a, b in combinations(labels, 2) if wins[a, b] and wins[b, a]
    ]
    for _, a, b in sorted(contested, key=lambda item: (-item[0], item[1:])):
        upper, lower = sorted(
            next(number for number, group in enumerate(groups) if label in group.labels) for label in (a, b)
        )
        if upper == lower:
            continue
        union = groups[upper].labels | groups[lower].labels
        concerned = {
            example: count for example, count in examples.items() if not union.isdisjoint(example.labels)
        }
        rest = [group for number, group in enumerate(groups) if number not in (upper, lower)]
        merged = ([*rest[:upper], Group(union, side), *rest[upper:]] for side in get_args(Side))
        groups = max([groups, *merged], key=lambda candidate: _right(candidate, concerned))
    return groups


def _right(groups: list[Group], examples: Mapping[Example, int]) -> int:
    """Return how often the groups find the head."""
    ranks = {label: rank for rank, group in enumerate(groups) for label in group.labels}
    right = 0
    for example, count in examples.items():
        found = {ranks[label] for label in example.labels if label in ranks}
        right += count * bool(found and groups[min(found)].find(example.labels) == example.head)
    return right


def _steps(groups: list[Group], default: Side) -> Iterator[Step]:
    """Yield the groups as steps; consecutive single labels with the same side share a step."""
    for (side, is_single), run in groupby(groups, key=lambda group: (group.side, len(group.labels) == 1)):
        if is_single:
            yield Step(side, tuple(label for group in run for label in group.labels))
        else:
            for group in run:
                yield Step(side, tuple(sorted(group.labels)), "of")
    yield Step(default)
