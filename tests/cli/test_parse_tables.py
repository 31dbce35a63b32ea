"""`spindle parse` on tables: JSON Lines, CSV, TSV and Parquet in and out."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import spindle as api
from cli.conftest import Spindle
from spindle.tables import Row, read_rows, write_rows
from spindle.treebanks import read_trees

ROWS: list[Row] = [
    {"id": "a", "body": "The public is still cautious. Trees grow.", "note": 'she said "no"'},
    {"id": "b", "body": "", "note": "empty"},
    {"id": "c", "body": "She left.\n\nIt rained\non Monday.", "note": "two\nlines"},
]
TABLES = ["jsonl", "csv", "tsv", "parquet"]
FAST = ("--model", "light", "--text-field", "body")


def unpacked(rows: list[Row]) -> list[Row]:
    """Return rows whose lists are lists, also if they come from CSV."""
    listed = ("sentence", "tokens", "tags", "offsets", "tree", "heads", "constituents")
    return [
        {
            name: json.loads(value)
            if isinstance(value, str) and (name in listed and value.startswith("["))
            else value
            for name, value in row.items()
        }
        for row in rows
    ]


@pytest.fixture(scope="module")
def parser() -> api.Parser:
    return api.load("light")


@pytest.fixture(scope="module")
def documents(parser: api.Parser) -> list[api.Document]:
    return [parser(row["body"]) for row in ROWS]


@pytest.mark.parametrize("out", TABLES)
@pytest.mark.parametrize("given", TABLES)
def test_a_row_for_a_document(spindle: Spindle, documents: list[api.Document], given: str, out: str) -> None:
    write_rows(ROWS, f"in.{given}")
    done = spindle("parse", f"in.{given}", "-o", f"out.{out}", *FAST)
    assert (done.code, done.err) == (0, "")
    rows = unpacked(list(read_rows(f"out.{out}")))
    assert [{name: row[name] for name in ROWS[0]} for row in rows] == ROWS
    assert [row["tree"] for row in rows] == [[str(one) for one in document.trees] for document in documents]
    assert rows[0]["sentence"] == ["The public is still cautious.", "Trees grow."]
    assert rows[0]["tokens"][1] == ["Trees", "grow", "."]
    assert rows[0]["tags"][1] == ["NNS", "VBP", "."]
    assert rows[1]["tokens"] == rows[1]["tree"] == []
    text = ROWS[2]["body"]
    places = rows[2]["offsets"]
    assert [[text[a:b] for a, b in one] for one in places] == rows[2]["tokens"]


@pytest.mark.parametrize("out", TABLES)
def test_a_row_for_a_sentence(spindle: Spindle, documents: list[api.Document], out: str) -> None:
    write_rows(ROWS, "in.jsonl")
    columns = ("--columns", "sentence,tree,heads,constituents", "--one-row", "sentence", "--scores")
    assert spindle("parse", "in.jsonl", "-o", f"out.{out}", *FAST, *columns).code == 0
    rows = unpacked(list(read_rows(f"out.{out}")))
    names = [*ROWS[0], "number", "sentence", "tree", "heads", "constituents"]
    assert all(list(row) == names for row in rows)
    assert [(row["id"], row["number"] and int(row["number"])) for row in rows] == [
        ("a", 1),
        ("a", 2),
        ("b", "" if out in ("csv", "tsv") else None),
        ("c", 1),
        ("c", 2),
    ]
    trees = [str(tree) for document in documents for tree in document.trees]
    assert [row["tree"] for row in rows if row["tree"]] == trees
    assert rows[1]["heads"] == [2, 0, 2]
    verb_phrase = rows[4]["constituents"][3]
    assert verb_phrase["label"] == "VP"
    assert ROWS[2]["body"][verb_phrase["start"] : verb_phrase["end"]] == "rained\non Monday"
    assert verb_phrase["tokens"] == [1, 2, 3]
    assert 0 < verb_phrase["confidence"] < 1
    assert (verb_phrase["parent"], verb_phrase["function"]) == (1, "")


@pytest.mark.parametrize(
    ("value", "sentences"),
    [
        (["Trees", "grow", "."], 1),
        ([["Trees", "grow", "."], ["She", "left", "."]], 2),
        ("Trees grow .", 1),
        ("Trees grow .\nShe left .\n", 2),
        ('["Trees", "grow", "."]', 1),
        ([], 0),
        (None, 0),
    ],
)
def test_words_instead_of_text(spindle: Spindle, value: Any, sentences: int) -> None:
    write_rows([{"words": value}], "in.jsonl")
    done = spindle("parse", "in.jsonl", "--model", "light", "--tokens-field", "words")
    row = json.loads(done.out)
    assert list(row) == ["words", "tags", "tree"]
    assert [tree.count("(. .)") for tree in row["tree"]] == [1] * sentences
    assert row["words"] == value


@pytest.mark.parametrize("form", ["list", "lists", "text"])
@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
def test_tags_beside_words_are_kept(spindle: Spindle, form: str, engine: tuple[str, ...]) -> None:
    words, tags = ["can", "rusts"], ["NN", "VBZ"]
    shapes = {"list": (words, tags), "lists": ([words], [tags]), "text": ("can rusts", "NN VBZ")}
    value, its_tags = shapes[form]
    write_rows([{"words": value, "tags": its_tags}], "in.jsonl")
    options = ["--model", "light", "--tokens-field", "words", "--tags-field", "tags"]
    output = "out" if engine else "out.jsonl"
    spindle("parse", "in.jsonl", *options, "-o", output, *engine)
    path = Path(output, "part-00000.jsonl") if engine else Path(output)
    row = json.loads(path.read_text())
    assert list(row) == ["words", "tags", "tree"]
    (tree,) = row["tree"]
    assert "(NN can)" in tree
    assert "(VBZ rusts)" in tree
    free = json.loads(spindle("parse", "in.jsonl", *options, "--tags", "predicted").out)
    assert "(NN can)" not in free["tree"][0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"w": ["a", "b"], "t": ["DT"]}, "'t' has 1 tags in 1 sentences, and the column 'w' 2 words in 1"),
        ({"w": [["a"], ["b"]], "t": ["DT", "NN"]}, "'t' has 2 tags in 1 sentences"),
        ({"w": ["a"], "t": [""]}, "'t' has an empty tag at place 1"),
        ({"w": ["a"], "t": 7}, "'t' has a number instead of tags"),
        ({"w": ["a"]}, "there is no column 't'; set --tags-field to one of 'w'"),
    ],
)
def test_tags_that_do_not_fit_the_words(spindle: Spindle, row: dict[str, Any], said: str) -> None:
    write_rows([row], "in.jsonl")
    done = spindle("parse", "in.jsonl", "--model", "light", "--tokens-field", "w", "--tags-field", "t")
    assert (done.code, said in done.err) == (1, True), done.err


def test_lists_of_words_survive_csv(spindle: Spindle) -> None:
    write_rows([{"words": ["Trees", "grow"]}], "in.csv")
    done = spindle("parse", "in.csv", "--model", "light", "--tokens-field", "words", "--to", "jsonl")
    assert len(json.loads(done.out)["tree"]) == 1


def test_best_trees_and_their_scores(spindle: Spindle) -> None:
    write_rows([{"body": "A letter came from the teacher."}], "in.jsonl")
    row = json.loads(spindle("parse", "in.jsonl", *FAST, "--k-best", "3").out)
    ((best, *others),), ((first, *scores),) = row["trees"], row["scores"]
    assert row["tree"] == [best]
    assert len(others) == len(set(others)) == 2
    assert first >= max(scores)


BROKEN = """\
{"id": 1, "body": "Trees grow."}
{"id": 2, "body":
{"id": 3, "body": 7}
{"id": 4, "text": "?"}
{"id": 5, "body": null}
{"id": 6, "body": "She left.", "tree": "taken"}
{"id": null, "body": "She left."}
{"id": 8, "body": "She left."}
"""


def test_broken_rows_do_not_lose_others(spindle: Spindle) -> None:
    Path("in.jsonl").write_text(BROKEN, encoding="utf-8")
    Path("more.jsonl").write_text('{"id": 9, "body": "It works."}\n', encoding="utf-8")
    files = ("in.jsonl", "more.jsonl")
    done = spindle("parse", *files, *FAST, "--id-field", "id", "--on-error", "skip")
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [1, 5, 8, 9]
    for said in (
        "in.jsonl:2: not JSON",
        "in.jsonl (row 3): the column 'body' has a number instead of text",
        "in.jsonl (row 4): there is no column 'body'; set --text-field to one of 'id', 'text'",
        "in.jsonl (row 6): the table has a column 'tree' already; set --prefix",
        "in.jsonl (row 7): the column 'id' has a null instead of an id",
        "row skipped: 5",
    ):
        assert said in done.err
    stopped = spindle("parse", *files, *FAST)
    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.startswith("spindle: in.jsonl:2: not JSON: ")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (7, "has a number instead of words"),
        (["a", ""], "has an empty word at place 2"),
        (["a", 1], "has a number instead of a word at place 2"),
        ([["a"], "b"], "has a list instead of a word at place 1"),
    ],
)
def test_words_that_are_none(spindle: Spindle, value: Any, said: str) -> None:
    write_rows([{"words": value}], "in.jsonl")
    done = spindle("parse", "in.jsonl", "--model", "light", "--tokens-field", "words")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert f"in.jsonl (row 1): the column 'words' {said}" in done.err


def test_a_file_that_ends_early_loses_only_its_rest(spindle: Spindle) -> None:
    write_rows([{"body": f"It works {number}."} for number in range(2000)], "cut.jsonl.gz")
    whole = Path("cut.jsonl.gz").read_bytes()
    Path("cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    write_rows([{"body": "She left."}], "whole.jsonl")
    done = spindle("parse", "cut.jsonl.gz", "whole.jsonl", *FAST, "--on-error", "skip", "-o", "out.jsonl")
    assert done.code == 1
    assert "not everything could be read" in done.err
    rows = list(read_rows("out.jsonl"))
    assert rows[-1]["body"] == "She left."
    assert rows[0]["body"] == "It works 0."


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (("--text-field", "x"), "--text-field"),
        (("--tokens-field", "x"), "--tokens-field"),
        (("--text-field", "body", "--id-field", "x"), "--id-field"),
    ],
)
def test_a_column_that_is_missing(spindle: Spindle, arguments: tuple[str, ...], flag: str) -> None:
    write_rows([{**ROWS[0], **{f"c{number}": 1 for number in range(50)}}], "in.jsonl")
    done = spindle("parse", "in.jsonl", "--model", "light", *arguments)
    assert done.err.startswith(
        f"spindle: in.jsonl (row 1): there is no column 'x'; set {flag} to one of 'id', 'body', 'note', 'c0'"
    )
    assert done.err.endswith("'c16', …\n")


def test_a_prefix_and_a_table_that_was_parsed_before(spindle: Spindle) -> None:
    write_rows(ROWS, "in.jsonl")
    spindle("parse", "in.jsonl", *FAST, "-o", "once.jsonl")
    again = ("parse", "once.jsonl", *FAST, "-o", "twice.jsonl")
    assert "a column 'sentence' already; set --prefix" in spindle(*again).err
    assert spindle(*again, "--prefix", "new_", "--columns", "tree").code == 0
    assert [row["new_tree"] for row in read_rows("twice.jsonl")] == [
        row["tree"] for row in read_rows("once.jsonl")
    ]


@pytest.mark.parametrize("compression", ["gz", "zst", "xz"])
def test_compressed_tables(spindle: Spindle, compression: str) -> None:
    write_rows(ROWS, f"in.csv.{compression}")
    assert spindle("parse", f"in.csv.{compression}", *FAST, "-o", f"out.jsonl.{compression}").code == 0
    assert [row["id"] for row in read_rows(f"out.jsonl.{compression}")] == ["a", "b", "c"]


def test_a_folder_and_standard_input(spindle: Spindle) -> None:
    Path("tables").mkdir()
    for number, row in enumerate(ROWS):
        write_rows([row], f"tables/part-{number}.csv")
    done = spindle("parse", "tables", "--input", "csv", *FAST)
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["a", "b", "c"]
    line = json.dumps(ROWS[0])
    done = spindle("parse", "-", "--input", "jsonl", *FAST, "--to", "csv", stdin=line)
    assert done.out.splitlines()[0] == "id,body,note,sentence,tokens,tags,offsets,tree"


def test_trees_of_a_table_in_other_formats(spindle: Spindle) -> None:
    write_rows(ROWS, "in.jsonl")
    done = spindle("parse", "in.jsonl", *FAST, "--id-field", "id", "-o", "out.export")
    assert done.code == 0
    assert [tree.id for tree in read_trees("out.export")] == ["a.1", "a.2", "c.1", "c.2"]
    assert spindle("parse", "in.jsonl", *FAST, "--to", "bracket").out.count("(ROOT") == 4


@pytest.mark.parametrize("to", ["csv", "tsv", "parquet"])
def test_text_becomes_a_table_of_sentences(spindle: Spindle, to: str) -> None:
    Path("in.txt").write_text("Trees grow. She left.\n", encoding="utf-8")
    spindle("parse", "in.txt", "--model", "light", "-o", f"out.{to}", "--columns", "sentence,tree")
    rows = list(read_rows(f"out.{to}"))
    assert [list(map(str, row.values())) for row in rows] == [
        ["1", "1", "Trees grow.", "(ROOT (S (NP (NNS Trees)) (VP (VBP grow)) (. .)))"],
        ["2", "2", "She left.", "(ROOT (S (NP (PRP She)) (VP (VBD left)) (. .)))"],
    ]


def test_a_discontinuous_model_writes_discbracket(spindle: Spindle) -> None:
    spindle("demo", "--files", "little")
    train = ("train", "little/train.dbr", "-o", "m", "--parser", "oracle", "--quiet")
    assert spindle(*train).code == 0
    forms = [[token.form for token in tree.tokens] for tree in read_trees("little/train.dbr")]
    write_rows([{"words": words} for words in forms], "in.jsonl")
    done = spindle("parse", "in.jsonl", "--model", "m", "--tokens-field", "words", "--one-row", "sentence")
    assert done.code == 0, done.err
    Path("out.dbr").write_text(
        "".join(json.loads(line)["tree"] + "\n" for line in done.out.splitlines()), encoding="utf-8"
    )
    assert list(read_trees("out.dbr")) == list(read_trees("little/train.dbr"))


@pytest.mark.parametrize("one_row", ["document", "sentence"])
@pytest.mark.parametrize("to", ["jsonl", "csv", "tsv"])
def test_resume_continues_after_the_last_complete_row(spindle: Spindle, to: str, one_row: str) -> None:
    write_rows(ROWS * 3, "in.jsonl")
    arguments = ("parse", "in.jsonl", *FAST, "--one-row", one_row, "--columns", "tree,sentence")
    assert spindle(*arguments, "-o", f"whole.{to}").code == 0
    whole = Path(f"whole.{to}").read_bytes()
    part = Path(f"part.{to}")
    # the record of an interrupted parse, and a file that was cut anywhere
    for length in (0, 1, 25, len(whole) // 3, len(whole) // 2, len(whole) - 1, len(whole)):
        part.write_bytes(b"")
        assert spindle(*arguments, "-o", part, "--resume").code == 0
        part.write_bytes(whole[:length])
        assert spindle(*arguments, "-o", part, "--resume").code == 0
        assert part.read_bytes() == whole
    changed = spindle(*arguments, "--prefix", "x", "-o", part, "--resume")
    assert "was made with --prefix not set, and now it is x" in changed.err


@pytest.mark.parametrize("to", ["jsonl", "parquet"])
def test_ctrl_c_keeps_what_is_finished_and_resume_continues(spindle: Spindle, to: str) -> None:
    rows = [{"n": number, "body": "The public is still cautious. " * 20} for number in range(1_000)]
    write_rows(rows, "in.jsonl")
    out = Path(f"out.{to}")
    arguments = ["parse", "in.jsonl", "-o", str(out), *FAST, "--columns", "tree", "--threads", "1"]
    running = subprocess.Popen([sys.executable, "-m", "spindle", *arguments], stderr=subprocess.PIPE)
    while not list(Path().glob(f".{out.name}.parse")):
        time.sleep(0.01)
    time.sleep(0.7)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"has all that is finished; the same command with --resume continues" in said
    done = sum(1 for _ in read_rows(out))
    assert 0 < done < 1_000
    assert spindle(*arguments, "--resume").code == 0
    found = list(read_rows(out))
    assert [row["n"] for row in found] == list(range(1_000))
    assert all(len(row["tree"]) == 20 for row in found)
    again = spindle(*arguments, "--resume")
    assert (again.code, sum(1 for _ in read_rows(out))) == (0, 1_000)


def test_threads_give_the_same_rows(spindle: Spindle) -> None:
    write_rows(ROWS * 100, "in.jsonl")
    one = spindle("parse", "in.jsonl", *FAST, "--threads", "1").out
    assert spindle("parse", "in.jsonl", *FAST, "--threads", "3").out == one


def test_parquet_keeps_types_and_knows_those_of_added_columns(spindle: Spindle) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra arrow")
    from pyarrow import parquet

    table = pa.table({"n": pa.array([1, None], pa.int16()), "body": ["", None]})
    parquet.write_table(table, "in.parquet")
    columns = "sentence,tokens,tags,offsets,tree,heads,constituents,trees,scores"
    assert spindle("parse", "in.parquet", "-o", "out.parquet", *FAST, "--columns", columns).code == 0
    schema = parquet.read_schema("out.parquet")
    assert schema.field("n").type == pa.int16()
    assert schema.field("tokens").type == pa.list_(pa.list_(pa.string()))
    assert schema.field("tree").type == pa.list_(pa.string())
    assert schema.field("constituents").type.value_type.value_type.field("tokens").type == pa.list_(
        pa.int64()
    )


def test_lines_are_answered_as_they_arrive(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spindle", "parse", "-", "--input", "jsonl", *FAST]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for row in ROWS:
            running.stdin.write(json.dumps(row).encode() + b"\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == row["id"]
        running.stdin.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("in.txt", "--text-field", "body"), "--text-field applies to tables as input"),
        (("in.jsonl", "--to", "bracket", "--prefix", "x"), "--prefix applies to tables as output"),
        (("in.jsonl", "--text-field", "a", "--tokens-field", "b"), "Choose one of"),
        (("in.jsonl", "--tokens-field", "b", "--lines", "wrapped"), "--lines applies to raw text"),
        (("in.jsonl", "--tags-field", "b"), "--tags-field needs --tokens-field"),
        (("in.jsonl", "--tags", "gold"), "which has no tags"),
        (("in.jsonl", "--from", "export", "--input", "jsonl"), "--from export does not apply"),
        (("a sentence", "--input", "csv"), "reads files"),
    ],
)
def test_usage_errors(spindle: Spindle, arguments: tuple[str, ...], said: str) -> None:
    write_rows(ROWS, "in.jsonl")
    Path("in.txt").write_text("Trees grow.\n", encoding="utf-8")
    done = spindle("parse", *arguments, "--model", "light")
    assert done.code == 2
    assert said in done.err


def test_errors_before_anything_is_written(spindle: Spindle) -> None:
    write_rows(ROWS, "in.jsonl")
    done = spindle("parse", "in.jsonl", *FAST, "--columns", "tree,trunk")
    assert done.code == 1
    assert "there is no column 'trunk' to add; choose from sentence, tokens, tags, offsets" in done.err
    Path("bad.parquet").write_bytes(b"text")
    done = spindle("parse", "bad.parquet", *FAST, "-o", "out.jsonl")
    assert done.code == 1
    assert "bad.parquet: cannot be read as Parquet" in done.err
    assert not Path("out.jsonl").exists()


def test_json_lines_of_compressed_pipes(spindle: Spindle) -> None:
    data = gzip.compress(json.dumps(ROWS[0]).encode())
    done = spindle("parse", "-", "--input", "jsonl", *FAST, stdin=data)
    assert len(json.loads(done.out)["tree"]) == 2
