"""Pictures of the trees in a spaCy document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spindle.drawing import svg_tree
from spindle.errors import WrongType
from spindle.integrations.spacy.stored import sentence_at, sentences


class Drawing(str):
    """HTML that a notebook shows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def render(what: Any, *, page: bool = False) -> Drawing:
    """Return the trees of a document, of a span, or of several of them as HTML; a notebook shows it.

    `page` makes a whole page of it, for a file.
    """
    items = what if isinstance(what, list | tuple) else [what]
    figures = "\n".join([f"<figure>{svg_tree(tree)}</figure>" for one in items for tree in _trees(one)])
    if not page:
        return Drawing(figures)
    return Drawing(
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>spindle</title></head>\n'
        f"<body>\n{figures}\n</body>\n</html>\n"
    )


def _trees(one: Any) -> Iterable[Any]:
    if hasattr(one, "sents"):
        return [sentence.trees[0] for sentence in _among(one)]
    raise WrongType(f"a Doc or a Span is expected, not {type(one).__name__}")


def _among(one: Any) -> Iterable[Any]:
    if hasattr(one, "user_data"):
        return sentences(one)
    found = {id(known): known for token in one if (known := sentence_at(one.doc, token.i)) is not None}
    return found.values()
