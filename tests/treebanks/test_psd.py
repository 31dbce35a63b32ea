"""CorpusSearch files."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.errors import TreebankError
from spindle.treebanks.bracket import parse_bracket
from spindle.treebanks.psd import read_psd, write_psd
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Token, Tree


def read(text: str, report: ReadingReport | None = None) -> list[Tree]:
    found = list(read_psd(Source.from_text(text, "t"), report or ReadingReport()))
    assert [one for one in found if isinstance(one, TreebankError)] == []
    return [one for one in found if isinstance(one, Tree)]


def write(*trees: Tree) -> str:
    return "".join(write_psd(trees))


def pairs(tree: Tree) -> list[tuple[str, str]]:
    return [(token.form, token.lemma) for token in tree.tokens]


def test_a_whole_tree() -> None:
    text = "( (IP (NP-SBJ *con*) (VBPI langar-langa) (CP (C 0) (NP *T*-1)) (CODE {sic}) (. .-.)) (ID X,1.2))"
    (tree,) = read(text)
    assert tree.id == "X,1.2"
    assert tree.labels == ("", "IP", "NP-SBJ", "CP", "C", "NP")
    assert tree.tokens == (
        Token("*con*", "-NONE-"),
        Token("langar", "VBPI", "langa"),
        Token("0", "-NONE-"),
        Token("*T*-1", "-NONE-"),
        Token("{sic}", "CODE"),
        Token(".", ".", "."),
    )
    assert [token.form for token in tree.tokens if not token.is_empty] == ["langar", "."]
    assert write(tree) == text + "\n\n"


@pytest.mark.parametrize(
    ("leaf", "form", "lemma", "again"),
    [
        ("fjár-fé", "fjár", "fé", "fjár-fé"),
        (".-.", ".", ".", ".-."),
        ("---", "-", "-", "<dash/>-<dash/>"),
        ("a--", "a", "-", "a-<dash/>"),
        ("EES-samning-samningur", "EES-samning", "samningur", "EES<dash/>samning-samningur"),
        ("EES<dash/>samning-ees<dash/>samningur", "EES-samning", "ees-samningur", ""),
        ("$nn-hinn", "$nn", "hinn", ""),
        ("-LRB---LRB-", "(", "(", ""),
        ("0-0", "0", "0", ""),
        (r"1\/2-1\/2", "1/2", "1/2", "1/2-1/2"),
        ("*-*", "*", "*", ""),
        ("og", "og", "", ""),
        ("<dash/>", "-", "", ""),
        ("--", "--", "", "<dash/><dash/>"),
    ],
)
def test_forms_and_lemmas(leaf: str, form: str, lemma: str, again: str) -> None:
    text = f"( (X (A {leaf}) (B a-a) (C b-b)))\n\n"
    (tree,) = read(text)
    assert pairs(tree)[0] == (form, lemma)
    assert write(tree) == text.replace(leaf, again or leaf, 1)


def test_a_corpus_without_lemmas() -> None:
    text = "( (IP (ADV to-day) (PRO it) (VBD rained) (. .)))\n\n"
    (tree,) = read(text)
    assert pairs(tree) == [("to-day", ""), ("it", ""), ("rained", ""), (".", "")]
    assert write(tree) == text


def test_few_lemmas_survive_too() -> None:
    tree = Tree((Token("a", "A", "x-y"), Token("b", "B"), Token("c-d", "C")), ("S",), (-1,), (0, 0, 0))
    assert write(tree) == "(S (A a-x<dash/>y) (B b-) (C c<dash/>d-))\n\n"
    assert read(write(tree)) == [tree]
    alone = Tree((Token("to-day", "ADV"),), (), (), (-1,))
    assert read(write(alone)) == [alone]


def test_words_that_look_empty() -> None:
    tree = Tree(
        (Token("0", "N"), Token("*", "SYM"), Token("*x*", "X"), Token("0", "NUM")), ("S",), (-1,), (0,) * 4
    )
    assert write(tree) == "(S (N \\0) (SYM \\*) (X \\*x*) (NUM 0))\n\n"
    assert read(write(tree)) == [tree]


def test_empty_words_next_to_others() -> None:
    (tree,) = read("( (NP (N a-a) *ICH*-1 (*con*)))")
    assert tree.labels == ("", "NP")
    assert [token.tag for token in tree.tokens] == ["N", "-NONE-", "-NONE-"]
    assert read(write(tree)) == [tree]


def test_code_is_taken_as_it_stands() -> None:
    (tree,) = read("( (S (CODE {COM:two words-here}) (CODE-ZZZ-A *ZZZ*) (CODE 0) (N a-a)))")
    assert [token.form for token in tree.tokens] == ["{COM:two words-here}", "*ZZZ*", "0", "a"]
    assert [token.is_empty for token in tree.tokens] == [True, True, True, False]
    assert read(write(tree)) == [tree]


def test_several_trees_in_one_bracket() -> None:
    (tree,) = read("( (CODE <P_1>) (IP (N a-a)) (. .-.) (ID X,3))")
    assert tree.labels == ("", "IP")
    assert tree.leaf_parents == (0, 1, 0)
    assert read(write(tree)) == [tree]


def test_remarks_and_metadata() -> None:
    text = """
/*
HEADER:
source file: (x
*/
( (METADATA (AUTHOR Me)
            (DATE 1900))
  (IP (N a-a)) (ID X,1))
/* one */ ( (METADATA (TITLE T)) )
/~* two *~/
( (IP (N b-b)))
/* the end */
"""
    report = ReadingReport()
    first, second = read(text, report)
    assert first.comments == ("HEADER: source file: (x", "(METADATA (AUTHOR Me) (DATE 1900))")
    assert second.comments == ("one", "two", "(METADATA (TITLE T))")
    assert report.counts == {"comment after the last tree left out": 1}
    assert write(first) == (
        "/* HEADER: source file: (x */\n( (METADATA (AUTHOR Me) (DATE 1900)) (IP (N a-a)) (ID X,1))\n\n"
    )
    assert read(write(first, second)) == [first, second]


def test_what_other_formats_bring() -> None:
    tree = Tree((Token("a", "N"),), ("S",), (-1,), (0,), id="s 1", comments=("(METADATA x)", "a */ b"))
    assert write(tree) == "/* (METADATA x) */\n/* a * / b */\n(S (N a) (ID s#SP#1))\n\n"
    (again,) = read(write(tree))
    assert again == tree.replace(comments=("(METADATA x)", "a * / b"))
    bare = Tree((Token("a", "N"),), (), (), (-1,), id="7")
    assert write(bare) == "( (N a) (ID 7))\n\n"


def test_a_constituent_without_words_is_left_out() -> None:
    report = ReadingReport()
    (tree,) = read("( (IP (NP-SBJ ) (VP (NP ())) (N a-a)))", report)
    assert tree.labels == ("", "IP")
    assert report.counts == {"constituent without words left out": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( (IP (N a-a) b))", 't:1: "b" has no tag'),
        ("(())", "t:1: empty tree (an unparsed sentence)"),
        ("( (ID x))", "t:1: empty tree (an unparsed sentence)"),
        ("( (IP (N a)", 't:1: 2 "(" not closed'),
        ("\n/* (N a)\n", "t:2: a comment is never closed; it should end in */"),
        ("hello", 't:1: "hello" stands outside the brackets'),
    ],
)
def test_malformed(text: str, message: str) -> None:
    assert [str(one) for one in read_psd(Source.from_text(text, "t"), ReadingReport())] == [message]


def test_a_discontinuous_tree_is_refused() -> None:
    tokens = [Token(form, "X") for form in "abc"]
    with pytest.raises(TreebankError, match="discontinuous"):
        write(Tree.build(tokens, ["S", "NP"], [-1, 0], [1, 0, 1]))


@pytest.mark.parametrize(
    ("part", "sentences", "words", "left_out"), [("train", 3_636, 65_060, 29), ("dev", 545, 8_833, 1)]
)
def test_icelandic(treebanks: Path, part: str, sentences: int, words: int, left_out: int) -> None:
    report = ReadingReport()
    count = word_count = 0
    for path in sorted((treebanks / "icelandic-modern" / part).glob("*.psd")):
        found = list(read_psd(Source(str(path)), report))
        trees = [one for one in found if isinstance(one, Tree)]
        assert trees == found
        count += len(trees)
        word_count += sum(not token.is_empty for tree in trees for token in tree.tokens)
        if part == "dev" or count % 4 == 0:
            assert read(write(*trees)) == trees
    assert (count, word_count) == (sentences, words)
    assert report.counts == {"constituent without words left out": left_out}


def test_what_would_be_read_as_something_else_is_refused() -> None:
    for text in ("(S (ID 5) (N a))", "(S (METADATA x) (N a))", "(S (METADATA (N a)) (N a))"):
        with pytest.raises(TreebankError, match="psd would read ID or METADATA directly below the root"):
            write(parse_bracket(text))
    alone = parse_bracket("(ID 5)")
    assert read(write(alone)) == [alone]
    with pytest.raises(TreebankError, match="psd would read ID or METADATA directly below the root"):
        write(alone.replace(id="7"))
    text = "(S (NP (ID 5) (METADATA x)) (N a))"
    assert write(parse_bracket(text)) == text + "\n\n"


def test_metadata_needs_a_tree_with_room_for_it() -> None:
    for tree in (Tree.build([Token("x")], [], [], [-1]), Tree.build([Token("x")], [""], [-1], [0])):
        tree = tree.replace(comments=("(METADATA (A 0))",))
        assert read(write(tree))[0].comments == tree.comments
