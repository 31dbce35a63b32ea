"""How sure a parser is of a constituent, from how probable it finds each head of each word.

A constituent is right if each of its words but its head has its own head inside, wherever that is; if no word
outside hangs under one inside, except under the constituent's head, which may have taken it in higher up; and
if the labels are right by which its head has taken in its parts. Its confidence is the product of all these
probabilities, as if they had nothing to do with each other; the unary nodes above it have the same. A
calibration, fitted to development trees, makes probabilities of it. (Measured, this tells right constituents
from wrong ones far better than the product of the arcs that they are made of: benchmarks/RESULTS.md.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from spindle.models import Array
from spindle.reduction import Place
from spindle.trees import DTree, Tree
from spindle.trees.labels import base_label
from spindle.trees.punctuation import is_punctuation

_LEAST = 1e-9
"""No single doubt makes a constituent impossible."""


@dataclass(frozen=True)
class Calibration:
    """Turns confidences into probabilities: a logistic curve over their log odds (Platt 1999).

    `above_word` is that of a unary chain above a word, where all depends on the unary stage.
    """

    slope: float = 1.0
    shift: float = 0.0
    above_word: float = 1.0

    def __call__(self, confidence: float) -> float:
        """The probability that a constituent of this confidence is right."""
        if confidence >= 1:
            return self.above_word
        if confidence <= 0:
            return 0.0
        odds = self.slope * math.log(confidence / (1 - confidence)) + self.shift
        return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0

    @classmethod
    def fit(cls, judged: Sequence[tuple[float, bool]]) -> Self:
        """The curve under which the right constituents are most probable and the wrong ones least."""
        known, is_right = np.array(judged, dtype=float).reshape(-1, 2).T
        is_certain = known >= 1
        above_word = (is_right[is_certain].sum() + 1) / (is_certain.sum() + 1)
        known, is_right = np.clip(known[~is_certain], _LEAST, 1 - _LEAST), is_right[~is_certain]
        rows = np.stack([np.log(known / (1 - known)), np.ones_like(known)], axis=1)
        found = np.array([1.0, 0.0])
        for _ in range(100):  # Newton's method, held near the identity where there is little to learn from
            chances = 1 / (1 + np.exp(-np.clip(rows @ found, -700, 700)))
            gradient = rows.T @ (is_right - chances) - (found - [1.0, 0.0])
            curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.eye(2)
            step = np.linalg.solve(curvature, gradient)
            step /= max(1.0, float(np.abs(step).max()))  # a leap could end where the curve is flat
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
    """The confidence of every node of a tree.

    `decoded` is the tree that `dtree` stands for; `restored` was made from it by moving punctuation and
    putting on a wrapper, so nodes over the same words are the same. A node that was put on is sure. `heads`
    says how probable every head of every word is, `labels` how probable each word's label is.
    """
    words = sum(1 << at for at, token in enumerate(restored.tokens) if not is_punctuation(token))
    known: dict[int, list[float]] = {}
    for node, confidence in _bottom_up(decoded, dtree, heads, labels):
        known.setdefault(decoded.masks[node] & words, []).append(calibration(confidence))
    # both lists are bottom-up; what is left over at the top was put on
    confidences = [1.0] * len(restored.labels)
    for node in reversed(range(len(confidences))):
        if waiting := known.get(restored.masks[node] & words):
            confidences[node] = waiting.pop(0)
    return tuple(confidences)


def _bottom_up(
    tree: Tree, dtree: DTree, heads: Array, labels: Sequence[float]
) -> Iterator[tuple[int, float]]:
    """Every node of a decoded tree and its confidence, which is 1 where only a word is beneath."""
    assert tree.heads is not None
    size, nodes = len(tree), range(len(tree.labels))
    from_label = np.log(np.maximum(labels, _LEAST))
    of_labels = np.zeros(size)  # of every word: those of the modifiers that it has taken in so far
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
        # what hangs under the head may do so from outside, and the head itself hangs wherever it likes
        apart = np.where(inside, under_any, 1 - (under_any - heads[head + 1]))
        apart[head] = 1
        yield node, float(np.exp(np.log(np.clip(apart, _LEAST, 1)).sum() + of_labels[head]))


def _members(mask: int, size: int) -> NDArray[np.bool_]:
    """The words of a yield, as a column of truth values."""
    packed = np.frombuffer(mask.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").astype(bool)


def right_nodes(found: Tree, gold: Tree) -> list[bool]:
    """Of every node, whether the gold tree has it: the same symbol over the same words, punctuation aside."""
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
