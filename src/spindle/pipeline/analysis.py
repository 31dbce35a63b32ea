"""What a parser found for a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any, SupportsIndex, overload

from spindle.pipeline.sentence import Sentence
from spindle.reduction import Repairs
from spindle.trees import DTree, Token, Tree
from spindle.trees.records import node_records, token_records


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
        nodes = node_records(self.tree)
        for record, confidence in zip(nodes, self.confidences or (), strict=False):
            record["confidence"] = round(confidence, 4)
        found: dict[str, Any] = {"tree": self.tree.to_string("discbracket"), "nodes": nodes}
        if self.score is not None:
            found["score"] = self.score
        if self.repairs:
            found["repairs"] = dict(self.repairs.counts)
        return found


class KBest(tuple[Candidate, ...]):
    """The analyses of a sentence, the best first: a tuple that prints and shows its trees."""

    __slots__ = ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees, the best first."""
        return tuple([candidate.tree for candidate in self])

    @overload
    def __getitem__(self, index: SupportsIndex) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> KBest: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Candidate | KBest:
        return KBest(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)

    def __str__(self) -> str:
        """Return the trees in brackets, one a line."""
        return "\n".join(map(str, self.trees))

    def __repr__(self) -> str:
        return f"<KBest: {len(self)} trees of {self[0].tree!r}>" if self else "<KBest: no trees>"

    def draw(self) -> str:
        """Return drawings of all trees with box characters, the best first."""
        return "\n\n".join([tree.draw() for tree in self.trees])

    def _repr_html_(self) -> str:
        """Show the trees in a notebook, each with its rank and score if there are several."""
        if len(self) == 1:
            return f"<div>{self[0].tree.to_svg()}</div>"
        return "".join(
            [
                f"<figure><figcaption>{escape(_caption(rank, one))}</figcaption>{one.tree.to_svg()}</figure>"
                for rank, one in enumerate(self, start=1)
            ]
        )


def _caption(rank: int, candidate: Candidate) -> str:
    return f"{rank}." if candidate.score is None else f"{rank}. score {candidate.score:.3f}"


@dataclass(frozen=True, repr=False)
class Analysis:
    """A sentence and its analyses, the best first; a sentence without words has none.

    `pieces` is above 1 if the sentence was too long to be parsed as a whole.
    """

    sentence: Sentence
    candidates: KBest = KBest()  # noqa: RUF009
    pieces: int = 1

    @property
    def tree(self) -> Tree | None:
        """The best tree; None for a sentence without words."""
        return self.candidates[0].tree if self.candidates else None

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, with the tags of the best tree."""
        return self.sentence.tokens if self.tree is None else self.tree.tokens

    @property
    def text(self) -> str:
        """The sentence as it is in its text, or its words with blanks if the text is not known."""
        return "" if self.tree is None else self.tree.root.text

    @property
    def start_char(self) -> int | None:
        """The offset of the first character of the sentence; None if the text is not known."""
        start = None if self.tree is None else self.tree.root.start_char
        return None if start is None else start + self.sentence.text_start

    @property
    def end_char(self) -> int | None:
        """The offset after the last character of the sentence; None if the text is not known."""
        end = None if self.tree is None else self.tree.root.end_char
        return None if end is None else end + self.sentence.text_start

    def __str__(self) -> str:
        """Return the best tree in brackets; nothing for a sentence without words."""
        return "" if self.tree is None else str(self.tree)

    def __repr__(self) -> str:
        return f"<Analysis of {self.tree!r}, {len(self.candidates)} candidates>"

    def _repr_html_(self) -> str:
        """Show the trees in a notebook."""
        return self.candidates._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The analysis for JSON: tokens with offsets where they are known, the best tree, and all candidates.

        The candidates are listed if there are several.
        """
        start = self.sentence.text_start
        offsets = [(start + span.start, start + span.end) for span in self.sentence.spans]
        record: dict[str, Any] = {"id": self.sentence.id, "tokens": token_records(self.tokens, offsets)}
        if self.candidates:
            record |= self.candidates[0].to_dict()
        if self.pieces > 1:
            record["pieces"] = self.pieces
        if len(self.candidates) > 1:
            record["candidates"] = [candidate.to_dict() for candidate in self.candidates]
        return record
