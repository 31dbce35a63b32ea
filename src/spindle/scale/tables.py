"""Tables as inputs and outputs of a corpus: all parts have the same columns, those that one process finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from spindle.pipeline import ParsingFace, Sentence
from spindle.pipeline.inputs import InputKind, InputReader
from spindle.pipeline.outputs import OutputFormat, output_format
from spindle.pipeline.row_columns import RowBuilder, usual_columns
from spindle.pipeline.rows import RowFields
from spindle.pipeline.table_outputs import table_format
from spindle.scale.files import CorpusFile
from spindle.scale.jobs import CorpusError, Job, ParseSettings
from spindle.scale.partitions import Slice
from spindle.tables import TableFormat
from spindle.tables.parquet import (
    ROWS_WRITTEN,
    parquet_schema,
    read_parquet,
    schema_of,
    stored_schema,
    with_columns,
)
from spindle.text import Lines
from spindle.treebanks import ReadingReport, Source

TABLES = tuple(TableFormat)
READ, WRITTEN = ("text_field", "tokens_field", "tags_field", "id_field"), ("columns", "one_row", "prefix")


def check_tables(settings: ParseSettings, reads_tables: bool) -> None:
    """Raise a `CorpusError` for settings of tables that do not apply."""
    for names, applies, what in ((READ, reads_tables, "input"), (WRITTEN, settings.to in TABLES, "output")):
        given = next((name for name in names if getattr(settings, name) is not None), None)
        if given and not applies:
            raise CorpusError(f"`{given}` is for tables as {what}", hint="leave it out")
    if settings.tags_field is not None and settings.tokens_field is None:
        raise CorpusError("`tags_field` is for words", hint="name the column of words as `tokens_field`")


def row_builder(settings: ParseSettings, parser: ParsingFace) -> RowBuilder | None:
    """Return what makes the rows of the output; None if the output is no table."""
    if settings.to not in TABLES:
        return None
    columns = settings.columns
    if columns is None:
        has_words, has_tags = settings.tokens_field is not None, settings.tags_field is not None
        columns = usual_columns(has_words=has_words, has_tags=has_tags, k=settings.k, scores=settings.scores)
    one_row: Any = settings.one_row
    return RowBuilder.for_parser(parser, columns, one_row, settings.prefix or "")


def format_for(job: Job, parser: ParsingFace, builder: RowBuilder | None) -> OutputFormat:
    """Return the output format of all parts; of Parquet, only what it counts."""
    if builder is None:
        return output_format(job.settings.to, parser, job.settings.k)
    if job.settings.to == TableFormat.PARQUET:
        return OutputFormat(lambda analysis, number: "", keeps_empty=True, completes=builder.completes)
    return table_format(TableFormat(job.settings.to), "a part of the corpus", builder, job.names)


def input_reader(
    settings: ParseSettings,
    text_encoding: str | None,
    parser: ParsingFace,
    report: ReadingReport,
    builder: RowBuilder | None,
) -> InputReader:
    """Return the reader of a slice; what is malformed goes to the report."""
    reserved = frozenset() if builder is None else frozenset(builder.shapes)
    fields = RowFields(
        settings.text_field, settings.tokens_field, settings.id_field, reserved, settings.tags_field
    )
    return InputReader(
        parser.splitter,
        Lines(settings.lines),
        settings.format,
        text_encoding,
        "skip",
        report,
        fields=fields,
    )


def read_slice(reader: InputReader, source: Source, one: Slice) -> Iterator[Sentence]:
    """Yield the sentences of a slice."""
    if one.groups:
        return reader.read_rows(read_parquet(source, one.groups), source.name)
    return reader.read_file(source, one.kind)


def columns_of(
    files: Iterable[tuple[CorpusFile, Slice]],
    settings: ParseSettings,
    parser: ParsingFace,
    builder: RowBuilder,
) -> tuple[tuple[str, ...], bytes]:
    """Return the columns of the output, and their Arrow schema if it is Parquet.

    As in one process, the first rows of the corpus decide.
    """
    report = ReadingReport(lambda kind, error: None)
    for file, one in files:
        source = file.source(one.text_encoding)
        reader = input_reader(settings, one.text_encoding, parser, report, builder)
        sentences = reader.read_file(source, one.kind)
        places = (sentence.place for sentence in sentences)
        first = (place.row if place else {"id": ""} for place in places if place is None or place.number == 1)
        count = ROWS_WRITTEN if settings.to == TableFormat.PARQUET and one.kind.is_table else 1
        rows = list(islice(first, count))
        if not rows:
            continue
        schema = b""
        if settings.to == TableFormat.PARQUET:
            known = parquet_schema(source) if one.kind is InputKind.PARQUET else None
            schema = stored_schema(with_columns(known or schema_of(rows, None), builder.shapes))
            return (), schema
        return (*rows[0], *builder.shapes), schema
    return ("id", *builder.shapes), b""
