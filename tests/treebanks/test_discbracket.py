"""Brackets with token positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.errors import TreebankError
from spindle.treebanks.bracket import read_bracket
from spindle.treebanks.discbracket import parse_discbracket, read_discbracket, write_discbracket
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Token, Tree
from support.strategies import deep_tree

GERMAN = "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Neues))) (VVFIN 1=kam)) ($. 4=.))"


def show(tree: Tree) -> str:
    (line,) = write_discbracket([tree])
    return line.rstrip("\n")


def test_a_discontinuous_tree() -> None:
    tree = parse_discbracket(GERMAN)
    assert [token.form for token in tree.tokens] == ["Es", "kam", "nichts", "Neues", "."]
    assert tree.labels == ("VROOT", "S", "NP", "NP")
    assert tree.gap_degree == 1
    assert show(tree) == GERMAN


def test_leaves_come_in_any_order_and_layout() -> None:
    text = "\ufeff(VROOT ($. 4=.)\r\n(S (VVFIN 1=kam)\n\t(NP (NP (NN 3=Neues) (PIAT 2=nichts)) (PPER 0=Es))))"
    (tree,) = read_discbracket(Source.from_text(text), ReadingReport())
    assert tree == parse_discbracket(GERMAN)


@pytest.mark.parametrize(
    ("text", "form", "again"),
    [
        ("0==", "=", "0=="),
        ("0=1=2", "1=2", "0=1=2"),
        ("0=-LRB-", "(", "0=#LRB#"),
        ("0=#LRB#a#RRB#", "(a)", "0=#LRB#a#RRB#"),
        ("0=New#SP#York", "New York", "0=New#SP#York"),
        ("0=New York", "New York", "0=New#SP#York"),
        ("000=a", "a", "0=a"),
    ],
)
def test_words(text: str, form: str, again: str) -> None:
    tree = parse_discbracket(f"($-LRB- {text})")
    assert tree.tokens == (Token(form, "$("),)
    assert show(tree) == f"($-LRB- {again})"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (A 0=a) (B 2=b))", "<input>:1: position 1 is missing"),
        ("(S (A 1=a) (B 2=b))", "<input>:1: position 0 is missing"),
        ("(S (A 0=a) (B 99999999999999999999=b))", "<input>:1: position 1 is missing"),
        ("(S (A 0=a) (B 0=b))", "<input>:1: position 0 occurs twice"),
        ("(S (A a))", '<input>:1: "a" does not say its position, as 0=word does'),
        ("(S\n(A ٣=a))", '<input>:1: "٣=a" does not say its position, as 0=word does in line 2'),
        ("(S (A 0=))", '<input>:1: "0=" has no word'),
        ("(S (A 0=a) 1=b)", '<input>:1: "1=b" has no tag'),
        ("(S (A (0=a)))", '<input>:1: "0=a" alone in brackets is no leaf'),
        ("(())", "<input>:1: empty tree (an unparsed sentence)"),
        ("(S (A 0=a)", '<input>:1: 1 "(" not closed'),
        ("(S (A 0=a)) (S (A 0=a))", "<input>: more than one tree"),
    ],
)
def test_one_malformed_tree(text: str, message: str) -> None:
    with pytest.raises(TreebankError) as error:
        parse_discbracket(text)
    assert str(error.value) == message


def test_reading_goes_on_after_an_error() -> None:
    found = list(read_discbracket(Source.from_text("(A 0=a)\n(A 1=b)\n(A 0=c)\n", "t"), ReadingReport()))
    assert [str(one) if isinstance(one, TreebankError) else one.tokens[0].form for one in found] == [
        "a",
        "t:2: position 0 is missing",
        "c",
    ]


def test_deep_nesting() -> None:
    tree = deep_tree(100_000)
    assert parse_discbracket(show(tree)) == tree


def test_real_trees(treebanks: Path) -> None:
    source = Source(str(treebanks / "english-gum" / "dev.ptb"))
    trees = [one for one in read_bracket(source, ReadingReport()) if isinstance(one, Tree)]
    text = "".join(write_discbracket(trees))
    assert list(read_discbracket(Source.from_text(text), ReadingReport())) == trees
