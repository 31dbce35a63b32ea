"""What a row of a table is, and the formats of tables by the endings of file names."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from spindle.errors import Hint, Setting, UnknownFormat
from spindle.treebanks.compression import COMPRESSIONS

Row: TypeAlias = "dict[str, Any]"
"""The values of a row by the names of their columns, in the order of the columns."""


Shape: TypeAlias = "type | list[Shape] | dict[str, Shape]"
"""The type of a value: `str`, `int`, `float`; `[str]` for a list; `{"name": str}` for an object."""


class TableFormat(StrEnum):
    """How a table is stored."""

    JSONL = "jsonl"
    """One JSON object per line."""
    CSV = "csv"
    """Values between commas, with the names of the columns in the first row; every value is a string."""
    TSV = "tsv"
    """The same between tabs."""
    PARQUET = "parquet"
    """Apache Parquet, which knows the types of columns; needs pyarrow."""


_ENDINGS = {
    ".jsonl": TableFormat.JSONL,
    ".ndjson": TableFormat.JSONL,
    ".csv": TableFormat.CSV,
    ".tsv": TableFormat.TSV,
    ".parquet": TableFormat.PARQUET,
}


def format_of_table(name: str | Path) -> TableFormat | None:
    """Return the format by the ending of a file name, ignoring `.gz`, `.xz` and `.zst`; None for no table.

    >>> print(format_of_table("news.jsonl.gz"), format_of_table("news.txt"))
    jsonl None
    """
    path = Path(str(name).lower())
    while path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return _ENDINGS.get(path.suffix)


def find_format(
    name: str | Path, format: TableFormat | str | None, setting: Setting = Setting.INPUT_FORMAT
) -> TableFormat:
    """Return the format of this name, or that of the file's ending; an `UnknownFormat` if there is none."""
    known = ", ".join(TableFormat)
    if format is not None:
        try:
            return TableFormat(format)
        except ValueError:
            raise UnknownFormat(
                f"there is no table format {format!r}", hint=f"choose one of {known}"
            ) from None
    found = format_of_table(name)
    if found is None:
        hint = Hint(f"set {{}} ({known})", setting)
        raise UnknownFormat(f"{name}: cannot tell the format of this table", hint=hint)
    return found
