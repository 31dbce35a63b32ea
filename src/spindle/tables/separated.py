"""CSV and TSV: values between commas or tabs, quoted where they need it, under a row of names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from spindle.errors import TreebankError, UnreadableFile
from spindle.tables.json_lines import to_json
from spindle.tables.rows import Row
from spindle.treebanks.limited import MAX_SENTENCE, Limited
from spindle.treebanks.source import Source

_END = "\r\n"


def read_separated(source: Source, delimiter: str) -> Iterator[Row | TreebankError]:
    """Yield the rows after the first, which names the columns; a malformed row yields an error."""
    # Python's own limit of a value, 131,072 characters, is below the length of a book
    csv.field_size_limit(max(csv.field_size_limit(), MAX_SENTENCE))
    lines = Limited(source.lines(keep_undecoded=True, keep_ends=True), source.name, "row")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    names = next(_values(reader, source), None)
    if names is None:
        return
    if isinstance(names, TreebankError):
        raise names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnreadableFile(f"two columns have the name {twice!r}", file=source.name, line=1)
    for values in _values(reader, source):
        lines.restart()
        if isinstance(values, TreebankError):
            yield values
        elif len(values) != len(names):
            cause = f"length mismatch: {len(names)} columns, {len(values)} values"
            yield TreebankError(cause, file=source.name, line=reader.line_num)
        else:
            yield dict(zip(names, values, strict=True))


def _values(reader: Any, source: Source) -> Iterator[list[str] | TreebankError]:
    """Yield the values of every row that is not empty, or the error that is in it."""
    while True:
        try:
            values = next(reader, None)
        except csv.Error as error:
            hint = 'a value that contains quotes is written as "…""…"'
            yield TreebankError(str(error), file=source.name, line=reader.line_num, hint=hint)
            continue
        if values is None:
            return
        if values:
            yield source.undecoded("\t".join(values), reader.line_num) or values


class SeparatedLines:
    """Writes rows as lines. The first row that is written decides about the columns, unless `names` does.

    A file with these `names` has the line with the names already.
    """

    def __init__(self, delimiter: str, file: str, names: Sequence[str] = ()) -> None:
        self._buffer = io.StringIO()
        self._file = file
        self._names = names
        # a writer of `\r\n` quotes values with either of the two
        self._writer = csv.writer(self._buffer, delimiter=delimiter, lineterminator=_END)
        self._quoting = csv.writer(
            self._buffer, delimiter=delimiter, lineterminator=_END, quoting=csv.QUOTE_ALL
        )

    def lines(self, row: Row) -> str:
        """Return the line of a row; for the first row after a line with the names of the columns."""
        names = ""
        if not self._names:
            self._names = list(row)
            # without quotes, a byte-order mark in the first name would be that of the file
            is_marked = "".join(self._names[:1]).startswith("\ufeff")
            (self._quoting if is_marked else self._writer).writerow(self._names)
            names = self._taken()
        elif unknown := next((name for name in row if name not in self._names), None):
            raise TreebankError(
                f"a later row has the column {unknown!r}, which the first row has not",
                file=self._file,
                hint="write jsonl, whose rows may differ",
            )
        self._writer.writerow(map(_written, map(row.get, self._names)))
        return names + self._taken()

    def _taken(self) -> str:
        """Return the row that the writer has written."""
        written = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return written.removesuffix(_END) + "\n"


def _written(value: object) -> object:
    """Return a value for the writer of csv; lists and objects become JSON."""
    return to_json(value) if isinstance(value, list | dict) else value
