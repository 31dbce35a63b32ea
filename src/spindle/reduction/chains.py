"""Unary chains and the places they stand above."""

from __future__ import annotations

from collections.abc import Mapping

from spindle.reduction.isomorphism import Chain, Place
from spindle.trees import ROOT, DTree


def chains_that_fit(chains: Mapping[Place, Chain], dtree: DTree) -> Mapping[Place, Chain]:
    """The chains above places that a d-tree has; repairs may have taken some away."""
    if not chains:
        return chains
    last = [0] * len(dtree)  # of every word: its last event
    for head, event in zip(dtree.heads, dtree.events, strict=True):
        if head != ROOT:
            last[head] = max(last[head], event)
    return {
        Place(word, event): chain
        for (word, event), chain in chains.items()
        if 0 <= word < len(last) and 0 <= event <= last[word]
    }
