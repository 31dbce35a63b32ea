"""What a network is shown of a tree beside the words: where to look for each arc and each node.

All positions are within the sentence; NOWHERE is what stands for no word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spindle.reduction import Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import ROOT

NOWHERE = -1
ARC_ROLES = 9
"""The words that are looked at for the label of an arc: the head, the modifier, the next sisters on its side
(nearer and farther), the nearest and the farthest on the other side, the first and last words of what hangs
on the modifier, and the head's head."""
ARC_COUNTS = 3
"""Beside them: the distance, how many sisters are nearer, and how many there are on the other side."""
NODE_ROLES = 6
"""The words that are looked at for the chain above a node: its head, the head of that, its first and last
words, and those before and after."""
MOST = 8
"""Counts are the same from here on."""
DISTANCES = 2 * MOST + 1


class ArcContext(NamedTuple):
    """For every word of a sentence: what there is to see of its arc."""

    roles: list[tuple[int, ...]]
    counts: list[tuple[int, ...]]


class NodeContext(NamedTuple):
    """For every node of an unaryless tree, words included: what there is to see of it.

    `symbols` are its own symbol and that of the node above it; a word's own is empty.
    """

    places: list[Place]
    roles: list[tuple[int, ...]]
    symbols: list[tuple[str, str]]
    counts: list[int]


def arc_context(heads: Sequence[int]) -> ArcContext:
    """What there is to see of every arc of a tree."""
    size = len(heads)
    first, last = ends(heads)
    left: list[list[int]] = [[] for _ in heads]  # modifiers before and after, both going outward
    right: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head > word:
            left[head].append(word)
        elif head != ROOT:
            right[head].append(word)
    roles: list[tuple[int, ...]] = [()] * size
    counts: list[tuple[int, ...]] = [()] * size
    for word, head in enumerate(heads):
        if head == ROOT:
            roles[word] = (NOWHERE, word, *[NOWHERE] * 4, first[word], last[word], NOWHERE)
            counts[word] = (0, 0, 0)
    for head in range(size):
        before, after = left[head][::-1], right[head]
        for side, other in ((before, after), (after, before)):
            inner, outer = (other[0], other[-1]) if other else (NOWHERE, NOWHERE)
            for rank, word in enumerate(side):
                nearer = side[rank - 1] if rank else NOWHERE
                farther = side[rank + 1] if rank + 1 < len(side) else NOWHERE
                roles[word] = (
                    head,
                    word,
                    nearer,
                    farther,
                    inner,
                    outer,
                    first[word],
                    last[word],
                    heads[head],
                )
                counts[word] = (distance(word - head), min(rank, MOST - 1), min(len(other), MOST - 1))
    return ArcContext(roles, counts)


def distance(difference: int) -> int:
    """The number of a signed distance: exact up to 4, then in powers of two; 0 is left for the root."""
    length = abs(difference)
    kind = length if length <= 4 else min(2 + length.bit_length(), MOST)
    return kind + (MOST if difference < 0 else 0)


def ends(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """The first and the last word of what hangs on each word."""
    first, last = list(range(len(heads))), list(range(len(heads)))
    for word in reversed(_top_down(heads)):
        head = heads[word]
        if head != ROOT:
            first[head] = min(first[head], first[word])
            last[head] = max(last[head], last[word])
    return first, last


def _top_down(heads: Sequence[int]) -> list[int]:
    modifiers: list[list[int]] = [[] for _ in heads]
    order: list[int] = []
    for word, head in enumerate(heads):
        (order if head == ROOT else modifiers[head]).append(word)
    for word in order:
        order.extend(modifiers[word])
    return order


def node_context(heads: Sequence[int], symbols: Sequence[str], events: Sequence[int]) -> NodeContext:
    """What there is to see of every node of a d-tree, which must be ordered."""
    size = len(heads)
    first, last = ends(heads)
    spines: list[dict[int, tuple[str, int, int]]] = [{} for _ in heads]
    for word, (head, symbol, event) in enumerate(zip(heads, symbols, events, strict=True)):
        if head == ROOT:
            continue
        _, start, end = spines[head].get(event, ("", head, head))
        spines[head][event] = (symbol, min(start, first[word]), max(end, last[word]))
    found = NodeContext([], [], [], [])
    for word, head in enumerate(heads):
        spine = spines[word]
        start = end = word
        above = symbols[word] if head != ROOT else ""
        for event in range(len(spine) + 1):
            symbol = ""
            if event:
                symbol, begins, ends_ = spine[event]
                start, end = min(start, begins), max(end, ends_)
            parent = spine[event + 1][0] if event < len(spine) else above
            found.places.append(Place(word, event))
            found.roles.append((word, head, start, end, start - 1, end + 1 if end + 1 < size else NOWHERE))
            found.symbols.append((symbol, parent))
            found.counts.append(min(len(spine) - event, MOST - 1))
    return found


def chain_numbers(
    places: Sequence[Place], chains: Mapping[Place, Chain], numbers: Mapping[Chain, int]
) -> list[int]:
    """The number of the chain above every place; 0 is that of the empty one."""
    return [numbers.get(chains.get(place, ()), 0) for place in places]
