"""The tree that several trees choose, against brute force, and its limits."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import ParserError
from spindle.pipeline import voting
from spindle.pipeline.voting import Vote, elect
from spindle.trees import Token, Tree
from support.notation import notation, tree
from support.strategies import trees


def votes(*given_trees: Tree) -> list[Vote]:
    return [Vote(one, [1.0] * len(one.labels)) for one in given_trees]


@given(trees(), st.integers(1, 4))
def test_equal_trees_choose_themselves(one: Tree, count: int) -> None:
    one = one.replace(id="", comments=(), secondary=(), heads=None)
    elected = elect(votes(*[one] * count))
    assert elected.tree == one
    assert elected.probabilities == pytest.approx((1.0,) * len(one.labels), abs=1e-5)


def test_the_majority_wins() -> None:
    right = tree("(S (NP (A a) (B b)) (VP (C c) (D d)))")
    wrong = tree("(S (NP (A a)) (VP (B b) (C c) (D d)))")
    assert notation(elect(votes(wrong, right, right)).tree) == notation(right)
    assert notation(elect(votes(right, wrong, wrong)).tree) == notation(wrong)


def test_yields_with_gaps() -> None:
    gap = tree("(S (NP (A 0=a) (B 2=b)) (V 1=c))")
    flat = tree("(S (A 0=a) (V 1=c) (B 2=b))")
    assert elect(votes(flat, gap, gap)).tree == gap
    assert elect(votes(gap, flat, flat)).tree == flat


def test_strong_votes_beat_many() -> None:
    one, other = tree("(S (X (A a) (B b)) (C c))"), tree("(S (A a) (X (B b) (C c)))")
    chosen = elect([Vote(one, [1, 0.9]), Vote(other, [1, 0.2]), Vote(other, [1, 0.2])], 0.25)
    assert chosen.tree == one
    assert chosen.probabilities[1] == pytest.approx(0.3, abs=1e-5)


def test_with_equal_votes_the_first_tree_wins() -> None:
    one, other = tree("(S (X (A a) (B b)) (C c))"), tree("(S (A a) (Y (B b) (C c)))")
    assert elect(votes(one, other), 0.5).tree == one
    assert elect(votes(other, one), 0.5).tree == other


def test_no_chain_that_no_tree_has() -> None:
    elected = elect(votes(tree("(S (NP (NN a)) (B b))"), tree("(S (VP (NN a)) (B b))")), 0.3)
    assert [node.label for node in elected.tree.nodes()] == ["S", "NP"]


def test_tags_and_functions_by_majority() -> None:
    one, other = tree("(S (NP/SB (A a) (B b)) (C c))"), tree("(S (NP/OA (A a) (X b)) (C c))")
    elected = elect(votes(one, other, other)).tree
    assert (elected.functions[1], elected.tokens[1].tag) == ("OA", "X")


def test_words_without_a_node() -> None:
    alone = Tree.build([Token("a", "A")], [], [], [-1])
    assert elect(votes(alone, alone)).tree == alone
    assert elect(votes(alone, alone, tree("(S (A a))"))).tree == alone


def test_different_words_are_refused() -> None:
    with pytest.raises(ParserError, match="different words"):
        elect(votes(tree("(S (A a))"), tree("(S (A b))")))


def random_tree(random: Random, size: int) -> Tree:
    """A tree over `size` words whose branches may cross."""
    parents: list[int] = []
    leaf_parents = [-1] * size
    waiting = list(range(-size, 0))  # words are negative
    while len(waiting) > 1 or not parents:
        below = random.sample(waiting, random.randint(min(2, len(waiting)), len(waiting)))
        for vertex in below:
            if vertex < 0:
                leaf_parents[vertex + size] = len(parents)
            else:
                parents[vertex] = len(parents)
        waiting = [vertex for vertex in waiting if vertex not in below] + [len(parents)]
        parents.append(-1)
    labels = random.choices("XY", k=len(parents))
    return Tree.build([Token("a", "A")] * size, labels, parents, leaf_parents)


def rivals(random: Random) -> list[Vote]:
    """Trees over the same words, with strengths."""
    size = random.randint(2, 6)
    found = [random_tree(random, size) for _ in range(random.randint(2, 4))]
    return [Vote(one, [random.random() for _ in one.labels]) for one in found]


def worth(found: Tree, given_votes: list[Vote], threshold: float) -> float:
    """The total worth of a tree, the root's nodes apart."""
    counts: Counter[tuple[int, voting.Constituent]] = Counter()
    for number, vote in enumerate(given_votes):
        for mask, one, strength in constituents(vote.tree, vote.strengths):
            counts[mask, one] += (strength + voting.TIE * (not number)) / len(given_votes)  # type: ignore[assignment]
    whole = (1 << len(found)) - 1
    return sum(
        counts[mask, one] - threshold
        for mask, one, _ in constituents(found, [0.0] * len(found.labels))
        if mask != whole
    )


def constituents(one: Tree, strengths: object) -> list[tuple[int, voting.Constituent, float]]:
    seen: Counter[tuple[int, str]] = Counter()
    found = []
    for node in reversed(range(len(one.labels))):
        key = one.masks[node], one.labels[node]
        found.append((key[0], voting.Constituent(key[1], seen[key]), strengths[node]))  # type: ignore[index]
        seen[key] += 1
    return found


def brute_force(given_votes: list[Vote], threshold: float) -> float:
    """The largest worth of any set of chains whose yields do not cross."""
    whole = (1 << len(given_votes[0].tree)) - 1
    chains: dict[int, dict[tuple[voting.Constituent, ...], float]] = {}
    counts: Counter[tuple[int, voting.Constituent]] = Counter()
    for number, vote in enumerate(given_votes):
        by_mask: dict[int, list[voting.Constituent]] = {}
        for mask, one, strength in constituents(vote.tree, vote.strengths):
            counts[mask, one] += (strength + voting.TIE * (not number)) / len(given_votes)  # type: ignore[assignment]
            by_mask.setdefault(mask, []).append(one)
        for mask, chain in by_mask.items():
            chains.setdefault(mask, {})[tuple(chain)] = 0.0
    worths = {
        mask: max(sum(counts[mask, one] - threshold for one in chain) for chain in found)
        for mask, found in chains.items()
        if mask != whole
    }
    masks = [mask for mask, value in worths.items() if value > 0]
    best = 0.0
    for size in range(len(masks) + 1):
        for chosen in combinations(masks, size):
            if all(one & other in (0, one, other) for one, other in combinations(chosen, 2)):
                best = max(best, sum(worths[mask] for mask in chosen))
    return best


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("seed", range(40))
def test_no_other_tree_is_worth_more(seed: int, threshold: float) -> None:
    given_votes = rivals(Random(seed))
    found = elect(given_votes, threshold).tree
    assert worth(found, given_votes, threshold) == pytest.approx(brute_force(given_votes, threshold))


def test_large_groups_are_solved_greedily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voting, "MAX_STEPS", 1)
    one, other = tree("(S (X (A a) (B b)) (C c))"), tree("(S (A a) (X (B b) (C c)))")
    assert elect(votes(one, other, other), 0.2).tree == other
