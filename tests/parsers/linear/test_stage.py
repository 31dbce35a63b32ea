"""The base class of the linear stages: numbered classes, epochs, and models of other versions."""

from collections.abc import Callable
from typing import Any

import pytest

from spindle.errors import ModelError
from spindle.models import ModelPart
from spindle.parsers.linear import FunctionClassifier, Labeler, UnaryClassifier
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.parsers.linear.sequence_tagger import Label, SequenceTagger, SequenceTraining
from spindle.parsers.linear.stage import LinearStage, run_epochs, select_arrays, vocabulary
from support.demo_treebank import arc_labels, demo_headed, demo_reduced

TRAIN = demo_reduced("train")


def sequence_tagger() -> SequenceTagger:
    labels = [[Label(token.tag) for token in one.dtree.tokens] for one in TRAIN]
    training = SequenceTraining([hashed_sentence(one.dtree.tokens) for one in TRAIN], labels, bits=8)
    training.run_epoch(range(len(TRAIN)))
    return training.finish()


def labeler() -> Labeler:
    dtrees = [one.dtree for one in TRAIN]
    tokens, heads = [one.tokens for one in dtrees], [one.heads for one in dtrees]
    return Labeler.train(tokens, heads, arc_labels(TRAIN), bits=8, epochs=1)


def unaries() -> UnaryClassifier:
    dtrees, chains = [one.dtree for one in TRAIN], [one.chains for one in TRAIN]
    return UnaryClassifier.train(dtrees, chains, bits=8, epochs=1)


def functions() -> FunctionClassifier:
    return FunctionClassifier.train(demo_headed("train"), bits=8, epochs=1)


@pytest.mark.parametrize("train", [sequence_tagger, labeler, unaries, functions])
def test_models_with_other_features_are_refused(train: Callable[[], LinearStage[Any, Any]]) -> None:
    stage = train()
    part = stage.to_part()
    assert set(part.settings) == {"classes", "features"}
    message = f"{type(stage).__name__} was trained by another version of Spindle, with other features"
    for features in ({}, {"features": stage.FEATURES + 1}):
        other = ModelPart({"classes": part.settings["classes"], **features}, part.arrays)
        with pytest.raises(ModelError, match=message):
            type(stage).from_part(other)


def test_vocabulary() -> None:
    assert list(vocabulary("abbccd")) == ["b", "c", "a", "d"]
    assert vocabulary("abbccd", first=["", "d"]) == {"": 0, "d": 1, "b": 2, "c": 3, "a": 4}
    assert vocabulary([]) == {}


def test_epochs_are_run_and_reported() -> None:
    runs: list[int] = []
    reported: list[tuple[int, int]] = []
    run_epochs(3, lambda: runs.append(1), lambda *done: reported.append(done))
    run_epochs(2, lambda: runs.append(1), None)
    assert len(runs) == 5
    assert reported == [(1, 3), (2, 3), (3, 3)]


def test_arrays_by_prefix() -> None:
    part = sequence_tagger().to_part()
    prefixed = ModelPart({}, {f"tag_{name}": array for name, array in part.arrays.items()})
    assert select_arrays(prefixed, "tag_") == part.arrays
    assert select_arrays(prefixed, "morph_") == {}
