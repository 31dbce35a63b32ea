"""A scheme, its parameters, and the options of one evaluation: everything that a score depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from spindle.evaluation.parameters import Parameters, representatives
from spindle.evaluation.schemes import Deletion, Scheme
from spindle.trees.token import EMPTY_TAGS

MissingPolicy = Literal["count", "skip"]
"""Gold brackets of a sentence without a predicted tree count as missed, or the sentence is left out."""


class TagRole(NamedTuple):
    """The effect of a part-of-speech tag under the settings."""

    compared_as: str
    is_deleted: bool
    """Whether words with this tag are deleted from their sentence."""
    is_in_length: bool
    """Whether words with this tag count for the sentence length."""


@dataclass(frozen=True)
class Settings:
    """Everything that a score depends on, besides the two files.

    With `official` only the parameters decide, as in the official programs. Otherwise the outermost wrapper
    never counts and traces are always deleted, whatever the parameters.
    """

    scheme: Scheme
    parameters: Parameters
    parameters_name: str
    cutoff: int | None = None
    missing: MissingPolicy = "count"
    official: bool = False

    @cached_property
    def _labels(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _tags(self) -> dict[str, TagRole]:
        return {}

    @cached_property
    def _equal_labels(self) -> dict[str, str]:
        return representatives(self.parameters.equal_labels)

    @cached_property
    def equal_words(self) -> dict[str, str]:
        """The representative of every word that is equal to another."""
        return representatives(self.parameters.equal_words)

    @cached_property
    def _deleted_labels(self) -> frozenset[str]:
        if self.official and self.scheme.cuts_deleted_labels:
            return frozenset(map(self.bare_label, self.parameters.delete_labels))
        return frozenset(self._equal_labels.get(label, label) for label in self.parameters.delete_labels)

    @cached_property
    def deleted_words(self) -> frozenset[str]:
        """The words that are deleted whatever their tag."""
        return frozenset(self.parameters.delete_words)

    def label(self, label: str) -> str | None:
        """Return the compared form of a phrase label; None if its brackets do not count."""
        try:
            return self._labels[label]
        except KeyError:
            name = self.bare_label(label)
            self._labels[label] = None if name in self._deleted_labels else name
            return self._labels[label]

    def bare_label(self, label: str) -> str:
        """Return a phrase label without function tags, as the representative of its equals."""
        name = self._cut(label, self.scheme.label_marks)
        return self._equal_labels.get(name, name)

    def tag(self, tag: str) -> TagRole:
        """Return the compared form of a part-of-speech tag and whether it deletes its word."""
        try:
            return self._tags[tag]
        except KeyError:
            name = self._cut(tag, self.scheme.tag_marks)
            is_empty = tag in EMPTY_TAGS
            is_deleted = self.scheme.deletion is not Deletion.NEVER and name in self.parameters.delete_labels
            is_dropped = is_empty and not self.official
            self._tags[tag] = TagRole(
                compared_as=self._equal_labels.get(name, name) if self.scheme.equates_tags else name,
                is_deleted=is_deleted or is_dropped,
                # EVALB and EVALB_SPMRL do not cut the tag here
                is_in_length=not is_dropped
                and (tag if self.scheme.cuts_first_character else name)
                not in self.parameters.delete_labels_for_length,
            )
            return self._tags[tag]

    def word(self, word: str) -> str:
        """Return the compared form of a word."""
        return self.equal_words.get(word, word)

    def _cut(self, label: str, marks: str) -> str:
        return cut_label(label, marks, 0 if self.official and self.scheme.cuts_first_character else 1)


def cut_label(label: str, marks: str, first: int = 1) -> str:
    """Cut a label at the first mark that is not before the character number `first`.

    >>> cut_label("NP-SBJ=2", "-="), cut_label("-LRB-", "-=")
    ('NP', '-LRB-')
    """
    for mark in marks:
        at = label.find(mark)
        if at >= first:
            label = label[:at]
    return label
