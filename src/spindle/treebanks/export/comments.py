"""Information of an export file that a tree has no column for, kept as comments of the tree and written back.

    export_table = ORIGIN           #BOT ORIGIN … #EOT ORIGIN; its rows follow as `export_row = …`,
                                    with `\\t` for a tab and `\\\\` for a backslash
    export_bos = 2 1098266456 1     the fields after the id in the #BOS line
    export_bos_comment = …          the comment in the #BOS line
    export_comment 3 = …            the comment in the row of word 3, or of node #503
    export_morph #503 = …           the morphology column of a node; export_lemma likewise
    any other comment               a line `%% …` before the sentence

Node numbers are those in the written file: see `graph.node_numbers`. A comment whose place does not exist,
such as a comment on a node that a transform has removed, is written as a line before the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spindle.treebanks.graph import NOT_GIVEN
from spindle.trees import Tree

ID_KEY, WORDS_KEY = "export_id = ", "export_words = "
_FIELDS = re.compile(r"[^ ]+(?: [^ ]+)*")
_KEPT = re.compile(r"export_(table|row|bos|bos_comment|(comment|lemma|morph) (#?[0-9]+)) = (.*)")


def escape_tabs(row: str) -> str:
    """Return the row of a table without tabs, which a comment cannot contain."""
    return row.replace("\\", "\\\\").replace("\t", "\\t")


def _unescape_tabs(value: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\t" if found[1] == "t" else found[1], value)


def in_order(comments: Iterable[str]) -> tuple[str, ...]:
    """Return comments in the order of a written file."""
    ranks = {"table": 0, "row": 0, None: 1, "bos": 2, "bos_comment": 3}

    def rank(comment: str) -> int:
        kept = _KEPT.fullmatch(comment)
        return ranks.get(kept[1] if kept else None, 4)

    return tuple(sorted(comments, key=rank))


def node_notes(number: int, lemma: str, morph: str, comment: str | None) -> Iterator[str]:
    """Yield the comments that keep the lemma, morphology and comment in the row of a node."""
    if lemma:
        yield f"export_lemma #{number} = {lemma}"
    if morph:
        yield f"export_morph #{number} = {morph}"
    if comment is not None:
        yield f"export_comment #{number} = {comment}"


def split_comments(
    tree: Tree, numbers: list[int], version: int
) -> tuple[list[str], list[str], dict[str, str]]:
    """Split a tree's comments into tables, lines before the sentence, and notes in its #BOS line and rows."""
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
    """Return whether a comment can be written at the place that it names, and read back from there."""
    place, column, row, value = kept.groups()
    if place == "bos":
        return _FIELDS.fullmatch(value) is not None and "%%" not in value
    if column in ("lemma", "morph"):
        is_there = row in rows and row[0] == "#" and (version == 4 or column == "morph")
        return is_there and value not in ("", NOT_GIVEN)
    return place == "bos_comment" or row in rows
