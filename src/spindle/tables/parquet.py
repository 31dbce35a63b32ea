"""Parquet files. pyarrow is an optional dependency, imported when it is needed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from spindle.errors import SpindleError, TreebankError, UnreadableFile
from spindle.tables.rows import Row, Shape
from spindle.treebanks.source import Source, open_binary_output

ROWS_READ = 32
"""The number of rows that are converted at a time. A value of megabytes may be stored once for many rows."""
MOST_PIPED = 1 << 30
"""The bytes of a file that is held in memory, because it is compressed or comes through a pipe."""
ROWS_WRITTEN = 10_000
"""The number of rows of a row group, which are in memory together."""


def arrow() -> Any:
    """Return the package pyarrow; a `SpindleError` if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        hint = "install it with `pip install 'spindle-parser[arrow]'`"
        raise SpindleError("pyarrow is not installed", hint=hint) from None
    return pyarrow


def read_parquet(source: Source, groups: Sequence[int] | None = None) -> Iterator[Row | TreebankError]:
    """Yield the rows, or those of some row groups.

    A file that is damaged or cut off raises an `UnreadableFile`.
    """
    with source.binary() as stream:
        pa, file = arrow(), _opened(source, stream)
        try:
            for batch in file.iter_batches(batch_size=ROWS_READ, row_groups=groups):
                yield from batch.to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(source, error) from None


def parquet_schema(source: Source) -> Any:
    """Return the names and types of the columns, as a `pyarrow.Schema`."""
    with source.binary() as stream:
        return _opened(source, stream).schema_arrow


def _opened(source: Source, stream: Any) -> Any:
    """Return the `pyarrow.parquet.ParquetFile` of a stream; a pipe is read into memory."""
    pa = arrow()
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(stream if stream.seekable() else io.BytesIO(_whole(source, stream)))
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(source, error) from None


def _whole(source: Source, stream: Any) -> bytes:
    found: bytes = stream.read(MOST_PIPED + 1)
    if len(found) > MOST_PIPED:
        cause = f"a Parquet file in a pipe or an archive has more than {MOST_PIPED:,} bytes"
        raise UnreadableFile(cause, file=source.name, hint="save it to a file, not compressed")
    return found


def _unreadable(source: Source, error: Exception) -> UnreadableFile:
    return UnreadableFile(f"cannot be read as Parquet: {str(error).splitlines()[0]}", file=source.name)


def arrow_type(shape: Shape) -> Any:
    """Return the Arrow type of values of this shape."""
    pa = arrow()
    if isinstance(shape, list):
        return pa.list_(arrow_type(shape[0]))
    if isinstance(shape, dict):
        return pa.struct([pa.field(name, arrow_type(inner)) for name, inner in shape.items()])
    return {str: pa.string(), int: pa.int64(), float: pa.float64()}[shape]


def with_columns(schema: Any, shapes: Mapping[str, Shape]) -> Any:
    """Return an Arrow schema with columns added; `schema` may be None."""
    added = [arrow().field(name, arrow_type(shape)) for name, shape in shapes.items()]
    if schema is None:
        return arrow().schema(added)
    return arrow().schema([*schema, *added], metadata=schema.metadata)


def count_parquet(source: Source) -> int:
    """Return the number of rows of a Parquet file."""
    with source.binary() as stream:
        return int(_opened(source, stream).metadata.num_rows)


def row_groups(source: Source) -> list[int]:
    """Return the sizes of the row groups of a Parquet file, in bytes before compression."""
    with source.binary() as stream:
        metadata = _opened(source, stream).metadata
        return [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]


def stored_schema(schema: Any) -> bytes:
    """Return an Arrow schema as bytes."""
    return bytes(schema.serialize())


def write_row_groups(rows: Iterable[Row], stream: Any, stored: bytes) -> None:
    """Write rows to a stream as a Parquet file with this schema, which `stored_schema` returned."""
    pa = arrow()
    from pyarrow.parquet import ParquetWriter

    schema = pa.ipc.read_schema(pa.py_buffer(stored))
    rows = iter(rows)
    with ParquetWriter(stream, schema) as writer:
        while group := list(islice(rows, ROWS_WRITTEN)):
            writer.write_table(_table(pa, group, schema))


def write_parquet(rows: Iterable[Row], name: str, schema: Any = None) -> int:
    """Write rows and return their number. Columns that `schema` does not have get the type of their values.

    The first `ROWS_WRITTEN` rows decide about the columns and their types. After Ctrl-C or SIGTERM the file
    has the rows that were finished.
    """
    pa = arrow()
    from pyarrow.parquet import ParquetWriter

    groups = _Groups(iter(rows))
    written = 0
    group = groups.take()
    try:
        complete = schema_of(group, schema)
        if groups.stop is not None and not group:
            raise groups.stop
        with open_binary_output(name) as stream, ParquetWriter(stream, complete) as writer:
            while group:
                writer.write_table(_table(pa, group, complete))
                written += len(group)
                group = groups.take()
    except pa.ArrowException as error:
        hint = "give all values of a column the same type, or write jsonl"
        raise TreebankError(f"cannot be written as Parquet: {error}", file=name, hint=hint) from None
    if groups.stop is not None:
        raise groups.stop
    return written


class _Groups:
    """Takes rows, a group at a time. An interruption ends the rows; it is kept in `stop`."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self.stop: BaseException | None = None
        self._rows = rows

    def take(self) -> list[Row]:
        group: list[Row] = []
        if self.stop is None:
            try:
                group.extend(islice(self._rows, ROWS_WRITTEN))  # keeps what came before an interruption
            except (KeyboardInterrupt, SystemExit) as stop:
                self.stop = stop
        return group


def _table(pa: Any, rows: list[Row], schema: Any) -> Any:
    if unknown := next((name for row in rows for name in row if name not in schema.names), None):
        raise pa.ArrowInvalid(f"a later row has the column {unknown!r}, which the first rows have not")
    return pa.Table.from_pylist(rows, schema=schema)


def schema_of(rows: list[Row], known: Any) -> Any:
    """Return the schema of rows; columns that `known` does not have get the type of their values."""
    pa = arrow()
    if not rows and known is not None:
        return known
    names = dict.fromkeys(name for row in rows for name in row)
    fields = []
    for name in names:
        if known is not None and name in known.names:
            fields.append(known.field(name))
            continue
        found = pa.array([row.get(name) for row in rows]).type
        # a column of which no value is known yet: text is likelier than anything else
        fields.append(pa.field(name, pa.string() if pa.types.is_null(found) else found))
    return pa.schema(fields, metadata=None if known is None else known.metadata)
