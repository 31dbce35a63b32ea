"""Confidences of constituents and their calibration."""

from typing import Any

import numpy as np
import pytest

from spindle.heads import HeadFinder, load_rules
from spindle.parsers.backend import Backend, Prediction
from spindle.pipeline.confidence import Calibration, node_confidences, right_nodes
from spindle.reduction import encode
from spindle.trees import Token
from support.notation import tree

SENTENCE = tree("(S (NP (DT The) (NN public)) (VP (VBZ is) (ADVP (RB still)) (ADJP (JJ cautious))) (. .))")


def test_confidences_of_constituents_follow_from_arcs_and_labels() -> None:
    headed = HeadFinder(load_rules("collins"))(SENTENCE)
    reduced = encode(headed)
    heads = np.zeros((7, 6))
    for word, head in enumerate(reduced.dtree.heads):
        heads[head + 1, word] = 1
    labels = [1.0, 0.5, 1.0, 1.0, 1.0, 1.0]  # the label of the arc from the subject is uncertain

    def confidences(**changes: Any) -> dict[str, float]:
        given: dict[str, Any] = {"heads": heads, "labels": labels} | changes
        found = node_confidences(headed, headed, reduced.dtree, calibration=Calibration(), **given)
        return dict(zip(headed.labels, found, strict=True))

    assert confidences() == pytest.approx({"S": 0.5, "NP": 1, "VP": 1, "ADVP": 1, "ADJP": 1}, abs=1e-6)
    # "public" is the head of "still" with probability 0.25; "still" is then inside S, but outside VP
    heads[2, 3], heads[3, 3] = 0.25, 0.75
    assert confidences(labels=[1.0] * 6) == pytest.approx(
        {"S": 1, "NP": 1, "VP": 0.75, "ADVP": 1, "ADJP": 1}, abs=1e-6
    )
    # "The" is the head of "still" with probability 0.25; the NP then contains a word from outside
    heads[1, 3], heads[2, 3] = 0.25, 0
    assert confidences(labels=[1.0] * 6)["NP"] == pytest.approx(0.75)


def test_right_nodes_match_gold_nodes() -> None:
    gold = tree("(S (NP-SBJ (DT The) (NN public)) (VP (VP (VBZ is)) (JJ cautious)) (. .))")
    found = tree("(S (NP (DT The) (NN public)) (VP (VP (VP (VBZ is)) (JJ cautious) (. .))))")
    names = [f"{label} {right}" for label, right in zip(found.labels, right_nodes(found, gold), strict=True)]
    assert names == ["S True", "NP True", "VP True", "VP False", "VP True"]


def test_calibration_recovers_the_true_curve() -> None:
    chance = np.random.default_rng(1)
    truth = Calibration(0.5, 1.0, 0.9)
    confidences = [*chance.random(20_000), *[1.0] * 5_000]
    judged = [(one, bool(chance.random() < truth(one))) for one in confidences]
    found = Calibration.fit(judged)
    assert vars(found) == pytest.approx(vars(truth), abs=0.05)
    values = [found(one) for one in np.linspace(0, 0.999, 50)]
    assert values == sorted(values)


@pytest.mark.parametrize(
    "judged", [[], [(0.5, True)], [(1e-300, False), (0.0, True), (1.0, False)], [(0.9, True)] * 1000]
)
def test_calibration_of_few_or_extreme_confidences(judged: list[tuple[float, bool]]) -> None:
    found = Calibration.fit(judged)
    assert all(0 <= found(one) <= 1 for one in (0.0, 1e-300, 0.5, 1 - 1e-16, 1.0))
    if not judged:
        assert found == Calibration()


def test_head_probabilities_from_confidences_sum_to_one() -> None:
    tokens = [Token("a"), Token("b"), Token("c")]
    predictions = [Prediction([-1, 0, 9], confidences=[0.5, 1.0, 0.2]), Prediction([-1, 0, 0])]
    first, second = Backend.head_probabilities(None, [tokens] * 2, predictions, 1)  # type: ignore[arg-type]
    assert second is None
    assert first is not None
    np.testing.assert_allclose(first.sum(axis=0)[:2], 1)
    assert first[0, 0] == 0.5
    assert first[1, 1] == 1.0
