"""Trees as text, pictures and records, and the way back."""

import json

import pytest
from hypothesis import given

from spindle.drawing import draw_dtree, draw_tree, latex_dtree, latex_tree, svg_dtree, svg_tree
from spindle.errors import TreebankError, TreeError, UnknownFormat, WrongType
from spindle.reduction import encode
from spindle.treebanks.formats import TREE_FORMATS
from spindle.trees import DTree, SecondaryEdge, Token, Tree
from support.notation import tree
from support.strategies import deep_tree, dtrees, headed_trees, tokens, trees

PLAIN = "(S (NP (DT The) (NN cat)) (VP (VBD slept)))"
CROSSING = "(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))"


@pytest.mark.parametrize("text", [PLAIN, CROSSING, "(NN word)"])
def test_print_shows_brackets(text: str) -> None:
    assert str(tree(text)) == text


@given(trees(tokens=tokens(), labels=tokens().map(lambda token: token.tag)))
def test_any_tree_prints_on_one_line_and_is_read_back(drawn: Tree) -> None:
    assert "\n" not in str(drawn)
    assert len(repr(drawn)) < 120
    assert "\n" not in repr(drawn)
    assert Tree.from_string(drawn.to_string("discbracket"), "discbracket").tokens == drawn.tokens


def test_repr_is_short_however_large_the_tree() -> None:
    assert repr(tree(PLAIN).replace(id="7")) == "<Tree 7: 'The cat slept', 3 tokens, 3 nodes>"
    assert len(repr(deep_tree(5000))) < 100
    assert len(str(deep_tree(5000))) > 5000
    assert repr(encode(tree(PLAIN).replace(heads=(2, 1, 2))).dtree) == "<DTree 'The cat slept', 3 tokens>"


@pytest.mark.parametrize("format", [name for name, known in TREE_FORMATS.items() if known.write])
def test_every_format(format: str) -> None:
    plain = tree(PLAIN)
    found = Tree.from_string(plain.to_string(format), format)
    assert (found.labels[-3:], found.tokens) == (plain.labels, plain.tokens)
    assert Tree.from_string(plain.to_string(format)).tokens == plain.tokens  # the format is guessed


def test_what_cannot_be_written_or_read() -> None:
    with pytest.raises(UnknownFormat, match=r"cannot be written as 'alpino'; choose one of bracket, "):
        tree(PLAIN).to_string("alpino")
    with pytest.raises(TreebankError, match=r"<bracket>.*discontinuous"):
        tree(CROSSING).to_string("bracket")
    with pytest.raises(TreebankError, match="expected one tree, found 2"):
        Tree.from_string("(A a) (B b)")
    with pytest.raises(WrongType, match="not from bytes"):
        Tree.from_string(b"(A a)")  # type: ignore[arg-type]


def test_drawings_and_pictures_are_those_of_the_drawing_package() -> None:
    headed = tree(CROSSING).replace(heads=(1, 0))
    assert headed.draw() == draw_tree(headed)
    assert headed.draw(layout="tall", color=True) == draw_tree(headed, layout="tall", color=True)
    assert headed.to_svg() == headed._repr_svg_() == svg_tree(headed)
    assert headed.to_latex() == latex_tree(headed)
    plain = tree(PLAIN)
    assert plain.to_latex("tikz-qtree", heads=False) == latex_tree(plain, "tikz-qtree", heads=False)
    dtree = encode(headed).dtree
    assert str(dtree) == dtree.draw() == draw_dtree(dtree)
    assert dtree.draw(layout="tall") == draw_dtree(dtree, layout="tall")
    assert dtree.to_svg() == dtree._repr_svg_() == svg_dtree(dtree)
    assert dtree.to_latex() == latex_dtree(dtree)


# ── records ──────────────────────────────────────────────────────────────────────────────────────────


@given(headed_trees(trees(functions=tokens().map(lambda token: token.tag))))
def test_from_dict_is_the_inverse_of_to_dict_through_json(drawn: Tree) -> None:
    text = " ".join(token.form for token in drawn.tokens)
    offsets, start = [], 0
    for token in drawn.tokens:
        offsets.append((start, start + len(token.form)))
        start += len(token.form) + 1
    full = drawn.replace(id="s1", comments=("a = b",)).with_text(text, offsets)
    for one in (drawn, full, drawn.replace(heads=None)):
        found = Tree.from_dict(json.loads(json.dumps(one.to_dict())))
        assert found == one
        assert (found.heads or None, found.text, found.offsets) == (one.heads or None, one.text, one.offsets)


def test_a_record_has_secondary_edges() -> None:
    edged = tree(PLAIN).replace(secondary=(SecondaryEdge("SB", 0, 2),))
    assert edged.to_dict()["secondary"] == [{"label": "SB", "child": 0, "parent": 2}]
    assert Tree.from_dict(edged.to_dict()) == edged


@given(dtrees())
def test_d_trees_too(drawn: DTree) -> None:
    for one in (drawn, drawn.replace(id="s1", comments=("a = b",))):
        assert DTree.from_dict(json.loads(json.dumps(one.to_dict()))) == one


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "'tokens' is missing"),
        ({"tokens": [], "nodes": []}, "at least one token"),
        ({"tokens": [{"form": "a"}], "nodes": [{"label": "S", "parent": -1}]}, "'tokens' is missing"),
        ({"tokens": [{"form": "a"}], "nodes": [{"label": "S", "parent": -1, "tokens": [7]}]}, "out of range"),
        ([], "not the record of a tree"),
    ],
)
def test_other_records_are_refused(record: dict[str, object], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Tree.from_dict(record)
    with pytest.raises(TreeError):
        DTree.from_dict(record)


# ── the text of a tree ───────────────────────────────────────────────────────────────────────────────


def test_offsets_are_checked() -> None:
    plain = tree("(S (A a) (B b))")
    placed = plain.with_text("a b", [(0, 1), (2, 3)])
    assert placed == plain
    assert placed.under("TOP").text == "a b"
    for offsets in ([(0, 1), (2, 9)], [(-1, 1), (2, 3)], [(1, 0), (2, 3)]):
        with pytest.raises(TreeError, match="outside the text"):
            plain.with_text("a b", offsets)
    with pytest.raises(TreeError, match="2 tokens, 1 offsets"):
        plain.with_text("a b", [(0, 1)])
    with pytest.raises(TreeError, match="offsets need the text"):
        plain.replace(offsets=((0, 1), (2, 3)))
    assert plain.tokens[0] == Token("a", "A")
