"""The confidence of a constituent, computed from the probabilities of heads and labels.

A constituent is correct if three things hold: every word in it, except its head, has its own head inside; no
word outside is attached to a word inside, except to the constituent's head, which may attach it higher up;
and the labels are correct that attach the parts of the constituent to its head. The confidence is the product
of the probabilities of these events, treated as independent. Unary nodes above a constituent have the same
confidence. A calibration, fitted on development trees, turns confidences into probabilities.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from spindle.models import Array
from spindle.reduction import Place
from spindle.trees import DTree, Tree
from spindle.trees.labels import base_label
from spindle.trees.punctuation import is_punctuation

_LEAST = 1e-9
"""Probabilities are clipped to this, so that no single event makes a constituent impossible."""


@dataclass(frozen=True)
class Calibration:
    """Turns confidences into probabilities by a logistic curve over their log odds (Platt 1999).

    `above_word` is the probability of a unary chain above a word, whose confidence is always 1.
    """

    slope: float = 1.0
    shift: float = 0.0
    above_word: float = 1.0

    def to_dict(self) -> dict[str, float]:
        """The parameters for JSON; `from_dict` is the inverse."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, float]) -> Self:
        """The calibration that `to_dict` wrote."""
        return cls(**values)

    def __call__(self, confidence: float) -> float:
        """The probability that a constituent with this confidence is correct."""
        if confidence >= 1:
            return self.above_word
        if confidence <= 0:
            return 0.0
        odds = self.slope * math.log(confidence / (1 - confidence)) + self.shift
        return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0

    @classmethod
    def fit(cls, outcomes: Sequence[tuple[float, bool]]) -> Self:
        """The maximum-likelihood curve for pairs of a confidence and whether the constituent was correct."""
        known, is_right = np.array(outcomes, dtype=float).reshape(-1, 2).T
        is_certain = known >= 1
        above_word = (is_right[is_certain].sum() + 1) / (is_certain.sum() + 1)
        known, is_right = np.clip(known[~is_certain], _LEAST, 1 - _LEAST), is_right[~is_certain]
        rows = np.stack([np.log(known / (1 - known)), np.ones_like(known)], axis=1)
        found = np.array([1.0, 0.0])
        for _ in range(
            100
        ):  # Newton's method with a prior that keeps the curve near the identity on little data
            chances = 1 / (1 + np.exp(-np.clip(rows @ found, -700, 700)))
            gradient = rows.T @ (is_right - chances) - (found - [1.0, 0.0])
            curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.eye(2)
            step = np.linalg.solve(curvature, gradient)
            step /= max(1.0, float(np.abs(step).max()))  # a longer step could end where the curve is flat
            found += step
            if np.abs(step).max() < 1e-9:
                break
        return cls(float(found[0]), float(found[1]), float(above_word))


def node_confidences(
    decoded: Tree,
    restored: Tree,
    dtree: DTree,
    heads: Array,
    labels: Sequence[float],
    calibration: Calibration,
) -> tuple[float, ...]:
    """Return the confidence of every node of `restored`.

    `decoded` is the tree that `dtree` encodes. `restored` was made from it by moving punctuation and adding a
    wrapper, so nodes over the same words correspond; an added node has confidence 1. `heads` holds the
    probability of every head of every word, `[words + 1, words]`, and `labels` that of every word's label.
    """
    words = sum(1 << at for at, token in enumerate(restored.tokens) if not is_punctuation(token))
    known: dict[int, list[float]] = {}
    for node, confidence in _bottom_up(decoded, dtree, heads, labels):
        known.setdefault(decoded.masks[node] & words, []).append(calibration(confidence))
    # both lists are bottom-up; nodes left over at the top were added
    confidences = [1.0] * len(restored.labels)
    for node in reversed(range(len(confidences))):
        if waiting := known.get(restored.masks[node] & words):
            confidences[node] = waiting.pop(0)
    return tuple(confidences)


def _bottom_up(
    tree: Tree, dtree: DTree, heads: Array, labels: Sequence[float]
) -> Iterator[tuple[int, float]]:
    """Yield every node of a decoded tree with its confidence, which is 1 above a single word."""
    assert tree.heads is not None
    size, nodes = len(tree), range(len(tree.labels))
    from_label = np.log(np.maximum(labels, _LEAST))
    of_labels = np.zeros(size)  # per word: log probability of the labels of the modifiers attached so far
    levels = [0] * size
    modifiers: dict[Place, list[int]] = {}
    for word, place in enumerate(map(Place, dtree.heads, dtree.events)):
        modifiers.setdefault(place, []).append(word)
    for node in reversed(nodes):
        head = tree.heads[node]
        if len(tree.children[node]) > 1:
            levels[head] += 1
            of_labels[head] += from_label[modifiers[Place(head, levels[head])]].sum()
        if not levels[head]:
            yield node, 1.0
            continue
        inside = _members(tree.masks[node], size)
        under_any = inside @ heads[1:]
        # words outside may attach to the head, and the head itself may attach anywhere
        apart = np.where(inside, under_any, 1 - (under_any - heads[head + 1]))
        apart[head] = 1
        yield node, float(np.exp(np.log(np.clip(apart, _LEAST, 1)).sum() + of_labels[head]))


def _members(mask: int, size: int) -> NDArray[np.bool_]:
    """The words of a yield, `[words]` of booleans."""
    packed = np.frombuffer(mask.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").astype(bool)


def right_nodes(found: Tree, gold: Tree) -> list[bool]:
    """Whether the gold tree has each node: the same label over the same words, punctuation ignored."""
    words = sum(1 << at for at, token in enumerate(gold.tokens) if not is_punctuation(token))

    def brackets(tree: Tree) -> Iterator[tuple[str, int]]:
        return (
            (base_label(label), mask & words) for label, mask in zip(tree.labels, tree.masks, strict=True)
        )

    left = Counter(brackets(gold))
    right = []
    for bracket in brackets(found):
        right.append(left[bracket] > 0)
        left[bracket] -= 1
    return right
