"""Statistics of a treebank, accumulated tree by tree in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from spindle.reduction.isomorphism import encode
from spindle.reduction.labels import Encoding, write_labels
from spindle.reduction.repairs import Mode, repair
from spindle.trees import Tree
from spindle.trees.nodes import gaps
from spindle.trees.punctuation import is_punctuation


@dataclass
class Statistics:
    """Counts over the trees added so far; the trees must have heads."""

    sentences: int = 0
    tokens: int = 0
    empties: int = 0
    longest: int = 0
    nodes: int = 0
    unaries: int = 0
    discontinuous: int = 0
    discontinuous_words: int = 0
    symbols: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    wrappers: Counter[str] = field(default_factory=Counter)
    chains: Counter[tuple[str, ...]] = field(default_factory=Counter)
    gap_degrees: Counter[int] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    productions: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    labels: dict[Encoding, Counter[str]] = field(
        default_factory=lambda: {encoding: Counter() for encoding in Encoding}
    )

    def add(self, tree: Tree) -> None:
        """Add one tree."""
        empties = sum(token.is_empty for token in tree.tokens)
        self.sentences += 1
        self.empties += empties
        self.tokens += len(tree) - empties
        self.longest = max(self.longest, len(tree) - empties)
        self.nodes += len(tree.labels)
        self.symbols.update(tree.labels)
        self.tags.update(token.tag for token in tree.tokens)
        self.productions.update(productions(tree))
        self.lengths[len(tree) - empties] += 1

        degree = tree.gap_degree
        self.gap_degrees[degree] += 1
        self.discontinuous += degree > 0
        self.discontinuous_words += degree > 0 and _has_gap_among_words(tree)

        reduced = encode(tree)
        if reduced.wrapper is not None:
            self.wrappers[reduced.wrapper] += 1
        self.chains.update(reduced.chains.values())
        self.unaries += sum(map(len, reduced.chains.values()))
        dtree = reduced.dtree
        for encoding, labels in self.labels.items():
            labels.update(write_labels(dtree, encoding))
        if degree:
            _, repairs = repair(dtree.tokens, dtree.heads, dtree.symbols, dtree.events, mode=Mode.CONTINUOUS)
            self.repairs.update(repairs.counts)

    def __add__(self, other: Statistics) -> Statistics:
        """Return the statistics of two parts of a treebank together."""
        found = Statistics()
        for one in fields(found):
            mine, others = getattr(self, one.name), getattr(other, one.name)
            if one.name == "longest":
                total: Any = max(mine, others)
            elif one.name == "labels":
                total = {encoding: mine[encoding] + others[encoding] for encoding in Encoding}
            else:
                total = mine + others
            setattr(found, one.name, total)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, ready for JSON; proportions are in per cent."""
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "empties": self.empties,
            "longest": self.longest,
            "nodes": self.nodes,
            "symbols": len(self.symbols),
            "tags": len(self.tags),
            "wrappers": dict(self.wrappers.most_common()),
            "unaries": self.unaries,
            "unary_chains": len(self.chains),
            "labels": {str(encoding): len(labels) for encoding, labels in self.labels.items()},
            "discontinuous": self.discontinuous,
            "discontinuous_percent": self._percent(self.discontinuous),
            "discontinuous_without_punctuation": self.discontinuous_words,
            "discontinuous_without_punctuation_percent": self._percent(self.discontinuous_words),
            "gap_degrees": {str(degree): count for degree, count in sorted(self.gap_degrees.items())},
            "repairs_to_make_continuous": dict(self.repairs.most_common()),
            "frequencies": {
                "symbols": dict(self.symbols.most_common()),
                "tags": dict(self.tags.most_common()),
                "productions": dict(self.productions.most_common()),
                "unary_chains": {" ".join(chain): count for chain, count in self.chains.most_common()},
                "sentence_lengths": {str(length): count for length, count in sorted(self.lengths.items())},
            },
        }

    def _percent(self, part: int) -> float:
        return round(100 * part / self.sentences, 2) if self.sentences else 0.0


def productions(tree: Tree) -> Iterator[str]:
    """Yield every node with its children, in the order of their first words, as `NP → DT NN`."""
    size = len(tree)
    for label, children in zip(tree.labels, tree.children, strict=True):
        parts = (
            tree.labels[child - size] if child >= size else tree.tokens[child].tag or tree.tokens[child].form
            for child in children
        )
        yield f"{label or '(empty)'} → {' '.join(part or '(empty)' for part in parts)}"


def _has_gap_among_words(tree: Tree) -> bool:
    """Return whether a gap remains after punctuation and empty elements are removed from the sentence."""
    words = [
        position
        for position, token in enumerate(tree.tokens)
        if not (token.is_empty or is_punctuation(token))
    ]
    for mask in tree.masks:
        compact = sum(1 << rank for rank, position in enumerate(words) if mask >> position & 1)
        if compact and gaps(compact):
            return True
    return False
