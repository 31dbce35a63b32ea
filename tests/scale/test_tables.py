"""Tables as inputs and outputs of a corpus: the rows that one process writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.scale import CorpusError, parse_corpus
from spindle.tables import Row, read_rows, write_rows
from support.corpora import in_one_process, joined

pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
TABLES = ["jsonl", "csv", "tsv", "parquet"]
ROWS: list[Row] = [
    {
        "id": f"row{number}",
        "body": ["Trees grow. It rains.", "", "She left.\n\nIt “rained”\non Monday.", "x, y"][number % 4],
        "note": ["two\nlines", 'she said "no"', None, "a"][number % 4],
    }
    for number in range(24)
]
SMALL = 200


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut JSON Lines anywhere, and make Parquet files of small row groups."""
    for module in ("partitions", "borders"):
        monkeypatch.setattr(f"spindle.scale.{module}.SAMPLE_BYTES", 64)


def write(folder: Path, kind: str) -> str:
    path = folder / f"in.{kind}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spindle.tables.parquet.ROWS_WRITTEN", 5)
        write_rows(ROWS, path)
    return str(path)


def parse(name: str, out: Path, size: int = SMALL, **options: Any) -> Any:
    return parse_corpus(name, out, "light", partition_size=size, threads=1, **options)


@pytest.mark.parametrize("to", TABLES)
@pytest.mark.parametrize("given", TABLES)
@pytest.mark.parametrize("one_row", ["document", "sentence"])
def test_the_parts_have_the_rows_of_one_process(tmp_path: Path, given: str, to: str, one_row: str) -> None:
    name = write(tmp_path, given)
    flags = ("--text-field", "body", "--id-field", "id", "--prefix", "s_", "--one-row", one_row)
    whole = tmp_path / f"whole.{to}"
    data = in_one_process([name], whole, "--to", to, *flags)
    corpus = parse(
        name, tmp_path / "out", to=to, text_field="body", id_field="id", prefix="s_", one_row=one_row
    )
    assert len(corpus.parts) > 2
    assert corpus.totals.errors.total() == 0
    if to != "parquet":
        assert joined(tmp_path / "out") == data
        return
    from pyarrow.parquet import ParquetFile

    assert [row for part in corpus.parts for row in read_rows(part)] == list(read_rows(whole))
    assert {str(ParquetFile(part).schema_arrow) for part in corpus.parts} == {
        str(ParquetFile(whole).schema_arrow)
    }


@pytest.mark.parametrize("to", TABLES)
def test_raw_text_as_a_table(tmp_path: Path, to: str) -> None:
    text = tmp_path / "news.txt"
    text.write_text("Trees grow. It rains.\n\nShe left.\n\n" * 9)
    whole = tmp_path / f"whole.{to}"
    data = in_one_process([str(text)], whole, "--to", to, "--columns", "tree,heads")
    corpus = parse(str(text), tmp_path / "out", size=100, to=to, columns=["tree", "heads"])
    rows = [row for part in corpus.parts for row in read_rows(part)] if to == "parquet" else []
    assert rows == list(read_rows(whole)) if to == "parquet" else joined(tmp_path / "out") == data


def test_the_table_is_the_default_for_tables(tmp_path: Path) -> None:
    corpus = parse(write(tmp_path, "csv"), tmp_path / "out", text_field="body", columns=["tree"])
    first = json.loads(corpus.parts[0].read_text().splitlines()[0])
    assert list(first) == ["id", "body", "note", "tree"]


def test_malformed_rows_are_in_the_errors_file(tmp_path: Path) -> None:
    lines = [json.dumps({"text": "Trees grow."})] * 6
    lines[1:1] = ["{", '{"body": "no text"}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    corpus = parse(str(tmp_path / "in.jsonl"), tmp_path / "out")
    assert corpus.totals.errors == {"row skipped": 2}
    assert corpus.totals.sentences == 6
    found = [
        json.loads(line) for line in (tmp_path / "out" / "part-00000.errors.jsonl").read_text().splitlines()
    ]
    assert [("not JSON" in one["error"], one.get("row"), one["line"]) for one in found] == [
        (True, None, 2),
        (False, 3, 0),
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"to": "export", "columns": ["tree"]}, "`columns` is for tables as output"),
        ({"input": "text", "text_field": "body"}, "`text_field` is for tables as input"),
        ({"to": "svg"}, "cannot be written as svg"),
        ({"to": "bracket", "scores": True}, "only json and tables have scores"),
        ({"tags": "gold"}, "has no gold tags"),
        (
            {"format": "export", "input": "jsonl"},
            "the format export does not apply to inputs of the kind jsonl",
        ),
        ({"tokens_field": "body", "lines": "sentence"}, "`lines` is for raw text"),
        ({"tags_field": "tags"}, "`tags_field` is for words"),
        ({"k": 0}, "`k` is 0"),
        ({"columns": ["shape"]}, "there is no column 'shape' to add"),
    ],
)
def test_settings_that_do_not_go_together(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    name = write(tmp_path, "jsonl")
    with pytest.raises(Exception, match=said) as raised:
        parse(name, tmp_path / "out", **options)
    assert isinstance(raised.value, CorpusError) or "column" in said
    assert not list(tmp_path.glob("out/part*"))
