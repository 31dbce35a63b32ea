"""Treebank conventions: removed before training and restored in the output."""

import pytest
from hypothesis import given

from spindle.pipeline.conventions import Conventions, Punctuation, learn_conventions
from spindle.treebanks.transforms import raise_punctuation, set_wrapper
from spindle.trees import Tree
from support.notation import notation, tree
from support.strategies import texts, trees

GERMAN = "(VROOT (S (NP (PPER 0=Es) (NN 3=Neues)) (VVFIN 1=kam) (ADV 4=an)) ($, 2=,) ($. 5=.))"


def restored(text: str, conventions: Conventions) -> str:
    return notation(conventions.restore(conventions.prepare(tree(text))))


@pytest.mark.parametrize(
    ("text", "prepared", "output"),
    [
        ("(ROOT (S (NN a) (. .)))", "(S (NN a) (. .))", "(ROOT (S (NN a) (. .)))"),
        ("(ROOT (S (NP-SBJ-1 (NN a)) (-NONE- *) (. .)))", "(S (NP/SBJ (NN a)) (. .))", None),
        ("(ROOT (ROOT (S (NN a) (NN b))))", "(S (NN a) (NN b))", "(ROOT (S (NN a) (NN b)))"),
        ("(ROOT (NP (NN a)) (S (NN b) (NN c)))", None, "(ROOT (NP (NN a)) (S (NN b) (NN c)))"),
        ("(NN a)", "(NN a)", "(ROOT (NN a))"),
    ],
)
def test_penn(text: str, prepared: str | None, output: str | None) -> None:
    penn = Conventions(wrapper="ROOT")
    if prepared is not None:
        assert notation(penn.prepare(tree(text))) == prepared
    if output is not None:
        assert restored(text, penn) == output


def test_functions_go_back_into_labels() -> None:
    penn = Conventions(wrapper="TOP", functions_in_labels=True)
    text = "(TOP (S (NP-SBJ (NN-X a)) (VP (VB b))))"
    assert notation(penn.prepare(tree(text))) == "(S (NP/SBJ (NN-X a)) (VP (VB b)))"
    assert restored(text, penn) == text


def test_punctuation_at_the_root_is_moved_and_raised() -> None:
    conventions = Conventions(punctuation=Punctuation.RESTORE)
    prepared = conventions.prepare(tree(GERMAN))
    assert prepared.masks[1] == 0b011111  # the comma is now inside the clause
    assert notation(conventions.restore(prepared)) == notation(tree(GERMAN))
    assert Conventions(punctuation=Punctuation.MOVE).restore(prepared) == prepared


def test_a_root_node_is_added_only_for_punctuation() -> None:
    conventions = Conventions(punctuation=Punctuation.RESTORE)
    text = "(VROOT (S (NN 0=a) (NN 2=b)) ($, 1=,))"
    assert notation(conventions.prepare(tree(text))) == "(S (NN a) ($, ,) (NN b))"
    assert restored(text, conventions) == notation(tree(text))
    assert restored("(S (NN a) (NN b))", conventions) == "(S (NN a) (NN b))"


def test_conventions_are_learned_from_trees() -> None:
    penn = [tree("(ROOT (S (NP-SBJ (NN a)) (. .)))")] * 3 + [tree("(S (NN a) (. .))")]
    assert learn_conventions(penn) == Conventions("ROOT", Punctuation.LEAVE, functions_in_labels=True)
    german = [tree(GERMAN)] * 3 + [tree("(S/X (NN/HD a) (NN b))")] * 2
    assert learn_conventions(german) == Conventions(None, Punctuation.RESTORE, "VROOT")
    assert learn_conventions(german, Punctuation.MOVE).punctuation is Punctuation.MOVE
    # a full stop inside a clause is not attached to the root, even if the clause is the root node
    assert learn_conventions([tree("(S (NN a) (. .))")]).punctuation is Punctuation.LEAVE
    assert learn_conventions([]) == Conventions()


# labels without functions or indices, and no tags that make tokens empty
PLAIN = texts().filter(lambda text: not set(text) & set("-="))


@given(trees(labels=PLAIN, wrappers=()))
def test_restoring_undoes_preparing(original: Tree) -> None:
    if any(token.is_empty for token in original.tokens):
        return
    wrapped = set_wrapper(original, "ROOT")
    plain = Conventions(wrapper="ROOT")
    retagged = plain.gold(wrapped)  # co-indices are not restored
    assert plain.restore(plain.prepare(wrapped)) == retagged
    raised = raise_punctuation(set_wrapper(original, "VROOT"))
    moving = Conventions(punctuation=Punctuation.RESTORE)
    again = moving.restore(moving.prepare(raised))
    assert raise_punctuation(set_wrapper(again, "VROOT")) == moving.gold(raised)
