"""Alpino XML: nested nodes in any order, repetitions by index, and words without a position."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.errors import TreebankError
from spindle.treebanks.alpino import read_alpino
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Token, Tree
from support.graph_trees import read, read_only, shape


def word(form: str, begin: int, relation: str = "hd", more: str = "") -> str:
    return (
        f'<node begin="{begin}" pt="n" postag="N(x)" lemma="{form}_" rel="{relation}" word="{form}" {more}/>'
    )


def phrase(label: str, *children: str, relation: str = "--", more: str = "") -> str:
    return f'<node cat="{label}" rel="{relation}" begin="0" {more}>{"".join(children)}</node>'


def structure(*nodes: str, more: str = 'id="1"') -> str:
    return f"<alpino_ds version='1.3' {more}>{''.join(nodes)}</alpino_ds>\n"


def top(*children: str) -> str:
    return structure(phrase("top", *children, relation="top"))


def test_words_stand_by_begin_and_punctuation_hangs_at_the_root() -> None:
    tree = read_only(
        read_alpino,
        top(
            word(".", 3, "--"),
            phrase("smain", word("heeft", 1), phrase("np", word("niets", 2), word("Jan", 0, "mod"))),
        ),
    )
    assert shape(tree) == "VROOT(smain(np(0 2) 1) 3)"
    assert tree.tokens[0] == Token("Jan", "n", "Jan_", "N(x)", "mod")
    assert tree.tokens[3].function == ""
    assert tree.functions == ("", "", "")


def test_top_is_no_phrase() -> None:
    assert shape(read_only(read_alpino, top(phrase("np", word("a", 0))))) == "np(0)"
    assert shape(read_only(read_alpino, top(word("a", 0)))) == "0"
    assert shape(read_only(read_alpino, top(word("a", 0), word("b", 1)))) == "VROOT(0 1)"
    inner = phrase("np", phrase("top", word("a", 0)), relation="su")
    assert shape(read_only(read_alpino, structure(inner))) == "np(top(0))"


def test_repetitions_by_index_are_left_out_with_what_they_leave_empty() -> None:
    tree = read_only(
        read_alpino,
        top(
            phrase(
                "smain",
                word("Jan", 0, "su", 'index="1"'),
                word("wil", 1),
                phrase("inf", '<node rel="su" index="1" begin="0"/>', word("slapen", 2)),
                phrase("pp", phrase("np", '<node rel="obj1" index="1" begin="0"/>')),
                phrase("np", word("nu", 3), more='index="2"'),
            )
        ),
    )
    assert shape(tree) == "smain(0 1 inf(2) np(3))"


def test_multiword_units_and_blanks_are_ordinary() -> None:
    tree = read_only(read_alpino, top(phrase("mwu", word("New York", 0, "mwp"), word("City", 2, "mwp"))))
    assert (shape(tree), tree.tokens[0].form, tree.tokens[1].function) == ("mwu(0 1)", "New York", "mwp")


def test_older_files_have_only_pos() -> None:
    assert read_only(read_alpino, top('<node begin="0" pos="noun" word="a"/>')).tokens == (
        Token("a", "noun"),
    )


def test_the_sentence_and_its_comments_become_comments() -> None:
    text = structure(
        phrase("top", word("a", 0)),
        "<sentence sentid='s.7'>\n a &amp;\n b </sentence>",
        "<comments><comment>Q#1|odd</comment><comment>x</comment></comments>",
        more="",
    )
    tree = read_only(read_alpino, text)
    assert (tree.id, tree.comments) == ("s.7", ("text = a & b", "Q#1|odd", "x"))


def test_the_id_is_that_of_the_sentence_the_structure_or_the_file(tmp_path: Path) -> None:
    anonymous = structure(word("a", 0), more="")
    for name, text, id in (
        ("cdb_1.xml", anonymous, "cdb_1"),
        ("wiki.7.xml", anonymous, "wiki.7"),
        ("cdb_1.xml", structure(word("a", 0)), "1"),
        ("cdb_1.xml", structure(word("a", 0), "<sentence sentid='9'>a</sentence>"), "9"),
        ("all.xml", f"<treebank>{anonymous}</treebank>", ""),
    ):
        (tmp_path / name).write_text(text)
        (tree,) = read_alpino(Source(str(tmp_path / name)), ReadingReport())
        assert isinstance(tree, Tree)
        assert tree.id == id


def test_a_treebank_holds_many() -> None:
    trees, errors, counts = read(read_alpino, f"<treebank>{top(word('a', 0)) * 3}</treebank>")
    assert (len(trees), errors, counts) == (3, [], {})
    assert read(read_alpino, "<treebank/>") == ([], [], {})
    assert read(read_alpino, structure())[1][0].cause == "the sentence has no words"


@pytest.mark.parametrize(
    ("nodes", "cause"),
    [
        ((word("a", 0), word("b", 0)), "the word 'b' begins at 0, as another word does"),
        (('<node word="a"/>',), "the word 'a' has no position in the sentence: begin=''"),
        (('<node word="a" begin="-1"/>',), "the word 'a' has no position"),
        (('<node word="a" begin="' + "9" * 5000 + '"/>',), "the word 'a' has no position"),
        (('<node begin="0" id="7"/>',), "node 7 has no word and nothing beneath it"),
        (('<node begin="0" id="7" word="" index="1"/>',), "node 7 has no word and nothing beneath it"),
        (('<node cat="np" id="7"/>',), "node 7 has no word and nothing beneath it"),
        ((phrase("np", word("b", 1), more='word="a"'),), "the word 'a' has nodes beneath it"),
        (('<node word="a&#10;b" begin="0"/>',), "a string contains a tab or a line break"),
        (('<node index="1"/>',), "the sentence has no words"),
        ((), "a node has no word and nothing beneath it"),
    ],
)
def test_a_malformed_sentence_is_reported_and_the_next_is_read(nodes: tuple[str, ...], cause: str) -> None:
    trees, errors, _ = read(read_alpino, f"<treebank>\n{top(*nodes)}{top(word('c', 0))}</treebank>")
    assert len(trees) == 1
    assert [error.place for error in errors] == ["test:2 (sentence 1)"]
    assert cause in errors[0].cause


def test_broken_xml_ends_the_reading() -> None:
    trees, errors, _ = read(read_alpino, f"<treebank>\n{top(word('a', 0))}<alpino_ds id='2'><node>")
    assert len(trees) == 1
    assert [str(error) for error in errors] == ["test:3 (sentence 2): broken XML: no element found"]
    _, errors, _ = read(read_alpino, top(word("a", 0)) * 2)
    assert errors[0].hint
    assert "<corpus> contains no <alpino_ds>" in read(read_alpino, "<corpus/>")[1][0].cause
    (error,) = read_alpino(Source("no/such/file.xml"), ReadingReport())
    assert isinstance(error, TreebankError)


def test_depth_is_no_problem() -> None:
    depth = 100_000
    text = structure('<node cat="np" rel="hd">' * depth + word("a", 0) + "</node>" * depth)
    tree = read_only(read_alpino, text)
    assert len(tree.labels) == depth
    assert read(read_alpino, text[: len(text) // 2])[1][0].sentence == "1"
