"""Collections of Dask and Ray, parsed where their partitions are: bags, data frames and datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from spindle.errors import WrongType
from spindle.pipeline import parse_frame
from spindle.pipeline.inputs import InputReader
from spindle.pipeline.row_columns import NUMBER, OneRow, RowBuilder, usual_columns
from spindle.pipeline.rows import TEXT_FIELD, RowFields
from spindle.scale.engines import missing_package
from spindle.scale.jobs import ModelName
from spindle.scale.models import model_of, name_model
from spindle.tables import Row

Model = str | Path | Sequence[str | Path] | None


def _named(model: Model) -> ModelName:
    return name_model([model] if model is None or isinstance(model, str | Path) else list(model))


# ── Dask ─────────────────────────────────────────────────────────────────────────────────────────────


def parse_bag(
    bag: Any,
    model: Model = None,
    *,
    column: str = TEXT_FIELD,
    words: bool = False,
    tags: str | None = None,
    one_row: OneRow = "document",
    columns: Iterable[str] | None = None,
    prefix: str = "",
    k: int = 1,
    confidences: bool = False,
    threads: int | None = 1,
) -> Any:
    """Parse a Dask bag of texts, or of rows with a column of text; return a bag of rows.

    The parameters are those of `parse_frame`. A text is a row with the column `text`.
    """
    if columns is None:
        columns = usual_columns(has_words=words, has_tags=tags is not None, k=k, scores=confidences)
    chosen = tuple(columns)
    options = {
        "column": column,
        "words": words,
        "tags": tags,
        "one_row": one_row,
        "columns": chosen,
        "prefix": prefix,
    }
    return bag.map_partitions(
        parse_rows, model=_named(model), **options, k=k, confidences=confidences, threads=threads
    )


def parse_rows(
    items: Iterable[str | Row],
    *,
    model: ModelName,
    column: str,
    words: bool,
    tags: str | None,
    one_row: OneRow,
    columns: Sequence[str],
    prefix: str,
    k: int,
    confidences: bool,
    threads: int | None,
) -> Iterator[Row]:
    """Yield the rows of one partition of a bag."""
    parser = model_of(model).parser
    builder = RowBuilder.for_parser(parser, columns, one_row, prefix)
    fields = RowFields(
        None if words else column,
        column if words else None,
        reserved=frozenset(builder.shapes),
        tags=tags,
    )
    reader = InputReader(parser.splitter, fields=fields)
    sentences = reader.read_rows(map(_row, items), "<bag>")
    return builder.rows(parser.analyse(sentences, threads=threads, k=k, confidences=confidences))


def _row(item: str | Row) -> Row:
    if isinstance(item, str):
        return {TEXT_FIELD: item}
    if isinstance(item, dict):
        return item
    raise WrongType(f"a bag of texts or rows is expected, not of {type(item).__name__}")


def parse_dataframe(frame: Any, column: str, model: Model = None, **options: Any) -> Any:
    """Parse a column of a Dask data frame with `map_partitions`; return a Dask data frame.

    The options are those of `parse_frame`.
    """
    options = {"threads": 1, **options}
    name = _named(model)
    meta = parse_frame(frame._meta, column, model_of(name).parser, **options)
    added = [one for one in meta.columns if one not in frame.columns]
    # a sentence without words has no number, and lists are objects
    number = options.get("prefix", "") + NUMBER
    types = meta.dtypes.to_dict() | {one: "Int64" if one == number else "object" for one in added}
    return frame.map_partitions(
        parse_partition_of_frame, column, name, types, options, meta=meta.astype(types)
    )


def parse_partition_of_frame(
    frame: Any, column: str, model: ModelName, types: dict[str, Any], options: dict[str, Any]
) -> Any:
    """Parse one partition of a data frame; its columns have these types."""
    return parse_frame(frame, column, model_of(model).parser, **options).astype(types)


# ── Ray ──────────────────────────────────────────────────────────────────────────────────────────────


class ParseBatches:
    """An actor of Ray that parses batches of a dataset."""

    def __init__(self, column: str, model: ModelName, options: dict[str, Any]) -> None:
        self._column, self._options = column, options
        self._parser = model_of(model).parser

    def __call__(self, batch: Any) -> Any:
        """Return the batch with the columns that are added; both are Arrow tables."""
        return parse_frame(batch, self._column, self._parser, **self._options)


def parse_dataset(
    dataset: Any, column: str, model: Model = None, *, workers: int = 1, threads: int = 1, **options: Any
) -> Any:
    """Parse a column of a Ray dataset with `map_batches` and a pool of actors; return a dataset.

    There are `workers` actors with `threads` cores each. The other options are those of `parse_frame`.
    """
    try:
        from ray.data import ActorPoolStrategy
    except ImportError:
        raise missing_package("ray") from None
    return dataset.map_batches(
        ParseBatches,
        fn_constructor_args=(column, _named(model), {**options, "threads": threads}),
        compute=ActorPoolStrategy(size=workers),
        num_cpus=threads,
        batch_format="pyarrow",
    )
