"""Tables read and written: JSON Lines, CSV, TSV and Parquet."""

import datetime
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spindle import ReadingReport, SpindleError, TreebankError, UnknownFormat
from spindle.errors import UnreadableFile
from spindle.tables import Row, TableFormat, read_columns, read_rows, write_rows
from spindle.tables.parquet import ROWS_WRITTEN

ROWS: list[Row] = [
    {"id": "a-1", "body": "Trees grow.", "note": 'she said "no"'},
    {"id": "a-2", "body": "Two\nlines, one\tvalue.", "note": ""},
    {"id": "ü", "body": "", "note": "Ž"},
]


@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv", "parquet"])
def test_rows_come_back_as_they_were(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{format}"
    assert write_rows(ROWS, path) == 3
    assert list(read_rows(path)) == ROWS
    assert list(read_rows(str(path), TableFormat(format))) == ROWS


@pytest.mark.parametrize(
    ("ending", "signature"), [("jsonl.gz", b"\x1f\x8b"), ("csv.zst", b"\x28\xb5"), ("tsv.xz", b"\xfd7z")]
)
def test_compressed_tables(ending: str, signature: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"table.{ending}"
    write_rows(ROWS, path)
    assert path.read_bytes().startswith(signature)
    assert list(read_rows(path)) == ROWS


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_types_that_come_back(format: str, tmp_path: Path) -> None:
    rows = [{"n": 1, "x": 0.5, "is": True, "words": ["a", "b"], "none": None, "inner": {"k": [1]}}]
    write_rows(rows, tmp_path / f"t.{format}")
    assert list(read_rows(tmp_path / f"t.{format}")) == rows


def test_values_that_a_format_does_not_know_become_text(tmp_path: Path) -> None:
    row = {"day": datetime.date(2026, 1, 2), "at": datetime.time(3, 4), "b": None, "words": ["a", "ü"]}
    write_rows([row], tmp_path / "t.jsonl")
    assert list(read_rows(tmp_path / "t.jsonl")) == [
        {"day": "2026-01-02", "at": "03:04:00", "b": None, "words": ["a", "ü"]}
    ]
    write_rows([row], tmp_path / "t.csv")
    assert list(read_rows(tmp_path / "t.csv")) == [
        {"day": "2026-01-02", "at": "03:04:00", "b": "", "words": '["a", "ü"]'}
    ]


def test_a_folder_of_tables_is_read_in_natural_order(tmp_path: Path) -> None:
    for number, row in zip((1, 2, 10), ROWS, strict=True):
        write_rows([row], tmp_path / f"part-{number}.{'csv' if number == 2 else 'jsonl'}")
    assert list(read_rows(tmp_path)) == ROWS


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("t.jsonl", b'{"a": 1}\n{"a": \n{"a": 2}\n', 2, "not JSON"),
        ("t.jsonl", b'{"a": 1}\n[1]\n{"a": 2}\n', 2, "not a JSON object"),
        ("t.jsonl", b'{"a": 1}\n{"a": "\xff"}\n{"a": 2}\n', 2, "byte 0xff is not utf-8"),
        (
            "t.jsonl",
            b'{"a": 1}\n{"a": ' + b"[" * 900 + b'"\\u0041"' + b"]" * 900 + b'}\n{"a": 2}\n',
            2,
            "nested too deeply",
        ),
        ("t.jsonl", b'{"a": 1}\n{"a": ' + b"[" * 100_000 + b'\n{"a": 2}\n', 2, "nested too deeply"),
        ("t.csv", b"a,b\n1,\n1,2,3\n2,\n", 3, "2 columns, 3 values"),
        ("t.csv", b'a,b\n1,\n"x" y,2\n2,\n', 3, "expected after"),
        ("t.csv", b'a,b\n1,\n"\xff",2\n2,\n', 3, "byte 0xff"),
        ("t.tsv", b'a\tb\n1\t\n"Yes," he said\t2\n2\t\n', 3, "expected after"),
    ],
)
def test_a_malformed_row_has_its_line_and_can_be_skipped(
    name: str, content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TreebankError, match=message) as caught:
        list(read_rows(path))
    assert (caught.value.line, caught.value.file) == (line, str(path))
    report = ReadingReport(lambda kind, remark: None)
    assert [int(row["a"]) for row in read_rows(path, on_error="skip", report=report)] == [1, 2]
    assert report.counts == {"row skipped": 1}


def test_an_unclosed_quote_does_not_pass_silently(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\n1,2\n"3,4\n5,6\n', encoding="utf-8")
    with pytest.raises(TreebankError, match="unexpected end of data"):
        list(read_rows(tmp_path / "t.csv"))


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="two columns have the name 'a'"):
        list(read_rows(tmp_path / "t.csv"))


def test_a_value_as_long_as_a_book(tmp_path: Path) -> None:
    rows = [{"body": "word " * 100_000}]
    write_rows(rows, tmp_path / "t.csv")
    assert list(read_rows(tmp_path / "t.csv")) == rows


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(r'{"a": ["\ud800x", {"b": "😀"}]}', encoding="utf-8")
    assert list(read_rows(tmp_path / "t.jsonl")) == [{"a": ["\ufffdx", {"b": "😀"}]}]


def test_empty_tables(tmp_path: Path) -> None:
    for ending in ("jsonl", "csv", "tsv", "parquet"):
        assert write_rows([], tmp_path / f"t.{ending}") == 0
        assert list(read_rows(tmp_path / f"t.{ending}")) == []


def test_names_that_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="cannot tell the format of this table; set the input format"):
        read_rows(tmp_path / "t.txt")
    with pytest.raises(UnknownFormat, match="choose one of jsonl, csv, tsv, parquet"):
        read_rows(tmp_path / "t.jsonl", "excel")
    with pytest.raises(TreebankError, match="No such file"):
        list(read_rows(tmp_path / "missing.csv"))


def test_a_new_column_in_a_later_row(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"a": 2, "b": 3}]
    with pytest.raises(TreebankError, match="'b', which the first row has not; write jsonl"):
        write_rows(rows, tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()
    write_rows(rows, tmp_path / "t.jsonl")
    assert list(read_rows(tmp_path / "t.jsonl")) == rows


def test_input_that_cannot_be_read_leaves_an_old_output(tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text("old\n", encoding="utf-8")
    (tmp_path / "t.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(TreebankError):
        write_rows(read_rows(tmp_path / "t.jsonl"), tmp_path / "new.jsonl")
    assert (tmp_path / "new.jsonl").read_text(encoding="utf-8") == "old\n"


# ── Parquet ──────────────────────────────────────────────────────────────────────────────────────────


def test_parquet_keeps_the_types_of_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra arrow")
    from pyarrow import parquet

    schema = pa.schema(
        [("n", pa.int16()), ("day", pa.date32()), ("kind", pa.dictionary(pa.int8(), pa.string()))]
    )
    table = pa.table(
        {"n": [1, None], "day": [datetime.date(2026, 1, 2)] * 2, "kind": ["a", "a"]}, schema=schema
    )
    parquet.write_table(table, tmp_path / "in.parquet")
    rows = ({**row, "trees": ["(S (A a))"]} for row in read_rows(tmp_path / "in.parquet"))
    write_rows(rows, tmp_path / "out.parquet", schema=read_columns(tmp_path / "in.parquet"))
    written = parquet.read_table(tmp_path / "out.parquet")
    assert written.schema.names == ["n", "day", "kind", "trees"]
    # pyarrow 17 reads the index of a dictionary as another type
    known = parquet.read_table(tmp_path / "in.parquet").schema.types
    assert [written.schema.field(name).type for name in schema.names] == known
    assert written.select(schema.names).to_pylist() == table.to_pylist()


def test_more_rows_than_a_group(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra arrow")
    rows = [{"n": number, "late": None} for number in range(ROWS_WRITTEN)] + [{"n": -1, "late": "text"}]
    assert write_rows(rows, tmp_path / "t.parquet") == ROWS_WRITTEN + 1
    assert parquet.ParquetFile(tmp_path / "t.parquet").num_row_groups == 2
    assert list(read_rows(tmp_path / "t.parquet")) == rows


@pytest.mark.parametrize("rows", [[{"a": 1}, {"a": "text"}], [{"a": 1}] * ROWS_WRITTEN + [{"b": 1}]])
def test_rows_that_do_not_fit_into_columns(rows: list[Row], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra arrow")
    with pytest.raises(TreebankError, match="cannot be written as Parquet") as caught:
        write_rows(rows, tmp_path / "t.parquet")
    assert "write jsonl" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_damaged_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra arrow")
    path = tmp_path / "t.parquet"
    write_rows([{"a": str(number)} for number in range(5000)], path)
    whole = path.read_bytes()

    def cut(data: bytes) -> bytes:
        return data[:-100]

    def garble(data: bytes) -> bytes:
        return data[:100] + b"\xff" * 2000 + data[2100:]

    changes: tuple[Callable[[bytes], bytes], ...] = (cut, garble, lambda data: b"", lambda data: b"text\n")
    for change in changes:
        path.write_bytes(change(whole))
        with pytest.raises(UnreadableFile, match="Parquet"):
            list(read_rows(path))


def test_parquet_from_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra arrow")
    write_rows(ROWS, tmp_path / "t.parquet")

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe((tmp_path / "t.parquet").read_bytes())))
    assert list(read_rows("-", "parquet")) == ROWS
    assert read_columns("-", "parquet") is None


def test_without_pyarrow_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SpindleError, match=r"pip install 'spindle-parser\[arrow\]'"):
        write_rows(ROWS, tmp_path / "t.parquet")


def test_json_lines_as_others_write_them(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "t.ndjson.gz", "wt", encoding="utf-8-sig") as stream:
        stream.write('{"a": 1}\r\n\r\n' + json.dumps({"a": "ü"}))
    assert list(read_rows(tmp_path / "t.ndjson.gz")) == [{"a": 1}, {"a": "ü"}]
