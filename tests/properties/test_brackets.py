"""Every tree survives a round trip through brackets; every text is read as trees and errors."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.bracket import (
    parse_bracket,
    parse_brackets_reference,
    read_bracket,
    write_bracket,
)
from spindle.treebanks.discbracket import (
    parse_discbracket,
    parse_discbrackets_reference,
    read_discbracket,
    write_discbracket,
)
from spindle.treebanks.escapes import escape_form, escape_label, restore_form, restore_label
from spindle.treebanks.psd import read_psd, write_psd
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Token, Tree
from support.strategies import BRACKETS, labels, texts, tokens, trees

ANYTHING = texts(BRACKETS + " ")
# A tag that looks like TAG##feature=value## is one.
TAGS = st.sampled_from(["", "NN", "-NONE-", "$(", "(", "-RRB-"]) | ANYTHING.filter(
    lambda tag: "##" not in tag or "=" not in tag
)
LABELS = st.just("") | labels() | ANYTHING
WORDS = tokens(forms=ANYTHING, tags=TAGS)
FEATURES = st.sampled_from(["", "g=f", "n=s|g=f", "case=(|x=a b", "k=#", "k=##"])

# Text made of bracket syntax, and trees with small errors.
PIECES = r"""
( ( ( ) ) ) )) NP 0 *T*-1 -LRB- #SP# \/ N##lem=a|k=v## 1=b (NN␣a) (S␣( (NP␣(*)) (X␣(w)) (NN␣(b␣c)) (N␣0=a)
(ID␣x) a-b (CODE␣c) /* */ (METADATA␣(A␣b)) <s>¶ ␣ ¶ ¶( ¶¶( é句
"""
SOUP = st.lists(st.sampled_from(PIECES.split()), max_size=30).map(
    lambda pieces: "".join(pieces).replace("␣", " ").replace("¶", "\n")
)
WRITERS = st.sampled_from([write_bracket, write_discbracket, write_psd])
DAMAGED = st.builds(
    lambda tree, write, at, length, piece: "".join(write([tree] * 2)).replace(
        "".join(write([tree]))[at : at + length], piece
    ),
    trees(continuous=True),
    WRITERS,
    st.integers(0, 40),
    st.integers(1, 4),
    st.sampled_from(["", "(", ")", " ", "()", "\n("]),
)


@given(ANYTHING)
def test_escapes(text: str) -> None:
    assert restore_form(escape_form(text)) == text
    assert restore_label(escape_label(text)) == text


@given(trees(continuous=True, labels=LABELS, tokens=WORDS))
def test_bracket(tree: Tree) -> None:
    (line,) = write_bracket([tree])
    assert line.count("\n") == 1
    assert parse_bracket(line) == tree


@given(trees(continuous=True, labels=LABELS, tokens=tokens(forms=ANYTHING, morphs=FEATURES)))
def test_bracket_with_features(tree: Tree) -> None:
    (line,) = write_bracket([tree])
    again = parse_bracket(line)
    assert again.replace(tokens=tuple(token._replace(lemma="") for token in again.tokens)) == tree


@given(trees(labels=LABELS, tokens=WORDS))
def test_discbracket(tree: Tree) -> None:
    (line,) = write_discbracket([tree])
    assert line.count("\n") == 1
    assert parse_discbracket(line) == tree


@given(
    trees(
        continuous=True,
        labels=LABELS,
        tokens=tokens(
            forms=ANYTHING, tags=TAGS.filter(lambda tag: tag != "-NONE-"), lemmas=st.just("") | ANYTHING
        )
        | tokens(st.sampled_from(["0", "*", "*T*-1", "*con*", "x"]), st.just("-NONE-")),
    ),
    st.just("") | ANYTHING,
    st.lists(st.sampled_from(["", "a remark", "# (1", "* /"]), max_size=2),
    st.lists(st.sampled_from(["(METADATA (DATE 1900))", "(METADATA)"]), max_size=1),
)
def test_psd(tree: Tree, name: str, remarks: list[str], metadata: list[str]) -> None:
    if not tree.labels:
        name = ""  # there is no bracket that an id could stand in
    tree = tree.replace(id=name, comments=(*remarks, *metadata))
    text = "".join(write_psd([tree]))
    assert list(read_psd(Source.from_text(text), ReadingReport())) == [tree]


@given(SOUP | DAMAGED, st.booleans())
@example("(S (CD (0)))", False)
@example("(S (NN a) (NP (NN (b))))", False)
def test_the_compiled_parser_does_what_the_slow_one_does(text: str, is_nested: bool) -> None:
    assert _core.parse_brackets(text, is_nested, Token) == parse_brackets_reference(text, is_nested)
    assert _core.parse_discbrackets(text, Token) == parse_discbrackets_reference(text)


@settings(max_examples=200)
@given(SOUP | DAMAGED)
def test_reading_never_fails(text: str) -> None:
    for read in (read_bracket, read_discbracket, read_psd):
        for found in read(Source.from_text(text), ReadingReport()):
            assert isinstance(found, Tree | TreebankError)
            if isinstance(found, Tree):  # what was trusted could have been checked
                assert Tree(found.tokens, found.labels, found.parents, found.leaf_parents, found.functions)


@settings(max_examples=200)
@given(SOUP | DAMAGED)
@example("/**/(ID x)")
def test_what_was_read_is_written_and_read_as_the_same(text: str) -> None:
    for read, write in (
        (read_bracket, write_bracket),
        (read_discbracket, write_discbracket),
        (read_psd, write_psd),
    ):
        found = [one for one in read(Source.from_text(text), ReadingReport()) if isinstance(one, Tree)]
        assert list(read(Source.from_text("".join(write(found))), ReadingReport())) == found
