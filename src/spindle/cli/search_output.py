"""The forms in which `spindle search` shows what it finds."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from spindle.drawing.style import Mark
    from spindle.search import Match, TreeMatches, Vertex

Form = Literal["kwic", "ids", "trees", "subtrees", "drawings", "csv"]
FORMS = ("kwic", "ids", "trees", "subtrees", "drawings", "csv")
FREQUENCIES = ("label", "words", "tag", "file")


@dataclass
class Counts:
    """What was found so far, in all files and in each file."""

    matches: Counter[str] = field(default_factory=Counter)
    trees: Counter[str] = field(default_factory=Counter)
    searched: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        files = [
            {
                "file": file,
                "searched": searched,
                "trees": self.trees[file],
                "matches": self.matches[file],
            }
            for file, searched in self.searched.items()
        ]
        return {
            "matches": self.matches.total(),
            "trees": self.trees.total(),
            "searched": self.searched.total(),
            "files": files,
        }


@dataclass(frozen=True)
class FoundTree:
    """A tree with matches and the file that it is from."""

    file: str
    found: TreeMatches

    @property
    def place(self) -> str:
        """`dev.export:57`."""
        return f"{'<stdin>' if self.file == '-' else self.file}:{self.found.id}"


Found = Iterable[FoundTree]


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────


def print_kwic(found: Found, width: int | None, color: bool) -> None:
    """Print one line for each match, with its words in the middle of the sentence around it.

    `width` is the number of characters of the context on each side; None fits lines to the terminal.
    """
    if width is None:
        width = max(10, (shutil.get_terminal_size((120, 24)).columns - 40) // 2)
    for tree in found:
        for match in tree.found.matches:
            before, inside, after = _around(match)
            left, right = _cut_left(before, width), _cut_right(after, width)
            middle = click.style(inside, fg="red", bold=True) if color else f"[{inside}]"
            click.echo(f"{tree.place}\t{left.rjust(width)} {middle} {right}".rstrip())


def _around(match: Match) -> tuple[str, str, str]:
    """Return the words before, inside and after a match; words in a gap are in round brackets."""
    positions = match.vertex.positions
    forms = [token.form for token in match.tree.tokens]
    first, last = positions[0], positions[-1]
    inside: list[str] = []
    gap: list[str] = []
    for position in range(first, last + 1):
        if position not in positions:
            gap.append(forms[position])
            continue
        if gap:
            inside.append(f"({' '.join(gap)})")
            gap = []
        inside.append(forms[position])
    return " ".join(forms[:first]), " ".join(inside), " ".join(forms[last + 1 :])


def _cut_left(text: str, width: int) -> str:
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]


def _cut_right(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def print_ids(found: Found) -> None:
    """Print the file and id of each tree with a match."""
    for tree in found:
        click.echo(tree.place)


def print_csv(found: Found, names: tuple[str, ...]) -> None:
    """Print one row for each match. Positions count from 0; a name has the words of its first vertex."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["file", "id", "kind", "label", "positions", "text", *names])
    for tree in found:
        for match in tree.found.matches:
            vertex = match.vertex
            row = [tree.file, tree.found.id, vertex.kind, vertex.label]
            row += [" ".join(map(str, vertex.positions)), " ".join(vertex.words)]
            row += [" ".join(match.names[name][0].words) if name in match.names else "" for name in names]
            writer.writerow(row)


def print_json(pattern: str, found: Found, counts: Counts) -> None:
    """Print one JSON object. The matches are printed as they are found, the counts after them."""
    click.echo(f'{{"pattern": {json.dumps(pattern, ensure_ascii=False)}, "hits": [', nl=False)
    separator = "\n"
    for tree in found:
        for match in tree.found.matches:
            hit: dict[str, Any] = {"file": tree.file, "id": tree.found.id, "number": tree.found.number}
            hit |= match.vertex.to_dict()
            hit["names"] = {
                name: [one.to_dict() for one in vertices] for name, vertices in match.names.items()
            }
            click.echo(separator + json.dumps(hit, ensure_ascii=False), nl=False)
            separator = ",\n"
    click.echo("\n], " + json.dumps(counts.to_dict(), ensure_ascii=False)[1:])


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────


def print_counts(counts: Counts) -> None:
    """Print the matches and trees of each file."""
    rows = [(file, counts.matches[file], counts.trees[file], n) for file, n in counts.searched.items()]
    if len(rows) > 1:
        totals = (counts.matches.total(), counts.trees.total(), counts.searched.total())
        rows.append(("total", *totals))
    click.echo("matches\ttrees\tsearched\tfile")
    for file, matches, trees, searched in rows:
        click.echo(f"{matches}\t{trees}\t{searched}\t{file}")


def count_frequencies(found: Found, name: str, by: str) -> Counter[str]:
    """Count what a name stands for, or the matching vertices if the name is empty."""
    frequencies: Counter[str] = Counter()
    for tree in found:
        for match in tree.found.matches:
            vertices = match.names.get(name, ()) if name else (match.vertex,)
            frequencies.update(_value(tree, vertex, by) for vertex in vertices)
    return frequencies


def _value(tree: FoundTree, vertex: Vertex, by: str) -> str:
    if by == "file":
        return tree.file
    if by == "tag":
        return " ".join(vertex.tree.tokens[position].tag for position in vertex.positions)
    return vertex.label if by == "label" else " ".join(vertex.words)


def print_frequencies(frequencies: Counter[str], as_json: bool) -> None:
    """Print a frequency table, the most frequent first."""
    ordered = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
    if as_json:
        click.echo(
            json.dumps({"total": frequencies.total(), "frequencies": dict(ordered)}, ensure_ascii=False)
        )
        return
    total = frequencies.total()
    width = len(str(ordered[0][1])) if ordered else 1
    for value, count in ordered:
        click.echo(f"{count:>{width}}  {100 * count / total:5.1f} %  {value}")


# ── trees ────────────────────────────────────────────────────────────────────────────────────────────


def subtrees(found: Found) -> Iterator[Any]:
    """Yield every matching node as a tree of its own, with the id of its sentence."""
    from spindle.trees import Node, Tree

    for tree in found:
        for match in tree.found.matches:
            view = match.vertex.view
            if isinstance(view, Node):
                subtree = view.to_tree()
            else:
                token = match.tree.tokens[match.vertex.number]
                subtree = Tree((token._replace(function=""),), (), (), (-1,))
            yield subtree.replace(id=match.tree.id)


def draw_matches(found: Found, color: bool) -> None:
    """Print a drawing of each tree with a match; the matches are coloured."""
    from spindle.drawing import draw_dtree, draw_tree
    from spindle.trees import Tree

    width = shutil.get_terminal_size((120, 24)).columns
    for tree in found:
        drawn = tree.found.tree
        marks = _marks(tree)
        click.echo(f"{tree.place}  {', '.join(map(_named, tree.found.matches))}")
        if isinstance(drawn, Tree):
            click.echo(draw_tree(drawn, width=width, color=color, marks=marks) + "\n")
        else:
            click.echo(draw_dtree(drawn, width=width, color=color, marks=marks) + "\n")


def write_pictures(output: str, found: Found) -> None:
    """Write the drawings of all trees with a match into one SVG file."""
    from spindle.drawing import svg_dtree, svg_stack, svg_tree
    from spindle.treebanks.source import open_output
    from spindle.trees import Tree

    pictures = []
    for tree in found:
        drawn, marks = tree.found.tree, _marks(tree)
        picture = svg_tree(drawn, marks=marks) if isinstance(drawn, Tree) else svg_dtree(drawn, marks=marks)
        pictures.append(picture)
    if not pictures:
        raise click.ClickException("No tree matches, so there is nothing to draw.")
    with open_output(output) as stream:
        stream.write(pictures[0] if len(pictures) == 1 else svg_stack(pictures))


def _marks(tree: FoundTree) -> dict[int, Mark]:
    """Return the marks of the matching vertices: nodes by number, words as -1 minus their position."""
    from spindle.drawing.style import HIT

    size = len(tree.found.tree)
    places = (code - size if code >= size else -1 - code if code >= 0 else code for code in tree.found.codes)
    return dict.fromkeys(places, HIT)


def _named(match: Match) -> str:
    return f"{match.vertex.label} [{' '.join(match.vertex.words)}]"
