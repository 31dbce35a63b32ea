"""What a parser found out about a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.pipeline.sentence import Sentence
from spindle.reduction import Repairs
from spindle.trees import Tree


@dataclass(frozen=True)
class Candidate:
    """One analysis: its tree, how sure the parser is of every node, and its score in a k-best list."""

    tree: Tree
    confidences: tuple[float, ...] | None = None
    score: float | None = None
    repairs: Repairs = field(default_factory=Repairs)


@dataclass(frozen=True)
class Analysis:
    """A sentence and its analyses, the best first; none for a sentence without words.

    `pieces` is above 1 if it was too long to be parsed as a whole.
    """

    sentence: Sentence
    candidates: tuple[Candidate, ...] = ()
    pieces: int = 1

    @property
    def tree(self) -> Tree | None:
        """The best tree; None for a sentence without words."""
        return self.candidates[0].tree if self.candidates else None
