"""A sentence of a dependency file: rows as they stand in CoNLL-X and CoNLL-U.

Unlike a `DTree` this is a record, not a tree: labels are plain strings, and what another program wrote
here may have several roots or a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Word(NamedTuple):
    """One row. `head` counts from 1, 0 is the root and -1 means the column was empty (`_`).

    Columns are held as they stand in the file, except that an empty column is "" and not `_`.
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
        """The sentence id that a comment gives (`sent_id = …`), or nothing."""
        for comment in self.comments:
            key, equals, value = comment.partition("=")
            if equals and key.strip() == "sent_id":
                return value.strip()
        return ""
