"""Heads from aligned dependencies."""

from collections import Counter

import pytest
from hypothesis import given

from spindle.errors import TreebankError
from spindle.heads import load_rules, project_heads
from spindle.heads.project import GIVEN, INNER, NONE, SEVERAL
from spindle.treebanks.files import parse_tree
from spindle.trees import ROOT, Dependencies, Tree, Word
from support.strategies import headed_trees

RULES = load_rules("collins")
CLAUSE = "(S (NP (DT the) (NN end)) (VP (VBZ is) (ADJP (RB so) (JJ near))) (. .))"


def sentence(text: str) -> Dependencies:
    """Return the dependencies of words written with their heads: `the/2 end/0`."""
    words = (word.rpartition("/") for word in text.split())
    return Dependencies(tuple(Word(form, head=int(head)) for form, _, head in words), ("sent_id = s7",))


def projected(tree: str, dependencies: str) -> tuple[list[str], Counter[str]]:
    """Return the head word of every node, and the counts."""
    counts: Counter[str] = Counter()
    result = project_heads(parse_tree(tree), sentence(dependencies), RULES, counts)
    assert result.heads is not None
    return [result.tokens[head].form for head in result.heads], +counts


def test_heads_are_those_governed_from_outside() -> None:
    words, counts = projected(CLAUSE, "the/2 end/5 is/5 so/5 near/0 ./5")
    assert words == ["near", "end", "near", "near"]  # not the head of the rules of Collins
    assert counts == {GIVEN: 4}


def test_several_governed_from_outside_leave_it_to_the_rules() -> None:
    # `end` and `near` both depend on `is`: a phrase of the two has no single head
    words, counts = projected("(S (NP (NN end) (JJ near)) (VP (VBZ is)))", "end/3 near/3 is/0")
    assert words == ["is", "end", "is"]
    assert counts == {SEVERAL: 1, GIVEN: 1}


def test_a_circle_leaves_it_to_the_rules() -> None:
    words, counts = projected("(NP (DT the) (NN end))", "the/2 end/1")
    assert words == ["end"]
    assert counts == {NONE: 1}


def test_children_that_hang_deeper_are_counted() -> None:
    words, counts = projected("(NP (DT the) (JJ near) (NN end))", "the/2 near/3 end/0")
    assert words == ["end"]
    assert counts == {GIVEN: 1, INNER: 1}


def test_punctuation_does_not_compete_with_words() -> None:
    words, counts = projected("(S (NP (NN end) (, ,)) (VP (VBZ is)))", "end/3 ,/3 is/0")
    assert words == ["is", "end", "is"]
    assert counts == {GIVEN: 1}


def test_traces_are_skipped() -> None:
    tree = "(SBAR (WHNP-1 (-NONE- 0)) (S (NP (PRP it)) (VP (VBZ is) (NP (-NONE- *T*-1)))))"
    words, counts = projected(tree, "it/2 is/0")
    assert words == ["is", "0", "is", "it", "is", "*T*-1"]
    assert counts == {GIVEN: 1}


def test_brackets_may_be_spelled_out() -> None:
    words, _ = projected("(NP (-LRB- -LRB-) (NN :-RRB-) (NN end))", "(/3 :)/3 end/0")
    assert words == ["end"]


@pytest.mark.parametrize(
    ("dependencies", "message"),
    [
        ("the/2 and/0", "word 2 is 'end' in the tree and 'and' in the dependencies"),
        ("the/0", "the tree has 2 words and the dependencies have 1"),
        ("the/2 end/0 ./2", "the tree has 2 words and the dependencies have 3"),
        ("the/2 end/-1", "word 2 ('end') has no head"),
        ("the/2 end/3", "word 2 ('end') has no head"),
    ],
)
def test_a_mismatch_names_the_sentence(dependencies: str, message: str) -> None:
    tree = parse_tree("(NP (DT the) (NN end))")
    with pytest.raises(TreebankError) as caught:
        project_heads(tree, sentence(dependencies), RULES)
    assert "(sentence s7)" in str(caught.value)
    assert message in str(caught.value)


def as_dependencies(tree: Tree) -> Dependencies:
    """Return dependencies: each token depends on the head of its lowest ancestor that another word heads."""
    assert tree.heads is not None
    words = []
    for position, token in enumerate(tree.tokens):
        node = tree.leaf_parents[position]
        while node != ROOT and tree.heads[node] == position:
            node = tree.parents[node]
        words.append(Word(token.form, head=0 if node == ROOT else tree.heads[node] + 1))
    return Dependencies(tuple(words))


@given(headed_trees())
def test_projection_gives_back_the_heads_that_made_the_dependencies(tree: Tree) -> None:
    """This holds where heads are words: traces have no dependencies, and punctuation is not a candidate."""
    tree = tree.replace(tokens=tuple(token._replace(tag="NN") for token in tree.tokens))
    counts: Counter[str] = Counter()
    assert project_heads(tree.replace(heads=None), as_dependencies(tree), RULES, counts).heads == tree.heads
    assert set(+counts) <= {GIVEN}
