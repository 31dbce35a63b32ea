"""TIGER-XML: graphs of every kind, hostile documents, and lossless round trips."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given

from spindle.errors import TreebankError
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.treebanks.tigerxml import read_tigerxml, write_tigerxml
from spindle.trees import SecondaryEdge, Token, Tree
from support.graph_trees import graph_trees, read, read_only, shape
from support.strategies import deep_tree


def sentence(terminals: str, nonterminals: str = "", attributes: str = 'id="s1"') -> str:
    """Return an `<s>` with these terminals and nonterminals."""
    return (
        f"<s {attributes}><graph root='s1_500'><terminals>{terminals}</terminals>"
        f"<nonterminals>{nonterminals}</nonterminals></graph></s>"
    )


def corpus(*sentences: str) -> str:
    return f"<corpus>\n<head><annotation/></head>\n<body>\n{''.join(sentences)}\n</body>\n</corpus>"


def words(*forms: str) -> str:
    return "".join(f"<t id='{form}' word='{form}' pos='X'/>" for form in forms)


def phrase(id: str, *children: str, label: str = "NP") -> str:
    edges = "".join(f"<edge label='--' idref='{child}'/>" for child in children)
    return f"<nt id='{id}' cat='{label}'>{edges}</nt>"


GERMAN = corpus(
    sentence(
        """<t id="s1_1" word="Es" lemma="es" pos="PPER" morph="3.Sg"/>
           <t id="s1_2" word="kam" lemma="kommen" pos="VVFIN" morph="--"/>
           <t id="s1_3" word="nichts" lemma="--" pos="PIAT" morph="--"/>
           <t id="s1_4" word="." lemma="--" pos="$." morph="--"/>""",
        """<nt id="s1_501" cat="S"><edge label="SB" idref="s1_500"/><edge label="HD" idref="s1_2"/></nt>
           <nt id="s1_500" cat="NP"><edge label="NK" idref="s1_3"/><edge label="NK" idref="s1_1"/></nt>""",
    )
)


def test_reads_a_discontinuous_tree_whose_punctuation_hangs_nowhere() -> None:
    tree = read_only(read_tigerxml, GERMAN)
    assert shape(tree) == "VROOT(S(NP(0 2) 1) 3)"
    assert tree.tokens[0] == Token("Es", "PPER", "es", "3.Sg", "NK")
    assert tree.tokens[3] == Token(".", "$.")
    assert tree.functions == ("", "", "SB")
    assert tree.id == "s1"


def test_an_explicit_vroot_equals_the_implied_one() -> None:
    implied = read_only(read_tigerxml, GERMAN)
    edges = ("s1_501", "s1_4")
    for children in (
        edges,
        edges[:1],
        edges[1:],
    ):  # roots next to an explicit root become its children
        vroot = phrase("s1_VROOT", *children, label="VROOT")
        assert read_only(read_tigerxml, GERMAN.replace("<nonterminals>", f"<nonterminals>{vroot}")) == implied


def test_one_root_needs_no_other() -> None:
    assert shape(read_only(read_tigerxml, corpus(sentence(words("a"))))) == "0"
    assert shape(read_only(read_tigerxml, corpus(sentence(words("a"), phrase("p", "a"))))) == "NP(0)"
    single = sentence(words("a"), phrase("p", "a", label="VROOT"))
    assert shape(read_only(read_tigerxml, corpus(single))) == "VROOT(0)"
    assert shape(read_only(read_tigerxml, corpus(sentence(words("a", "b"))))) == "VROOT(0 1)"


def test_ids_may_be_any_strings() -> None:
    text = sentence(
        "<t id='&quot; ' word='a'/><t id='0' word='b'/>", phrase("-", "0", "&quot; "), "id='ß &amp;'"
    )
    tree = read_only(read_tigerxml, corpus(text))
    assert (shape(tree), tree.id) == ("NP(0 1)", "ß &")


def test_other_attributes_make_up_the_morphology_or_repeat_it() -> None:
    tree = read_only(
        read_tigerxml,
        corpus(
            sentence(
                """<t id="1" word="a" case="Nom" number="Sg" person="--"/>
                   <t id="2" word="b" morph="--" case="Acc" comment="odd"/>
                   <t id="3" word="c" morph="Nom.Sg" case="Nom" number="Sg" degree="--"/>
                   <t id="4" word="d" morph="Nom.Sg" number="Pl" />"""
            )
        ),
    )
    assert [token.morph for token in tree.tokens] == ["case=Nom|number=Sg", "case=Acc", "Nom.Sg", "Nom.Sg"]
    assert tree.comments == ("tiger_t 2 comment = odd", "tiger_t 4 number = Pl")
    assert read_only(read_tigerxml, "".join(write_tigerxml([tree]))) == tree


def test_secondary_edges_stand_in_the_child() -> None:
    text = sentence(
        "<t id='a' word='a'><secedge label='SB' idref='q'/></t>" + words("b"),
        phrase("p", "a") + phrase("q", "b").replace("</nt>", "<secedge label='--' idref='p'/></nt>"),
    )
    tree = read_only(read_tigerxml, corpus(text))
    assert shape(tree) == "VROOT(NP(0) NP(1))"
    assert set(tree.secondary) == {SecondaryEdge("SB", 0, 2), SecondaryEdge("", 4, 1)}
    assert read_only(read_tigerxml, "".join(write_tigerxml([tree]))) == tree


def test_matches_and_variables_say_nothing() -> None:
    text = GERMAN.replace(
        "</graph>",
        "</graph><matches><match subgraph='s1_500'><variable name='#t' idref='x'/></match></matches>",
    )
    assert read_only(read_tigerxml, text) == read_only(read_tigerxml, GERMAN)


def test_the_corpus_and_the_attributes_of_a_sentence_become_comments() -> None:
    text = corpus(
        sentence(
            "<!-- a  note\n of two lines --><!--R&amp;D-->" + words("a"),
            attributes='xmlns:x="y" id="s1" art_id="7"',
        ),
        sentence(words("a")),
    ).replace("<corpus>", "<!-- skipped --><corpus id='PCC'>")
    trees, errors, counts = read(read_tigerxml, text)
    assert (errors, counts) == ([], {})
    assert trees[0].comments == ("tiger_corpus = PCC", "tiger_s art_id = 7", "a  note of two lines", "R&D")
    assert trees[1].comments == ()
    assert read(read_tigerxml, "".join(write_tigerxml(trees))) == (trees, [], {})


def test_what_is_dropped_is_remarked() -> None:
    text = sentence(
        words("a", "b"),
        phrase("p", "a") + phrase("q", "a", "b") + phrase("unused")
        + "<nt id='also' cat='X'><secedge label='Y' idref='p'/></nt>",
    )  # fmt: skip
    trees, errors, counts = read(read_tigerxml, corpus(text))
    assert [shape(tree) for tree in trees] == ["VROOT(NP(0) NP(1))"]
    assert (errors, counts) == ([], {"second parent dropped": 1, "unused node dropped": 2})
    text = sentence(
        words("a", "b"),
        "<nt id='p' cat='X' wild='1'><edge idref='a'/><edge idref='b'/><secedge idref='a'/></nt>",
    )
    trees, errors, counts = read(read_tigerxml, corpus(text))
    assert (len(trees), errors) == (1, [])
    assert counts == {"attribute of a phrase dropped": 1, "secondary edge to a word dropped": 1}


@pytest.mark.parametrize(
    ("terminals", "nonterminals", "cause"),
    [
        (words("a"), phrase("p", "b"), "an edge of 'p' leads to 'b', which does not exist"),
        (
            "<t id='a' word='a'><secedge idref='x'/></t>",
            "",
            "an edge of 'a' leads to 'x', which does not exist",
        ),
        (words("a", "a"), "", "the id 'a' is used twice"),
        (words("a"), phrase("a", "a"), "the id 'a' is used twice"),
        (words("a"), phrase("p", "q") + phrase("q", "p"), "'p' is its own ancestor"),
        (words("a"), phrase("p", "q", "a") + phrase("q", "p"), "'p' is its own ancestor"),
        (words("a"), phrase("p", "p"), "'p' is its own ancestor"),
        (words("a"), phrase("p", "q", "a") + phrase("q"), "'q' has no words beneath it"),
        ("<t id='a' pos='X'/>", "", "word 1 has no attribute `word`"),
        ("<t id='a' word=''/>", "", "word 1 has no attribute `word`"),
        ("<t word='a'/>", "", "<t> has no id"),
        (words("a"), phrase("", "a"), "<nt> has no id"),
        ("<t id='a' word='a'><edge idref='b'/></t>" + words("b"), "", "the word 'a' cannot have children"),
        (
            words("a"),
            phrase("p", "a") + "<edge idref='p'/>",
            "an edge is outside any <nt> or <t> with an id",
        ),
        ("<t id='a' word='a&#9;b'/>", "", "a string contains a tab or a line break"),
        ("", phrase("p"), "the sentence has no words"),
    ],
)
def test_a_malformed_sentence_is_reported_and_the_next_is_read(
    terminals: str, nonterminals: str, cause: str
) -> None:
    trees, errors, _ = read(
        read_tigerxml, corpus(sentence(terminals, nonterminals), "\n", sentence(words("c")))
    )
    assert len(trees) == 1
    assert [error.place for error in errors] == ["test:4 (sentence s1)"]
    assert cause in errors[0].cause


def test_a_sentence_within_a_sentence_is_an_error() -> None:
    trees, errors, _ = read(read_tigerxml, corpus(f"<s id='outer'>{sentence(words('a'))}</s>"))
    assert ([tree.id for tree in trees], [error.sentence for error in errors]) == (["s1"], ["outer"])


@pytest.mark.parametrize(
    "ending", ["", "</s>", "<s id='s2'><graph", "<s id='s2'>&#0;</s>", "</corpus><corpus/>", "\x01"]
)
def test_broken_xml_ends_the_reading(ending: str) -> None:
    trees, errors, _ = read(read_tigerxml, f"<corpus>\n{sentence(words('a'))}\n{ending}")
    assert len(trees) == 1
    assert len(errors) == 1
    assert errors[0].cause.startswith("broken XML")
    assert errors[0].line == 3


def test_a_file_that_is_something_else() -> None:
    assert "broken XML" in read(read_tigerxml, "#FORMAT 4")[1][0].cause
    assert "broken XML" in read(read_tigerxml, "")[1][0].cause
    assert "<html> contains no sentence" in read(read_tigerxml, "<html><t/></html>")[1][0].cause
    assert read(read_tigerxml, "<corpus/>") == ([], [], {})
    (error,) = read_tigerxml(Source("no/such/file.xml"), ReadingReport())
    assert isinstance(error, TreebankError)


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8", "utf-16", "windows-1252"])
def test_the_declared_encoding_counts(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "declared.xml"
    file.write_bytes(
        f"<?xml version='1.0' encoding='{encoding}'?>{corpus(sentence(words('weiß')))}".encode(encoding)
    )
    (tree,) = read_tigerxml(Source(str(file)), ReadingReport())
    assert isinstance(tree, Tree)
    assert tree.tokens[0].form == "weiß"


def test_a_given_encoding_wins_and_an_unknown_one_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "wrong.xml"
    file.write_bytes(
        f"<?xml version='1.0' encoding='utf-8'?>{corpus(sentence(words('weiß')))}".encode("latin-1")
    )
    (tree,) = read_tigerxml(Source(str(file), "latin-1"), ReadingReport())
    assert isinstance(tree, Tree)
    for source in (Source(str(file)), Source(str(file), "no-such-encoding")):
        (error,) = read_tigerxml(source, ReadingReport())
        assert isinstance(error, TreebankError)
    file.write_bytes(b"<?xml version='1.0' encoding='no-such-encoding'?><corpus/>")
    (error,) = read_tigerxml(Source(str(file)), ReadingReport())
    assert isinstance(error, TreebankError)


BOMB = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {name} '{f'&{previous};' * 10}'>"
    for previous, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "declaration",
    [
        BOMB + "]>",
        "<!DOCTYPE x [<!ENTITY i SYSTEM 'file:///etc/hostname'>]>",
        "<!DOCTYPE x [<!ENTITY % i 'b'>]>",
    ],
)
def test_declared_entities_are_refused(declaration: str) -> None:
    trees, errors, _ = read(read_tigerxml, declaration + corpus(sentence(words("&i;"))))
    assert (trees, len(errors)) == ([], 1)
    assert "declares the entity" in errors[0].cause


def test_an_external_dtd_is_not_fetched_and_its_entities_are_not_lost_silently() -> None:
    doctype = "<!DOCTYPE corpus SYSTEM 'http://localhost:1/tiger.dtd'>"
    assert len(read(read_tigerxml, doctype + corpus(sentence(words("a &amp; b"))))[0]) == 1
    trees, errors, _ = read(read_tigerxml, doctype + corpus(sentence(words("Stra&szlig;e"))))
    assert (trees, len(errors)) == ([], 1)
    assert "&szlig;" in errors[0].cause
    assert len(read(read_tigerxml, corpus(sentence(words("Stra&szlig;e"))))[1]) == 1


def test_a_long_sentence_has_enough_names() -> None:
    size = 1200
    words = [Token("a")] * size
    tree = Tree.build(words, ["S", *["NP"] * size], [-1, *[0] * size], range(1, size + 1), id="s1")
    assert read_only(read_tigerxml, "".join(write_tigerxml([tree]))) == tree


def test_depth_is_no_problem() -> None:
    trees, errors, _ = read(read_tigerxml, "<corpus>" + "<x>" * 100_000 + "</x>" * 100_000 + "</corpus>")
    assert (trees, errors) == ([], [])
    assert len(read(read_tigerxml, "<corpus>" + "<s id='1'>" * 1000)[1]) == 1000
    tree = deep_tree(20_000).replace(id="s1")
    assert read_only(read_tigerxml, "".join(write_tigerxml([tree]))) == tree


def test_memory_stays_flat(tmp_path: Path) -> None:
    file = tmp_path / "long.xml"
    text = sentence(words("a", "b"), phrase("p", "a", "b"))

    def peak(count: int) -> int:
        file.write_text(corpus(*([text] * count)))
        tracemalloc.start()
        assert sum(1 for _ in read_tigerxml(Source(str(file)), ReadingReport())) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(3000) < 1.5 * peak(600)


def test_writes_a_document_that_others_can_read() -> None:
    tree = read_only(read_tigerxml, GERMAN)
    document = ElementTree.fromstring("".join(write_tigerxml([tree, tree.replace(id="2")])))
    assert [feature.get("name") for feature in document.iter("feature")] == [
        "word",
        "lemma",
        "pos",
        "morph",
        "cat",
    ]
    assert [element.get("id") for element in document.iter("s")] == ["s1", "s2"]
    ids = {element.get("id") for tag in ("t", "nt") for element in document.iter(tag)}
    assert {edge.get("idref") for edge in document.iter("edge")} | {"s1_VROOT", "s2_VROOT"} == ids
    assert [graph.get("root") for graph in document.iter("graph")] == ["s1_VROOT", "s2_VROOT"]


def test_ids_survive_whatever_they_are() -> None:
    tree = read_only(read_tigerxml, GERMAN)
    for id in ("maz-5144_s1617", "57", "two words", "--", "-->", "ß", "5 ", " "):
        named = tree.replace(id=id)
        assert read_only(read_tigerxml, "".join(write_tigerxml([named]))) == named
    numbered = read(read_tigerxml, "".join(write_tigerxml([tree.replace(id=""), tree.replace(id="")])))[0]
    assert [tree.id for tree in numbered] == ["s1", "s2"]


@pytest.mark.parametrize("bad", ["\x00", "\x07", "\x1b", "\ufffe", "\ud800"])
def test_characters_that_xml_cannot_hold_are_refused(bad: str) -> None:
    tree = read_only(read_tigerxml, GERMAN)
    for broken in (
        Tree.build([Token(f"a{bad}")], [], [], [-1], id="s1"),
        tree.replace(comments=(bad,)),
        tree.replace(id=bad),
    ):
        with pytest.raises(TreebankError, match=f"U\\+{ord(bad):04X}"):
            list(write_tigerxml([broken]))


def test_writing_streams() -> None:
    def endless() -> Iterator[Tree]:
        while True:
            yield tree

    tree = read_only(read_tigerxml, GERMAN)
    pieces = write_tigerxml(endless())
    assert "<head>" in next(pieces)
    assert "<s id=" in next(pieces)


@given(graph_trees())
def test_reading_undoes_writing(tree: Tree) -> None:
    assert read_only(read_tigerxml, "".join(write_tigerxml([tree]))) == tree
