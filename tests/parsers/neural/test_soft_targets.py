"""Distillation between two networks, without the pipeline."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")

from spindle.models import ModelPart
from spindle.parsers import Distillable, DistillationData
from spindle.parsers.neural import NeuralParser
from spindle.parsers.neural.dataset import DatasetBuilder
from spindle.parsers.neural.distillation import read_targets
from spindle.reduction import Encoding, Mode, Place
from support.neural_toys import Silent, examples, settings

GOLD = [replace(one, treebank=number % 2) for number, one in enumerate(examples(9))]
UNKNOWN = replace(GOLD[1], chains={Place(0, 0): ("NEW",)})
TEXT = [tuple(token.form for token in one.tokens) for one in examples(5, seed=9)]
DATA = DistillationData(
    examples=[UNKNOWN, *GOLD],
    sentences=TEXT,
    encoding=Encoding.DIRECT,
    mode=Mode.DISCONTINUOUS,
    gold_share=0.25,
    text_weight=0.5,
)


class SmallBatches(NeuralParser):
    """Parses a few sentences in several batches."""

    batch = 3


@pytest.fixture(scope="module")
def teacher() -> NeuralParser:
    parser = SmallBatches()
    parser.fit(examples(12), [], settings(epochs=1, hidden=16), Silent())
    return parser


@pytest.fixture(scope="module")
def targets(teacher: NeuralParser) -> ModelPart:
    steps: list[tuple[int, int]] = []
    found = teacher.soft_targets(DATA, 1, lambda done, of: steps.append((done, of)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    return found


def test_the_order_of_the_sentences_and_what_is_left_out(teacher: NeuralParser, targets: ModelPart) -> None:
    assert isinstance(teacher, Distillable)
    settings = json.loads(json.dumps(targets.settings))
    assert (settings["left_out"], settings["sentences"]) == (1, 5 + len(TEXT))
    dataset, classes = read_targets(DATA, ModelPart(settings, targets.arrays))
    assert classes == teacher.classes
    others, first = GOLD[1::2], GOLD[::2]
    of_trees = [tuple(token.form for token in one.tokens) for one in (*others, *first)]
    assert list(dataset.forms) == of_trees + TEXT
    assert dataset.weights.tolist() == [1.0] * len(GOLD) + [0.5] * len(TEXT)
    assert dataset.treebanks.tolist() == [1] * len(others) + [0] * (len(first) + len(TEXT))
    assert dataset.treebank_words == sum(len(one.tokens) for one in GOLD)
    assert settings["bytes"] == dataset.nbytes


def test_gold_trees_are_mixed_into_the_targets_of_treebank_0_only(
    teacher: NeuralParser, targets: ModelPart
) -> None:
    dataset, classes = read_targets(DATA, targets)
    builder = DatasetBuilder(classes)
    for examples_, share in ((GOLD[1::2], 1.0), (GOLD[::2], 0.25)):
        start = 0 if share == 1 else len(GOLD[1::2])
        part = dataset.take(range(start, start + len(examples_)))
        gold = builder.gold(examples_)
        assert np.array_equal(part.heads, gold.heads)
        for name, of_gold in gold.targets.items():
            found = part.targets[name]
            in_gold = np.where(found.indices == of_gold.indices, found.probabilities, 0).max(1)
            assert (in_gold >= share - 1e-3).all()
            assert np.allclose(found.probabilities.astype(float).sum(1), 1, atol=5e-3)
            if share == 1:
                assert (in_gold == 1).all()
    assert not np.array_equal(dataset.targets["tags"].probabilities.max(1), np.ones(len(dataset.heads)))


def test_the_number_of_threads_does_not_change_the_targets(teacher: NeuralParser, targets: ModelPart) -> None:
    again = teacher.soft_targets(DATA, 3, lambda done, of: None)
    assert again.settings == targets.settings
    for name, array in targets.arrays.items():
        assert np.array_equal(array, again.arrays[name]), name


def test_a_student_has_the_classes_of_its_teacher(teacher: NeuralParser, targets: ModelPart) -> None:
    student, again = NeuralParser(), NeuralParser()
    options = settings(encoder="cnn", epochs=1, hidden=16)
    student.fit_dataset(DATA, targets, options, Silent())
    again.fit_dataset(DATA, targets, options, Silent())
    assert student.classes == teacher.classes
    for name, array in student.to_part().arrays.items():
        assert np.array_equal(array, again.to_part().arrays[name]), name
