"""A word as a treebank sees it."""

from __future__ import annotations

from typing import NamedTuple


class Token(NamedTuple):
    """One word: its form, part-of-speech tag, and whatever else the treebank says of it.

    Empty strings mean "not given". `function` is the label of the edge to the token's parent (`HD`,
    `SB`, …) in treebanks that label edges.
    """

    form: str
    tag: str = ""
    lemma: str = ""
    morph: str = ""
    function: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether this is no word at all but a trace, another empty element, or an annotator's CODE."""
        return self.tag in EMPTY_TAGS or self.tag.startswith("CODE-")


# CODE, and CODE-… in some corpora, is CorpusSearch's tag for remarks inside a tree; like a trace it is not
# part of the sentence.
EMPTY_TAGS = frozenset({"-NONE-", "CODE"})
