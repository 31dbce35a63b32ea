"""The stages around the dependency parser: what the pipeline asks of each, and where to find it.

A stage is a class with `train`, one verb, and the inverses `to_part` and `from_part`. Trees come to it bare:
without wrapper, functions and traces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Protocol, Self

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.reduction import Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree, Token, Tree

Sentences = Sequence[Sequence[Token]]

STAGES = {
    "tagger": "spindle.parsers.linear.tagger:Tagger",
    "labeler": "spindle.parsers.linear.labeler:Labeler",
    "unaries": "spindle.parsers.linear.unaries:UnaryClassifier",
    "functions": "spindle.parsers.linear.functions:FunctionClassifier",
}
"""`module:class` of every stage."""


def find_stage(name: str) -> Any:
    """The class of a stage, imported only when it is used."""
    module, _, title = STAGES[name].partition(":")
    try:
        return getattr(import_module(module), title)
    except (ImportError, AttributeError):
        raise ParserError(
            f"this version has no {name} of its own yet; use a parser that does this itself"
        ) from None


class Stage(Protocol):
    """What all stages have in common. A table of weights has 2 to the power of `BITS` places."""

    BITS: ClassVar[int]

    def to_part(self) -> ModelPart:
        """All that the stage has learned."""

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The stage again."""


class Tagger(Stage, Protocol):
    """Tags words."""

    def tag(self, sentences: Sentences, threads: int) -> Sequence[Sequence[Token]]:
        """The sentences with tags in place of any that they had."""


class Labeler(Stage, Protocol):
    """Labels the arcs that a parser has found."""

    def label(
        self, sentences: Sentences, heads: Sequence[Sequence[int]], threads: int
    ) -> Sequence[Sequence[str]]:
        """An encoded label for every token of every sentence."""

    def label_with_confidences(
        self, sentences: Sentences, heads: Sequence[Sequence[int]], threads: int
    ) -> tuple[Sequence[Sequence[str]], Sequence[Sequence[float]]]:
        """Labels, and how probable each of them is if its arc is right."""


class UnaryClassifier(Stage, Protocol):
    """Finds the unary chains that the reduction cannot hold."""

    def predict_chains(self, dtrees: Sequence[DTree], threads: int) -> Sequence[Mapping[Place, Chain]]:
        """The chains of every d-tree by the place they stand above."""


class FunctionClassifier(Stage, Protocol):
    """Finds the functions of nodes and words."""

    def label(self, trees: Sequence[Tree], threads: int) -> Sequence[Tree]:
        """The trees with a function on every edge that should have one."""
