"""Invariants of every transform, on random trees."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.errors import TreebankError
from spindle.reduction import decode, encode
from spindle.treebanks.transforms import (
    FUNCTIONS,
    PUNCTUATION,
    STRIP,
    collapse_wrapper,
    merge_functions,
    move_punctuation,
    raise_punctuation,
    remove_punctuation,
    resolution,
    resolve_traces,
    set_wrapper,
    split_functions,
    strip_traces,
)
from spindle.trees import Token, Tree
from spindle.trees.nodes import gaps
from spindle.trees.punctuation import is_punctuation
from spindle.trees.wrapper import WRAPPER_LABELS, wrapper
from support.strategies import WRAPPERS, deep_tree, headed_trees, tokens, trees

# as many words as punctuation marks: most tags of the general strategy are hostile, not punctuation
MARKS = st.sampled_from([Token(",", "$,"), Token(".", "."), Token("-LRB-", "-LRB-")])
WORDS = st.sampled_from([Token("cat", "NN"), Token("ran", "VB"), Token("*T*-1", "-NONE-")])
punctuated = trees(tokens=MARKS | WORDS, max_tokens=12)
traces = st.builds(
    "{}-{}".format, st.sampled_from(["*T*", "*ICH*", "*EXP*", "*RNR*", "*"]), st.sampled_from("123")
).map(lambda form: Token(form, "-NONE-"))
moved = trees(
    tokens=st.sampled_from([Token("cat", "NN"), Token("ran", "VB")]) | traces,
    labels=st.sampled_from(["S", "NP-1", "WHNP-2", "SBAR-3", "VP"]),
    max_tokens=12,
)
functions = st.sampled_from(["", "SB", "HD", "OC-1", "=2", "-"])
annotated = trees(tokens=tokens(functions=functions, lemmas=functions, morphs=functions), functions=functions)


@pytest.mark.parametrize(
    "transform",
    [entry.function for table in (STRIP, PUNCTUATION, FUNCTIONS) for entry in table.values()]
    + [resolve_traces, lambda tree: set_wrapper(tree, "TOP")],
)
@settings(max_examples=30)
@given(tree=annotated | punctuated | headed_trees(punctuated))
def test_applying_twice_changes_nothing_more(transform: Callable[[Tree], Tree], tree: Tree) -> None:
    try:
        after = transform(tree)
    except TreebankError:
        return
    assert transform(after) == after


@pytest.mark.parametrize(
    "transform",
    [
        move_punctuation,
        raise_punctuation,
        remove_punctuation,
        collapse_wrapper,
        lambda tree: set_wrapper(tree, "TOP"),
        lambda tree: tree.under("VROOT"),
        strip_traces,
        resolve_traces,
    ],
)
@given(
    tree=headed_trees(punctuated)
    | headed_trees(moved)
    | headed_trees(trees(labels=st.sampled_from(WRAPPERS)))
)
def test_heads_survive(transform: Callable[[Tree], Tree], tree: Tree) -> None:
    try:
        after = transform(tree)
    except TreebankError:
        return
    assert after.heads is not None
    assert all(mask >> head & 1 for mask, head in zip(after.masks, after.heads, strict=True))
    decoded = decode(encode(after))
    assert decoded == after
    assert decoded.heads == after.heads
    assert transform(tree.replace(heads=None)) == after  # heads have no influence on the rest


@given(headed_trees(punctuated))
def test_words_keep_their_heads_when_punctuation_moves(tree: Tree) -> None:
    """A node whose head is a word keeps that head as long as it keeps the word."""
    assert tree.heads is not None
    for transform in (move_punctuation, raise_punctuation):
        after = transform(tree)
        kept = {(label, head) for label, head in zip(after.labels, after.heads or (), strict=True)}
        for node, head in zip(tree.nodes(), tree.heads, strict=True):
            if not is_punctuation(tree.tokens[head]):
                assert (node.label, head) in kept


@given(headed_trees())
def test_a_new_top_node_has_the_head_of_the_old_one(tree: Tree) -> None:
    for after in (tree.under("NEW"), set_wrapper(tree, "NEW")):
        assert after.heads is not None
        assert after.heads[0] == (tree.heads[0] if tree.heads else 0)


def word_gaps(tree: Tree) -> list[tuple[str, int]]:
    return sorted((label, gaps(mask)) for label, mask in zip(tree.labels, tree.masks, strict=True))


def words_only(tree: Tree) -> Tree | None:
    return None if all(map(is_punctuation, tree.tokens)) else remove_punctuation(tree)


@given(punctuated)
def test_after_moving_only_words_make_gaps(tree: Tree) -> None:
    after = move_punctuation(tree)
    assert after.tokens == tree.tokens
    assert words_only(after) == words_only(tree)
    if words := words_only(tree):
        with_words = [
            (label, gaps(mask))
            for label, mask in zip(after.labels, after.masks, strict=True)
            if any(mask >> at & 1 and not is_punctuation(token) for at, token in enumerate(after.tokens))
        ]
        assert sorted(with_words) == word_gaps(words)
        assert after.gap_degree == words.gap_degree


@given(punctuated)
def test_raising_undoes_moving(tree: Tree) -> None:
    raised = raise_punctuation(tree)
    assert all(
        parent <= 0
        for parent, token in zip(raised.leaf_parents, raised.tokens, strict=True)
        if is_punctuation(token)
    )
    assert words_only(raised) == words_only(tree)
    assert raise_punctuation(move_punctuation(raised)) == raised


@given(annotated)
def test_splitting_undoes_merging_where_labels_are_plain(tree: Tree) -> None:
    def plain(label: str) -> str:
        return label.replace("-", "").replace("=", "") or "X"

    tree = tree.replace(
        labels=tuple(map(plain, tree.labels)),
        tokens=tuple(token._replace(tag=plain(token.tag)) for token in tree.tokens),
    )
    assert split_functions(merge_functions(tree)) == tree


@given(trees())
def test_merging_undoes_splitting(tree: Tree) -> None:
    assert merge_functions(split_functions(tree)) == tree


@given(trees(wrappers=WRAPPERS), st.sampled_from(WRAPPERS))
def test_wrappers(tree: Tree, label: str) -> None:
    bare = collapse_wrapper(tree)
    assert wrapper(bare) is None
    wrapped = set_wrapper(tree, label)
    assert wrapped.labels[0] == label
    assert (
        len(wrapped.labels) < 2
        or len(wrapped.children[0]) > 1
        or wrapped.labels[1] not in WRAPPER_LABELS
        or (len(wrapped.children[1]) > 1)
    )
    if not bare.labels or bare.labels[0] not in WRAPPER_LABELS:
        assert collapse_wrapper(wrapped) == bare


@given(moved)
def test_resolving_keeps_the_words_and_their_constituents(tree: Tree) -> None:
    try:
        stripped = strip_traces(tree)
    except TreebankError:
        return
    resolved = resolution(tree)
    assert resolved.tree.tokens == stripped.tokens
    movements = sum(token.is_empty and not token.form.startswith("*-") for token in tree.tokens)
    assert resolved.outcomes.total() == movements
    if not resolved.outcomes["resolved"]:
        assert resolved.tree == stripped


def test_depth_is_no_limit() -> None:
    deep = deep_tree(20_000)
    for table in (STRIP, PUNCTUATION, FUNCTIONS):
        for transform in table.values():
            assert len(transform.function(deep)) == 1
    assert collapse_wrapper(deep_tree(20_000, "TOP")).labels == ()
