"""How sure a parser is of a constituent, from how sure it is of its arcs.

A constituent is right if its head has taken in the right words: its confidence is the product of those of
the arcs from its head that make it, at its own event and at the ones before. The unary nodes above it have
the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from spindle.reduction import Place
from spindle.trees import ROOT, DTree, Tree
from spindle.trees.punctuation import is_punctuation


def place_confidences(dtree: DTree, arcs: Sequence[float]) -> dict[Place, float]:
    """The confidence of every place; a bare word is sure."""
    confidences = {Place(word, 0): 1.0 for word in range(len(dtree))}
    by_event: dict[Place, float] = {}
    for word, (head, event) in enumerate(zip(dtree.heads, dtree.events, strict=True)):
        if head != ROOT:
            place = Place(head, event)
            by_event[place] = by_event.get(place, 1.0) * arcs[word]
    for place in sorted(by_event):
        confidences[place] = by_event[place] * confidences[Place(place.word, place.event - 1)]
    return confidences


def node_confidences(decoded: Tree, restored: Tree, places: dict[Place, float]) -> tuple[float, ...]:
    """The confidence of every node of a tree that `restored` was made from `decoded` by moving punctuation
    and putting on a wrapper: nodes over the same words are the same. A node that was put on is sure."""
    words = sum(1 << at for at, token in enumerate(restored.tokens) if not is_punctuation(token))
    assert decoded.heads is not None
    known: dict[int, list[float]] = {}
    levels = [0] * len(decoded)
    for node in reversed(range(len(decoded.labels))):
        head = decoded.heads[node]
        levels[head] += len(decoded.children[node]) > 1
        known.setdefault(decoded.masks[node] & words, []).append(places[Place(head, levels[head])])
    # both lists are bottom-up; what is left over at the top was put on
    confidences = [1.0] * len(restored.labels)
    for node in reversed(range(len(confidences))):
        if waiting := known.get(restored.masks[node] & words):
            confidences[node] = waiting.pop(0)
    return tuple(confidences)
