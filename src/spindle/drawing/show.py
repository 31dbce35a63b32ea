"""Trees in a notebook: one picture, or a slider through several, as plain HTML without a server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from typing import Any
from uuid import uuid4

from spindle.drawing.svg import svg_dtree, svg_tree
from spindle.errors import WrongType
from spindle.trees.dtree import DTree
from spindle.trees.tree import Tree

MAX_SHOWN = 200
"""More pictures make the file of a notebook very large."""

# Without scripts, as in a notebook that is not trusted, all pictures are visible, one below the other.
_SLIDER = """\
<div id="{id}">
<p hidden><input type="range" min="1" max="{count}" value="1" aria-label="Sentence"> <output></output></p>
{figures}</div>
<script>
(() => {{
const box = document.getElementById("{id}"), slider = box.querySelector("input");
const figures = [...box.querySelectorAll("figure")];
const show = () => {{
figures.forEach((figure, at) => {{ figure.hidden = at + 1 != slider.value; }});
box.querySelector("output").textContent = `${{slider.value}} / ${{figures.length}}`;
}};
slider.addEventListener("input", show);
slider.parentElement.hidden = false;
show();
}})();
</script>
"""


class Shown:
    """Pictures that a notebook shows; `html` is their source, `len` their number."""

    def __init__(self, figures: list[str], left_out: bool) -> None:
        self._figures = figures
        self._left_out = left_out

    @property
    def html(self) -> str:
        """HTML with a slider if there are several pictures; it loads nothing from elsewhere."""
        figures = "".join([f"<figure>{figure}</figure>\n" for figure in self._figures])
        if len(self._figures) > 1:
            figures = _SLIDER.format(id=f"spindle-{uuid4().hex}", count=len(self._figures), figures=figures)
        note = f"<p>Only the first {len(self._figures)} trees are shown.</p>\n" if self._left_out else ""
        return figures + note

    def __len__(self) -> int:
        return len(self._figures)

    def __repr__(self) -> str:
        return f"<{len(self)} picture{'s' if len(self) != 1 else ''}>"

    def _repr_html_(self) -> str:
        return self.html


def show(what: Any, *, most: int = MAX_SHOWN) -> Shown:
    """Return pictures for a notebook: of a tree, a d-tree, an analysis, a document, or several of these.

    Several pictures have a slider, which shows one at a time. Of more than `most`, the first are shown.
    """
    if most < 1:
        raise ValueError(f"`most` is {most}, but must be above 0")
    found = list(islice(_figures(what), most + 1))
    return Shown(found[:most], len(found) > most)


def _figures(what: Any) -> Iterator[str]:
    if isinstance(what, Tree):
        yield _captioned(what, svg_tree(what))
    elif isinstance(what, DTree):
        yield _captioned(what, svg_dtree(what))
    elif hasattr(what, "candidates"):  # an analysis, of which all candidates are shown
        yield from _figures([candidate.tree for candidate in what.candidates])
    elif isinstance(what, Iterable) and not isinstance(what, str | bytes):
        for one in what:
            if one is not None:  # a sentence without words has no tree
                yield from _figures(one)
    elif hasattr(what, "tree"):  # a candidate, a match, a node
        yield from _figures(what.tree)
    else:
        raise WrongType(f"a tree, trees or an analysis is expected, not {type(what).__name__}")


def _captioned(tree: Tree | DTree, picture: str) -> str:
    return f"<figcaption>{escape(tree.id)}</figcaption>{picture}" if tree.id else picture
