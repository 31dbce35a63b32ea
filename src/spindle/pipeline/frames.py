"""Data frames parsed column by column: pandas, polars, pyarrow, and whatever else speaks Arrow.

A frame is read through the Arrow PyCapsule interface, or through the data frame interchange protocol of older
libraries. So pandas and polars are never imported here: a frame of theirs brings its own class. pyarrow is an
optional dependency, imported when it is needed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spindle.errors import SpindleError, WrongType
from spindle.pipeline.ensemble import load
from spindle.pipeline.face import ParsingFace
from spindle.pipeline.inputs import InputReader
from spindle.pipeline.row_columns import OneRow, RowBuilder, usual_columns
from spindle.pipeline.rows import RowFields
from spindle.pipeline.sentence import lines_policy
from spindle.tables import Row
from spindle.tables.parquet import arrow, arrow_type, with_columns
from spindle.text import Lines

ROWS = 1_000
"""The number of rows that are converted at a time."""
_NUMBER = ""
"""The name under which a row has its number; no column that is parsed has it."""


def parse_frame(
    frame: Any,
    column: str,
    parser: ParsingFace | str | Path | None = None,
    *,
    words: bool = False,
    tags: str | None = None,
    one_row: OneRow = "document",
    columns: Iterable[str] | None = None,
    prefix: str = "",
    lines: Lines | str = Lines.AUTO,
    k: int = 1,
    confidences: bool = False,
    threads: int | None = None,
) -> Any:
    """Parse a column of a data frame; return its columns, and those that are added.

    The column has raw text or, with `words`, lists of words; `tags` names a column with their tags, which are
    kept. `parser` is a parser, or what `load` takes. With
    `one_row="sentence"` there is a row for each sentence; otherwise the added columns have a list with an
    entry for each sentence of the row. `columns` names the columns to add (docs/tables.md lists
    them), and `prefix` is put before their names. `lines`, `k` and `confidences` are those of `parser(text)`.

    A pandas frame gives a pandas frame with its index, a polars frame a polars frame. A
    `pyarrow.RecordBatchReader` gives another, which parses while it is read. Any other frame gives a
    `pyarrow.Table`.
    """
    pa = arrow()
    if not isinstance(parser, ParsingFace):
        parser = load(parser)
    if columns is None:
        columns = usual_columns(has_words=words, has_tags=tags is not None, k=k, scores=confidences)
    builder = RowBuilder.for_parser(parser, columns, one_row, prefix)
    given = _reader(pa, frame, one_row)
    fields = RowFields(tokens=column, tags=tags) if words else RowFields(text=column, tags=tags)
    read = [column] if tags is None else [column, tags]
    _check_columns(given.schema.names, read, builder)
    reader = InputReader(parser.splitter, lines_policy(lines), fields=fields)
    schema = with_columns(given.schema, builder.shapes)

    def batches() -> Iterator[Any]:
        waiting: deque[Any] = deque()
        rows = _numbered(given, read, waiting)
        sentences = reader.read_rows(rows, f"<{type(frame).__name__}>")
        analyses = parser.analyse(sentences, threads=threads, k=k, confidences=confidences)
        yield from _joined(pa, builder.rows(analyses), waiting, builder, schema)

    found = pa.RecordBatchReader.from_batches(schema, batches())
    if isinstance(frame, pa.RecordBatchReader):
        return found
    table = found.read_all()
    if _is_of(frame, "pandas"):
        return _to_pandas(table, builder)
    return type(frame)(table) if _is_of(frame, "polars") else table


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def _reader(pa: Any, frame: Any, one_row: OneRow) -> Any:
    """Return a `pyarrow.RecordBatchReader` of a frame."""
    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if _is_of(frame, "pandas"):
        # without this, pandas gives only the first and the last number of an index that is a range
        return pa.Table.from_pandas(frame, preserve_index=one_row == "sentence" or None).to_reader()
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    if hasattr(frame, "__arrow_c_array__"):
        return pa.table(frame).to_reader()
    if hasattr(frame, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(frame).to_reader()
    raise WrongType(
        f"a data frame is expected, not {type(frame).__name__}",
        hint="give a frame of pandas or polars, or a table with the Arrow interface; collect a lazy frame",
    )


def _is_of(frame: Any, package: str) -> bool:
    """Return whether a frame is a `DataFrame` of a package, which need not be imported for that."""
    return any(
        (cls.__module__.partition(".")[0], cls.__name__) == (package, "DataFrame")
        for cls in type(frame).__mro__
    )


def _check_columns(names: list[str], read: list[str], builder: RowBuilder) -> None:
    if missing := next((column for column in read if column not in names), None):
        known = ", ".join(map(repr, names)) or "none"
        raise SpindleError(f"the frame has no column {missing!r}", hint=f"its columns are {known}")
    if taken := next((name for name in builder.shapes if name in names), None):
        raise SpindleError(f"the frame has a column {taken!r} already", hint="give a `prefix`")


def _numbered(given: Any, columns: list[str], waiting: deque[Any]) -> Iterator[Row]:
    """Yield the values of the columns with the numbers of their rows; put the batches into `waiting`."""
    number = 0
    for large in given:
        for start in range(0, large.num_rows, ROWS):
            batch = large.slice(start, ROWS)
            waiting.append(batch)
            for values in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
                yield {_NUMBER: number, **dict(zip(columns, values, strict=True))}
                number += 1


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def _joined(
    pa: Any, rows: Iterable[Row], waiting: deque[Any], builder: RowBuilder, schema: Any
) -> Iterator[Any]:
    """Yield the batches in `waiting` with the columns that are added, when all of their rows are there."""
    first = 0
    found: list[Row] = []
    for row in rows:
        while row[_NUMBER] >= first + waiting[0].num_rows:
            batch = waiting.popleft()
            yield _with_added(pa, batch, first, found, builder, schema)
            first, found = first + batch.num_rows, []
        found.append(row)
    if waiting:
        yield _with_added(pa, waiting.popleft(), first, found, builder, schema)


def _with_added(pa: Any, batch: Any, first: int, rows: list[Row], builder: RowBuilder, schema: Any) -> Any:
    kept = batch.columns
    if builder.one_row == "sentence":
        places = [row[_NUMBER] - first for row in rows]
        # not `take`, which pyarrow lacks for the strings of polars
        kept = [pa.concat_arrays([column.slice(place, 1) for place in places]) for column in kept]
    added = [
        pa.array([row[name] for row in rows], arrow_type(shape)) for name, shape in builder.shapes.items()
    ]
    return pa.RecordBatch.from_arrays([*kept, *added], schema=schema)


def _to_pandas(table: Any, builder: RowBuilder) -> Any:
    """Return a pandas frame, in which lists are lists; pyarrow would make arrays of them."""
    frame = table.to_pandas()
    for name, shape in builder.shapes.items():
        if isinstance(shape, list):
            frame[name] = table.column(name).to_pylist()
    return frame
