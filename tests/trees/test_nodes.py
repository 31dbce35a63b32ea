"""Nodes and leaves: their place in the sentence and in the text, and walks over the tree."""

import pytest
from hypothesis import given

from spindle.treebanks.transforms import strip_traces
from spindle.trees import Leaf, Node, Tree
from support.notation import tree
from support.strategies import deep_tree, headed_trees, trees

TEXT = "«Es kam  nichts Neues."
CROSSING = (
    tree("(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Neues))) (VVFIN 1=kam)) ($. 4=.))")
    .replace(heads=(1, 1, 3, 3))
    .with_text(TEXT, [(1, 3), (4, 7), (9, 15), (16, 21), (21, 22)])
)


def test_text_spans_and_offsets() -> None:
    subject = Node(CROSSING, 2)
    assert (subject.span, subject.spans) == ((0, 4), ((0, 1), (2, 4)))
    assert subject.text == "Es nichts Neues"
    assert (subject.start_char, subject.end_char) == (1, 21)
    sentence = Node(CROSSING, 1)
    assert sentence.text == TEXT[sentence.start_char : sentence.end_char] == "Es kam  nichts Neues"
    verb = CROSSING.leaves[1]
    assert (verb.text, verb.span, verb.spans) == ("kam", (1, 2), ((1, 2),))
    assert (verb.start_char, verb.end_char) == (4, 7)
    assert (subject.head, CROSSING.tokens[3].form) == (3, "Neues")


def test_without_a_text_the_words_are_joined() -> None:
    plain = CROSSING.replace(text=None, offsets=())
    sentence = Node(plain, 1)
    assert (sentence.text, sentence.start_char, sentence.end_char) == ("Es kam nichts Neues", None, None)


@given(trees())
def test_spans_cover_the_yield(drawn: Tree) -> None:
    for node in drawn.nodes():
        covered = [at for start, end in node.spans for at in range(start, end)]
        assert tuple(covered) == node.positions
        assert len(node.spans) == node.fan_out
        assert node.span == (node.spans[0][0], node.spans[-1][1])
        assert [leaf.position for leaf in node.leaves] == covered


@given(trees())
def test_walks_visit_every_vertex_once(drawn: Tree) -> None:
    before, after = list(drawn.preorder()), list(drawn.postorder())
    assert before[0] == after[-1] == drawn.root
    assert len(before) == len(after) == len(set(before)) == len(drawn) + len(drawn.labels)
    assert set(before) == set(after)
    for vertex in before:
        if vertex.parent is not None:
            assert before.index(vertex.parent) < before.index(vertex)
            assert after.index(vertex.parent) > after.index(vertex)


def test_the_order_of_walks_and_find() -> None:
    drawn = tree("(S (NP (DT The) (NN cat)) (VP (VBD saw) (NP (NN mice))))")
    assert [vertex.label for vertex in drawn.preorder()] == ["S", "NP", "DT", "NN", "VP", "VBD", "NP", "NN"]
    assert [vertex.label for vertex in drawn.postorder()] == ["DT", "NN", "NP", "VBD", "NN", "NP", "VP", "S"]
    assert [node.text for node in drawn.find(label="NP")] == ["The cat", "mice"]
    assert [node.text for node in drawn.find(label="NN")] == ["cat", "mice"]
    assert drawn.root.children[1].find("NP") == [Node(drawn, 3)]
    assert drawn.find("PP") == []
    assert drawn.leaves == tuple(Leaf(drawn, at) for at in range(4))


def test_depth_needs_no_recursion() -> None:
    deep = deep_tree(5000)
    assert sum(1 for _ in deep.postorder()) == sum(1 for _ in deep.preorder()) == 5001


def test_print_and_repr() -> None:
    assert str(Node(CROSSING, 2)) == "(NP (PPER Es) (NP (PIAT nichts) (NN Neues)))"
    assert repr(Node(CROSSING, 2)) == "<Node NP 'Es nichts Neues'>"
    assert str(CROSSING.leaves[1]) == "kam"
    assert repr(CROSSING.leaves[1]) == "<Leaf VVFIN 'kam'>"


@given(headed_trees())
def test_a_constituent_is_a_tree(drawn: Tree) -> None:
    for node in drawn.nodes():
        found = node.to_tree()
        assert found.labels[0] == node.label
        assert [token.form for token in found.tokens] == [leaf.token.form for leaf in node.leaves]
        assert found.heads is not None
        assert node.positions[found.heads[0]] == node.head
    assert drawn.labels == () or Node(drawn, 0).to_tree() == drawn


def test_transforms_keep_the_text() -> None:
    traced = tree("(S (NP (-NONE- *)) (VP (VB Go)))").with_text("Go", [(0, 0), (0, 2)])
    assert strip_traces(traced).offsets == ((0, 2),)
    assert strip_traces(traced).root.text == "Go"
    with pytest.raises(AttributeError):
        CROSSING.text = "other"  # type: ignore[misc]
