"""Learning the head rule of one phrase label from examples.

1. Count how often a child labelled A is the head beside one labelled B.
2. Bring the labels into an order that respects these counts, the clearest ones first.
3. For every label, see whether its leftmost or its rightmost child is the head.
4. Where two labels beat each other in turn, let the position decide between them, if that is right more
   often than the order was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, groupby
from typing import Literal, NamedTuple, get_args

from spindle.heads.steps import Step, can_be_named

Side = Literal["leftmost", "rightmost"]
Wins = Mapping[tuple[str, str], int]


class Seen(NamedTuple):
    """An example: the labels of the children, and which child is the head."""

    labels: tuple[str, ...]
    head: int


class Group(NamedTuple):
    """Labels among which the position decides. Most labels are a group of their own."""

    labels: frozenset[str]
    side: Side

    def find(self, labels: tuple[str, ...]) -> int | None:
        """The head among children with these labels, if the group has one."""
        hits = [position for position, label in enumerate(labels) if label in self.labels]
        return (hits[0] if self.side == "leftmost" else hits[-1]) if hits else None


def learn_steps(seen: Counter[Seen]) -> tuple[Step, ...]:
    """The steps that find the heads of the examples as often as may be."""
    wins: Counter[tuple[str, str]] = Counter()
    heads: Counter[str] = Counter()
    for example, count in seen.items():
        winner = example.labels[example.head]
        heads[winner] += count
        for loser in set(example.labels) - {winner}:
            wins[winner, loser] += count
    default = _side(seen, frozenset(label for example in seen for label in example.labels), "leftmost")
    groups: list[Group] = []
    for label in _order(heads, wins):
        labels = frozenset({label})
        # a label that never stands there twice joins the one before it, which makes for shorter rules
        groups.append(Group(labels, _side(seen, labels, groups[-1].side if groups else default)))
    return tuple(_steps(_merge(groups, seen, wins), default))


def _side(seen: Counter[Seen], labels: frozenset[str], default: Side) -> Side:
    """On which side the head is among several children with these labels."""
    left, right = Group(labels, "leftmost"), Group(labels, "rightmost")
    balance = 0
    for example, count in seen.items():
        if example.labels[example.head] in labels:
            balance += count * (left.find(example.labels) == example.head)
            balance -= count * (right.find(example.labels) == example.head)
    return "leftmost" if balance > 0 else "rightmost" if balance < 0 else default


def _order(heads: Counter[str], wins: Wins) -> list[str]:
    """The labels by who beats whom; the clearest victories count first, and later ones that would make
    a circle with them do not count."""
    labels = [label for label in heads if can_be_named(label)]
    above: dict[str, set[str]] = {label: set() for label in labels}
    margins = ((wins[a, b] - wins[b, a], a, b) for a in labels for b in labels)
    for margin, winner, loser in sorted(margins, key=lambda item: (-item[0], item[1:])):
        if margin > 0 and loser not in above[winner]:
            better = above[winner] | {winner}
            for label in labels:
                if label == loser or loser in above[label]:
                    above[label] |= better
    # whoever is above a label has fewer labels above itself
    return sorted(labels, key=lambda label: (len(above[label]), -heads[label], label))


def _merge(groups: list[Group], seen: Counter[Seen], wins: Wins) -> list[Group]:
    """Let the position decide between labels that beat each other in turn, where that helps."""
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
            example: count for example, count in seen.items() if not union.isdisjoint(example.labels)
        }
        rest = [group for number, group in enumerate(groups) if number not in (upper, lower)]
        rivals = [groups, *([*rest[:upper], Group(union, side), *rest[upper:]] for side in get_args(Side))]
        groups = max(rivals, key=lambda rival: _right(rival, concerned))
    return groups


def _right(groups: list[Group], seen: Mapping[Seen, int]) -> int:
    """How often the groups find the head."""
    ranks = {label: rank for rank, group in enumerate(groups) for label in group.labels}
    right = 0
    for example, count in seen.items():
        found = {ranks[label] for label in example.labels if label in ranks}
        right += count * bool(found and groups[min(found)].find(example.labels) == example.head)
    return right


def _steps(groups: list[Group], default: Side) -> Iterator[Step]:
    """The groups as steps: single labels that are looked for from the same side share one."""
    for (side, is_single), run in groupby(groups, key=lambda group: (group.side, len(group.labels) == 1)):
        if is_single:
            yield Step(side, tuple(label for group in run for label in group.labels))
        else:
            for group in run:
                yield Step(side, tuple(sorted(group.labels)), "of")
    yield Step(default)
