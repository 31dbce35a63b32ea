"""NEGRA export: its content, the irregularities of real files, and lossless round trips."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given

from spindle.errors import TreebankError
from spindle.treebanks.export import read_export, write_export, write_export3
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import SecondaryEdge, Token, Tree
from support.graph_trees import graph_trees, read, read_only, shape
from support.strategies import deep_tree

GERMAN = """\
#FORMAT 4
#BOS 57
Es\tes\tPPER\t3.Sg\tSB\t500
kam\tkommen\tVVFIN\t--\tHD\t501
nichts\tnichts\tPIAT\t--\tNK\t500
Neues\tNeues\tNN\t--\tNK\t500
.\t--\t$.\t--\t--\t0
#500\t--\tNP\t--\tSB\t501
#501\t--\tS\t--\t--\t0
#EOS 57
"""

S = ("a -- X -- -- 500", "#500 -- S -- -- 0")


def rows(*lines: str, id: str = "1") -> str:
    """A sentence in version 4 from rows whose columns are separated by blanks."""
    return "\n".join(
        ("#FORMAT 4", f"#BOS {id}", *("\t".join(line.split()) for line in lines), f"#EOS {id}", "")
    )


def causes(text: str) -> list[str]:
    return [str(error) for error in read(read_export, text)[1]]


def test_reads_a_discontinuous_tree() -> None:
    tree = read_only(read_export, GERMAN)
    assert shape(tree) == "VROOT(S(NP(0 2 3) 1) 4)"
    assert tree.tokens[0] == Token("Es", "PPER", "es", "3.Sg", "SB")
    assert tree.tokens[4] == Token(".", "$.")
    assert tree.functions == ("", "", "SB")
    assert tree.id == "57"
    assert "".join(write_export([tree])) == GERMAN


def test_one_root_needs_no_other() -> None:
    assert (
        shape(read_only(read_export, rows("a -- X -- -- 500", "b -- Y -- -- 500", "#500 -- S -- -- 0")))
        == "S(0 1)"
    )
    assert shape(read_only(read_export, rows("a -- X -- HD 0"))) == "0"
    assert shape(read_only(read_export, rows("a -- X -- HD 0", "b -- X -- -- 0"))) == "VROOT(0 1)"


@pytest.mark.parametrize(
    ("label", "leaf_parents", "explicit"),
    [("VROOT", (0, 0), False), ("VROOT", (0,), True), ("TOP", (0, 0), True)],
)
def test_only_a_branching_vroot_is_implied(label: str, leaf_parents: tuple[int, ...], explicit: bool) -> None:
    tree = Tree.build([Token("a", "X")] * len(leaf_parents), [label], [-1], leaf_parents, id="1")
    text = "".join(write_export([tree]))
    assert ("#500" in text) == explicit
    assert read_only(read_export, text) == tree


def test_an_explicit_vroot_equals_the_implied_one() -> None:
    explicit = rows("a -- X -- -- 500", "b -- Y -- -- 500", "#500 -- VROOT -- -- 0")
    assert read_only(read_export, explicit) == read_only(
        read_export, rows("a -- X -- -- 0", "b -- Y -- -- 0")
    )


def test_nodes_may_come_in_any_order() -> None:
    tree = read_only(
        read_export,
        rows("#777 -- S -- -- 0", "a -- X -- -- 502", "#502 -- NP -- SB 777", "b -- Y -- HD 777"),
    )
    assert shape(tree) == "S(NP(0) 1)"
    assert tree.functions == ("", "SB")


def test_version_3_has_no_lemma_and_many_tabs() -> None:
    text = (
        "#FORMAT 3\n#BOS 1\nMan\t\t\tPIS\t\t--\tSB\t\t500\ngeht\t\t\tVVFIN\t3.Sg\tHD\t\t500\n"
        "#500\t\t\tS\t\t--\t\t--\t\t0\n#EOS 1\n"
    )
    tree = read_only(read_export, text)
    assert tree.tokens == (Token("Man", "PIS", "", "", "SB"), Token("geht", "VVFIN", "", "3.Sg", "HD"))
    assert "".join(write_export3([tree])) == text.replace("\t\t\t", "\t").replace("\t\t", "\t")


def test_writing_version_3_drops_lemmas_only() -> None:
    tree = read_only(read_export, GERMAN)
    bare = tuple(token._replace(lemma="") for token in tree.tokens)
    assert read_only(read_export, "".join(write_export3([tree]))) == tree.replace(tokens=bare)


@pytest.mark.parametrize("announced", ["", "#FORMAT 3\n"])
def test_columns_tell_the_version_where_the_announcement_is_wrong(announced: str) -> None:
    text = announced + GERMAN.removeprefix("#FORMAT 4\n") * 2
    trees, errors, counts = read(read_export, text)
    assert trees == [read_only(read_export, GERMAN)] * 2
    assert (errors, counts) == ([], {"version inferred from columns": 1})


def test_version_3_is_the_default() -> None:
    assert read_only(read_export, "#BOS 1\na\tX\t--\t--\t0\n#EOS 1\n").tokens == (Token("a", "X"),)


def test_a_later_format_line_counts_from_there() -> None:
    trees, errors, counts = read(read_export, GERMAN + "#FORMAT 3\n#BOS 2\na\tX\t--\t--\t0\n#EOS 2\n")
    assert (len(trees), errors, counts) == (2, [], {})
    assert read(read_export, GERMAN.replace("FORMAT 4", "FORMAT 5"))[2] == {
        "unknown version": 1,
        "version inferred from columns": 1,
    }


def test_rows_without_tabs_are_parted_by_blanks() -> None:
    text = "#BOS 1\nEs PPER --  SB   500 %% odd  one\nkam VVFIN -- HD 500\n#500 S -- -- 0\n#EOS 1\n"
    tree = read_only(read_export, text)
    assert shape(tree) == "S(0 1)"
    assert tree.comments == ("export_comment 1 = odd one",)


def test_a_word_may_hold_blanks() -> None:
    tree = Tree.build([Token("New  York ", "NE", "New York")], ["NP"], [-1], [0], id="1")
    assert read_only(read_export, "".join(write_export([tree]))) == tree


@pytest.mark.parametrize(
    "form", ["#", "#5", "#499", "#x", "#500", "#BOS", "#EOS", "#FORMAT", "%%", "%%x", "--", "#5000"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_word_may_look_like_anything(form: str, place: int) -> None:
    words = [Token("a", "X"), Token("b", "X")]
    words.insert(place, Token(form, "X"))
    for labels, parents, leaf_parents in ((["S"], [-1], [0, 0, 0]), (["VROOT", "NP"], [-1, 0], [0, 1, 0])):
        tree = Tree.build(words, labels, parents, leaf_parents, id="1")
        for write in (write_export, write_export3):
            assert read_only(read_export, "".join(write([tree]))) == tree


def test_a_word_like_a_node_is_told_by_what_follows() -> None:
    hashtag = ("see -- X -- -- 501", "#500 -- X -- -- 501", "there -- X -- -- 501", "#501 -- S -- -- 0")
    assert [token.form for token in read_only(read_export, rows(*hashtag)).tokens] == ["see", "#500", "there"]
    twice = ("#500 -- X -- -- 500", "there -- X -- -- 500", "#500 -- S -- -- 0")
    assert shape(read_only(read_export, rows(*twice))) == "S(0 1)"


def test_a_false_count_of_words_is_an_error() -> None:
    for count in ("0", "4", "8", "x", "9" * 5000):
        assert "export_words" in causes(f"%% export_words = {count}\n" + GERMAN)[0]


def test_secondary_edges() -> None:
    tree = read_only(
        read_export,
        rows(
            "a -- X -- SB 500 SB 501 MO 0",
            "b -- X -- HD 500",
            "c -- X -- -- 501",
            "#500 -- S -- -- 0",
            "#501 -- T -- -- 0 -- 500",
        ),
    )
    assert shape(tree) == "VROOT(S(0 1) T(2))"
    assert set(tree.secondary) == {
        SecondaryEdge("SB", 0, 2),
        SecondaryEdge("MO", 0, 0),
        SecondaryEdge("", 5, 1),
    }
    assert read_only(read_export, "".join(write_export([tree]))) == tree


def test_a_secondary_edge_to_the_only_root_is_dropped() -> None:
    trees, errors, counts = read(read_export, rows("a -- X -- SB 500 SB 0", "#500 -- S -- -- 0"))
    assert (trees[0].secondary, errors, counts) == ((), [], {"secondary edge to 0 dropped": 1})


COMMENTED = """\
%% made by hand
#FORMAT 4
#BOT ORIGIN
0\t?\tnone\t\tat all
1\tC:\\paper.txt
#EOT ORIGIN
#BOT EMPTY
#EOT EMPTY
%%first of two
#BOS s-1 2 1098266456 1 %% is it %% right?
%% inside
a\t--\tX\t--\t--\t501\t%% on a
b\t--\tX\t--\t--\t500\t%%
c\t--\tX\t--\t--\t500 %% on c
#501\tl\tS\tm\t--\t0
#500\t--\tNP\t--\t--\t501\tMO\t501\t%% on NP
#EOS s-1 %% at the end
%% between

#BOS 2\t7
a\t--\tX\t--\t--\t0
#EOS 2
%% after all
#BOT LATE
#EOT LATE
"""


def test_what_has_no_column_becomes_comments() -> None:
    trees, errors, counts = read(read_export, COMMENTED)
    assert (errors, counts) == ([], {})
    assert trees[0].comments == (
        "export_table = ORIGIN",
        "export_row = 0\\t?\\tnone\\t\\tat all",
        "export_row = 1\\tC:\\\\paper.txt",
        "export_table = EMPTY",
        "made by hand",
        "first of two",
        "inside",
        "at the end",
        "export_bos = 2 1098266456 1",
        "export_bos_comment = is it %% right?",
        "export_comment 1 = on a",
        "export_comment 2 = ",
        "export_comment 3 = on c",
        "export_comment #500 = on NP",
        "export_lemma #501 = l",
        "export_morph #501 = m",
    )
    assert trees[1].comments == ("export_table = LATE", "between", "after all", "export_bos = 7")


def test_comments_go_back_to_where_they_were() -> None:
    trees, _, _ = read(read_export, COMMENTED)
    text = "".join(write_export(trees))
    assert text == (
        "#FORMAT 4\n#BOT ORIGIN\n0\t?\tnone\t\tat all\n1\tC:\\paper.txt\n#EOT ORIGIN\n"
        "#BOT EMPTY\n#EOT EMPTY\n"
        "%% made by hand\n%% first of two\n%% inside\n%% at the end\n"
        "#BOS s-1 2 1098266456 1 %% is it %% right?\n"
        "a\t--\tX\t--\t--\t501\t%% on a\nb\t--\tX\t--\t--\t500\t%% \nc\t--\tX\t--\t--\t500\t%% on c\n"
        "#500\t--\tNP\t--\t--\t501\tMO\t501\t%% on NP\n#501\tl\tS\tm\t--\t0\n#EOS s-1\n"
        "#BOT LATE\n#EOT LATE\n%% between\n%% after all\n#BOS 2 7\na\t--\tX\t--\t--\t0\n#EOS 2\n"
    )
    assert read(read_export, text) == (trees, [], {})
    without_lemma_column = read(read_export, "".join(write_export3(trees)))[0]
    assert sorted(without_lemma_column[0].comments) == sorted(trees[0].comments)


def test_comments_that_fit_nowhere_are_not_lost() -> None:
    comments = (
        "export_row = no table",
        "export_table = ",
        "export_bos = %%",
        "export_comment 9 = no such word",
        "export_morph 1 = words have a column",
        "export_lemma #501 = no such node",
    )
    tree = read_only(read_export, GERMAN).replace(comments=comments)
    (back,) = read(read_export, "".join(write_export([tree])))[0]
    assert sorted(back.comments) == sorted(comments)


def test_tables_outlive_a_sentence_that_cannot_be_read() -> None:
    trees, errors, _ = read(
        read_export, "#BOT T\n#EOT T\n" + rows("a -- X -- -- 777") + rows("a -- X -- -- 0")
    )
    assert (len(errors), trees[0].comments) == (1, ("export_table = T",))


@pytest.mark.parametrize(
    ("lines", "line", "cause"),
    [
        (("a -- X -- -- 501", "#500 -- S -- -- 0"), 3, "a has the parent 501, which is not a node"),
        (("a -- X -- -- 3",), 3, "a has the parent 3, which is not a node"),
        (("a -- X -- -- 0", "b -- X -- SB 0 MO 777"), 4, "b has the parent 777, which is not a node"),
        ((S[0], "#500 -- S -- -- 501", "#501 -- T -- -- 500"), 4, "node 500 is its own ancestor"),
        ((*S, "#501 -- T -- -- 501"), 5, "node 501 is its own ancestor"),
        ((*S, "#501 -- T -- -- 500"), 5, "node 501 has no words beneath it"),
        ((*S, "#500 -- S -- -- 0"), 5, "node 500 is given twice"),
        (("a -- X -- -- 0", "b -- X -- 0"), 4, "the row has 5 columns, version 4 has 6"),
        (("a -- X -- -- 0", "b"), 4, "the row has 1 columns, version 4 has 6"),
        (("a -- X -- -- 0", "b -- X -- -- 0 SB"), 4, "the row has 7 columns, version 4 has 6"),
        ((), 2, "the sentence has no words"),
        (("#500 -- S -- -- 0",), 2, "the sentence has no words"),
    ],
)  # fmt: skip
def test_a_malformed_sentence_is_reported_and_the_next_is_read(
    lines: tuple[str, ...], line: int, cause: str
) -> None:
    trees, errors, _ = read(read_export, rows(*lines) + GERMAN)
    assert [(error.place, error.cause) for error in errors] == [(f"test:{line} (sentence 1)", cause)]
    assert trees == [read_only(read_export, GERMAN)]


def test_an_unused_node_is_dropped() -> None:
    trees, errors, counts = read(
        read_export, rows("a -- X -- -- 500", "#501 -- T -- -- 0", "#500 -- S -- -- 0")
    )
    assert ([shape(tree) for tree in trees], errors, counts) == (["S(0)"], [], {"unused node dropped": 1})


def test_a_missing_end_or_beginning() -> None:
    sentence = GERMAN.removeprefix("#FORMAT 4\n")
    unended = sentence.replace("#EOS 57\n", "")
    unbegun = sentence.replace("#BOS 57\n", "")
    trees, errors, _ = read(read_export, "#FORMAT 4\n" + unended + sentence + unbegun + sentence + unended)
    assert len(trees) == 2
    assert [(error.cause, error.line) for error in errors] == [
        ("the sentence has no #EOS", 2),
        ("'Es\\tes\\tPPER\\t3.Sg\\tSB\\t500' outside a sentence", 19),
        ("the sentence has no #EOS", 36),
    ]
    assert causes("#EOS 1\n" + GERMAN) == [
        "test:1: #EOS without #BOS; a sentence begins with #BOS and ends with #EOS"
    ]
    trees, errors, _ = read(read_export, "#FORMAT 4\n#BOT T\nrow\n" + sentence)
    assert (len(trees), [str(error) for error in errors]) == (1, ["test:2: table T has no #EOT"])


def test_an_end_with_another_id_is_remarked() -> None:
    trees, errors, counts = read(read_export, GERMAN.replace("#EOS 57", "#EOS 58"))
    assert (trees[0].id, errors, counts) == ("57", [], {"ends with another id": 1})


def test_an_empty_file_has_no_trees() -> None:
    assert read(read_export, "") == ([], [], {})
    assert read(read_export, "".join(write_export([]))) == ([], [], {})


def test_latin_1_is_read_and_remarked(tmp_path: Path) -> None:
    file = tmp_path / "old.export"
    file.write_bytes(GERMAN.replace("kam", "käme").encode("latin-1"))
    report = ReadingReport()
    (tree,) = read_export(Source(str(file)), report)
    assert isinstance(tree, Tree)
    assert tree.tokens[1].form == "käme"
    assert report.counts == {"read as Latin-1": 1}
    list(read_export(Source(str(file), "latin-1"), report))
    assert report.counts == {"read as Latin-1": 1}


def test_what_cannot_be_decoded_costs_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "mixed.export"
    broken = b"#BOS 2\n\xff\n#EOS 2\n%% \xfe\n"
    file.write_bytes(GERMAN.encode() * 2 + broken + GERMAN.encode())
    *trees, error, comment, last = read_export(Source(str(file), "utf-8"), ReadingReport())
    assert len({*trees, last}) == 1
    assert len(trees) == 2
    assert isinstance(error, TreebankError)
    assert isinstance(comment, TreebankError)
    assert str(error).startswith(f"{file}:22 (sentence 2): byte 0xff is not utf-8; set the text encoding")
    assert str(comment).startswith(f"{file}:24: byte 0xfe is not utf-8")
    (error,) = read_export(Source(str(file), "no-such-encoding"), ReadingReport())
    assert isinstance(error, TreebankError)
    (error,) = read_export(Source(str(tmp_path / "none.export")), ReadingReport())
    assert isinstance(error, TreebankError)


def test_compressed_files_and_dos_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "dos.export.gz"
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf" + GERMAN.replace("\n", "\r\n").encode()))
    assert list(read_export(Source(str(file)), ReadingReport())) == [read_only(read_export, GERMAN)]


def test_ids_survive_whatever_they_are() -> None:
    tree = read_only(read_export, GERMAN)
    for id in ("maz-5144_s1617", "two words", "%%", "a%%b", " ", "\u00a0"):
        named = tree.replace(id=id)
        assert read_only(read_export, "".join(write_export([named]))) == named
    numbered = read(read_export, "".join(write_export([tree.replace(id=""), tree.replace(id="")])))[0]
    assert [tree.id for tree in numbered] == ["1", "2"]


def test_a_secondary_edge_that_would_be_a_comment_is_refused() -> None:
    tree = Tree.build([Token("a", "X")], ["S"], [-1], [0], secondary=[SecondaryEdge("%%", 0, 0)])
    with pytest.raises(TreebankError, match="as a comment"):
        list(write_export([tree]))


def test_depth_and_size_are_no_problem() -> None:
    tree = deep_tree(20_000).replace(id="1")
    assert read_only(read_export, "".join(write_export([tree]))) == tree
    many = rows(*(f"#{number} -- X -- -- 0" for number in range(500, 20_000)), "a -- X -- -- 0")
    assert len(read(read_export, many)[0][0]) == 19_501


@given(graph_trees())
def test_reading_undoes_writing(tree: Tree) -> None:
    assert read_only(read_export, "".join(write_export([tree]))) == tree


@given(graph_trees())
def test_reading_undoes_writing_version_3(tree: Tree) -> None:
    bare = tree.replace(tokens=tuple(token._replace(lemma="") for token in tree.tokens))
    assert read_only(read_export, "".join(write_export3([tree]))) == bare
