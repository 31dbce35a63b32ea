"""Trees in a notebook: one picture, or a slider through several, as plain HTML without a server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice
from textwrap import shorten
from typing import Any, NamedTuple
from uuid import uuid4

from spindle.drawing.display import visible
from spindle.drawing.svg import svg_dtree, svg_tree
from spindle.errors import WrongType
from spindle.trees.dtree import DTree
from spindle.trees.tree import Tree

MAX_SHOWN = 200
"""More pictures make the file of a notebook very large."""
SUMMARY_WIDTH = 70
"""The longest line above a picture, in characters; without scripts it is what is clicked."""

# Pictures are images, because viewers of notebooks that are not trusted remove inline SVG. Without scripts,
# which they remove, too, each picture is below a line that opens and closes it; one is open at a time.
_SLIDER = """\
<div id="{id}">
<p hidden><input type="range" min="1" max="{count}" value="1" aria-label="Sentence"> <output></output></p>
{pictures}</div>
<script>
(() => {{
const start = box => {{
const slider = box.querySelector("input"), parts = [...box.querySelectorAll("details")];
const show = () => {{
parts.forEach((part, at) => {{ part.hidden = at + 1 != slider.value; part.open = !part.hidden; }});
box.querySelector("output").textContent = `${{slider.value}} / ${{parts.length}}`;
}};
parts.forEach(part => {{ part.removeAttribute("name"); part.firstElementChild.hidden = true; }});
slider.addEventListener("input", show);
// the arrow keys are the slider's, not JupyterLab's
slider.dataset.lmSuppressShortcuts = "true";
slider.parentElement.hidden = false;
show();
}};
const wait = tries => {{
const boxes = document.querySelectorAll("#{id}");
if (boxes.length) boxes.forEach(start);
else if (tries) setTimeout(wait, 100, tries - 1);
}};
wait(100);
}})();
</script>
"""
_PART = """\
<details name="{id}"{open}><summary>{number}. {summary}</summary>
{picture}</details>
"""


class Picture(NamedTuple):
    """A picture of a sentence as SVG, and its words."""

    svg: str
    words: str

    @property
    def html(self) -> str:
        """The picture as an image that holds its data."""
        data = b64encode(self.svg.encode()).decode("ascii")
        return f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{escape(self.words)}"></figure>\n'


class Shown:
    """Pictures that a notebook shows; `html` is their source, `pictures` the list of them."""

    def __init__(self, pictures: list[Picture], left_out: bool) -> None:
        self.pictures = pictures
        self._left_out = left_out

    @property
    def html(self) -> str:
        """HTML with a slider if there are several pictures; it loads nothing from elsewhere."""
        if len(self) > 1:
            name = f"spindle-{uuid4().hex}"
            parts = [
                _PART.format(
                    id=name,
                    open="" if at else " open",
                    number=at + 1,
                    summary=escape(shorten(one.words, SUMMARY_WIDTH, placeholder=" …")),
                    picture=one.html,
                )
                for at, one in enumerate(self.pictures)
            ]
            html = _SLIDER.format(id=name, count=len(self), pictures="".join(parts))
        else:
            html = "".join(one.html for one in self.pictures)
        note = f"<p>Only the first {len(self)} trees are shown.</p>\n" if self._left_out else ""
        return html + note

    def __len__(self) -> int:
        return len(self.pictures)

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
    found = list(islice(_pictures(what), most + 1))
    return Shown(found[:most], len(found) > most)


def _pictures(what: Any) -> Iterator[Picture]:
    if isinstance(what, Tree):
        yield _picture(what, svg_tree(what))
    elif isinstance(what, DTree):
        yield _picture(what, svg_dtree(what))
    elif hasattr(what, "candidates"):  # an analysis, of which all candidates are shown
        yield from _pictures([candidate.tree for candidate in what.candidates])
    elif isinstance(what, Iterable) and not isinstance(what, str | bytes):
        for one in what:
            if one is not None:  # a sentence without words has no tree
                yield from _pictures(one)
    elif hasattr(what, "tree"):  # a candidate, a match, a node
        yield from _pictures(what.tree)
    else:
        raise WrongType(f"a tree, trees or an analysis is expected, not {type(what).__name__}")


def _picture(tree: Tree | DTree, svg: str) -> Picture:
    return Picture(svg, " ".join(visible(token.form) for token in tree.tokens))
