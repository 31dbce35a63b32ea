from spindle.treebanks.transforms import (
    merge_functions,
    split_functions,
    strip_functions,
    strip_indices,
    strip_tag_functions,
)
from support.notation import notation, tree


def test_strip_functions_leaves_tags_and_odd_labels_alone() -> None:
    before = tree(
        "(S-TPC-1/TOP (NP=2/SB (N-N x) (-LRB- -LRB-)) (-NONE-/HD (-NONE- *)) (-- (-- --)) (ADVP-TMP (RB y)))"
    )
    assert notation(strip_functions(before)) == (
        "(S (NP (N-N x) (-LRB- -LRB-)) (-NONE- (-NONE- *)) (-- (-- --)) (ADVP (RB y)))"
    )


def test_strip_functions_clears_the_edges_of_tokens() -> None:
    assert notation(strip_functions(tree("(S/-- (NN/SB x) (VB/HD y))"))) == "(S (NN x) (VB y))"


def test_strip_tag_functions() -> None:
    before = tree("(S-X (CLS-SUJ il) (-LRB- -LRB-) (-NONE- *))")
    assert notation(strip_tag_functions(before)) == "(S-X (CLS il) (-LRB- -LRB-) (-NONE- *))"


def test_strip_indices() -> None:
    before = tree("(S-TPC-1 (NP-SBJ=12 (N-1 x)) (NP-OB1-2 (N y)) (-1 (N z)) (S-1-X (N a)))")
    assert notation(strip_indices(before)) == ("(S-TPC (NP-SBJ (N x)) (NP-OB1 (N y)) (-1 (N z)) (S-X (N a)))")


def test_merge_and_split() -> None:
    edges = tree("(S (NP/SB (ART/NK die) (NN/NK Katze)) (VVFIN/HD schläft) ($. .))")
    labels = tree("(S (NP-SB (ART-NK die) (NN-NK Katze)) (VVFIN-HD schläft) ($. .))")
    assert merge_functions(edges) == labels
    assert split_functions(labels) == edges


def test_split_keeps_what_it_cannot_write_back() -> None:
    odd = tree("(S- (NP=2 (-LRB- -LRB-)) (VP-=3 (VB x)) (PP-A/B (IN y)))")
    assert notation(split_functions(odd)) == "(S- (NP/=2 (-LRB- -LRB-)) (VP-=3 (VB x)) (PP-A/B (IN y)))"
