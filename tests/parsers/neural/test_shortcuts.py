"""The fast implementations used in training compute the same as the plain ones."""

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")

import torch
from torch import nn

from spindle.parsers.neural.dropout import FastDropout, dropout
from spindle.parsers.neural.encoders import run_lstm


@pytest.mark.parametrize("rate", [0.1, 0.33, 0.5])
def test_dropout_has_its_rate_and_rescales(rate: float) -> None:
    torch.manual_seed(1)
    states = torch.ones(50, 401)
    found = dropout(states, rate)
    gone = (found == 0).float().mean().item()
    assert gone == pytest.approx(rate, abs=0.02)
    assert found.mean().item() == pytest.approx(1, abs=0.03)
    assert len(found.unique()) == 2


def test_dropout_depends_on_the_seed_alone() -> None:
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(dropout(torch.ones(7, 9), 0.5))
    assert found[0].equal(found[1])
    assert not found[0].equal(found[2])


def test_dropout_in_evaluation_and_at_the_bounds() -> None:
    states = torch.randn(3, 4)
    assert dropout(states, 0.5, training=False) is states
    assert dropout(states, 0.0) is states
    assert dropout(states, 1.0).eq(0).all()


def test_every_call_of_dropout_is_replaced() -> None:
    states = torch.randn(40, 40, requires_grad=True)
    layer = nn.Dropout(0.3)

    def all_kinds() -> list[torch.Tensor]:
        torch.manual_seed(3)
        return [layer(states), nn.functional.dropout(states, 0.3, training=True)]

    torch.manual_seed(3)
    expected = [dropout(states, 0.3), dropout(states, 0.3)]
    with FastDropout():
        found = all_kinds()
        assert layer.eval()(states).equal(states)
    layer.train()
    assert all(one.equal(other) for one, other in zip(found, expected, strict=True))
    assert not any(one.equal(other) for one, other in zip(all_kinds(), expected, strict=True))
    found[0].sum().backward()
    assert states.grad.equal((found[0] != 0) * (256 / (256 - round(256 * 0.3))))


def test_an_lstm_computes_the_same_in_training_and_in_evaluation() -> None:
    torch.manual_seed(1)
    layer = nn.LSTM(5, 4, batch_first=True, bidirectional=True)
    lengths = torch.tensor([7, 7, 4, 1])
    states = torch.randn(4, 7, 5, requires_grad=True)
    mask = (torch.arange(7) < lengths[:, None])[:, :, None]
    found, gradients = [], []
    for training in (True, False):
        layer.train(training)
        layer.zero_grad()
        states.grad = None
        rows = run_lstm(layer, states, lengths) * mask
        found.append(rows)
        (rows**2).sum().backward()
        gradients.append([states.grad.clone(), *(weights.grad.clone() for weights in layer.parameters())])
    torch.testing.assert_close(*found)
    torch.testing.assert_close(*gradients)
