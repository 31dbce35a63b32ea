"""`spindle.parse_frame` with real pandas, polars and pyarrow."""

import datetime
import subprocess
import sys
from typing import Any

import pytest

import spindle
from spindle.errors import SpindleError, TreebankError, WrongType
from spindle.pipeline import frames

pa = pytest.importorskip("pyarrow", reason="needs the extra arrow")

TEXTS = ["Trees grow. She left.", None, "", "The public is still cautious."]
TREES = [
    ["(ROOT (S (NP (NNS Trees)) (VP (VBP grow)) (. .)))", "(ROOT (S (NP (PRP She)) (VP (VBD left)) (. .)))"],
    [],
    [],
    ["(ROOT (S (NP (DT The) (NN public)) (VP (VBZ is) (ADVP (RB still)) (ADJP (JJ cautious))) (. .)))"],
]
ADDED = ["sentence", "tokens", "tags", "offsets", "tree"]


@pytest.fixture(scope="module")
def parser() -> spindle.Parser:
    return spindle.load("light")


def arrow_table() -> Any:
    columns = {"body": TEXTS, "day": [datetime.date(2026, 1, day) for day in range(1, 5)]}
    kinds = pa.array(["a", "b", "a", None]).dictionary_encode()
    return pa.table({**columns, "n": pa.array([1, 2, None, 4], pa.int16()), "kind": kinds})


class OnlyStream:
    """A frame of a library that has the PyCapsule interface and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


class OnlyInterchange:
    """A frame of an older library, which has the data frame interchange protocol."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self.table.__dataframe__(nan_as_null, allow_copy)


@pytest.mark.parametrize("wrap", [lambda table: table, OnlyStream])
def test_arrow_tables(parser: spindle.Parser, wrap: Any) -> None:
    table = arrow_table()
    found = spindle.parse_frame(wrap(table), "body", parser)
    assert type(found) is pa.Table
    assert found.schema.names == [*table.schema.names, *ADDED]
    assert found.select(table.schema.names) == table
    assert found.column("tree").to_pylist() == TREES
    assert found.schema.field("offsets").type == pa.list_(pa.list_(pa.list_(pa.int64())))
    assert found.column("tokens").to_pylist()[0] == [["Trees", "grow", "."], ["She", "left", "."]]


def test_a_record_batch_and_the_interchange_protocol(parser: spindle.Parser) -> None:
    table = arrow_table().select(["body", "n"])
    batch = table.to_batches()[0]
    assert spindle.parse_frame(batch, "body", parser).column("tree").to_pylist() == TREES
    whole = table.set_column(0, "body", pa.array([text or "" for text in TEXTS]))
    found = spindle.parse_frame(OnlyInterchange(whole), "body", parser)
    assert found.column("tree").to_pylist() == TREES


def test_a_reader_is_parsed_while_it_is_read(parser: spindle.Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "ROWS", 3)
    taken = 0

    def batches() -> Any:
        nonlocal taken
        while True:  # there is no end
            taken += 1
            yield from pa.table({"n": [taken] * 4, "body": TEXTS}).to_batches()

    schema = pa.schema([("n", pa.int64()), ("body", pa.string())])
    endless = pa.RecordBatchReader.from_batches(schema, batches())
    found = spindle.parse_frame(endless, "body", parser, one_row="sentence")
    assert type(found) is pa.RecordBatchReader
    assert taken == 0
    rows = [row for _ in range(40) for row in found.read_next_batch().to_pylist()]
    trees = [tree for trees in TREES for tree in trees or [""]]
    assert [row["tree"] or "" for row in rows] == (trees * len(rows))[: len(rows)]
    assert [row["n"] for row in rows] == [1 + at // len(trees) for at in range(len(rows))]
    assert taken < 3_000


def test_pandas(parser: spindle.Parser) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"body": TEXTS, "kind": pandas.Categorical(["a", "b", "a", "b"]), "n": [1, 2, 3, 4]},
        index=pandas.Index(["w", "x", "y", "z"], name="key"),
    )
    found = spindle.parse_frame(frame, "body", parser)
    assert type(found) is pandas.DataFrame
    pandas.testing.assert_frame_equal(found[frame.columns], frame)
    assert list(found.columns) == [*frame.columns, *ADDED]
    assert list(found["tree"]) == TREES
    assert type(found["tokens"].iloc[0][1]) is list
    rows = spindle.parse_frame(frame, "body", parser, one_row="sentence")
    assert list(rows.index) == ["w", "w", "x", "y", "z"]
    assert rows.index.name == "key"
    assert list(rows["number"].fillna(0)) == [1, 2, 0, 0, 1]
    # the rows of `explode`, whose index is that of the frame, too
    exploded = found.explode(["tree", "tags"])
    assert list(exploded.index) == list(rows.index)
    assert list(exploded["tree"].fillna("")) == list(rows["tree"].fillna(""))
    plain = spindle.parse_frame(frame.reset_index(drop=True), "body", parser, one_row="sentence")
    assert list(plain.index) == [0, 0, 1, 2, 3]
    selected = spindle.parse_frame(frame[frame["n"] % 2 == 0], "body", parser)
    assert list(selected.index) == ["x", "z"]


def test_polars(parser: spindle.Parser) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "body": TEXTS,
            "kind": polars.Series(["a", "b", "a", None], dtype=polars.Categorical),
            "n": [1, 2, 3, 4],
        }
    )
    found = spindle.parse_frame(frame, "body", parser)
    assert type(found) is polars.DataFrame
    assert found.select(frame.columns).equals(frame)
    assert found["tree"].to_list() == TREES
    rows = spindle.parse_frame(frame, "body", parser, one_row="sentence", columns=["tree"])
    assert rows.columns == [*frame.columns, "number", "tree"]
    exploded = found.select("n", "tree").explode("tree").drop_nulls()
    assert rows.select("n", "tree").drop_nulls().equals(exploded)
    assert rows["n"].to_list() == [1, 1, 2, 3, 4]
    with pytest.raises(WrongType, match="collect a lazy frame"):
        spindle.parse_frame(frame.lazy(), "body", parser)


def test_words_of_a_frame(parser: spindle.Parser) -> None:
    words = [["Trees", "grow", "."], [], None]
    table = pa.table({"words": words})
    found = spindle.parse_frame(table, "words", parser, words=True, k=2)
    assert found.schema.names == ["words", "tags", "tree", "trees", "scores"]
    assert found.column("tree").to_pylist() == [[TREES[0][0]], [], []]
    assert [len(trees) for (trees,) in found.column("trees").to_pylist()[:1]] == [2]


def test_tags_of_a_frame(parser: spindle.Parser) -> None:
    table = pa.table({"words": [["can", "rusts"], []], "gold": [["NN", "VBZ"], []]})
    found = spindle.parse_frame(table, "words", parser, words=True, tags="gold")
    assert found.schema.names == ["words", "gold", "tree"]
    ((tree,), none) = found.column("tree").to_pylist()
    assert ("(NN can)" in tree, "(VBZ rusts)" in tree, none) == (True, True, [])
    with pytest.raises(SpindleError, match="the frame has no column 'silver'"):
        spindle.parse_frame(table, "words", parser, words=True, tags="silver")
    with pytest.raises(SpindleError, match="name the column of words, too"):
        spindle.parse_frame(table, "words", parser, tags="gold")


def test_confidences(parser: spindle.Parser) -> None:
    found = spindle.parse_frame(arrow_table(), "body", parser, confidences=True, columns=["constituents"])
    (first, _), *_ = found.column("constituents").to_pylist()
    assert [one["label"] for one in first] == ["ROOT", "S", "NP", "VP"]
    assert all(0 < one["confidence"] <= 1 for one in first)
    assert TEXTS[0][first[3]["start"] : first[3]["end"]] == "grow"  # type: ignore[index]


def test_the_model_by_its_name() -> None:
    found = spindle.parse_frame(
        pa.table({"body": TEXTS[:1]}), "body", "light", columns=["tree"], prefix="fast_"
    )
    assert found.column("fast_tree").to_pylist() == TREES[:1]


def test_many_rows_in_batches(parser: spindle.Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "ROWS", 7)
    table = pa.concat_tables([arrow_table()] * 10)
    one = spindle.parse_frame(table, "body", parser, threads=1)
    assert one.column("tree").to_pylist() == TREES * 10
    assert one.select(table.schema.names).to_pylist() == table.to_pylist()
    assert spindle.parse_frame(table, "body", parser, threads=3).to_pylist() == one.to_pylist()
    rows = spindle.parse_frame(table, "body", parser, one_row="sentence", columns=["tree"])
    assert rows.num_rows == 50
    assert spindle.parse_frame(table.slice(0, 0), "body", parser).schema == one.schema


def test_errors(parser: spindle.Parser) -> None:
    with pytest.raises(SpindleError, match="no column 'text'; its columns are 'body', 'day', 'n', 'kind'"):
        spindle.parse_frame(arrow_table(), "text", parser)
    with pytest.raises(TreebankError, match=r"<Table> \(row 1\): the column 'n' has a number"):
        spindle.parse_frame(arrow_table(), "n", parser)
    with pytest.raises(SpindleError, match="a column 'tree' already; give a `prefix`"):
        spindle.parse_frame(pa.table({"body": [""], "tree": [""]}), "body", parser)
    with pytest.raises(WrongType, match="a data frame is expected, not list"):
        spindle.parse_frame([{"body": ""}], "body", parser)
    with pytest.raises(SpindleError, match="no column 'trunk' to add"):
        spindle.parse_frame(arrow_table(), "body", parser, columns=["trunk"])
    with pytest.raises(SpindleError, match="'word' is no kind of rows"):
        spindle.parse_frame(arrow_table(), "body", parser, one_row="word")  # type: ignore[arg-type]


def test_neither_library_is_needed() -> None:
    """Both are hidden: pyarrow itself imports pandas where it is installed."""
    code = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "polars"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
import pyarrow, spindle
table = spindle.parse_frame(pyarrow.table({"t": ["Trees grow."]}), "t", "light")
print(table.column("tree").to_pylist())
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == f"[{TREES[0][:1]}]\n"


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SpindleError, match=r"pip install 'spindle-parser\[arrow\]'"):
        spindle.parse_frame(object(), "body")
