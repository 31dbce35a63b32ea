"""A scheme with its parameters and the choices of one run: everything that a score depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from spindle.evaluation.parameters import Parameters, representatives
from spindle.evaluation.schemes import Deletion, Scheme
from spindle.trees.token import EMPTY_TAGS

Unparsed = Literal["skip", "count"]


class Tag(NamedTuple):
    """What the settings make of a part-of-speech tag."""

    compared_as: str
    is_deleted: bool
    """Whether a word with this tag leaves its own sentence."""
    is_in_length: bool


@dataclass(frozen=True)
class Settings:
    """What a score depends on, beside the two files.

    `to_the_letter` leaves everything to the parameters, as the official programs do; otherwise the
    outermost wrapper never counts and traces are dropped, whatever the parameters say.
    """

    scheme: Scheme
    parameters: Parameters
    parameters_name: str
    cutoff: int | None = None
    unparsed: Unparsed = "skip"
    to_the_letter: bool = False

    @cached_property
    def _labels(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _tags(self) -> dict[str, Tag]:
        return {}

    @cached_property
    def _equal_labels(self) -> dict[str, str]:
        return representatives(self.parameters.equal_labels)

    @cached_property
    def equal_words(self) -> dict[str, str]:
        """Every word that equals another, with the one that stands for both."""
        return representatives(self.parameters.equal_words)

    @cached_property
    def _deleted_labels(self) -> frozenset[str]:
        return frozenset(self._equal_labels.get(label, label) for label in self.parameters.delete_labels)

    @cached_property
    def deleted_words(self) -> frozenset[str]:
        """The words that do not count, whatever their tag."""
        return frozenset(self.parameters.delete_words)

    def label(self, label: str) -> str | None:
        """What a phrase label is compared as; None if such a bracket does not count."""
        try:
            return self._labels[label]
        except KeyError:
            name = self.bare_label(label)
            self._labels[label] = None if name in self._deleted_labels else name
            return self._labels[label]

    def bare_label(self, label: str) -> str:
        """A phrase label without function tags, and with one name for all labels that are equal."""
        name = cut(label, self.scheme.label_marks)
        return self._equal_labels.get(name, name)

    def tag(self, tag: str) -> Tag:
        """What a part-of-speech tag is compared as, and whether it takes its word out."""
        try:
            return self._tags[tag]
        except KeyError:
            name = cut(tag, self.scheme.tag_marks)
            is_empty = tag in EMPTY_TAGS
            is_deleted = name in self.parameters.delete_labels
            if self.scheme.deletion is Deletion.EMPTIES:
                is_deleted = is_deleted and is_empty
            is_dropped = is_empty and not self.to_the_letter
            self._tags[tag] = Tag(
                compared_as=self._equal_labels.get(name, name) if self.scheme.equates_tags else name,
                is_deleted=is_deleted or is_dropped,
                is_in_length=not is_dropped and name not in self.parameters.delete_labels_for_length,
            )
            return self._tags[tag]

    def word(self, word: str) -> str:
        """What a word is compared as."""
        return self.equal_words.get(word, word)


def cut(label: str, marks: str) -> str:
    """A label without its function tags; one that starts with a mark is not cut there.

    >>> cut("NP-SBJ=2", "-="), cut("-LRB-", "-=")
    ('NP', '-LRB-')
    """
    for mark in marks:
        place = label.find(mark)
        if place > 0:
            label = label[:place]
    return label
