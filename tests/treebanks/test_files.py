"""Reading and writing by name: what the API, the command line and training share."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from spindle.errors import TreebankError, UnknownFormat, WrongType
from spindle.treebanks import ReadingReport, Source, parse_tree, read_dependencies, read_trees
from spindle.treebanks.files import CUT_SHORT, SKIPPED, write_dependencies, write_trees
from spindle.trees import Token, Tree
from support.notation import tree

Item = TypeVar("Item")
THREE = "(S (NN 0=a))\n(S (NN 0=b) (NN 2=c))\n(S (NN 0=größer))\n"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    (tmp_path / "three.dbr").write_text(THREE, "utf-8")
    return tmp_path / "three.dbr"


def test_the_first_error_stops(three: Path) -> None:
    trees = read_trees(three)
    assert next(trees).tokens[0].form == "a"
    with pytest.raises(TreebankError, match=r"three\.dbr:2: position 1 is missing"):
        next(trees)


def test_errors_can_be_skipped_and_are_reported(three: Path) -> None:
    remarks: list[tuple[str, str]] = []
    report = ReadingReport(lambda kind, remark: remarks.append((kind, str(remark))))
    trees = list(read_trees(three, on_error="skip", report=report))
    assert [tree.tokens[0].form for tree in trees] == ["a", "größer"]
    assert report.counts == {SKIPPED: 1}
    assert remarks == [(SKIPPED, f"{three}:2: position 1 is missing")]


def test_a_file_that_ends_early_is_reported(tmp_path: Path) -> None:
    (tmp_path / "cut.xml").write_text("<corpus><body><s id='a'><gra", "utf-8")
    report = ReadingReport()
    assert list(read_trees(tmp_path / "cut.xml", on_error="skip", report=report)) == []
    assert report.counts == {CUT_SHORT: 1}


def test_progress_sees_every_tree_and_the_sources(three: Path) -> None:
    positions: list[int] = []

    def progress(items: Iterable[Item], sources: list[Source]) -> Iterator[Item]:
        for item in items:
            yield item
            positions.append(sources[0].position)

    trees = read_trees(three, on_error="skip", progress=progress)
    assert len(list(trees)) == len(positions) == 2
    assert positions[-1] == three.stat().st_size
    rows = [row for tree in "ab" for row in (f"1\t{tree}\t_\t_\t_\t_\t0\troot\t_\t_", "")]
    conllu = three.with_suffix(".conllu")
    conllu.write_text("\n".join([*rows, ""]), "utf-8")
    positions.clear()
    assert len(list(read_dependencies(conllu, progress=progress))) == len(positions) == 2


def test_the_text_encoding_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "old.ptb"
    path.write_bytes("(S (NN größer))\n".encode("latin-1"))
    (tree,) = read_trees(path, text_encoding="latin-1")
    assert tree.tokens[0].form == "größer"
    with pytest.raises(TreebankError) as caught:
        list(read_trees(path))
    assert str(caught.value) == f"{path}:1: byte 0xf6 is not utf-8; set the text encoding, e.g. to latin-1"


def test_what_an_output_encoding_lacks(tmp_path: Path) -> None:
    """The hint is one that the caller can follow: no verb has an option for the output's text encoding."""
    tree, path = parse_tree("(S (NN größer))"), tmp_path / "x.ptb"
    with pytest.raises(TreebankError) as caught:
        write_trees([tree], path, text_encoding="ascii")
    assert str(caught.value) == f"{path}: 'ö' cannot be written as ascii; write the file as utf-8"
    half = Tree((Token("\ud83d", "NN"),), ("S",), (-1,), (0,))
    with pytest.raises(TreebankError) as caught:
        write_trees([half], path)
    cause = r"'\ud83d' cannot be written as utf-8"
    assert str(caught.value) == f"{path}: {cause}; remove it: it is half of a surrogate pair"


def test_unknown_formats_name_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("nothing\n", "utf-8")
    with pytest.raises(UnknownFormat) as caught:
        list(read_trees(path))
    assert str(caught.value).startswith(
        f"{path}: cannot tell the format of this file; set the input format (bracket, psd, "
    )
    path.write_text(" \n", "utf-8")
    with pytest.raises(UnknownFormat, match=r"x\.txt: the file is empty; name a file with sentences"):
        list(read_trees(path))
    path = tmp_path / "y.txt"
    tree = parse_tree("(S (NN a))")
    with pytest.raises(UnknownFormat) as caught:
        write_trees([tree], path)
    names = (
        "bracket, psd, discbracket, export, export3, tigerxml, conllu-tree, stanza, corenlp-json, "
        "corenlp-xml, brat"
    )
    assert str(caught.value) == f"{path}: cannot tell which format to write; set the output format ({names})"
    with pytest.raises(UnknownFormat) as caught:
        write_trees([tree], path, "alpino")
    assert str(caught.value) == f"{path}: alpino can only be read; set the output format ({names})"
    with pytest.raises(UnknownFormat, match="there is no format 'xyz'; choose one of bracket, psd"):
        write_dependencies([], path, "xyz")
    assert not path.exists()


# ── paths and streams ────────────────────────────────────────────────────────────────────────────────


def test_text_streams_are_written_and_stay_open(tmp_path: Path) -> None:
    plain = tree("(S (A a) (B b))")
    stream = io.StringIO()
    assert write_trees([plain, plain], stream, "bracket") == 2
    assert stream.getvalue() == "(S (A a) (B b))\n" * 2
    with open(tmp_path / "x.ptb", "w", encoding="utf-8") as named:
        write_trees([plain], named)  # the ending of its name says the format
        named.write("(C c)\n")
    assert [str(one) for one in read_trees(tmp_path / "x.ptb")] == [str(plain), "(C c)"]
    with pytest.raises(UnknownFormat, match=r"<stream>: cannot tell .*; set the output format"):
        write_trees([plain], io.StringIO())
    with (
        open(tmp_path / "x.ptb", "w", encoding="ascii") as narrow,
        pytest.raises(TreebankError, match="as ascii"),
    ):
        write_trees([tree("(S (A ä))")], narrow)


def test_what_is_no_tree_is_not_written(tmp_path: Path) -> None:
    plain = tree("(S (A a) (B b))")
    out = tmp_path / "x.ptb"
    with pytest.raises(WrongType, match="one Tree was given, but several are expected; give a list of them"):
        write_trees(plain, out)  # type: ignore[arg-type]
    for given in ("(S (A a))", 5, None):
        with pytest.raises(WrongType, match="a list of Tree objects is expected, not"):
            write_trees(given, out)  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="sentence 2 to write is NoneType, not Tree"):
        write_trees([plain, None], out)  # type: ignore[list-item]
    with pytest.raises(WrongType, match="sentence 1 to write is Tree, not Dependencies"):
        write_dependencies([plain], tmp_path / "x.conllu")  # type: ignore[list-item]
    assert not list(tmp_path.iterdir())


def test_other_targets_are_refused(tmp_path: Path) -> None:
    plain = tree("(S (A a) (B b))")
    for target in (None, 3, b"x.ptb", [plain]):
        with pytest.raises(WrongType, match=r"cannot write to .*; give a path or an open text stream"):
            write_trees([plain], target, "bracket")  # type: ignore[arg-type]
    with (
        open(tmp_path / "x.ptb", "wb") as binary,
        pytest.raises(WrongType, match="binary stream; open the file"),
    ):
        write_trees([plain], binary, "bracket")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="binary stream"):
        write_trees([plain], io.BytesIO(), "bracket")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="encoding of its own"):
        write_trees([plain], io.StringIO(), "bracket", "latin-1")
    with pytest.raises(WrongType, match="cannot read from NoneType; give a path"):
        read_trees(None)  # type: ignore[arg-type]
