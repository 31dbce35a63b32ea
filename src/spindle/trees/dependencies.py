"""A sentence of a dependency file: the rows of CoNLL-X and CoNLL-U.

Unlike a `DTree` this is a record, not a tree: labels are plain strings, and a file written by another program
may have several roots or a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Word(NamedTuple):
    """One row. `head` counts from 1; 0 is the root, and -1 means that the column is empty (`_`).

    The other columns are as in the file, except that an empty column is "" and not `_`.
    """

    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    head: int = -1
    deprel: str = ""
    deps: str = ""
    misc: str = ""


@dataclass(frozen=True)
class Dependencies:
    """A dependency-annotated sentence: its rows, and its comment lines without the leading `# `."""

    words: tuple[Word, ...]
    comments: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    @property
    def id(self) -> str:
        """The sentence id from the comment `sent_id = …`; "" if there is none."""
        for comment in self.comments:
            key, equals, value = comment.partition("=")
            if equals and key.strip() == "sent_id":
                return value.strip()
        return ""
