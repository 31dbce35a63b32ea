"""Tables as outputs of `spindle parse`: the columns that were read, and what the parser has found.

JSON Lines, CSV and TSV grow row by row, like the other output formats. A Parquet file has its index at the
end, so it appears when it is complete, or when the program is interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from spindle.pipeline.analysis import Analysis
from spindle.pipeline.outputs import OutputFormat
from spindle.pipeline.row_columns import RowBuilder
from spindle.tables import Row, TableFormat, line_writer, read_columns, read_names, read_rows, write_rows
from spindle.tables.parquet import count_parquet, with_columns
from spindle.treebanks import Source


def table_format(
    format: TableFormat, output: str, builder: RowBuilder, names: Sequence[str] = ()
) -> OutputFormat:
    """Return the output format of JSON Lines, CSV or TSV.

    `names` are all columns. With them the head of a CSV or TSV file is known before the first row.
    """
    write_row = line_writer(output, format, names)

    def write(analysis: Analysis, number: int) -> str:
        row = builder.add(analysis, number)
        return "" if row is None else write_row(row)

    if format is TableFormat.JSONL:
        return OutputFormat(write, keeps_empty=True, completes=builder.completes)

    def continue_from(path: Path) -> None:
        nonlocal write_row
        write_row = line_writer(output, format, read_names(path, format))

    return OutputFormat(
        write,
        head=_head(format, names),
        ends=_ends_of_rows(),
        keeps_empty=True,
        completes=builder.completes,
        first_rows=1,
        continue_from=continue_from,
    )


def _head(format: TableFormat, names: Sequence[str]) -> str:
    """Return the line with the names of the columns; nothing if they are not known."""
    if not names:
        return ""
    write, empty = line_writer("", format), dict.fromkeys(names)
    first = write(empty)
    return first.removesuffix(write(empty))


def _ends_of_rows() -> Callable[[bytes], bool]:
    """Return a function that tells of each line of a file, in order, whether a row of values ends with it."""
    is_quoted = False

    def ends(line: bytes) -> bool:
        nonlocal is_quoted
        is_quoted ^= bool(line.count(b'"') % 2)  # a quote in a value is written twice
        return not is_quoted

    return ends


def rows_done(output: str) -> int:
    """Return the number of rows of a Parquet file that is continued; 0 if there is none."""
    return count_parquet(Source(output)) if Path(output).exists() else 0


def write_parquet_rows(
    analyses: Iterable[Analysis], output: str, builder: RowBuilder, known: Any, done: int
) -> None:
    """Write a Parquet file, and first the `done` rows that it has.

    `known` is the Arrow schema of the table that was read, or None.
    """
    rows: Iterator[Row] = builder.rows(analyses, done)
    if done:
        rows = chain(read_rows(output, TableFormat.PARQUET), rows)
        schema = read_columns(output, TableFormat.PARQUET)
    else:
        schema = with_columns(known, builder.shapes)
    write_rows(rows, output, TableFormat.PARQUET, schema)
