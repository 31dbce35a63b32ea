"""The decoders as a module for other people, against brute force over all trees of short sentences."""

import numpy as np
import pytest

from spindle.decoding import best_tree, k_best_trees, marginals
from spindle.errors import ParserError
from support.brute_force import FORBIDDEN, all_trees, arc_marginals, tables, totals

KINDS = pytest.mark.parametrize("projective", [True, False], ids=["projective", "any"])
SIZES = pytest.mark.parametrize("size", range(1, 6))


@SIZES
@KINDS
def test_the_best_tree(size: int, projective: bool) -> None:
    trees = all_trees(size, projective)
    for scores in tables(size, 40):
        found = best_tree(scores, projective=projective)
        assert found in trees.tolist()
        best = totals(scores, trees).max()
        assert totals(scores, np.array([found]))[0] == pytest.approx(best, abs=1e-4)


@SIZES
@KINDS
def test_the_k_best_trees(size: int, projective: bool) -> None:
    trees = all_trees(size, projective)
    for scores in tables(size, 40):
        best = np.sort(totals(scores, trees))[::-1]
        best = np.concatenate([best[:1], best[1:][best[1:] > FORBIDDEN / 2]])
        for k in (1, 3, 1000):
            found = k_best_trees(scores, k, projective=projective)
            assert found[0] == best_tree(scores, projective=projective)
            assert len(found) == len(set(map(tuple, found))) == min(k, len(best))
            np.testing.assert_allclose(totals(scores, np.array(found)), best[:k], rtol=1e-6, atol=1e-4)
        middle = float(best[0] - (best[0] + best[-1]) / 2)
        near = k_best_trees(scores, 1000, projective=projective, margin=middle)
        if abs(best - (best[0] - middle)).min() > 1e-4:
            assert len(near) == (best >= best[0] - middle).sum()


@SIZES
@KINDS
def test_marginals(size: int, projective: bool) -> None:
    trees = all_trees(size, projective)
    for scores in tables(size, 40):
        if totals(scores, trees).max() > FORBIDDEN / 2:
            found = marginals(scores, projective=projective)
            np.testing.assert_allclose(found, arc_marginals(scores, trees), atol=1e-6)


@KINDS
def test_any_table_of_numbers(projective: bool) -> None:
    """Integers, 64 bits, Fortran order, lists: the result is the same."""
    scores = np.arange(12).reshape(4, 3) % 7
    expected = best_tree(scores.astype(np.float32), projective=projective)
    for table in (scores, scores.astype(float), np.asfortranarray(scores), scores.tolist()):
        assert best_tree(table, projective=projective) == expected
        assert k_best_trees(table, 1, projective=projective) == [expected]


@KINDS
def test_forbidden_arcs(projective: bool) -> None:
    scores = np.zeros((3, 2))
    scores[0, 0] = -np.inf
    scores[1, 0] = 100  # no word is its own head
    assert k_best_trees(scores, 5, projective=projective) == [[1, -1]]
    assert marginals(scores, projective=projective).tolist() == [[0, 1], [0, 0], [1, 0]]
    assert best_tree(np.full((3, 2), -np.inf), projective=projective) in all_trees(2, True).tolist()


@KINDS
def test_no_words(projective: bool) -> None:
    assert best_tree(np.zeros((1, 0)), projective=projective) == []
    assert k_best_trees(np.zeros((1, 0)), 2, projective=projective) == []
    assert marginals(np.zeros((1, 0)), projective=projective).shape == (1, 0)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (3,), (2, 4, 3), (0, 0)])
def test_tables_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    for decode in (best_tree, marginals, lambda table: k_best_trees(table, 2)):
        with pytest.raises(ParserError) as caught:
            decode(np.zeros(shape))
        assert str(caught.value) == (
            f"arc scores have the shape {list(shape)}; it must be [words + 1, words], with the root as the "
            "first row"
        )


@pytest.mark.parametrize("k", [0, -1])
def test_no_trees_are_refused(k: int) -> None:
    with pytest.raises(ParserError, match=f"k cannot be {k}; choose a whole number of at least 1"):
        k_best_trees(np.zeros((2, 1)), k)
