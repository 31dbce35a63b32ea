"""A constituent in a spaCy document: its spans, which are several if it is discontinuous."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spindle.integrations.spacy.stored import ParsedSentence, Vertex, sentences
from spindle.trees import Leaf, Node
from spindle.trees.nodes import shortened


@dataclass(frozen=True, repr=False)
class Constituent:
    """One constituent of a document, or one word."""

    doc: Any
    sentence: ParsedSentence
    vertex: Vertex

    def __repr__(self) -> str:
        return f"<Constituent {self.label} {shortened(self.text)}>"

    @property
    def label(self) -> str:
        """The phrase symbol; of a word its tag."""
        return self.vertex.label

    @property
    def spans(self) -> tuple[Any, ...]:
        """The contiguous parts as `Span`s; several if the constituent is discontinuous."""
        parts = map(self.sentence.tokens_of, self.vertex.spans)
        return tuple([self.doc[start:end] for start, end in parts])

    @property
    def span(self) -> Any:
        """The `Span` from the first to the last token; gaps are inside it."""
        start, end = self.sentence.tokens_of(self.vertex.span)
        return self.doc[start:end]

    @property
    def tokens(self) -> tuple[Any, ...]:
        """The `Token`s, without those in gaps and those that are only white space."""
        return tuple([self.doc[self.sentence.words[position]] for position in self.vertex.positions])

    @property
    def text(self) -> str:
        """The text; the parts of a discontinuous constituent are joined with a blank."""
        return self.vertex.text

    @property
    def is_continuous(self) -> bool:
        """Whether it has no gap."""
        return len(self.vertex.spans) == 1

    @property
    def head(self) -> Any:
        """The head word as a `Token`; None if the model finds no heads."""
        head = self.vertex.head
        return None if head is None else self.doc[self.sentence.words[head]]

    @property
    def confidence(self) -> float | None:
        """The probability that it is correct; None unless the component was told to give confidences."""
        return self.sentence.confidence(self.vertex)

    @property
    def parent(self) -> Constituent | None:
        """The constituent above; None at the top."""
        parent = self.vertex.parent
        return None if parent is None else Constituent(self.doc, self.sentence, parent)

    @property
    def children(self) -> tuple[Constituent, ...]:
        """The constituents and words directly below, by their leftmost words."""
        return tuple([Constituent(self.doc, self.sentence, child) for child in self.vertex.children])


def constituents(doc: Any) -> Iterator[Constituent]:
    """Yield all constituents of a document, parents before children; words are left out."""
    for sentence in sentences(doc):
        for node in sentence.tree.nodes():
            yield Constituent(doc, sentence, node)


def tree_text(vertex: Vertex) -> str:
    """Return a vertex in brackets, in one line."""
    if isinstance(vertex, Node):
        return str(vertex.to_tree())
    return str(alone(vertex))


def alone(leaf: Leaf) -> Any:
    """Return the tree of one word."""
    tree = leaf.tree
    return type(tree)((leaf.token,), (), (), (-1,))
