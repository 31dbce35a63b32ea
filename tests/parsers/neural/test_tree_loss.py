"""The losses over trees, compared with sums over all trees."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")

from spindle.parsers.neural.context import column  # noqa: E402
from spindle.parsers.neural.tree_loss import GoldAndNegatives, contrastive_loss, tree_cross_entropy  # noqa: E402
from support.brute_force import all_trees  # noqa: E402

LENGTHS = [4, 3, 1]


@pytest.mark.parametrize("projective", [True, False])
def test_tree_cross_entropy_and_its_gradient(projective: bool) -> None:
    chance = np.random.default_rng(1)
    scores = chance.normal(size=(3, 5, 4)).astype(np.float32) * 2
    right = np.zeros_like(scores)
    # soft targets: two trees with different probabilities
    trees = [all_trees(size, projective) for size in LENGTHS]
    for row, (size, of_row) in enumerate(zip(LENGTHS, trees, strict=True)):
        for tree, share in ((of_row[0], 0.75), (of_row[-1], 0.25)):
            right[row, tree + 1, np.arange(size)] += share

    arcs = torch.from_numpy(scores).requires_grad_()
    loss = tree_cross_entropy(arcs, torch.from_numpy(right), LENGTHS, projective)
    (2 * loss).backward()

    by_hand = torch.from_numpy(scores).requires_grad_()
    total = torch.zeros(())
    for row, (size, of_row) in enumerate(zip(LENGTHS, trees, strict=True)):
        of_trees = by_hand[row, torch.from_numpy(of_row + 1), torch.arange(size)].sum(1)
        expected = (by_hand[row] * torch.from_numpy(right[row])).sum()
        total = total + torch.logsumexp(of_trees, 0) - expected
    total = total / sum(LENGTHS)
    (2 * total).backward()
    assert loss.item() == pytest.approx(total.item(), abs=1e-5)
    np.testing.assert_allclose(arcs.grad.numpy(), by_hand.grad.numpy(), atol=1e-5)


def test_contrastive_loss_and_its_gradient() -> None:
    """The first sentence has three trees; the second has only its gold tree and so no loss."""
    chance = np.random.default_rng(2)
    arcs = torch.from_numpy(chance.normal(size=(2, 4, 3)).astype(np.float32))
    trees, owners = [[-1, 0, 1], [-1, 0], [1, -1, 1], [-1, 0, 0]], [0, 1, 0, 0]
    extra = torch.from_numpy(chance.normal(size=11).astype(np.float32)).requires_grad_()
    candidates = GoldAndNegatives(column(trees), np.array(list(map(len, trees))), np.array(owners))
    loss = contrastive_loss(arcs, candidates, extra)
    loss.backward()

    def total(tree: list[int], start: int) -> float:
        return sum(
            float((arcs[0, head + 1, word] + extra[start + word]).item()) for word, head in enumerate(tree)
        )

    totals = np.array([total(trees[0], 0), total(trees[2], 5), total(trees[3], 8)])
    probabilities = np.exp(totals) / np.exp(totals).sum()
    assert loss.item() == pytest.approx(-np.log(probabilities[0]) / 5, abs=1e-5)
    slopes = np.repeat([probabilities[0] - 1, 0, probabilities[1], probabilities[2]], [3, 2, 3, 3]) / 5
    np.testing.assert_allclose(extra.grad.numpy(), slopes, atol=1e-5)


def test_the_score_of_a_tree_counts_like_that_of_its_words() -> None:
    chance = np.random.default_rng(3)
    arcs = torch.from_numpy(chance.normal(size=(1, 4, 3)).astype(np.float32))
    trees = [[-1, 0, 1], [1, -1, 1], [-1, 0, 0]]
    candidates = GoldAndNegatives(column(trees), np.array([3, 3, 3]), np.array([0, 0, 0]))
    of_trees = torch.from_numpy(chance.normal(size=3).astype(np.float32))
    of_words = torch.zeros(9)
    of_words[[2, 4, 8]] = of_trees
    found = contrastive_loss(arcs, candidates, torch.zeros(9), of_trees)
    assert found.item() == pytest.approx(contrastive_loss(arcs, candidates, of_words).item(), abs=1e-6)
    assert found.item() != pytest.approx(contrastive_loss(arcs, candidates, torch.zeros(9)).item(), abs=1e-3)
