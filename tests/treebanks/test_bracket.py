"""Penn-style brackets, with the irregularities of real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.bracket import (
    parse_bracket,
    parse_brackets_reference,
    read_bracket,
    write_bracket,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Token, Tree
from support.strategies import deep_tree


def read(text: str) -> list[Tree | TreebankError]:
    return list(read_bracket(Source.from_text(text, "t"), ReadingReport()))


def trees(text: str) -> list[Tree]:
    found = read(text)
    assert not [one for one in found if isinstance(one, TreebankError)]
    return [one for one in found if isinstance(one, Tree)]


def show(tree: Tree) -> str:
    (line,) = write_bracket([tree])
    return line.rstrip("\n")


def words(tree: Tree) -> list[str]:
    return [token.form for token in tree.tokens]


def tags(tree: Tree) -> list[str]:
    return [token.tag for token in tree.tokens]


# ── layout ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))",
        "\ufeff(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))\n",
        "(S\r\n  (NP (DT The)\r\n\t(NN cat))\r\n  (VP (VBZ sleeps)))\r\n",
        "\n\n(S(NP(DT The)(NN cat))(VP(VBZ sleeps)))\n\n",
        "( S ( NP ( DT The ) ( NN cat ) ) ( VP ( VBZ sleeps ) ) )",
        "(S (NP (DT\n The) (NN\tcat)) (VP (VBZ sleeps)\n)\n)",
    ],
)
def test_layout_does_not_matter(text: str) -> None:
    (tree,) = trees(text)
    assert show(tree) == "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))"


def test_several_trees_on_a_line_and_over_lines() -> None:
    assert [words(tree) for tree in trees("(NN a) (NN b)(NN\nc)\n(X (NN d))(NN e)\n")] == [
        ["a"],
        ["b"],
        ["c"],
        ["d"],
        ["e"],
    ]


@pytest.mark.parametrize("wrapper", ["", "TOP", "ROOT", "S1", "VROOT"])
def test_wrappers_are_ordinary_nodes(wrapper: str) -> None:
    (tree,) = trees(f"({wrapper} (S (NN a)) (. .))")
    assert tree.labels == (wrapper, "S")
    assert tree.leaf_parents == (1, 0)
    assert show(tree) == f"({wrapper} (S (NN a)) (. .))"


def test_a_word_on_its_own_has_no_nodes() -> None:
    (tree,) = trees("(NN a)")
    assert (tree.labels, tree.leaf_parents) == ((), (-1,))


def test_only_ascii_blanks_separate() -> None:
    form = "a\u00a0b\u2028c\u3000d\x0be\x85"
    (tree,) = trees(f"(NN {form})\n")
    assert words(tree) == [form]


def test_markup_between_trees_is_left_out_and_counted() -> None:
    report = ReadingReport()
    source = Source.from_text("<S ID=1>\n(NN a)\n</S>\n")
    assert [words(tree) for tree in read_bracket(source, report) if isinstance(tree, Tree)] == [["a"]]
    assert report.counts == {"markup between trees left out": 2}


# ── words and labels ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("-LRB-", "("),
        ("-RCB-", "}"),
        ("-LSB-1-RSB-", "[1]"),
        ("friend-LRB-s-RRB-", "friend(s)"),
        (r"1\/2", "1/2"),
        (r"\*\*", "**"),
        (r"\\/", r"\/"),
        ("#LRB#a#SP#b#RRB#", "(a b)"),
        ("#hash", "#hash"),
        ("-LRB", "-LRB"),
    ],
)
def test_escapes_in_words(text: str, form: str) -> None:
    tree = parse_bracket(f"(X {text})")
    assert words(tree) == [form]
    assert parse_bracket(show(tree)) == tree


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("-LRB-", "-LRB-"),
        ("-RSB-", "-RSB-"),
        ("$-LRB-", "$("),
        ("-LRB--HD", "(-HD"),
        ("#LRB#", "("),
        ("a#SP#b", "a b"),
        ("NP-SBJ-1", "NP-SBJ-1"),
        ("NP=2", "NP=2"),
        (r"X\/Y", r"X\/Y"),
        ("NP::A##B/C", "NP::A##B/C"),
    ],
)
def test_escapes_in_labels(text: str, label: str) -> None:
    tree = parse_bracket(f"({text} ({text} a))")
    assert (tree.labels, tags(tree)) == ((label,), [label])
    assert parse_bracket(show(tree)) == tree


@pytest.mark.parametrize("tag", [".", ":", ",", "``", "''", "$,", "#", "$", "-LRB-", "-NONE-", "-"])
def test_tags_of_punctuation(tag: str) -> None:
    assert tags(parse_bracket(f"(S (NN a) ({tag} --))")) == ["NN", tag]


def test_what_is_not_given_is_empty() -> None:
    tree = Tree((Token("a b"), Token("*")), ("",), (-1,), (0, 0))
    assert show(tree) == "( ( a#SP#b) ( *))"
    assert parse_bracket(show(tree)) == tree


def test_morphology_as_in_spmrl() -> None:
    tree = parse_bracket("(NP (D##lem=le|g=f|n=s## la) (N-HD##g=f|lem=clé## clé) (### #) (X##_## x))")
    assert tree.tokens == (
        Token("la", "D", "le", "lem=le|g=f|n=s"),
        Token("clé", "N-HD", "clé", "g=f|lem=clé"),
        Token("#", "###"),
        Token("x", "X##_##"),
    )
    assert show(tree) == "(NP (D##lem=le|g=f|n=s## la) (N-HD##g=f|lem=clé## clé) (### #) (X##_## x))"


def test_morphology_that_is_no_list_of_features_is_not_written() -> None:
    assert show(Tree((Token("a", "N", "a", "Sg.Nom", "SB"),), (), (), (-1,))) == "(N a)"


def test_morphology_with_brackets_and_hashes() -> None:
    tree = Tree((Token("a", "#", "", "k=( #"),), (), (), (-1,))
    assert show(tree) == "(###k=-LRB-#SP#### a)"
    assert parse_bracket(show(tree)) == tree


# ── empty elements and nested leaves ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("(S (NP-SBJ (*)) (VP (VB (pergi))))", "(S (NP-SBJ (-NONE- *)) (VP (VB pergi)))"),
        ("(SBAR (0) (S (VB (ada))))", "(SBAR (-NONE- 0) (S (VB ada)))"),
        ("(SBAR (0))", "(SBAR (-NONE- 0))"),
        ("(VP (VB (kata)) (S (*T*-1)))", "(VP (VB kata) (S (-NONE- *T*-1)))"),
        ("(NP (QP (CD 5)) *U*)", "(NP (QP (CD 5)) (-NONE- *U*))"),
        ("(NP (CD (0)) (NN (derajat)))", "(NP (CD 0) (NN derajat))"),
        ("(NP (SYM (*)) (NN (a)))", "(NP (SYM *) (NN a))"),
        ("(S (NP *T*-1) (CD 0))", "(S (NP *T*-1) (CD 0))"),
    ],
)
def test_empty_elements(text: str, meaning: str) -> None:
    assert show(parse_bracket(text)) == meaning


def test_a_word_may_hold_blanks() -> None:
    assert words(parse_bracket("(NP (NN (pesta olah  raga)) (JJ (besar)))")) == ["pesta olah raga", "besar"]
    assert words(parse_bracket("(NP (NN pesta olahraga) (JJ besar))")) == ["pesta olahraga", "besar"]


def test_a_tree_that_does_not_tell_is_read_like_those_before_it() -> None:
    unclear = "(NP (NN (pesta olahraga)))\n"
    assert [words(tree) for tree in trees("(NP (JJ (besar)))\n" + unclear)] == [["besar"], ["pesta olahraga"]]
    assert [words(tree) for tree in trees("(NP (JJ a) (NN b))\n" + unclear)] == [["a", "b"], ["olahraga"]]
    clear = "(NP (JJ (besar)))\n(NP (JJ a) (NN b))\n"
    assert [words(tree) for tree in trees(clear + "(NP (NN c))")] == [["besar"], ["a", "b"], ["c"]]


# ── what is wrong ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<input>: no tree"),
        ("()", "<input>:1: empty tree (an unparsed sentence)"),
        ("(())", "<input>:1: empty tree (an unparsed sentence)"),
        ("( ( ) )", "<input>:1: empty tree (an unparsed sentence)"),
        ("(S (NP (NN a))", '<input>:1: 1 "(" not closed'),
        ("(S (NN a)))", '<input>:1: ")" closes nothing'),
        (")", '<input>:1: ")" closes nothing'),
        ("(NN)", '<input>:1: "NN" alone in brackets is no leaf'),
        ("(S (NN a)\n(NN) (NN b))", '<input>:1: "NN" alone in brackets is no leaf in line 2'),
        ("(S (NN a)\n ())", "<input>:1: () is empty in line 2"),
        ("(S (NN a) b)", '<input>:1: "b" has no tag'),
        ("(S (NN a)) (S (NN b))", "<input>: more than one tree"),
        ("a (NN b)", '<input>:1: "a" stands outside the brackets'),
        (
            "(S (NN a) (NP (NN (b))))",
            '<input>:1: some leaves are written like (TAG word), others like (TAG (word)), as is "b"',
        ),
        ("(S (NN a) " + "ü" * 50 + ")", '<input>:1: "' + "ü" * 40 + '…" has no tag'),
        ("(NN \ud800)", "<input>: not text: surrogates not allowed"),
    ],
)
def test_one_malformed_tree(text: str, message: str) -> None:
    with pytest.raises(TreebankError) as error:
        parse_bracket(text)
    assert str(error.value) == message


def outcome(text: str) -> list[str]:
    """Return the words of trees and the messages of errors."""
    return [str(one) if isinstance(one, TreebankError) else " ".join(words(one)) for one in read(text)]


def test_too_many_closing_brackets() -> None:
    assert outcome("(S (NN a)))\n(NN b)\n(S\n(NN c)))) (NN d)\n(NN e)\n") == [
        't:1: 1 ")" too many',
        "b",
        't:3: 2 ")" too many by line 4',
        "e",
    ]


def test_text_between_trees() -> None:
    assert outcome("(NN a)\nwhat is this\n(NN b) hm (NN c)\n") == [
        "a",
        't:2: "what" stands outside the brackets',
        "b",
        't:3: "hm" stands outside the brackets',
        "c",
    ]


def test_an_open_tree_in_a_file_of_one_tree_a_line() -> None:
    assert outcome("(NN a)\n(NN b)\n(NN c)\n(S (NN d)\n(NN e)\n(NN f)\n") == [
        "a",
        "b",
        "c",
        't:4: 1 "(" not closed',
        "e",
        "f",
    ]


def test_a_tree_over_lines_after_a_few_on_one_line() -> None:
    assert outcome("(NN a)\n(NN b)\n(S\n(NN c))\n(S\n(NN d))\n") == ["a", "b", "c", "d"]
    assert outcome("(NN a)\n" * 3 + "(S\n  (NN c))\n(S\n  (NN d))\n") == ["a", "a", "a", "c", "d"]


def test_an_open_tree_before_a_blank_line() -> None:
    assert outcome("(S\n (NN a)\n\n(S\n (NN b))\n\n(S\n (NN c))\n") == [
        't:1: 1 "(" not closed by line 3',
        "b",
        "c",
    ]


def test_an_open_tree_at_the_end_gives_back_the_trees_it_swallowed() -> None:
    assert outcome("(S\n (NN a)\n(S\n (NN b))\n(S\n (NN c))\n") == [
        't:1: 1 "(" not closed by line 6',
        "b",
        "c",
    ]
    assert outcome("(S (NN a)") == ['t:1: 1 "(" not closed']


def test_an_open_tree_does_not_grow_for_ever() -> None:
    filler = " (NN a)\n" * 25_000
    found = outcome("(S\n (NN a))\n(S\n" + filler + "(S\n (NN b))\n")
    assert found[:2] == ["a", 't:3: 1 "(" not closed by line 20003']
    assert found[-1] == "b"


def test_many_open_brackets_are_read_in_one_pass() -> None:
    found = outcome("(\n" * 50_000)
    assert len(found) == 50_000
    assert found[-1] == 't:50000: 1 "(" not closed'


def test_unreadable_bytes_end_the_file_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"(NN a)\n" * 10_000 + b"(S (NN b)\n(NN \xff)\n")
    found = list(read_bracket(Source(str(path), text_encoding="utf-8"), ReadingReport()))
    assert isinstance(found[0], Tree)
    assert isinstance(found[-1], TreebankError)
    assert "0xff" in str(found[-1])


def test_a_discontinuous_tree_is_refused() -> None:
    tokens = [Token(form, "X") for form in "abc"]
    tree = Tree.build(tokens, ["S", "NP"], [-1, 0], [1, 0, 1], id="57")
    with pytest.raises(TreebankError, match=r"sentence 57.*discontinuous.*write discbracket"):
        show(tree)
    with pytest.raises(TreebankError, match="sentence 2"):
        list(write_bracket([parse_bracket("(NN a)"), tree.replace(id="")]))


# ── size ─────────────────────────────────────────────────────────────────────────────────────────────


def test_deep_nesting() -> None:
    tree = deep_tree(100_000)
    assert parse_bracket(show(tree)) == tree
    (error,) = read("(X " * 100_000 + ")" * 99_999)
    assert isinstance(error, TreebankError)
    assert parse_brackets_reference(show(deep_tree(5_000)), False)[0] != []


def test_strings_are_shared() -> None:
    first, second = trees("(NP-SBJ (NNX a))\n(NP-SBJ (NNX b))\n")
    assert first.labels[0] is second.labels[0]
    assert first.tokens[0].tag is second.tokens[0].tag


# ── real treebanks ───────────────────────────────────────────────────────────────────────────────────

# Trees and words without traces. English-craft has ten words with a thin space in or after them; a program
# that splits at every Unicode blank counts two words each. Three lines of indonesian contain two trees each,
# and are sentences with two roots.
COUNTS = {
    "english-gum/train.ptb": (10_224, 177_410),
    "english-gum/dev.ptb": (1_575, 28_119),
    "english-craft/train.ptb": (18_951, 493_380),
    "english-craft/dev.ptb": (2_780, 67_652),
    "french-sequoia/train.mrg": (2_231, 48_088),
    "french-sequoia/dev.mrg": (412, 9_488),
    "indonesian/train.bracket": (824, 20_989),
    "indonesian/dev.bracket": (103, 3_075),
}


@pytest.mark.parametrize("name", COUNTS)
def test_real_treebanks(treebanks: Path, name: str) -> None:
    report = ReadingReport()
    found = list(read_bracket(Source(str(treebanks / name)), report))
    assert [one for one in found if isinstance(one, TreebankError)] == []
    assert report.counts.total() == (3 if name == "indonesian/train.bracket" else 0)
    read_trees = [one for one in found if isinstance(one, Tree)]
    count = sum(not token.is_empty for tree in read_trees for token in tree.tokens)
    assert (len(read_trees), count) == COUNTS[name]
    text = "".join(write_bracket(read_trees))
    assert trees(text) == read_trees


@pytest.mark.parametrize("name", ["english-gum/dev.ptb", "french-sequoia/dev.mrg", "indonesian/dev.bracket"])
def test_the_compiled_parser_reads_real_trees_as_the_slow_one_does(treebanks: Path, name: str) -> None:
    text = (treebanks / name).read_text(encoding="utf-8")
    assert _core.parse_brackets(text, False, Token) == parse_brackets_reference(text, False)


def test_a_line_is_a_sentence_where_the_first_lines_are() -> None:
    report = ReadingReport()
    text = "(A a)\n(B b)\n(C c)\n(S (D d) (E e)) (F f)\n(G g)\n"
    items = list(read_bracket(Source.from_text(text), report))
    trees = [item for item in items if isinstance(item, Tree)]
    assert trees == items
    assert [tree.labels for tree in trees] == [(), (), (), ("", "S"), ()]
    assert report.counts == {"several trees on one line taken as one sentence with several roots": 1}
    assert list(read_bracket(Source.from_text("".join(write_bracket(trees))), report)) == trees


def test_several_trees_a_line_are_several_sentences_where_that_is_usual() -> None:
    trees = list(
        read_bracket(Source.from_text("(A a) (B b)\n(C c)\n(D d)\n(E e)\n(F f) (G g)\n"), ReadingReport())
    )
    assert len(trees) == 7
