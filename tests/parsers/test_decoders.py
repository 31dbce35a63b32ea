"""The first-order decoders, compared with brute force over all trees of short sentences."""

from time import process_time

import numpy as np
import pytest

from spindle import _core
from support.brute_force import FORBIDDEN, all_trees, arc_marginals, tables, totals

BEST = {True: _core.best_projective_tree, False: _core.best_tree}
K_BEST = {True: _core.best_projective_trees, False: _core.best_trees}
MARGINALS = {True: _core.projective_marginals, False: _core.marginals}
KINDS = pytest.mark.parametrize("projective", [True, False], ids=["projective", "any"])
SIZES = pytest.mark.parametrize("size", range(1, 7))


def test_all_trees_are_as_many_as_there_should_be() -> None:
    assert [len(all_trees(size, False)) for size in range(1, 7)] == [
        size ** (size - 1) for size in range(1, 7)
    ]
    assert [len(all_trees(size, True)) for size in range(1, 7)] == [1, 2, 7, 30, 143, 728]


@SIZES
@KINDS
def test_the_best_tree(size: int, projective: bool) -> None:
    trees = all_trees(size, projective)
    for scores in tables(size, 100):
        of_all = totals(scores, trees)
        found = np.array([BEST[projective](scores)])
        assert (trees == found).all(axis=1).any()
        assert totals(scores, found)[0] == pytest.approx(of_all.max(), abs=1e-4)


@SIZES
@KINDS
def test_the_k_best_trees(size: int, projective: bool) -> None:
    trees = all_trees(size, projective)
    known = {tuple(heads) for heads in trees}
    for scores in tables(size, 60):
        k = int(abs(scores[0, 0]) * 1000) % 40 + 1
        found = K_BEST[projective](scores, k)
        assert found[0] == BEST[projective](scores)
        assert len({tuple(heads) for heads in found}) == len(found)
        assert known.issuperset(map(tuple, found))
        best = np.sort(totals(scores, trees))[::-1]
        best = np.concatenate([best[:1], best[1:][best[1:] > FORBIDDEN / 2]])
        # k trees or all that are allowed, and no better tree is missing
        assert len(found) == min(k, len(best))
        np.testing.assert_allclose(totals(scores, np.array(found)), best[:k], rtol=1e-6, atol=1e-4)


@SIZES
@KINDS
def test_the_best_trees_within_a_distance(size: int, projective: bool) -> None:
    for scores in tables(size, 60):
        every = K_BEST[projective](scores, 30)
        of_every = totals(scores, np.array(every))
        # the distance is never exactly that of a tree, because scores are rounded
        for within in (0.001, 0.5, *(float(of_every[0] - score + 0.001) for score in of_every[1:10])):
            if abs(of_every - (of_every[0] - within)).min() > 1e-4:
                found = K_BEST[projective](scores, 30, within)
                assert found == every[: int((of_every >= of_every[0] - within).sum())]


@pytest.mark.parametrize("within", [-1.0, float("nan")])
def test_the_best_tree_is_within_any_distance(within: float) -> None:
    scores = tables(5, 1)[0]
    assert _core.best_projective_trees(scores, 5, within) == [_core.best_projective_tree(scores)]


@KINDS
def test_the_k_best_trees_are_all_trees(projective: bool) -> None:
    scores = tables(5, 1)[0]
    trees = all_trees(5, projective)
    assert sorted(map(tuple, K_BEST[projective](scores, 10_000))) == sorted(map(tuple, trees))


@KINDS
@pytest.mark.parametrize("threads", [1, 2])
def test_the_best_trees_of_many_sentences(projective: bool, threads: int) -> None:
    lengths, most = [6, 1, 4, 5, 2], [8, 3, 1, 40, 2]
    padded = np.full((len(lengths), 8, 7), 9.0, dtype=np.float32)
    for table, length in zip(padded, lengths, strict=True):
        table[: length + 1, :length] = tables(length, 3)[2 if length == 4 else 0]
    counts, heads, scores = _core.best_trees_batch(padded, lengths, most, 3.0, projective, threads)
    start = 0
    for table, length, count, k in zip(padded, lengths, counts.tolist(), most, strict=True):
        alone = np.ascontiguousarray(table[: length + 1, :length])
        expected = K_BEST[projective](alone, k, 3.0)
        found, heads = heads[: count * length].reshape(count, length), heads[count * length :]
        assert found.tolist() == expected
        np.testing.assert_allclose(scores[start : start + count], totals(alone, found), rtol=1e-6)
        start += count
    assert (start, len(heads)) == (len(scores), 0)


@KINDS
@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite(projective: bool, score: float) -> None:
    for place in np.ndindex(4, 3):
        scores = np.zeros((4, 3), dtype=np.float32)
        scores[place] = score
        found = K_BEST[projective](scores, 20)
        assert {tuple(heads) for heads in found} <= {tuple(heads) for heads in all_trees(3, projective)}
        assert found[0] == BEST[projective](scores)
    assert len(K_BEST[projective](np.full((4, 3), score, dtype=np.float32), 3)[0]) == 3


def test_batches_with_wrong_lengths_are_refused() -> None:
    padded = np.zeros((2, 4, 3), dtype=np.float32)
    for lengths, most, message in (
        ([3], [1], "length"),
        ([3, 4], [1, 1], "longer"),
        ([3, 3], [1], "how many"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.best_trees_batch(padded, lengths, most, 0.0, True, 1)


@SIZES
@KINDS
def test_marginals(size: int, projective: bool) -> None:
    trees = all_trees(size, projective)
    for scores in tables(size, 60):
        of_all = totals(scores, trees)
        if of_all.max() < FORBIDDEN / 2:
            # every tree has a forbidden arc: the best one gets probability 1
            expected = np.zeros(scores.shape)
            expected[np.array(BEST[projective](scores)) + 1, np.arange(size)] = 1
        else:
            expected = arc_marginals(scores, trees)
        np.testing.assert_allclose(MARGINALS[projective](scores), expected, atol=1e-6)


@SIZES
@KINDS
def test_sums_over_trees(size: int, projective: bool) -> None:
    """For a batch of sentences; the padding of the tables has no effect."""
    trees = all_trees(size, projective)
    scores = [table for table in tables(size, 20) if totals(table, trees).max() > FORBIDDEN / 2]
    padded = np.full((len(scores), size + 3, size + 2), 7, dtype=np.float32)
    padded[:, : size + 1, :size] = scores
    for threads in (1, 2):
        sums, marginals = _core.marginals_batch(padded, [size] * len(scores), projective, threads)
        for table, found, of_arcs in zip(scores, sums, marginals, strict=True):
            of_all = totals(table, trees).astype(float)
            top = of_all.max()
            assert found == pytest.approx(top + np.log(np.exp(of_all - top).sum()), abs=1e-4)
            np.testing.assert_array_equal(of_arcs[: size + 1, :size], MARGINALS[projective](table))
            assert not of_arcs[size + 1 :].any()
            assert not of_arcs[:, size:].any()


def test_tables_that_are_too_small_are_refused() -> None:
    table = np.zeros((1, 3, 2), dtype=np.float32)
    for lengths in ([3], [-1], [], [2, 2]):
        with pytest.raises(ValueError, match="table"):
            _core.marginals_batch(table, lengths, True, 1)


@KINDS
@pytest.mark.parametrize("factor", [1, 30, 1000, 1e6])
def test_marginals_of_extreme_scores(projective: bool, factor: float) -> None:
    """With very different scores, the best tree has probability 1, and nothing overflows."""
    chance = np.random.default_rng(2)
    for size in (2, 5, 30):
        scores = (chance.normal(size=(size + 1, size)) * factor).astype(np.float32)
        found = MARGINALS[projective](scores)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=0), 1, atol=1e-6)
        assert found[0].sum() == pytest.approx(1)
        if factor >= 1000:
            best = np.array(BEST[projective](scores))
            np.testing.assert_allclose(found[best + 1, np.arange(size)], 1, atol=1e-6)


def test_marginals_of_two_words_that_prefer_each_other_as_head() -> None:
    """One root is e times as likely as the other; a determinant would lose that in rounding."""
    scores = np.array([[-60, -61], [0, 0], [0, 0]], dtype=np.float32)
    expected = 1 / (1 + np.exp(-1))
    assert _core.marginals(scores)[0, 0] == pytest.approx(expected)
    assert _core.projective_marginals(scores)[0, 0] == pytest.approx(expected)


@KINDS
def test_no_words_and_one(projective: bool) -> None:
    nothing = np.zeros((1, 0), dtype=np.float32)
    assert K_BEST[projective](nothing, 3) == []
    assert MARGINALS[projective](nothing).shape == (1, 0)
    one = np.zeros((2, 1), dtype=np.float32)
    assert K_BEST[projective](one, 3) == [[-1]]
    assert MARGINALS[projective](one).tolist() == [[1], [0]]


@KINDS
def test_long_lists_are_quick(projective: bool) -> None:
    scores = np.random.default_rng(4).normal(size=(41, 40)).astype(np.float32) * 3
    start = process_time()
    assert len(K_BEST[projective](scores, 50)) == 50
    assert process_time() - start < 1
