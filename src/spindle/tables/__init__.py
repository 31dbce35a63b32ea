"""Tables: files with one record per row, as JSON Lines, CSV, TSV or Parquet."""

from spindle.tables.files import (
    SKIPPED,
    line_writer,
    read_columns,
    read_names,
    read_rows,
    rows_in,
    write_rows,
)
from spindle.tables.rows import Row, Shape, TableFormat, find_format, format_of_table

__all__ = [
    "SKIPPED",
    "Row",
    "Shape",
    "TableFormat",
    "find_format",
    "format_of_table",
    "line_writer",
    "read_columns",
    "read_names",
    "read_rows",
    "rows_in",
    "write_rows",
]
