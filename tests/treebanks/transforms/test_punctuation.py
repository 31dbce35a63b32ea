import pytest

from spindle.errors import TreebankError
from spindle.treebanks.transforms import move_punctuation, raise_punctuation, remove_punctuation
from spindle.treebanks.transforms.punctuation import drop_final_marks
from spindle.trees import SecondaryEdge
from support.notation import notation, tree

AT_ROOT = "(VROOT ($( 0=«) (S (NP (NN 1=Bär) (NN 3=Wolf)) (VVFIN 4=kam)) ($, 2=,) ($( 5=») ($. 6=.))"
INSIDE = "(VROOT ($( «) (S (NP (NN Bär) ($, ,) (NN Wolf)) (VVFIN kam)) ($( ») ($. .))"


def test_marks_move_to_the_lowest_constituent_they_break() -> None:
    assert notation(move_punctuation(tree(AT_ROOT))) == INSIDE


def test_raising_undoes_moving() -> None:
    assert raise_punctuation(tree(INSIDE)) == tree(AT_ROOT)


def test_no_root_is_invented() -> None:
    before = tree("(S (NP (NP (NN a)) (, ,) (NP (NN b))) (VP (VB c)) (. .))")
    after = raise_punctuation(before)
    assert notation(after) == "(S (NP (NP (NN 0=a)) (NP (NN 2=b))) (, 1=,) (VP (VB 3=c)) (. 4=.))"
    assert move_punctuation(after) == before


def test_discontinuity_of_words_stays() -> None:
    before = tree("(S (VP (NN 0=a) (NN 1=b) (VB 4=e)) (, 2=,) (VB 3=d))")
    assert move_punctuation(before) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # a mark attached higher is between a word and a mark of the same constituent
        ("(S (NP (NN 0=a) (. 2=!)) (, 1=,) (VB 3=b))", "(S (NP (NN a) (, ,) (. !)) (VB b))"),
        ("(S (VB 0=b) (NP (. 1=!) (NN 3=a)) (, 2=,))", "(S (VB b) (NP (. !) (, ,) (NN a)))"),
        # left and right exchanged: a mark of the left constituent comes after one of the right constituent
        (
            "(S (NP (NN 0=a) (. 2=!)) (VP (, 1=,) (VB 3=b)))",
            "(S (NP (NN a) (, ,) (. !)) (VP (VB b)))",
        ),
        # a mark in a constituent far away
        ("(S (NP (NN 0=a) (, 2=,)) (VP (VB 1=b) (VB 3=c)))", "(S (NP (NN a)) (VP (VB b) (, ,) (VB c)))"),
        ("(S (NP (NN 0=a) (. 2=.)) (VP (VB 1=b)))", "(S (NP (NN a)) (VP (VB b)) (. .))"),
        # constituents that contain only punctuation: without and with gaps
        (
            "(S (NP (NN 0=a) (NN 3=b)) (PRN (: 1=-) (: 2=-)) (VB 4=c))",
            "(S (NP (NN a) (PRN (: -) (: -)) (NN b)) (VB c))",
        ),
        ("(S (PRN (: 0=-) (: 2=-)) (NN 1=a) (VB 3=b))", "(S (: -) (NN a) (: -) (VB b))"),
    ],
)
def test_unusual_places(before: str, after: str) -> None:
    assert notation(move_punctuation(tree(before))) == after


def test_punctuation_only() -> None:
    marks = tree("(S (X (. 0=.) (. 2=.)) (. 1=.))")
    assert move_punctuation(marks) == marks
    assert notation(raise_punctuation(marks)) == "(S (. .) (. .) (. .))"
    with pytest.raises(TreebankError, match="no words are left"):
        remove_punctuation(marks)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (VP (VB go)) (. .))", "(S (VP (VB go)))"),
        ("(S (NP (NN a) (. ?)) (VB b) (. ?!) (. !))", "(S (NP (NN a) (. ?)) (VB b))"),
        ("(S (VB go) (X (. ...)))", "(S (VB go))"),
        ("(S (VB go) (, ,))", "(S (VB go) (, ,))"),
        ("(S (. .) (. !))", "(S (. .))"),
    ],
)
def test_marks_at_the_end_are_dropped(before: str, after: str) -> None:
    assert notation(drop_final_marks(tree(before))) == after


def test_removing_keeps_edges_heads_and_secondary_edges() -> None:
    before = tree("(VROOT (PRN (, ,)) (S (NP/SB (NN a)) (, ,) (VB/HD b)))").replace(
        heads=(3, 0, 3, 1),
        secondary=(SecondaryEdge("X", 0, 2), SecondaryEdge("OB", 3, 3), SecondaryEdge("SB", 7, 2)),
    )
    after = remove_punctuation(before.replace(heads=None))
    assert notation(after) == "(VROOT (S (NP/SB (NN a)) (VB/HD b)))"
    assert after.secondary == (SecondaryEdge("OB", 1, 2), SecondaryEdge("SB", 4, 1))


def test_a_node_whose_head_is_gone_takes_the_head_of_its_first_word() -> None:
    before = tree("(S (NP (NN a) (, ,)) (VB b))")
    assert remove_punctuation(before.replace(heads=(2, 0))).heads == (1, 0)
    assert remove_punctuation(before.replace(heads=(2, 1))).heads == (1, 0)
    assert raise_punctuation(before.replace(heads=(2, 1))).heads == (2, 0)
    # the head child stays the head child, although its own head has changed
    assert raise_punctuation(before.replace(heads=(1, 1))).heads == (0, 0)
    # a child that is only punctuation becomes the head only if there is no other
    first = tree("(S (NP (X (, ,)) (NN a) (, ,)) (VB b))").replace(heads=(3, 2, 0))
    assert notation(raise_punctuation(first)) == "(S (, ,) (NP (NN a)) (, ,) (VB b))"
    assert raise_punctuation(first).heads == (3, 1)


def test_a_bare_token() -> None:
    for transform in (move_punctuation, raise_punctuation):
        assert transform(tree("(. .)")) == tree("(. .)")
