"""The isomorphism on random trees: round trips, the three propositions and their corollary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.reduction import (
    Encoding,
    Mode,
    Nesting,
    Reduced,
    decode,
    encode,
    read_labels,
    read_rows,
    write_labels,
    write_rows,
)
from spindle.reduction.escapes import escape, escape_field, unescape
from spindle.reduction.isomorphism import decode_by_the_book, encode_by_the_book
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.formats import DEPENDENCY_FORMATS, Format
from spindle.trees import ROOT, Dependencies, DTree, Token, Tree
from support.graph_trees import graph_trees
from support.strategies import deep_tree, headed_trees, texts, trees

ANY = headed_trees(trees(functions=st.sampled_from(["", "SB", "HD", "a:b>c,d|e f\\"])))
UNARYLESS = headed_trees(trees(unary=False))


@given(ANY)
def test_decode_undoes_encode(tree: Tree) -> None:
    decoded = decode(encode(tree))
    assert decoded == tree
    assert decoded.heads == tree.heads


@given(ANY)
def test_core_does_what_the_book_says(tree: Tree) -> None:
    reduced = encode(tree)
    assert reduced == encode_by_the_book(tree)
    assert decode(reduced) == decode_by_the_book(reduced)


@given(ANY, st.sampled_from(Encoding))
def test_labels_hold_everything(tree: Tree, encoding: Encoding) -> None:
    dtree = encode(tree).dtree
    symbols, indices, faults = read_labels(dtree.heads, write_labels(dtree, encoding), encoding)
    assert (tuple(symbols), tuple(indices)) == (dtree.symbols, dtree.events)
    assert not faults


@given(
    st.lists(headed_trees(graph_trees()), min_size=1, max_size=2),
    st.sampled_from(Encoding),
    st.sampled_from(list(DEPENDENCY_FORMATS.values())),
)
def test_conll_files_hold_everything(
    sentences: list[Tree], encoding: Encoding, conll: Format[Dependencies]
) -> None:
    """Trees with edge labels, secondary edges, ids (without surrounding spaces) and comments."""
    assert conll.write is not None
    sentences = [
        tree.replace(id=tree.id.strip() or "1", comments=("sent_id = 7", *tree.comments))
        for tree in sentences
    ]
    text = "".join(conll.write(write_rows(map(encode, sentences), encoding)))
    rows = [
        row for row in conll.read(Source.from_text(text), ReadingReport()) if isinstance(row, Dependencies)
    ]
    read = list(read_rows(rows))
    assert [decode(reduced) for reduced, _ in read] == sentences
    assert not any(repairs for _, repairs in read)


@given(texts(" ()[]>,:|\\") | st.just(""))
def test_unescape_undoes_escape(text: str) -> None:
    assert unescape(escape(text)) == text
    assert unescape(escape_field(text)) == text


# ── the propositions ─────────────────────────────────────────────────────────────────────────────────


@st.composite
def dtrees(draw: st.DrawFn, strict: bool = False) -> DTree:
    """A weakly (or strictly) ordered d-tree: any heads, any order of the modifiers of each head."""
    size = draw(st.integers(1, 8))
    order = draw(st.permutations(range(size)))
    heads = [ROOT] * size
    for place, token in enumerate(order[1:], start=1):
        heads[token] = order[draw(st.integers(0, place - 1))]
    symbols, events = [""] * size, [0] * size
    for head in range(size):
        modifiers = draw(st.permutations([token for token in range(size) if heads[token] == head]))
        event, symbol = 0, ""
        for modifier in modifiers:
            if strict or event == 0 or draw(st.booleans()):
                event, symbol = event + 1, draw(st.sampled_from("ABC"))
            events[modifier], symbols[modifier] = event, symbol
    return DTree(tuple(Token(f"w{n}", "T") for n in range(size)), tuple(heads), tuple(symbols), tuple(events))


def is_binary(tree: Tree) -> bool:
    return all(len(children) == 2 for children in tree.children)


def is_unaryless(tree: Tree) -> bool:
    return all(len(children) > 1 for children in tree.children)


@given(UNARYLESS)
def test_proposition_1_binary_trees_are_strictly_ordered(tree: Tree) -> None:
    assert is_binary(tree) == encode(tree).dtree.is_strict


@given(dtrees(strict=True))
def test_proposition_1_strictly_ordered_trees_are_binary(dtree: DTree) -> None:
    tree = decode(Reduced(dtree))
    assert is_binary(tree)
    assert encode(tree) == Reduced(dtree)


@given(UNARYLESS)
def test_proposition_2_unaryless_trees_are_weakly_ordered(tree: Tree) -> None:
    reduced = encode(tree)
    assert reduced.dtree.is_ordered
    assert not reduced.chains
    assert decode(Reduced(reduced.dtree)) == tree


@given(dtrees())
def test_proposition_2_weakly_ordered_trees_are_unaryless(dtree: DTree) -> None:
    tree = decode(Reduced(dtree))
    assert is_unaryless(tree)
    assert encode(tree) == Reduced(dtree)


@given(headed_trees(trees(unary=False)) | headed_trees(trees(unary=False, continuous=True)))
def test_proposition_3_continuous_trees_are_projective_and_nested(tree: Tree) -> None:
    dtree = encode(tree).dtree
    assert tree.is_continuous == (dtree.is_projective and dtree.is_nested)


@given(dtrees())
def test_proposition_3_projective_and_nested_trees_are_continuous(dtree: DTree) -> None:
    assert decode(Reduced(dtree)).is_continuous == (dtree.is_projective and dtree.is_nested)


@given(dtrees())
def test_corollary(dtree: DTree) -> None:
    tree = decode(Reduced(dtree))
    nested_strict_projective = dtree.is_nested and dtree.is_strict and dtree.is_projective
    assert nested_strict_projective == (is_binary(tree) and tree.is_continuous)


# ── sizes ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("branching", ["left", "right", "flat", "zigzag"])
def test_five_hundred_words(branching: str, encoding: Encoding) -> None:
    size = 500
    words = tuple(Token(f"w{number}", "T") for number in range(size))
    nodes = 1 if branching == "flat" else size - 1
    parents = list(range(-1, nodes - 1))
    last = nodes - 1
    leaf_parents = {
        "flat": [0] * size,
        "right": [min(position, last) for position in range(size)],
        "left": [min(size - 1 - position, last) for position in range(size)],
        "zigzag": [min(2 * min(p, size - 1 - p) + (p > size - 1 - p), last) for p in range(size)],
    }[branching]
    heads = [size // 2 if branching in ("flat", "zigzag") else 0 if branching == "left" else size - 1] * nodes
    if branching == "zigzag":
        middle = leaf_parents.index(last)
        heads = [middle] * nodes
    tree = Tree.build(words, [f"L{n % 7}" for n in range(nodes)], parents, leaf_parents, heads=heads)
    ((reduced, repairs),) = read_rows(write_rows([encode(tree)], encoding))
    assert decode(reduced) == tree
    assert not repairs


def test_deep_unary_chain() -> None:
    tree = deep_tree(5000)
    tree = tree.replace(heads=(0,) * len(tree.labels))
    assert decode(encode(tree)) == tree
    ((reduced, _),) = read_rows(
        write_rows([encode(tree)], Encoding.DIRECT), mode=Mode.CONTINUOUS, nesting=Nesting.RAISE_FARTHER
    )
    assert decode(reduced) == tree
