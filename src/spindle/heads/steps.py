"""One step of a head rule: it says which child is the head.

    leftmost NN NNS               the leftmost NN; if there is no NN, the leftmost NNS
    leftmost of NN NNS            the leftmost child that is an NN or an NNS
    leftmost except TRUNC         the leftmost child that is not a TRUNC
    leftmost                      the leftmost child
    leftmost NN NNS with edge NK  as above, among the children whose edge is labelled NK
    leftmost with edge HD NK      the leftmost child with an HD edge; if there is none, with an NK edge
    rightmost …                   the same from the right
    only …                        the child that matches, if there is exactly one
    final …                       the last child (except punctuation), if it matches

Labels and edges are listed in order of priority. With `of`, only the position decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple, get_args

from spindle.errors import HeadRuleError
from spindle.trees.punctuation import PUNCTUATION_TAGS

Place = Literal["leftmost", "rightmost", "only", "final"]
Choice = Literal["priority", "of", "except"]
RESERVED = frozenset({"of", "except", "with"})


class Kind(IntEnum):
    """The best token that a child contains: a word, punctuation, or only empty elements."""

    WORD = 0
    PUNCTUATION = 1
    EMPTY = 2


class Child(NamedTuple):
    """The features of a child that head rules use: its label (tag or phrase label), edge label and kind."""

    label: str
    function: str = ""
    kind: Kind = Kind.WORD


class Candidates(NamedTuple):
    """The indices of the children that can be the head.

    `best` are the children with words; without any, those with punctuation; without any, the empty ones.
    `punctuation` are punctuation tokens next to words: they are heads only if a rule names their tag.
    Phrases that contain only punctuation are not among them. For a table that does not skip punctuation, it
    is among the best candidates like the words.
    """

    best: list[int]
    punctuation: list[int]
    labels: frozenset[str]  # of all children, to skip absent labels in long lists

    @classmethod
    def among(cls, children: Sequence[Child], skips_punctuation: bool = True) -> Candidates:
        """Return the candidates among these children."""
        by_kind: tuple[list[int], list[int], list[int]] = [], [], []
        for index, child in enumerate(children):
            by_kind[child.kind].append(index)
        words, punctuation, empties = by_kind
        if not skips_punctuation:
            words, punctuation = sorted(words + punctuation), []
        if words:
            marks = [index for index in punctuation if children[index].label in PUNCTUATION_TAGS]
            return cls(words, marks, frozenset(child.label for child in children))
        return cls(punctuation or empties, [], frozenset(child.label for child in children))


@dataclass(frozen=True)
class Step:
    """One step of a head rule; `Step.parse` and `str` convert from and to text."""

    place: Place
    labels: tuple[str, ...] = ()
    choice: Choice = "priority"
    edges: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.place not in get_args(Place):
            raise HeadRuleError(f"a step starts with one of {', '.join(get_args(Place))}, not '{self.place}'")
        if self.choice != "priority" and not self.labels:
            raise HeadRuleError(f"'{self.place} {self.choice}' needs labels after it")
        if self.place in ("only", "final") and not (self.labels or self.edges):
            raise HeadRuleError(f"'{self.place}' needs labels or edges after it")
        for label in self.labels + self.edges:
            if not can_be_named(label):
                raise HeadRuleError(
                    f"'{label}' cannot be named in a step: it has blanks or is a reserved word"
                )

    @classmethod
    def parse(cls, text: str) -> Step:
        """Parse the text of a step.

        >>> Step.parse("rightmost of NN NNP")
        Step(place='rightmost', labels=('NN', 'NNP'), choice='of', edges=())
        """
        words = text.split()
        if not words:
            raise HeadRuleError("an empty step", hint=f"start it with one of {', '.join(get_args(Place))}")
        edges: list[str] = []
        if "with" in words:
            cut = words.index("with")
            words, edges = words[:cut], words[cut + 1 :]
            if edges[:1] != ["edge"] or len(edges) < 2:
                raise HeadRuleError(f"'{text}': after 'with' comes 'edge' and at least one edge label")
            del edges[0]
        place, choice, labels = words[0] if words else "", "priority", words[1:]
        if labels and labels[0] in ("of", "except"):
            choice, labels = labels[0], labels[1:]
        return cls(place, tuple(labels), choice, tuple(edges))  # type: ignore[arg-type]  # checked there

    def __str__(self) -> str:
        words: list[str] = [self.place]
        if self.choice != "priority":
            words.append(self.choice)
        words += self.labels
        if self.edges:
            words += ["with", "edge", *self.edges]
        return " ".join(words)

    @property
    def side(self) -> Place:
        """The side on which the head is if this was the last step and nothing matched."""
        return "rightmost" if self.place in ("rightmost", "final") else "leftmost"

    def find(self, children: Sequence[Child], candidates: Candidates) -> int | None:
        """Return the index of the head, or None if nothing matches."""
        for labels, edge in self._queries(candidates):
            pools = [candidates.best]
            if labels and self.choice != "except" and self.place != "final":
                pools.append(candidates.punctuation)
            for pool in pools:
                hits = [
                    index
                    for index in pool
                    if (not labels or (children[index].label in labels) != (self.choice == "except"))
                    and (edge is None or children[index].function == edge)
                ]
                if self.place == "only" and len(hits) > 1:
                    break
                if self.place == "final" and hits and hits[-1] != pool[-1]:
                    break
                if hits:
                    return hits[-1] if self.place in ("rightmost", "final") else hits[0]
        return None

    def _queries(self, candidates: Candidates) -> Iterator[tuple[tuple[str, ...], str | None]]:
        """Yield what to search for, in order of priority: any of these labels, with this edge if not None."""
        for edge in self.edges or (None,):
            if self.choice == "priority" and self.labels:
                for label in self.labels:
                    if label in candidates.labels:
                        yield (label,), edge
            else:
                yield self.labels, edge


def can_be_named(label: str) -> bool:
    """Return whether a label can be written in a step."""
    return label.split() == [label] and label not in RESERVED
