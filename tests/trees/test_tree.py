"""The constituent tree: its columns, views and yields, and rejected input."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import SpindleError, TreeError
from spindle.trees import ROOT, Leaf, Node, SecondaryEdge, Token, Tree
from spindle.trees.nodes import gaps
from support.notation import tree
from support.strategies import deep_tree, headed_trees, trees

W = Token("w", "T")
GERMAN = "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Neues))) (VVFIN 1=kam)) ($. 4=.))"


def yields(drawn: Tree) -> list[set[int]]:
    """The yield of every node by definition: the tokens that have it as an ancestor."""
    found: list[set[int]] = [set() for _ in drawn.labels]
    for position, node in enumerate(drawn.leaf_parents):
        while node != ROOT:
            found[node].add(position)
            node = drawn.parents[node]
    return found


def spans(positions: set[int]) -> int:
    return sum(position - 1 not in positions for position in positions)


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────


def test_nodes_are_numbered_by_leftmost_token_and_then_downwards() -> None:
    built = Tree.build(
        [W] * 4, ["low", "right", "top", "gap"], [3, 2, ROOT, 2], [3, 1, 0, 0], ["l", "r", "t", "g"]
    )
    assert built.labels == ("top", "gap", "right", "low")
    assert built.parents == (ROOT, 0, 0, 1)
    assert built.leaf_parents == (1, 2, 3, 3)
    assert built.functions == ("t", "g", "r", "l")


@given(headed_trees(), st.randoms(use_true_random=False))
def test_the_order_in_which_nodes_come_does_not_matter(drawn: Tree, random: Random) -> None:
    count = len(drawn.labels)
    order = list(range(count))
    random.shuffle(order)
    rank = {old: new for new, old in enumerate(order)} | {ROOT: ROOT}
    functions = [f"f{node}" for node in range(count)]
    named = drawn.replace(functions=tuple(functions))
    assert drawn.heads is not None
    shuffled = Tree.build(
        drawn.tokens,
        [drawn.labels[node] for node in order],
        [rank[drawn.parents[node]] for node in order],
        [rank[node] for node in drawn.leaf_parents],
        [functions[node] for node in order],
        heads=[drawn.heads[node] for node in order],
    )
    assert shuffled == named
    assert shuffled.heads == named.heads


@given(trees())
def test_the_columns_say_themselves_that_they_are_in_order(drawn: Tree) -> None:
    assert Tree.build(drawn.tokens, drawn.labels, drawn.parents, drawn.leaf_parents) == drawn
    leftmost = [min(positions) for positions in yields(drawn)]
    assert leftmost == sorted(leftmost)
    assert all(parent < node for node, parent in enumerate(drawn.parents))


def test_only_one_numbering_is_accepted() -> None:
    parents, leaf_parents = (ROOT, 0, 0, 1), (1, 2, 3, 2)
    accepted = []
    for order in permutations(range(4)):
        rank = {old: new for new, old in enumerate(order)} | {ROOT: ROOT}
        columns = tuple(rank[parents[node]] for node in order), tuple(rank[node] for node in leaf_parents)
        try:
            accepted.append(Tree((W,) * 4, ("X",) * 4, *columns))
        except TreeError as error:
            assert "use Tree.build" in str(error)  # noqa: PT017
    assert len(accepted) == 1


def test_secondary_edges_are_renumbered_with_the_nodes() -> None:
    edges = [SecondaryEdge("SB", 2 + 0, 1), SecondaryEdge("OA", 0, 0)]
    built = Tree.build([W] * 2, ["low", "top", "other"], [1, ROOT, 1], [2, 0], secondary=edges)
    assert built.labels == ("top", "other", "low")
    assert built.secondary == (SecondaryEdge("OA", 0, 2), SecondaryEdge("SB", 2 + 2, 0))


def test_equality_looks_at_everything_but_heads() -> None:
    plain = tree("(S (A a) (B b))")
    assert plain.replace(heads=(0,)) == plain
    assert hash(plain.replace(heads=(1,))) == hash(plain)
    assert plain.replace(id="7") != plain
    assert plain.replace(labels=("X",)) != plain
    assert plain.replace(secondary=(SecondaryEdge("SB", 0, 0),)) != plain


def test_a_tree_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        tree("(S (A a))").labels = ("X",)  # type: ignore[misc]


# ── yields ───────────────────────────────────────────────────────────────────────────────────────────


@given(trees())
def test_yields_gaps_and_spans_are_those_of_the_definition(drawn: Tree) -> None:
    expected = yields(drawn)
    assert [set(node.positions) for node in drawn.nodes()] == expected
    assert [node.positions for node in drawn.nodes()] == [tuple(sorted(positions)) for positions in expected]
    assert [node.fan_out for node in drawn.nodes()] == [spans(positions) for positions in expected]
    assert [node.gap_degree for node in drawn.nodes()] == [spans(positions) - 1 for positions in expected]
    assert [node.is_continuous for node in drawn.nodes()] == [
        max(positions) - min(positions) + 1 == len(positions) for positions in expected
    ]
    assert drawn.fan_out == max(map(spans, expected), default=1)
    assert drawn.gap_degree == drawn.fan_out - 1
    assert drawn.is_continuous == (drawn.fan_out == 1)
    assert [sum(1 << position for position in positions) for positions in expected] == list(drawn.masks)


@given(st.sets(st.integers(0, 70), min_size=1))
def test_gaps_are_holes_between_positions(positions: set[int]) -> None:
    assert gaps(sum(1 << position for position in positions)) == spans(positions) - 1


@given(trees())
def test_children_are_the_inverse_of_parents_by_leftmost_token(drawn: Tree) -> None:
    size = len(drawn)
    leftmost = {position: position for position in range(size)}
    leftmost |= {size + node: min(positions) for node, positions in enumerate(yields(drawn))}
    parents = [*drawn.leaf_parents, *drawn.parents]
    for node, children in enumerate(drawn.children):
        assert set(children) == {vertex for vertex, parent in enumerate(parents) if parent == node}
        assert [leftmost[child] for child in children] == sorted(leftmost[child] for child in children)


# ── views ────────────────────────────────────────────────────────────────────────────────────────────


def test_nodes_and_leaves_are_views() -> None:
    drawn = tree(GERMAN).replace(functions=("", "S!", "SB", "NK"), heads=(1, 1, 3, 3))
    assert isinstance(drawn.root, Node)
    sentence, stop = drawn.root.children
    subject, verb = sentence.children
    assert isinstance(sentence, Node)
    assert isinstance(subject, Node)
    assert isinstance(verb, Leaf)
    assert isinstance(stop, Leaf)
    assert (subject.label, subject.function, subject.head, subject.positions) == ("NP", "SB", 3, (0, 2, 3))
    assert (subject.gap_degree, subject.fan_out, subject.is_continuous) == (1, 2, False)
    assert (verb.label, verb.token.form, verb.head, verb.positions, verb.children) == (
        "VVFIN",
        "kam",
        1,
        (1,),
        (),
    )
    assert stop.parent == drawn.root
    assert subject.parent == sentence
    assert drawn.root.parent is None
    assert [node.label for node in drawn.nodes()] == ["VROOT", "S", "NP", "NP"]
    assert len(drawn) == 5


def test_without_heads_a_node_has_none() -> None:
    assert all(node.head is None for node in tree(GERMAN).nodes())


def test_one_bare_word_is_a_tree() -> None:
    word = Tree((Token("Yes", "UH", function="--"),), (), (), (ROOT,))
    assert isinstance(word.root, Leaf)
    assert (word.root.parent, word.root.label, word.root.function) == (None, "UH", "--")
    assert (word.is_continuous, word.gap_degree, word.fan_out) == (True, 0, 1)
    assert word.children == ()
    assert word.masks == ()
    assert Tree.build(word.tokens, [], [], [ROOT]) == word


def test_depth_needs_no_recursion() -> None:
    deep = deep_tree(5000)
    assert Tree.build(deep.tokens, deep.labels, deep.parents, deep.leaf_parents) == deep
    assert deep.children[4999] == (0,)
    assert deep.is_continuous
    assert set(deep.masks) == {1}


# ── rejected input ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("parents", "leaf_parents", "message"),
    [
        ([], [], "a tree needs at least one token"),
        ([ROOT], [], "a tree needs at least one token"),
        ([], [ROOT, ROOT], "several tokens need a node above them"),
        ([], [0], "token 1 hangs under node 0, which does not exist"),
        ([ROOT], [0, 1], "token 2 hangs under node 1, which does not exist"),
        ([ROOT], [0, ROOT], "token 2 hangs under node -1, which does not exist"),
        ([ROOT, 7], [0, 1], "node 1 hangs under node 7, which does not exist"),
        ([ROOT, -2], [0, 1], "node 1 hangs under node -2, which does not exist"),
        ([ROOT, ROOT], [0, 1], "there are 2 roots"),
        ([1, 0], [0], "node 0 is its own ancestor"),
        ([ROOT, 1], [0, 1], "node 1 is its own ancestor"),
        ([ROOT, 0], [0], "node 1 has no words beneath it"),
        ([ROOT, 2, 1], [0], "node 1 has no words beneath it"),
    ],
)
def test_what_is_no_tree_is_refused(parents: list[int], leaf_parents: list[int], message: str) -> None:
    labels, words = ["X"] * len(parents), [W] * len(leaf_parents)
    with pytest.raises(TreeError, match=f"^{message}$"):
        Tree.build(words, labels, parents, leaf_parents)
    with pytest.raises(TreeError, match=f"^{message}$"):
        Tree(tuple(words), tuple(labels), tuple(parents), tuple(leaf_parents))
    with pytest.raises(TreeError, match=f"^sentence 57: {message}$"):
        Tree.build(words, labels, parents, leaf_parents, id="57")


def test_columns_of_unequal_length_are_refused() -> None:
    good = tree("(S (NP (A a)) (B b))")
    with pytest.raises(TreeError, match="length mismatch: 2 nodes, 1 labels"):
        Tree.build(good.tokens, ["S"], good.parents, good.leaf_parents)
    with pytest.raises(TreeError, match="length mismatch: 1 labels, 2 parents, 2 functions"):
        good.replace(labels=("S",))
    with pytest.raises(TreeError, match="length mismatch: 2 labels, 2 parents, 1 functions"):
        good.replace(functions=("SB",))
    with pytest.raises(TreeError, match="length mismatch: 1 tokens, 2 leaf parents"):
        good.replace(tokens=(W,))
    with pytest.raises(TreeError, match="sentence 57: 1 heads for 2 nodes"):
        good.replace(heads=(0,), id="57")


def test_a_word_needs_a_form() -> None:
    with pytest.raises(TreeError, match="token 2 has no form"):
        Tree.build([W, Token("", "T")], ["S"], [ROOT], [0, 0])


@pytest.mark.parametrize("character", "\t\n\r")
def test_no_string_holds_what_ends_a_field_or_a_line(character: str) -> None:
    good = tree("(S (A a) (B b))")
    for changes in (
        {"tokens": (W, Token("w", f"T{character}"))},
        {"labels": (f"S{character}P",)},
        {"functions": (character,)},
        {"id": f"5{character}7"},
        {"comments": (f"a{character}b",)},
    ):
        with pytest.raises(TreeError, match="a string contains a tab or a line break"):
            good.replace(**changes)


@pytest.mark.parametrize("heads", [(0, 2), (1, 0), (ROOT, ROOT), (9, 9)])
def test_the_head_of_a_node_must_head_one_of_its_children(heads: tuple[int, int]) -> None:
    with pytest.raises(TreeError, match=r"the head of node \d heads none of its children"):
        tree("(S (NP (A a) (B b)) (C c))").replace(heads=heads)


@given(headed_trees())
def test_heads_form_spines(drawn: Tree) -> None:
    for node in drawn.nodes():
        assert node.head in node.positions
        assert sum(child.head == node.head for child in node.children) == 1


def test_its_errors_are_ours_and_value_errors() -> None:
    assert issubclass(TreeError, SpindleError)
    assert issubclass(TreeError, ValueError)


@pytest.mark.parametrize(("tag", "is_empty"), [("-NONE-", True), ("CODE", True), ("NN", False), ("", False)])
def test_traces_are_no_words(tag: str, is_empty: bool) -> None:
    assert Token("*T*-1", tag).is_empty is is_empty


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"labels": ["S", "NP"]}, "length mismatch: 1 nodes, 2 labels"),
        ({"functions": ["HD", "SB"]}, "length mismatch: 1 nodes, 2 functions"),
        ({"heads": [0, 0]}, "length mismatch: 1 nodes, 2 heads"),
        ({"secondary": [SecondaryEdge("X", 9, 0)]}, "secondary edge 'X' refers to a missing vertex"),
        ({"secondary": [SecondaryEdge("X", -1, 0)]}, "secondary edge 'X' refers to a missing vertex"),
        ({"secondary": [SecondaryEdge("X", 0, 1)]}, "secondary edge 'X' refers to a missing vertex"),
    ],
)
def test_build_says_which_column_is_wrong(columns: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"labels": ["S"], "parents": [-1], "leaf_parents": [0, 0], "id": "s7", **columns}
    with pytest.raises(TreeError, match=f"sentence s7: {message}"):
        Tree.build([Token("a", "A"), Token("b", "B")], **given)


@given(trees())
def test_a_tree_under_one_more_node(tree: Tree) -> None:
    """The result equals a tree built from its columns, with secondary edges and heads renumbered."""
    above = tree.under("TOP")
    assert above == Tree.build(
        tree.tokens,
        ("TOP", *tree.labels),
        (-1, *(parent + 1 for parent in tree.parents)),
        tuple(parent + 1 for parent in tree.leaf_parents),
        ("", *tree.functions),
        tree.id,
        tree.comments,
        above.secondary,
    )
    assert [edge.label for edge in above.secondary] == [edge.label for edge in tree.secondary]


def test_no_file_could_hold_such_a_node() -> None:
    with pytest.raises(TreeError, match="line break"):
        Tree.build([Token("a")], ["S"], [-1], [0]).under("A\nB")


def test_the_largest_tree_whose_yields_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    large = tree(GERMAN)  # 5 words and 4 nodes
    monkeypatch.setattr("spindle.trees.tree.MAX_MASK_BITS", 19)
    with pytest.raises(TreeError, match=r"a tree of 5 words and 4 nodes is too large .* may be 19 at most"):
        _ = large.masks
    monkeypatch.setattr("spindle.trees.tree.MAX_MASK_BITS", 20)
    assert large.masks
