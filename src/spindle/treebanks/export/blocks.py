"""Lines of an export file grouped into blocks: sentences, tables, comments; rows split into columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

NODE_NAME = re.compile(r"#([5-9][0-9]{2}|[1-9][0-9]{3,})")
_PARENT = re.compile(r"0|[5-9][0-9]{2}|[1-9][0-9]{3,}")
_PARENT_AND_COMMENT = re.compile(r"([0-9]+)[ ]+%%")
_BLANKS = re.compile(r"[ \t]+")


class Block(NamedTuple):
    """Lines that belong together: a sentence or table with its first and last line, or a single line."""

    kind: str  # "sentence", "table", "comment", "format" or "stray"
    line: int
    rows: list[str]


def split_blocks(lines: Iterable[str]) -> Iterator[Block]:
    """Split a file into its sentences, tables and comments; the next #BOS ends an unclosed sentence."""
    kind = ""  # of the open block
    start = 0
    rows: list[str] = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if kind == "sentence":
            if not line.startswith(("#EOS", "#BOS")) or line[4:5] not in ("", " ", "\t") or is_row(line):
                rows.append(line)
                continue
            is_end = line.startswith("#EOS")
            yield Block(kind, start, [*rows, line] if is_end else rows)
            kind = ""
            if is_end:
                continue
        mark = line[:4]
        if kind == "table":
            if mark not in ("#BOS", "#BOT"):
                rows.append(line)
                if mark != "#EOT":
                    continue
            yield Block(kind, start, rows)
            kind = ""
            if mark == "#EOT":
                continue
        if mark == "#BOS":
            kind, start, rows = "sentence", number, [line]
        elif mark == "#BOT":
            kind, start, rows = "table", number, [line]
        elif mark[:2] == "%%":
            yield Block("comment", number, [line])
        elif line.startswith("#FORMAT"):
            yield Block("format", number, [line])
        elif line.strip():
            yield Block("stray", number, [line])
    if kind:
        yield Block(kind, start, rows)


def is_row(line: str) -> bool:
    """Return whether a line that looks like markup or a comment is the row of a word."""
    columns = list(filter(None, line.split("\t")))
    return any(_PARENT.fullmatch(column.strip()) for column in columns[4:6])


def split_mark(line: str) -> tuple[list[str], str | None]:
    """Return the fields of a #BOS or #EOS line, the first of which is the id, and its comment."""
    fields, mark, comment = line[len("#BOS") :].partition("%%")
    return _BLANKS.split(fields.strip(" \t")), comment_text(comment) if mark else None


def split_row(line: str) -> tuple[list[str], str | None]:
    """Return the columns of a row and the comment after them."""
    separator = "\t" if "\t" in line else " "
    columns = [column for column in line.split(separator) if column]
    for place in range(4, len(columns)):
        column = columns[place]
        if place > 4 and column.startswith("%%"):
            return columns[:place], comment_text(separator.join(columns[place:]))
        if parent := _PARENT_AND_COMMENT.match(column):
            comment = separator.join((column[parent.end() - 2 :], *columns[place + 1 :]))
            return [*columns[:place], parent[1]], comment_text(comment)
    return columns, None


def comment_text(text: str) -> str:
    """Return the text of a comment, with blanks for tabs, which a tree's comments cannot contain."""
    return text.removeprefix("%%").removeprefix(" ").replace("\t", " ")
