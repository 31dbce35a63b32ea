"""What a parser found for a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spindle.pipeline.sentence import Sentence
from spindle.reduction import Repairs
from spindle.treebanks.discbracket import write_discbracket
from spindle.trees import DTree, Tree


@dataclass(frozen=True)
class Candidate:
    """One analysis: the tree, the d-tree it was decoded from, confidences, score and repairs.

    The tree follows the conventions of the treebank (wrapper, punctuation, functions); the d-tree is as the
    parser predicted it, after repairs. `confidences` has one probability per node; it is
    None unless they were requested. `score` orders a k-best list.
    """

    tree: Tree
    dtree: DTree
    confidences: tuple[float, ...] | None = None
    score: float | None = None
    repairs: Repairs = field(default_factory=Repairs)

    def to_dict(self) -> dict[str, Any]:
        """The analysis for JSON: the tree as discbracket text, and its nodes, parents before children."""
        tree = self.tree
        nodes: list[dict[str, Any]] = []
        for node in tree.nodes():
            record: dict[str, Any] = {"label": node.label, "parent": tree.parents[node.number]}
            if node.function:
                record["function"] = node.function
            record["tokens"] = node.positions
            if self.confidences is not None:
                record["confidence"] = round(self.confidences[node.number], 4)
            nodes.append(record)
        (text,) = write_discbracket([tree])
        found: dict[str, Any] = {"tree": text.rstrip("\n"), "nodes": nodes}
        if self.score is not None:
            found["score"] = self.score
        if self.repairs:
            found["repairs"] = dict(self.repairs.counts)
        return found


@dataclass(frozen=True)
class Analysis:
    """A sentence and its analyses, the best first; a sentence without words has none.

    `pieces` is above 1 if the sentence was too long to be parsed as a whole.
    """

    sentence: Sentence
    candidates: tuple[Candidate, ...] = ()
    pieces: int = 1

    @property
    def tree(self) -> Tree | None:
        """The best tree; None for a sentence without words."""
        return self.candidates[0].tree if self.candidates else None

    def to_dict(self) -> dict[str, Any]:
        """The analysis for JSON: tokens with offsets where they are known, the best tree, and all candidates.

        The candidates are listed if there are several.
        """
        record: dict[str, Any] = {"id": self.sentence.id, "tokens": self._tokens()}
        if self.candidates:
            record |= self.candidates[0].to_dict()
        if self.pieces > 1:
            record["pieces"] = self.pieces
        if len(self.candidates) > 1:
            record["candidates"] = [candidate.to_dict() for candidate in self.candidates]
        return record

    def _tokens(self) -> list[dict[str, Any]]:
        tokens = self.sentence.tokens if self.tree is None else self.tree.tokens
        records: list[dict[str, Any]] = [
            {name: value for name, value in token._asdict().items() if value} for token in tokens
        ]
        if self.sentence.spans:
            for record, span in zip(records, self.sentence.spans, strict=True):
                record |= {"start": span.start, "end": span.end}
        return records
