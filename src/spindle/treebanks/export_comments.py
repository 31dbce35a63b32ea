"""What an export file says beyond its trees, as comments of a tree, and back to where it was.

    export_table = ORIGIN           #BOT ORIGIN … #EOT ORIGIN; its rows follow as `export_row = …`,
                                    with `\\t` for a tab and `\\\\` for a backslash
    export_bos = 2 1098266456 1     what follows the id in the #BOS line
    export_bos_comment = …          the comment in the #BOS line
    export_comment 3 = …            the comment in the row of word 3, or of node #503
    export_morph #503 = …           the morphology column of a node, and likewise export_lemma
    anything else                   a line of its own, `%% …`, before the sentence

Node numbers are those under which we write nodes: see `graph.node_numbers`. A comment that fits nowhere, such
as one on a node that has been removed since, is written as a line of its own and so not lost either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spindle.treebanks.graph import NOTHING
from spindle.trees import Tree

_FIELDS = re.compile(r"[^ ]+(?: [^ ]+)*")
_KEPT = re.compile(r"export_(table|row|bos|bos_comment|(comment|lemma|morph) (#?[0-9]+)) = (.*)")


def escape_tabs(row: str) -> str:
    """A row of a table as a comment can hold it."""
    return row.replace("\\", "\\\\").replace("\t", "\\t")


def _unescape_tabs(value: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\t" if found[1] == "t" else found[1], value)


def in_order(comments: Iterable[str]) -> tuple[str, ...]:
    """Comments in the order in which they stand in a file that we write."""
    ranks = {"table": 0, "row": 0, None: 1, "bos": 2, "bos_comment": 3}

    def rank(comment: str) -> int:
        kept = _KEPT.fullmatch(comment)
        return ranks.get(kept[1] if kept else None, 4)

    return tuple(sorted(comments, key=rank))


def node_notes(number: int, lemma: str, morph: str, comment: str | None) -> Iterator[str]:
    """The comments that hold what the row of a node says beyond label, function and parent."""
    if lemma:
        yield f"export_lemma #{number} = {lemma}"
    if morph:
        yield f"export_morph #{number} = {morph}"
    if comment is not None:
        yield f"export_comment #{number} = {comment}"


def part_comments(
    tree: Tree, numbers: list[int], version: int
) -> tuple[list[str], list[str], dict[str, str]]:
    """The tables and comments before a sentence, and what goes into its #BOS line and its rows."""
    tables: list[str] = []
    lines: list[str] = []
    notes: dict[str, str] = {}
    rows = {str(position + 1) for position in range(len(tree))}
    rows.update(f"#{number}" for number in numbers if number)
    open_table = ""
    for comment in tree.comments:
        kept = _KEPT.fullmatch(comment)
        place, value = (kept[1], kept[4]) if kept else ("", "")
        if open_table and place != "row":
            tables.append(f"#EOT {open_table}")
            open_table = ""
        if place == "table" and value.strip():
            open_table = value
            tables.append(f"#BOT {open_table}")
        elif place == "row" and open_table and not value.startswith("#"):
            tables.append(_unescape_tabs(value))
        elif kept and place not in notes and _fits(kept, rows, version):
            notes[place] = value
        else:
            lines.append(f"%% {comment}" if comment else "%%")
    if open_table:
        tables.append(f"#EOT {open_table}")
    return tables, lines, notes


def _fits(kept: re.Match[str], rows: set[str], version: int) -> bool:
    """Whether a comment can go back to the place it names and be read from there."""
    place, column, row, value = kept.groups()
    if place == "bos":
        return _FIELDS.fullmatch(value) is not None and "%%" not in value
    if column in ("lemma", "morph"):
        is_there = row in rows and row[0] == "#" and (version == 4 or column == "morph")
        return is_there and value not in ("", NOTHING)
    return place == "bos_comment" or row in rows
