"""Text drawings: their appearance, and that the tree can be reconstructed from them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.drawing.display import arc_label, columns, node_label, visible
from spindle.drawing.text import LayoutName, draw_dtree, draw_tree
from spindle.treebanks.export import read_export
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import DTree, Token, Tree
from support.notation import tree
from support.read_drawing import read_tall_dtree, read_tall_tree, read_wide_dtree, read_wide_tree
from support.strategies import deep_tree, dtrees, headed_trees, labels, texts, tokens, trees

ENGLISH = "(S (NP (DT The) (NN public)) (VP (VBZ is) (ADVP (RB still)) (ADJP (JJ cautious))) (. .))"
GERMAN = "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Interessantes))) (VVFIN 1=kam)) ($. 4=.))"

LETTERS = st.text("ABcd12句", min_size=1, max_size=9)
PLAIN_TOKENS = tokens(forms=LETTERS, tags=LETTERS)
PLAIN = trees(labels=LETTERS, tokens=PLAIN_TOKENS, wrappers=("TOP",), max_tokens=10)
HOSTILE = trees(
    labels=labels() | texts("\x1b\u202e\u200b\ud800\uffff", max_size=30),
    tokens=tokens(forms=texts(" \x07\u202e\ud800", max_size=30), functions=texts() | st.just("")),
    functions=texts() | st.just(""),
)
LAYOUTS: tuple[LayoutName, ...] = ("wide", "tall")


def picture(text: str) -> str:
    return dedent(text).strip("\n")


# ── appearance ──────────────────────────────────────────────────────────────────────────────


def test_a_continuous_tree() -> None:
    assert draw_tree(tree(ENGLISH)) == picture("""
                     S
       ┌─────────────┼────────────┐
       │             VP           │
       │        ┌────┼──────┐     │
       NP       │   ADVP   ADJP   │
     ┌─┴──┐     │    │      │     │
     DT   NN   VBZ   RB     JJ    .
    The public  is still cautious .
    """)


def test_nodes_stand_in_line_with_their_heads_if_these_are_known() -> None:
    headed = tree(ENGLISH).replace(heads=(2, 1, 2, 3, 4))
    assert draw_tree(headed) == picture("""
                S
          ┌─────┼─────────────────┐
          │     VP                │
          │     ├────┬──────┐     │
          NP    │   ADVP   ADJP   │
     ┌────┤     │    │      │     │
     DT   NN   VBZ   RB     JJ    .
    The public  is still cautious .
    """)
    assert draw_tree(headed, layout="tall") == picture("""
    1               ┌─ DT  The
    2   ┌──────NP───┴─ NN  public
    3 S─┼─VP─┬──────── VBZ is
    4   │    ├─ADVP─── RB  still
    5   │    └─ADJP─── JJ  cautious
    6   └───────────── .   .
    """)


def test_a_discontinuous_tree() -> None:
    assert draw_tree(tree(GERMAN)) == picture("""
                        VROOT
                ┌─────────┴─────────┐
                S                   │
           ┌────┴─────┐             │
           │          NP            │
     ┌─────│──────────┤             │
     │     │          NP            │
     │     │     ┌────┴─────┐       │
    PPER VVFIN  PIAT        NN      $.
     Es   kam  nichts Interessantes .
    """)
    assert draw_tree(tree(GERMAN), layout="tall") == picture("""
    1 VROOT─┬─S─┬─NP─┬────── PPER  Es
    2       │   └────│────── VVFIN kam
    3       │        └─NP─┬─ PIAT  nichts
    4       │             └─ NN    Interessantes
    5       └─────────────── $.    .
    """)


def test_edge_labels_and_the_nameless_wrapper() -> None:
    labelled = tree("( (S (NP/SB (PPER/HD Es)) (VVFIN kam)))")
    assert draw_tree(labelled) == picture("""
         ·
         │
         S
      ┌──┴──┐
    NP:SB   │
      │     │
      HD    │
     PPER VVFIN
      Es   kam
    """)
    assert draw_tree(labelled, layout="tall") == picture("""
    1 ·───S─┬─NP:SB─── PPER:HD Es
    2       └───────── VVFIN   kam
    """)


def test_a_missing_tag_lets_the_line_go_on() -> None:
    words = [Token("a", "A"), Token("b"), Token("c", "C", function="X")]
    flat = Tree.build(words, ["N"], [-1], [0, 0, 0])
    assert draw_tree(flat) == picture("""
      N
    ┌─┼─┐
    │ │ X
    A │ C
    a b c
    """)
    assert draw_tree(flat, layout="tall") == picture("""
    1 N─┬─ A   a
    2   ├───── b
    3   └─ C:X c
    """)


def test_one_bare_word() -> None:
    word = Tree((Token("Yes"),), (), (), (-1,))
    assert draw_tree(word) == "Yes"
    assert draw_tree(word, layout="tall") == "1   Yes"
    assert draw_tree(word.replace(tokens=(Token("Yes", "UH"),))) == " UH\nYes"


def test_wide_characters_and_combining_marks_keep_the_columns() -> None:
    words = [Token("東京", "名詞"), Token("e\u0301te\u0301", "N"), Token("x", "X")]
    drawing = draw_tree(Tree.build(words, ["S", "句"], [-1, 0], [1, 1, 0]))
    assert drawing.replace("e\u0301", "é") == picture("""
          S
       ┌──┴──┐
       句    │
     ┌─┴──┐  │
    名詞  N  X
    東京 été x
    """)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n\x7f\x85", "a␉b␊␡�"),
        ("\u202eevil\u2028", "�evil�"),
        ("\ud800\uffff", "��"),
        ("می\u200cروم", "می\u200cروم"),
        ("\u0301x", "◌\u0301x"),
        (" \u00a0", "␣␣"),
        ("New York ", "New York␣"),
    ],
)
def test_nothing_stays_invisible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_the_d_trees_of_figure_1() -> None:
    english = DTree(
        tree(ENGLISH).tokens, (1, 2, -1, 2, 2, 2), ("NP", "S", "", "VP", "VP", "S"), (1, 2, 0, 1, 1, 2)
    )
    assert draw_dtree(english) == picture("""
                  root
            ┌─S#2──┼─────────────────S#2─┐
            │      ├─────────VP#1─┐      │
     ┌─NP#1─┤      ├─VP#1─┐       │      │
     ▼      ▼      ▼      ▼       ▼      ▼
    The   public   is   still  cautious  .
     DT     NN    VBZ     RB      JJ     .
    """)
    german = DTree(tree(GERMAN).tokens, (3, -1, 3, 1, 1), ("NP", "", "NP", "S", "VROOT"), (2, 0, 1, 1, 2))
    assert draw_dtree(german) == picture("""
           root
            ├────────────────────VROOT#2─┐
            ├──────────────S#1─┐         │
     ┌─NP#2─│──────────────────┤         │
     │      │      ┌─NP#1──────┤         │
     ▼      ▼      ▼           ▼         ▼
     Es    kam   nichts  Interessantes   .
    PPER  VVFIN   PIAT         NN        $.
    """)
    assert draw_dtree(german, layout="tall") == picture("""
          ┌───▶ 1 Es            PPER  NP#2    ← 4 Interessantes
    ──┬─┬─│───▶ 2 kam           VVFIN root
      │ │ │ ┌─▶ 3 nichts        PIAT  NP#1    ← 4 Interessantes
      │ └─┴─┴─▶ 4 Interessantes NN    S#1     ← 2 kam
      └───────▶ 5 .             $.    VROOT#2 ← 2 kam
    """)


def test_events_of_one_head_stand_one_above_the_other() -> None:
    words = (Token("really"), Token("needs"), Token("caution"))
    assert draw_dtree(DTree(words, (1, -1, 1), ("VP", "", "VP"), (2, 0, 1))) == picture("""
             root
      ┌─VP#2──┤
      │       ├──VP#1─┐
      ▼       ▼       ▼
    really  needs  caution
    """)


def test_a_broken_nesting_is_seen_as_a_crossing() -> None:
    words = (Token("a"), Token("b"), Token("c"))
    assert draw_dtree(DTree(words, (-1, 0, 0), ("", "X", "X"), (0, 2, 1))) == picture("""
    root
    ├─X#2─┐
    ├─────│─X#1─┐
    ▼     ▼     ▼
    a     b     c
    """)


# ── properties ───────────────────────────────────────────────────────────────────────────────


@given(PLAIN | headed_trees(PLAIN))
def test_a_tree_can_be_read_off_its_drawing(drawn: Tree) -> None:
    if drawn.labels:
        assert read_wide_tree(draw_tree(drawn)) == drawn
        assert read_tall_tree(draw_tree(drawn, layout="tall")) == drawn


@given(dtrees(max_tokens=10, symbols=LETTERS, tokens=PLAIN_TOKENS))
def test_a_dtree_can_be_read_off_its_drawing(drawn: DTree) -> None:
    assert read_wide_dtree(draw_dtree(drawn)) == drawn
    assert read_tall_dtree(draw_dtree(drawn, layout="tall")) == drawn


@given(HOSTILE, st.sampled_from(LAYOUTS))
def test_a_drawing_shows_everything(drawn: Tree, layout: LayoutName) -> None:
    drawing = draw_tree(drawn, layout=layout)
    for label, function in zip(drawn.labels, drawn.functions, strict=True):
        assert node_label(label, function) in drawing
    for token in drawn.tokens:
        assert visible(token.form) in drawing
        assert visible(token.tag) in drawing
        assert visible(token.function) in drawing
    drawing.encode()
    if layout == "tall":
        assert len(drawing.split("\n")) == len(drawn)


@given(dtrees(symbols=labels() | texts("\x1b\u202e")), st.sampled_from(LAYOUTS))
def test_a_dtree_drawing_shows_everything(drawn: DTree, layout: LayoutName) -> None:
    drawing = draw_dtree(drawn, layout=layout)
    for token, head, symbol, event in zip(
        drawn.tokens, drawn.heads, drawn.symbols, drawn.events, strict=True
    ):
        assert visible(token.form) in drawing
        assert visible(token.tag) in drawing
        assert arc_label(head, symbol, event) in drawing


@given(HOSTILE, dtrees(), st.sampled_from(LAYOUTS))
def test_colour_adds_nothing_but_colour(drawn: Tree, dtree: DTree, layout: LayoutName) -> None:
    drawings: list[Callable[..., str]] = [partial(draw_tree, drawn), partial(draw_dtree, dtree)]
    for draw in drawings:
        plain, colored = draw(layout=layout), draw(layout=layout, color=True)
        without = re.sub(r"\x1b\[[0-9;]*m", "", colored)
        assert [line.rstrip(" ") for line in without.split("\n")] == plain.split("\n")
        assert draw(layout=layout) == plain


def test_what_is_discontinuous_has_a_colour() -> None:
    assert "\x1b[0;1;33mNP\x1b[0" in draw_tree(tree(GERMAN), color=True)
    assert not re.search(r"\x1b\[[0-9;]*3", draw_tree(tree(ENGLISH), color=True))


@given(PLAIN, st.integers(1, 100))
def test_what_is_too_wide_is_drawn_tall(drawn: Tree, width: int) -> None:
    wide, tall = draw_tree(drawn, layout="wide"), draw_tree(drawn, layout="tall")
    chosen = draw_tree(drawn, width=width)
    assert chosen in (wide, tall)
    assert broadest(chosen) <= max(width, min(broadest(wide), broadest(tall)))
    if broadest(wide) <= width:
        assert chosen == wide
    assert draw_tree(drawn) == wide


def broadest(drawing: str) -> int:
    return max(map(columns, drawing.split("\n")))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_depth_needs_no_recursion(layout: LayoutName) -> None:
    drawing = draw_tree(deep_tree(3000, "X"), layout=layout)
    assert drawing.count("X") == 3000
    chain = DTree(
        tuple(Token("w") for _ in range(300)), tuple(range(-1, 299)), ("", *["A"] * 299), (0, *[1] * 299)
    )
    assert draw_dtree(chain, layout=layout).count("A#1") == 299


@pytest.mark.parametrize("seed", range(10))
def test_long_sentences_can_be_read_off_their_drawings(seed: int) -> None:
    random = Random(seed)
    size = 60
    parents: list[int] = []
    leaf_parents = [-1] * size
    loose = [(leaf_parents, position) for position in range(size)]
    while len(loose) > 1 or not parents:
        node = len(parents)
        parents.append(-1)
        chosen = random.sample(range(len(loose)), min(len(loose), random.randint(1, 4)))
        for place in sorted(chosen, reverse=True):
            column, vertex = loose.pop(place)
            column[vertex] = node
        loose.append((parents, node))
    words = [Token(f"w{position}", "T") for position in range(size)]
    drawn = Tree.build(words, [f"N{node}" for node in range(len(parents))], parents, leaf_parents)
    assert read_wide_tree(draw_tree(drawn)) == drawn
    assert read_tall_tree(draw_tree(drawn, layout="tall")) == drawn


@pytest.mark.parametrize("name", ["dutch-alpino", "german-pcc"])
def test_real_trees_can_be_read_off_their_drawings(treebanks: Path, name: str) -> None:
    sentences = read_export(Source(str(treebanks / name / "dev.export")), ReadingReport())
    for real in islice(sentences, 0, None, 20):
        assert isinstance(real, Tree)
        drawn = Tree(
            tuple(Token(letters(token.form), letters(token.tag)) for token in real.tokens),
            tuple(map(letters, real.labels)),
            real.parents,
            real.leaf_parents,
        )
        assert read_wide_tree(draw_tree(drawn)) == drawn
        assert read_tall_tree(draw_tree(drawn, layout="tall")) == drawn


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "x", text)
