"""Reading and writing tables by the names of their files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from spindle.errors import Setting, TreebankError, UnreadableFile
from spindle.tables.json_lines import json_line, read_json_lines
from spindle.tables.parquet import parquet_schema, read_parquet, write_parquet
from spindle.tables.rows import Row, TableFormat, find_format
from spindle.tables.separated import SeparatedLines, read_separated
from spindle.treebanks.files import OnError, Progress, apply_error_policy, sources
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source, open_output

SKIPPED = "row skipped"
DELIMITERS = {TableFormat.CSV: ",", TableFormat.TSV: "\t"}


def read_rows(
    name: str | Path | list[Source],
    format: TableFormat | str | None = None,
    text_encoding: str | None = None,
    on_error: OnError = "stop",
    report: ReadingReport | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Yield the rows of a file (compressed or not), a folder of files, or `-` for standard input.

    `format` is that of the file's ending unless it is given. A malformed row raises a `TreebankError`, which
    says its line; with `on_error="skip"` it is counted in `report` and the next row is read. `progress` may
    wrap the iterator, for a progress bar.
    """
    files = sources(name, text_encoding)
    formats = [find_format(source.name, format) for source in files]
    rows = _rows(files, formats, on_error, report or ReadingReport())
    return progress(rows, files) if progress else rows


def _rows(
    files: list[Source], formats: list[TableFormat], on_error: OnError, report: ReadingReport
) -> Iterator[Row]:
    for source, format in zip(files, formats, strict=True):
        source.head()  # raises for a file that cannot be opened, whatever the error policy
        yield from apply_error_policy(rows_in(source, format), on_error, report, SKIPPED)


def rows_in(source: Source, format: TableFormat) -> Iterator[Row | TreebankError]:
    """Yield the rows of one source, and an error in the place of each malformed row.

    An `UnreadableFile` is the last item of a source that cannot be read to its end.
    """
    try:
        yield from _reader(source, format)
    except UnreadableFile as error:
        yield error


def _reader(source: Source, format: TableFormat) -> Iterator[Row | TreebankError]:
    if format is TableFormat.PARQUET:
        return read_parquet(source)
    if format is TableFormat.JSONL:
        return read_json_lines(source)
    return read_separated(source, DELIMITERS[format])


def line_writer(name: str, format: TableFormat, names: Sequence[str] = ()) -> Callable[[Row], str]:
    """Return the function that writes a row as a line, in every format but Parquet.

    `names` are the columns of a file that is continued.
    """
    return json_line if format is TableFormat.JSONL else SeparatedLines(DELIMITERS[format], name, names).lines


def read_columns(name: str | Path, format: TableFormat | str | None = None) -> Any:
    """Return the `pyarrow.Schema` of a Parquet file, for `write_rows`; None for other tables and for pipes.

    Of a folder, the first file counts.
    """
    source = sources(name)[0]
    is_parquet = find_format(source.name, format) is TableFormat.PARQUET
    return parquet_schema(source) if is_parquet and Path(source.name).is_file() else None


def read_names(name: str | Path, format: TableFormat) -> list[str]:
    """Return the names of the columns of a CSV or TSV file, which may be unfinished."""
    with open(name, encoding="utf-8", newline="") as stream:
        return next(csv.reader(stream, delimiter=DELIMITERS[format]), [])


def write_rows(
    rows: Iterable[Row],
    name: str | Path,
    format: TableFormat | str | None = None,
    schema: Any = None,
) -> int:
    """Write rows to a file, or `-` for standard output, and return their number.

    `format` is that of the file's ending unless it is given. `schema` has the types of the columns of a
    Parquet file that are known before, as `read_columns` returns them.
    """
    name = str(name)
    found = find_format(name, format, Setting.OUTPUT_FORMAT)
    # The first row is read before the output is opened: unreadable input must not truncate an old file.
    rows = iter(rows)
    rows = chain(list(islice(rows, 1)), rows)
    if found is TableFormat.PARQUET:
        return write_parquet(rows, name, schema)
    write = line_writer(name, found)
    written = 0
    with open_output(name) as stream:
        for row in rows:
            stream.write(write(row))
            written += 1
    return written
