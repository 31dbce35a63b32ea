"""A parsed text: its sentences, their trees, and where everything is in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from spindle.pipeline.analysis import Analysis
from spindle.trees import Leaf, Tree


@dataclass(frozen=True, repr=False)
class Document(Sequence[Analysis]):
    """The sentences of a text, in order. Offsets (`start_char`, `end_char`) refer to `text`."""

    text: str
    sentences: tuple[Analysis, ...]

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The best tree of every sentence."""
        return tuple([one.tree for one in self.sentences if one.tree is not None])

    @property
    def tokens(self) -> tuple[Leaf, ...]:
        """The tokens of all sentences; each knows its text, its tag (`label`) and its offsets."""
        return tuple([leaf for tree in self.trees for leaf in tree.leaves])

    def to_dict(self) -> dict[str, Any]:
        """The document for JSON: the text, and the sentences as `Analysis.to_dict` gives them."""
        return {"text": self.text, "sentences": [one.to_dict() for one in self.sentences]}

    def __iter__(self) -> Iterator[Analysis]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, index: int) -> Analysis: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Analysis, ...]: ...
    def __getitem__(self, index: int | slice) -> Analysis | tuple[Analysis, ...]:
        return self.sentences[index]

    def __str__(self) -> str:
        """Return the trees in brackets, one a line."""
        return "\n".join(map(str, self.sentences))

    def __repr__(self) -> str:
        return f"<Document: {len(self.sentences)} sentences, {len(self.tokens)} tokens>"

    def _repr_html_(self) -> str:
        """Show the trees in a notebook."""
        return "".join([one._repr_html_() for one in self.sentences])
