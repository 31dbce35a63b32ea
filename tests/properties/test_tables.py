"""Tables that are written come back as they were: any values, any names of columns, any format."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.pipeline.row_columns import RowBuilder
from spindle.pipeline.rows import RowFields, row_sentences
from spindle.pipeline.table_outputs import _ends_of_rows
from spindle.tables import Row, read_rows, write_rows

# every character that a file can hold, and often those that separate and quote values and lines
TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from("\",\t\n\r\\'\x00\x85\u2028\ufeff{[ "))
NAMES = st.lists(TEXT, min_size=1, max_size=4, unique=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> list[Row]:
    """Rows that all have the same columns."""
    names = draw(NAMES)
    return draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, values)), min_size=1, max_size=4))


def written(rows: list[Row], format: str) -> list[Row]:
    """Write rows to a file and read them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{format}"
        assert write_rows(rows, path) == len(rows)
        return list(read_rows(path))


@given(st.lists(st.dictionaries(TEXT, JSON, max_size=3), max_size=4))
def test_json_lines(rows: list[Row]) -> None:
    assert written(rows, "jsonl") == rows


@pytest.mark.parametrize("format", ["csv", "tsv"])
@given(rows=tables(TEXT))
def test_separated_values(rows: list[Row], format: str) -> None:
    assert written(rows, format) == rows


@given(tables(st.none() | TEXT) | tables(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1))))
def test_parquet(rows: list[Row]) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra arrow")
    assert written(rows, "parquet") == rows


@given(rows=tables(TEXT))
def test_the_ends_of_rows_are_found_in_an_unfinished_file(rows: list[Row]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_rows(rows, path)
        lines = path.read_bytes().splitlines(keepends=True)
    ends = _ends_of_rows()
    lines = b"".join(lines).split(b"\n")[:-1]
    assert sum(ends(line + b"\n") for line in lines) == len(rows) + 1


WORDS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=4)


@given(st.lists(WORDS, max_size=4))
def test_words_of_a_row_are_the_words_of_its_sentences(sentences: list[list[str]]) -> None:
    row = {"words": sentences}
    found = list(row_sentences(row, RowFields(tokens="words"), lambda text: []))
    assert [[token.form for token in one.tokens] for one in found if one.tokens] == sentences
    places = [one.place for one in found]
    assert [place.number for place in places if place] == list(range(1, max(len(sentences), 1) + 1))
    assert [place.is_last for place in places if place] == [False] * (len(found) - 1) + [True]
    assert all(place is not None and place.row is row for place in places)
    assert RowBuilder(str).completes(found[-1])
