"""The parts of a file are read as the whole file is, wherever it is cut."""

import csv
import gzip
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import SpindleError
from spindle.pipeline.inputs import InputKind, InputReader
from spindle.pipeline.sentence import Sentence
from spindle.scale.borders import row_borders
from spindle.scale.files import CorpusFile, find_files
from spindle.scale.partitions import Cutting, Partition, check_size
from spindle.scale.worker import open_slice
from spindle.text import Lines
from spindle.treebanks import ReadingReport

PIECE = 16
"""The size of the pieces in which a file is read, in these tests."""
LINES = [
    *(
        "It was 9.",
        "We went. No. 3 was",
        " \t",
        "",
        "",
        'He said "',
        "é\u2028ß – ü",
        "\ufeffx",
        "\x85",
        "a" * 40,
    ),
    *("\x1c", "Käse\u3000", "x\rand y"),
]
ENDS = ["\n", "\r\n", "\r"]


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    names = ("treebanks.source", "scale.borders", "scale.partitions", "scale.files")
    patches = [mock.patch(f"spindle.{name}.SAMPLE_BYTES", PIECE) for name in names]
    patches.append(mock.patch("spindle.text.splitter.MAX_REGION", 2 * PIECE))
    for patch in patches:
        patch.start()
    yield
    for patch in patches:
        patch.stop()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("borders") / "file"


def read(path: Path, kind: InputKind, lines: Lines, encoding: str | None = None) -> list[Sentence]:
    return list(reader(kind, lines, encoding).read_file(str(path), kind))


def reader(kind: InputKind, lines: Lines, encoding: str | None) -> InputReader:
    format = "conllu" if kind is InputKind.CONLLU else None
    return InputReader(
        lines=lines, format=format, text_encoding=encoding, on_error="skip", report=ReadingReport(quiet)
    )


def quiet(kind: str, remark: object) -> None:
    """Take a remark and do nothing."""


def read_parts(
    path: Path, kind: InputKind, lines: Lines, size: int, encoding: str | None = None
) -> tuple[list[Sentence], list[Partition]]:
    """Read a file slice by slice, and give every word its place in the whole file."""
    file = CorpusFile(str(path), path.stat().st_size)
    partitions = list(Cutting(size, kind, lines, None, encoding).plan([file]))
    slices = [one for partition in partitions for one in partition.slices]
    assert [one.start for one in slices[1:]] == [one.end for one in slices[:-1]]
    sentences = []
    for one in slices:
        sentences += list(reader(kind, lines, one.text_encoding).read_file(open_slice(one), kind))
    return sentences, partitions


def words(sentences: list[Sentence]) -> list[tuple[str, ...]]:
    return [tuple(token.form for token in sentence.tokens) for sentence in sentences]


@given(
    st.lists(st.sampled_from(LINES), max_size=30),
    st.sampled_from(ENDS),
    st.sampled_from(list(Lines)),
    st.sampled_from([PIECE, 3 * PIECE]),
)
def test_text(path: Path, lines: list[str], end: str, policy: Lines, size: int) -> None:
    path.write_bytes(end.join(lines).encode())
    found, _ = read_parts(path, InputKind.TEXT, policy, size)
    assert words(found) == words(read(path, InputKind.TEXT, policy))


@given(
    st.binary(max_size=200).map(lambda data: re.sub(rb"[^\n\r .A]", lambda one: one[0], data)),
    st.lists(st.sampled_from([b"\n\n", b"A b.\n", b"\xff\xfe", b"\xe2\x82", b"\r\n\r\n"]), max_size=40),
)
def test_text_with_broken_characters(path: Path, noise: bytes, parts: list[bytes]) -> None:
    path.write_bytes(b"x" * PIECE + b"".join(parts) + noise)
    found, _ = read_parts(path, InputKind.TEXT, Lines.AUTO, PIECE, "utf-8")
    assert words(found) == words(read(path, InputKind.TEXT, Lines.AUTO, "utf-8"))


@given(
    st.lists(st.sampled_from(LINES), max_size=30),
    st.sampled_from(ENDS),
    st.sampled_from(["utf-8", "latin-1"]),
)
def test_tokens(path: Path, lines: list[str], end: str, encoding: str) -> None:
    path.write_bytes(end.join(lines).encode(encoding, "ignore"))
    found, _ = read_parts(path, InputKind.TOKENS, Lines.AUTO, PIECE, encoding)
    assert words(found) == words(read(path, InputKind.TOKENS, Lines.AUTO, encoding))


ROW = "{}\tword\t_\tX\tX\t_\t{}\troot\t_\t_"


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["", " ", "\t"])), max_size=12),
    st.sampled_from(ENDS),
)
def test_conllu(path: Path, sentences: list[tuple[int, str]], end: str) -> None:
    rows: list[str] = []
    for size, blank in sentences:
        rows += [f"# text {size}", *(ROW.format(number, number - 1) for number in range(1, size + 1)), blank]
    path.write_bytes(end.join(rows).encode())
    found, _ = read_parts(path, InputKind.CONLLU, Lines.AUTO, PIECE)
    whole = read(path, InputKind.CONLLU, Lines.AUTO)
    assert [(one.tokens, one.comments) for one in found] == [(one.tokens, one.comments) for one in whole]


VALUES = st.lists(
    st.sampled_from(["a", 'say "no"', "two\nlines", "", "a,b", "\r\n", 'x"y', "é" * 9]),
    min_size=2,
    max_size=2,
)


@given(st.lists(VALUES, max_size=20))
def test_rows_with_quoted_line_ends_are_not_cut(path: Path, rows: list[list[str]]) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    path.write_bytes(buffer.getvalue().encode())
    size = path.stat().st_size
    found = list(row_borders(CorpusFile(str(path), size), PIECE, "utf-8", ","))
    borders = [0, *found[1:], size]  # the first is the end of the names of the columns
    data = path.read_bytes()
    parts = [data[start:end].decode() for start, end in pairwise(borders)]
    read = [row for part in parts for row in csv.reader(io.StringIO(part, newline=""))]
    assert read == list(csv.reader(io.StringIO(buffer.getvalue(), newline="")))
    assert all(len(part.encode()) >= PIECE for part in parts[:-1])


def test_a_large_file_has_many_parts_of_about_the_size(path: Path) -> None:
    path.write_text("One line.\n\n" * 1000)
    _, partitions = read_parts(path, InputKind.TEXT, Lines.AUTO, 10 * PIECE)
    assert sum(one.size for one in partitions) == 11_000
    assert all(8 * PIECE <= one.size <= 11 * PIECE for one in partitions[:-1])


def test_small_files_share_a_partition(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"news{number}.txt").write_text("a b c\n")
    files = find_files([tmp_path])
    assert [Path(file.name).name for file in files][-2:] == ["news10.txt", "news11.txt"]  # natural order
    partitions = list(Cutting(13).plan(files))
    assert [len(one.slices) for one in partitions] == [2] * 6
    assert [one.number for one in partitions] == list(range(6))


@pytest.mark.parametrize("encoding", ["utf-16", "shift-jis"])
def test_a_text_whose_bytes_show_no_lines_is_not_cut(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(("ab\n\n" * 50).encode(encoding))
    found, partitions = read_parts(path, InputKind.TEXT, Lines.AUTO, PIECE, encoding)
    assert len(partitions) == 1
    assert words(found) == words(read(path, InputKind.TEXT, Lines.AUTO, encoding))


def test_a_compressed_file_is_one_partition(tmp_path: Path) -> None:
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress(b"It rains.\n\n" * 99))
    found, partitions = read_parts(path, InputKind.TEXT, Lines.AUTO, PIECE)
    assert len(partitions) == 1
    assert len([one for one in found if one.tokens]) == 99


def test_files_by_glob_and_by_name(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.dat"):
        (tmp_path / name).write_text(name)
    found = find_files([f"{tmp_path}/*.txt", tmp_path / "c.dat"])
    assert [Path(file.name).name for file in found] == ["a.txt", "b.txt", "c.dat"]
    for missing in (f"{tmp_path}/*.xml", f"{tmp_path}/none.txt"):
        with pytest.raises(SpindleError, match=r"no file has such a name|No such file"):
            find_files([missing])
    with pytest.raises(SpindleError, match="needs at least one input"):
        find_files([])


def test_files_by_url() -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for number in range(3):
        system.pipe(f"/corpus/news{number}.txt", b"It rains.\n\n" * 20)
    files = find_files(["memory://corpus/*.txt"])
    assert [file.size for file in files] == [220] * 3
    assert files == find_files(["memory://corpus"])
    assert files[0].read(3, 8) == b"rains"
    assert files[0].digest() == files[1].digest()
    system.pipe("/corpus/news1.txt.gz", gzip.compress(b"It rains.\n\n" * 20))
    (packed,) = find_files(["memory://corpus/news1.txt.gz"])
    assert packed.is_compressed
    assert b"".join(packed.source("utf-8").chunks()) == b"It rains.\n\n" * 20
    with pytest.raises(SpindleError, match="no file has such a name"):
        find_files(["memory://corpus/*.csv"])
    with pytest.raises(SpindleError, match="nosuch"):
        find_files(["nosuch://corpus/*.csv"])


@pytest.mark.parametrize("size", ["", "many", "10", "-4MB", "1.5.2MB"])
def test_sizes_that_are_refused(size: str) -> None:
    with pytest.raises(SpindleError, match="partition cannot have the size"):
        check_size(size)


def test_sizes() -> None:
    assert [check_size(one) for one in ("65536", "1.5 GB", "66KiB", 100_000)] == [
        65536,
        1_500_000_000,
        66_000,
        100_000,
    ]
