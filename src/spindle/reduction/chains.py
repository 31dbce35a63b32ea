"""Selection of the unary chains that fit a d-tree."""

from __future__ import annotations

from collections.abc import Mapping

from spindle.reduction.isomorphism import Chain, Place
from spindle.trees import ROOT, DTree


def chains_that_fit(chains: Mapping[Place, Chain], dtree: DTree) -> Mapping[Place, Chain]:
    """Return the chains whose places exist in the d-tree; repairs may have removed places."""
    if not chains:
        return chains
    last = [0] * len(dtree)  # the last event of every word
    for head, event in zip(dtree.heads, dtree.events, strict=True):
        if head != ROOT:
            last[head] = max(last[head], event)
    return {
        Place(word, event): chain
        for (word, event), chain in chains.items()
        if 0 <= word < len(last) and 0 <= event <= last[word]
    }
