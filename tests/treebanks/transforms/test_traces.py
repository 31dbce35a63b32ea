import pytest

from spindle.errors import TreebankError
from spindle.treebanks.transforms import resolution, resolve_traces, strip_traces
from support.notation import notation, tree


def test_strip() -> None:
    before = tree("(S (NP-SBJ (-NONE- *)) (VP (CODE {x}) (VB go) (NP (NP (-NONE- *T*-1)))))")
    assert notation(strip_traces(before)) == "(S (VP (VB go)))"


def test_nothing_but_traces() -> None:
    with pytest.raises(TreebankError, match=r"sentence 7.*no words are left"):
        strip_traces(tree("(S (NP (-NONE- *)))").replace(id="7"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # wh-movement
        (
            "(SBARQ (WHNP-1 (WP What)) (SQ (VBD did) (NP-SBJ (PRP you)) (VP (VB see) (NP (-NONE- *T*-1)))))",
            "(SBARQ (SQ (VP (WHNP-1 (WP 0=What)) (VB 3=see)) (VBD 1=did) (NP-SBJ (PRP 2=you))))",
        ),
        # the same with the index on the label, and a passive, which is not resolved
        (
            "(SBAR (WHNP-1 (WDT that)) (S (NP-SBJ-1 (-NONE- *T*)) (VP (VBD was) (VP (VBN seen) (NP-1"
            " (-NONE- *))))))",
            "(SBAR (S (WHNP-1 (WDT that)) (VP (VBD was) (VP (VBN seen)))))",
        ),
        # extraposition
        (
            "(S (NP (NP (NN word)) (SBAR (-NONE- *ICH*-2))) (VP (VBD came) (SBAR-2 (IN that) (S (NP"
            " (PRP it)) (VP (VBD ended))))))",
            "(S (NP (NP (NN 0=word)) (SBAR-2 (IN 2=that) (S (NP (PRP 3=it)) (VP (VBD 4=ended))))) (VP"
            " (VBD 1=came)))",
        ),
        # it-extraposition
        (
            "(S (NP-SBJ (NP (PRP It)) (S (-NONE- *EXP*-1))) (VP (VBZ hurts) (S-1 (NP (-NONE- *)) (VP"
            " (TO to) (VP (VB ask))))))",
            "(S (NP-SBJ (NP (PRP 0=It)) (S-1 (VP (TO 2=to) (VP (VB 3=ask))))) (VP (VBZ 1=hurts)))",
        ),
        # right node raising: the last conjunct gets the filler
        (
            "(S (VP (VP (VB buy) (NP (-NONE- *RNR*-1))) (CC and) (VP (VB sell) (NP (-NONE- *RNR*-1)))"
            " (NP-1 (NNS shares))))",
            "(S (VP (VP (VB buy)) (CC and) (VP (VB sell) (NP-1 (NNS shares)))))",
        ),
        # topicalisation out of a clause without a complementiser
        (
            "(S (S-TPC-1 (NP (PRP He)) (VP (VBD left))) (NP (PRP she)) (VP (VBD said) (SBAR"
            " (-NONE- 0) (S (-NONE- *T*-1)))))",
            "(S (VP (SBAR (S-TPC-1 (NP (PRP 0=He)) (VP (VBD 1=left)))) (VBD 3=said)) (NP (PRP 2=she)))",
        ),
        # a trace among other children: its constituent stays
        (
            "(S (ADVP-1 (WRB why)) (NP (PRP you)) (VP (VBD left) (-NONE- *T*-1)))",
            "(S (VP (ADVP-1 (WRB 0=why)) (VBD 2=left)) (NP (PRP 1=you)))",
        ),
        # a word that moved alone
        (
            "(IP (VB-1 leyfa) (VBD ætti) (IP-INF (VB (-NONE- *ICH*-1)) (NP (N akstur))))",
            "(IP (IP-INF (VB-1 0=leyfa) (NP (N 2=akstur))) (VBD 1=ætti))",
        ),
        # a filler inside a filler
        (
            "(SINV (S-1 (VB go)) (NP-TPC-2 (NP (DT that)) (S (-NONE- *EXP*-1))) (VP (VBD said) (NP"
            " (-NONE- *T*-2))))",
            "(SINV (VP (NP-TPC-2 (S-1 (VB go)) (NP (DT that))) (VBD said)))",
        ),
    ],
)
def test_movements(before: str, after: str) -> None:
    assert notation(resolve_traces(tree(before))) == after


def test_a_filler_does_not_move_into_itself() -> None:
    before = tree(
        "(S-1 (NP (PRP We)) (PRN (S (NP (PRP he)) (VP (VBD said) (S (-NONE- *T*-1))))) (VP (VBD won)))"
    )
    resolved = resolution(before)
    assert resolved.tree == strip_traces(before)
    assert resolved.outcomes == {"filler contains the trace": 1}


def test_two_fillers_do_not_move_into_each_other() -> None:
    before = tree("(S (A-1 (X a) (B (-NONE- *ICH*-2))) (C-2 (Y c) (D (-NONE- *ICH*-1))))")
    resolved = resolution(before)
    assert notation(resolved.tree) == "(S (A-1 (X a) (C-2 (Y c))))"
    assert resolved.outcomes == {"resolved": 1, "filler contains the trace": 1}


def test_every_trace_is_accounted_for() -> None:
    before = tree(
        "(S (WHNP-1 (-NONE- 0)) (NP-2 (NN x)) (VP (NP (-NONE- *T*-1)) (NP (-NONE- *T*-2)) (NP (-NONE- *T*-2))"
        " (NP (-NONE- *T*-3)) (NP (-NONE- *-2)) (NP (-NONE- *U*)) (VB y)))"
    )
    assert resolution(before).outcomes == {"filler is empty": 1, "resolved": 1, "shared": 1, "no filler": 1}


def test_of_two_fillers_of_one_name_the_one_outside_moves() -> None:
    before = tree("(S-1 (WHNP-1 (WP what)) (NP (PRP I)) (VP (VBD saw) (NP-1 (-NONE- *T*))))")
    assert notation(resolve_traces(before)) == "(S-1 (VP (WHNP-1 (WP 0=what)) (VBD 2=saw)) (NP (PRP 1=I)))"
