"""The trees as text, pictures, brackets and records: the methods that make a tree easy to look at.

Drawing and treebank formats are layers above this one, and trees must not depend on them. The methods here
import what they need when they are called, so that `import spindle.trees` stays small. The import contract in
`pyproject.toml` lists exactly these imports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from spindle.errors import UnknownFormat
from spindle.trees.nltk import Leaves, from_nltk, to_nltk
from spindle.trees.records import dtree_from_record, dtree_record, tree_from_record, tree_record

if TYPE_CHECKING:
    from spindle.drawing.latex import LatexStyle
    from spindle.drawing.text import LayoutName
    from spindle.trees.dtree import DTree
    from spindle.trees.tree import Tree


class TreeViews:
    """The views of a constituent tree."""

    def __str__(self) -> str:
        """Return the tree in brackets on one line, as discbracket if it is discontinuous."""
        tree = cast("Tree", self)
        return self.to_string("bracket" if tree.is_continuous else "discbracket")

    def to_string(self, format: str = "discbracket") -> str:
        """Return the tree in a treebank format (bracket, discbracket, export, psd, tigerxml, …)."""
        from spindle.treebanks.formats import TREE_FORMATS

        writers = {name: known.write for name, known in TREE_FORMATS.items() if known.write is not None}
        if format not in writers:
            hint = f"choose one of {', '.join(writers)}"
            raise UnknownFormat(f"a tree cannot be written as {format!r}", hint=hint)
        tree = cast("Tree", self)
        if refusal := TREE_FORMATS[format].refusal(tree):
            refusal.file, refusal.sentence = f"<{format}>", tree.id
            raise refusal
        return "".join(writers[format]([tree])).removesuffix("\n")

    @classmethod
    def from_string(cls, text: str, format: str | None = None) -> Tree:
        """Return the only tree in a text; the format is guessed unless it is given."""
        from spindle.treebanks.files import parse_tree

        return parse_tree(text, format)

    def draw(self, *, width: int | None = None, layout: LayoutName = "auto", color: bool = False) -> str:
        """Return a drawing with box characters; the parameters are those of `spindle.draw_tree`."""
        from spindle.drawing.text import draw_tree

        return draw_tree(cast("Tree", self), width=width, layout=layout, color=color)

    def to_svg(self, *, layout: LayoutName = "wide") -> str:
        """Return a picture as SVG, for light and dark backgrounds; `layout` is that of `spindle.svg_tree`."""
        from spindle.drawing.svg import svg_tree

        return svg_tree(cast("Tree", self), layout=layout)

    def to_latex(self, style: LatexStyle = "forest", *, heads: bool = True) -> str:
        """Return LaTeX code; the parameters are those of `spindle.latex_tree`."""
        from spindle.drawing.latex import latex_tree

        return latex_tree(cast("Tree", self), style, heads)

    def _repr_svg_(self) -> str:
        """Show the picture in a notebook."""
        return self.to_svg()

    def to_nltk(self, leaves: Leaves | None = None) -> Any:
        """Return an `nltk.Tree`.

        Its leaves are words, or `0=word` with the position if the tree is discontinuous; `leaves` may be
        "words", "indexed" or "positions".
        """
        return to_nltk(cast("Tree", self), leaves)

    @classmethod
    def from_nltk(cls, tree: Any, words: Sequence[str] | None = None) -> Tree:
        """Return the tree of an `nltk.Tree`; `words` are needed if its leaves are positions."""
        return from_nltk(tree, words)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree for JSON, with heads and offsets if they are known; the inverse is `from_dict`."""
        return tree_record(cast("Tree", self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Tree:
        """Return the tree that `to_dict` wrote; a `TreeError` if the record is not that of a tree."""
        return tree_from_record(record)


class DTreeViews:
    """The views of a head-ordered dependency tree."""

    def __str__(self) -> str:
        return self.draw()

    def draw(self, *, width: int | None = None, layout: LayoutName = "auto", color: bool = False) -> str:
        """Return a drawing with box characters; the parameters are those of `spindle.draw_dtree`."""
        from spindle.drawing.text import draw_dtree

        return draw_dtree(cast("DTree", self), width=width, layout=layout, color=color)

    def to_svg(self) -> str:
        """Return a picture as SVG, for light and dark backgrounds."""
        from spindle.drawing.svg import svg_dtree

        return svg_dtree(cast("DTree", self))

    def to_latex(self) -> str:
        """Return LaTeX code for a document that loads the package tikz-dependency."""
        from spindle.drawing.latex import latex_dtree

        return latex_dtree(cast("DTree", self))

    def _repr_svg_(self) -> str:
        """Show the picture in a notebook."""
        return self.to_svg()

    def to_dict(self) -> dict[str, Any]:
        """Return the d-tree for JSON; the inverse is `from_dict`."""
        return dtree_record(cast("DTree", self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> DTree:
        """Return the d-tree that `to_dict` wrote; a `TreeError` if the record is not that of a d-tree."""
        return dtree_from_record(record)
