"""A token of a treebank: a word with its annotation."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple, Self


class Token(NamedTuple):
    """One word: its form, part-of-speech tag, and other annotation.

    Empty strings mean "not given". `function` is the label of the edge to the token's parent (`HD`,
    `SB`, …) in treebanks that label edges.
    """

    form: str
    tag: str = ""
    lemma: str = ""
    morph: str = ""
    function: str = ""

    @classmethod
    def of_columns(
        cls, forms: Iterable[str], tags: Iterable[str], lemmas: Iterable[str], morphs: Iterable[str]
    ) -> list[Self]:
        """Build tokens without functions; much faster than calling the constructor for each token."""
        return list(
            map(tuple.__new__, repeat(cls), zip(forms, tags, lemmas, morphs, repeat(""), strict=False))
        )

    @property
    def is_empty(self) -> bool:
        """Whether this is not a word but a trace, another empty element, or an annotator's CODE."""
        return self.tag in EMPTY_TAGS or self.tag.startswith("CODE-")


# CODE, and CODE-… in some corpora, is CorpusSearch's tag for remarks inside a tree; like a trace, a remark is
# not part of the sentence.
EMPTY_TAGS = frozenset({"-NONE-", "CODE"})
