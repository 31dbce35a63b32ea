"""The options of `spindle parse` for tables: which columns are read, and which are added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.options import Command

if TYPE_CHECKING:
    from spindle.pipeline import ParsingFace
    from spindle.pipeline.inputs import InputKind
    from spindle.pipeline.row_columns import RowBuilder
    from spindle.pipeline.rows import RowFields

TABLES = ("jsonl", "csv", "tsv", "parquet")
"""The formats of tables; `spindle.tables` reads and writes them."""
_READ = {
    "text_field": "--text-field",
    "tokens_field": "--tokens-field",
    "tags_field": "--tags-field",
    "id_field": "--id-field",
}
_WRITTEN = {"columns": "--columns", "one_row": "--one-row", "prefix": "--prefix"}


@dataclass(frozen=True)
class TableOptions:
    """The values of the options; None for those that are not given."""

    text_field: str | None = None
    tokens_field: str | None = None
    tags_field: str | None = None
    id_field: str | None = None
    columns: str | None = None
    one_row: str | None = None
    prefix: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the values by the names of the options."""
        return {flag: getattr(self, name) for name, flag in (_READ | _WRITTEN).items()}

    def check(self, kinds: Iterable[InputKind], to: str) -> None:
        """Raise a usage error for options that do not apply to these inputs or this output."""
        if self.text_field is not None and self.tokens_field is not None:
            raise click.UsageError("Choose one of --text-field and --tokens-field.")
        if self.tags_field is not None and self.tokens_field is None:
            raise click.UsageError("--tags-field needs --tokens-field.")
        reads_tables = any(kind.is_table for kind in kinds)
        for names, applies, what in (
            (_READ, reads_tables, f"to tables as input: --input {', '.join(TABLES)}"),
            (_WRITTEN, to in TABLES, f"to tables as output: --to {', '.join(TABLES)}"),
        ):
            given = next((flag for name, flag in names.items() if getattr(self, name) is not None), None)
            if given and not applies:
                raise click.UsageError(f"{given} applies {what}.")

    def builder(self, parser: ParsingFace, k: int, scores: bool, reads_tables: bool) -> RowBuilder:
        """Return the builder of rows."""
        from spindle.pipeline.row_columns import RowBuilder, usual_columns, usual_one_row

        columns = self.names
        if columns is None:
            has_words, has_tags = self.tokens_field is not None, self.tags_field is not None
            columns = usual_columns(has_words=has_words, has_tags=has_tags, k=k, scores=scores)
        one_row: Any = self.one_row or usual_one_row(reads_tables)
        return RowBuilder.for_parser(parser, columns, one_row, self.prefix or "")

    @property
    def names(self) -> tuple[str, ...] | None:
        """The columns to add; None for the usual ones."""
        if self.columns is None:
            return None
        return tuple(name.strip() for name in self.columns.split(",") if name.strip())

    def fields(self, builder: RowBuilder | None) -> RowFields:
        """Return the columns that are read; `builder` makes the rows that are written, if any."""
        from spindle.pipeline.rows import RowFields

        reserved = frozenset() if builder is None else frozenset(builder.shapes)
        return RowFields(self.text_field, self.tokens_field, self.id_field, reserved, self.tags_field)


text_field_option = click.option(
    "--text-field", metavar="COLUMN", help="Tables: the column of raw text. [default: text]"
)
"""Adds `--text-field`."""
tokens_field_option = click.option(
    "--tokens-field",
    metavar="COLUMN",
    help="Tables: a column of words instead of raw text: a list of words, a list of such lists, or words "
    "between blanks with a sentence a line.",
)
"""Adds `--tokens-field`."""


def table_options(command: Command) -> Command:
    """Add the options of tables, as one parameter `tables`."""
    names = (*_READ, *_WRITTEN)

    @wraps(command)
    def with_tables(*args: Any, **values: Any) -> Any:
        tables = TableOptions(**{name: values.pop(name) for name in names})
        return command(*args, tables=tables, **values)

    options = (
        text_field_option,
        tokens_field_option,
        click.option(
            "--tags-field",
            metavar="COLUMN",
            help="Tables: a column with the tags of these words, in the same form. They are kept.",
        ),
        click.option(
            "--id-field",
            metavar="COLUMN",
            help="Tables: the column that names a row; its sentences are ID.1, ID.2 and so on.",
        ),
        click.option(
            "--columns",
            metavar="NAME,…",
            help="Tables: the columns to add: sentence, tokens, tags, offsets, tree, heads, constituents, "
            "trees, scores. [default: the first five; of words tags and tree; of words with tags tree]",
        ),
        click.option(
            "--one-row",
            type=click.Choice(["document", "sentence"]),
            help="Tables: one row as in the input, with a list for its sentences, or one row for each "
            "sentence. [default: document for tables, else sentence]",
        ),
        click.option("--prefix", metavar="TEXT", help="Tables: what the names of added columns begin with."),
    )
    found: Any = with_tables
    for option in reversed(options):
        found = option(found)
    return found  # type: ignore[no-any-return]
