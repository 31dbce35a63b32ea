"""What is computed in a faster way while learning is what would be computed otherwise."""

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")

import torch
from torch import nn

from spindle.parsers.neural.dropout import CheapDropout, dropout
from spindle.parsers.neural.encoders import read


@pytest.mark.parametrize("rate", [0.1, 0.33, 0.5])
def test_dropout_takes_its_share_and_makes_up_for_it(rate: float) -> None:
    torch.manual_seed(1)
    states = torch.ones(50, 401)
    found = dropout(states, rate)
    gone = (found == 0).float().mean().item()
    assert gone == pytest.approx(rate, abs=0.02)
    assert found.mean().item() == pytest.approx(1, abs=0.03)
    assert len(found.unique()) == 2


def test_dropout_is_as_random_as_the_seed() -> None:
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(dropout(torch.ones(7, 9), 0.5))
    assert found[0].equal(found[1])
    assert not found[0].equal(found[2])


def test_nothing_goes_when_nobody_learns_and_nearly_all_can_go() -> None:
    states = torch.randn(3, 4)
    assert dropout(states, 0.5, training=False) is states
    assert dropout(states, 0.0) is states
    assert dropout(states, 1.0).eq(0).all()


def test_everybody_who_calls_dropout_is_given_the_cheap_one() -> None:
    states = torch.randn(40, 40, requires_grad=True)
    layer = nn.Dropout(0.3)

    def all_kinds() -> list[torch.Tensor]:
        torch.manual_seed(3)
        return [layer(states), nn.functional.dropout(states, 0.3, training=True)]

    torch.manual_seed(3)
    expected = [dropout(states, 0.3), dropout(states, 0.3)]
    with CheapDropout():
        found = all_kinds()
        assert layer.eval()(states).equal(states)
    layer.train()
    assert all(one.equal(other) for one, other in zip(found, expected, strict=True))
    assert not any(one.equal(other) for one, other in zip(all_kinds(), expected, strict=True))
    found[0].sum().backward()
    assert states.grad.equal((found[0] != 0) * (256 / (256 - round(256 * 0.3))))


def test_sentences_are_read_alike_while_learning_and_after() -> None:
    torch.manual_seed(1)
    layer = nn.LSTM(5, 4, batch_first=True, bidirectional=True)
    lengths = torch.tensor([7, 7, 4, 1])
    states = torch.randn(4, 7, 5, requires_grad=True)
    there = (torch.arange(7) < lengths[:, None])[:, :, None]
    found, slopes = [], []
    for learning in (True, False):
        layer.train(learning)
        layer.zero_grad()
        states.grad = None
        rows = read(layer, states, lengths) * there
        found.append(rows)
        (rows**2).sum().backward()
        slopes.append([states.grad.clone(), *(weights.grad.clone() for weights in layer.parameters())])
    torch.testing.assert_close(*found)
    torch.testing.assert_close(*slopes)
