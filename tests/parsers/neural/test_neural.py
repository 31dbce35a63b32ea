"""Trains very small networks, exports them, and parses with the exported graphs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("onnx", reason="export needs onnx: pip install 'spindle-parser[neural]'")

from spindle.parsers.neural import NeuralParser  # noqa: E402
from spindle.parsers.neural.trainer import PATIENCE  # noqa: E402
from spindle.reduction import Mode  # noqa: E402
from spindle.trees import Token  # noqa: E402
from support.examples import example  # noqa: E402
from support.neural_toys import Silent, State, examples, settings  # noqa: E402

TRAIN = examples(30)
SENTENCES = [[Token(token.form) for token in example.tokens] for example in TRAIN]


@pytest.fixture(scope="module")
def parser() -> NeuralParser:
    parser = NeuralParser()
    parser.fit(TRAIN * 25, [], settings(epochs="5"), Silent())
    return parser


def right(parser: NeuralParser) -> int:
    """Return the number of sentences whose heads, labels, chains, tags and morphology are all correct."""
    predictions = parser.parse(SENTENCES, 1)
    dtrees = [gold.dtree for gold in TRAIN]
    return sum(
        list(found.heads) == list(gold.heads)
        and list(found.labels or ()) == list(gold.labels)
        and chains == gold.chains
        and [token.tag for token in found.tokens or ()] == [token.tag for token in gold.tokens]
        and [token.morph for token in found.tokens or ()] == [token.morph for token in gold.tokens]
        for found, chains, gold in zip(
            predictions, parser.predict_chains(predictions, dtrees, 1), TRAIN, strict=True
        )
    )


def test_sentences_are_memorised(parser: NeuralParser) -> None:
    assert right(parser) >= 28


def test_compressed_variants_are_small_and_accurate(parser: NeuralParser) -> None:
    size = sum(array.nbytes for array in parser.to_part().arrays.values())
    for variant in parser.compressed_variants(TRAIN):
        assert sum(array.nbytes for array in variant.to_part().arrays.values()) < 0.35 * size
        assert right(variant) >= 26


def test_compressed_variants_do_not_depend_on_the_batch(parser: NeuralParser) -> None:
    sentences = [*SENTENCES, [Token(f"w{number % 9}") for number in range(70)], [Token("x")]]
    for variant in parser.compressed_variants(TRAIN):
        together = variant.parse(sentences, 1)
        for sentence, found in zip(sentences, together, strict=True):
            (alone,) = variant.parse([sentence], 1)
            assert (alone.heads, alone.labels, alone.tokens) == (found.heads, found.labels, found.tokens)
            tables = [
                (one.state.states, one.state.arc_table, one.state.tags, one.state.morphs)
                for one in (alone, found)
            ]
            assert all(map(np.array_equal, *tables))


def test_k_best_trees_and_probabilities(parser: NeuralParser) -> None:
    # the last sentence is so long that only arc scores are used
    sentences = [*SENTENCES, [Token(f"w{number % 9}") for number in range(70)]]
    best = parser.parse(sentences, 1)
    for k in (3, 12):
        lists = parser.parse_k_best(sentences, k, 1)
        assert [list(first.heads) for first, *_ in lists] == [list(found.heads) for found in best]
    for found, (first, *others) in zip(best, parser.parse_k_best(sentences, 3, 1), strict=True):
        assert list(first.heads) == list(found.heads)
        assert all(list(other.heads) != list(first.heads) for other in others)
        assert first.score is not None
        assert all(other.score is not None and other.score <= first.score + 1e-3 for other in others)
    for found, table in zip(best, parser.head_probabilities(sentences, best, 1), strict=True):
        assert table.shape == (len(found.heads) + 1, len(found.heads))
        assert np.allclose(table.sum(0), 1, atol=1e-3)
    for found, probabilities in zip(best, parser.label_probabilities(best, 1), strict=True):
        assert len(probabilities) == len(found.heads)
        assert all(1 / 8 < probability <= 1 for probability in probabilities)  # the best of a few labels


def test_odd_sentences(parser: NeuralParser) -> None:
    long = [Token(f"w{number % 9}") for number in range(700)]
    odd = [[], [Token("\u0000 \ufffd\ud800")], [Token("x" * 10_000)] * 3, long]
    assert [len(found.heads) for found in parser.parse(odd, 2)] == [0, 1, 3, 700]
    assert parser.parse([], 1) == []


@pytest.mark.parametrize("mode", Mode)
def test_a_sentence_without_negatives_is_learnt(mode: Mode) -> None:
    words = tuple(Token(f"w{number % 9}", "T") for number in range(70))
    long = example(words, range(-1, 69), ("root", *["A#1"] * 69))
    parser = NeuralParser()
    parser.fit([long], [], settings(mode, epochs="1", hidden="16"), Silent())
    assert [len(found.heads) for found in parser.parse([words], 1)] == [70]


@pytest.mark.parametrize("encoder", ["bilstm", "cnn"])
def test_the_same_seed_gives_the_same_parser_resumed_or_not(encoder: str) -> None:
    one, two, resumed = NeuralParser(), NeuralParser(), NeuralParser()
    options = {"encoder": encoder, "epochs": "2", "hidden": "16"}
    one.fit(TRAIN[:12], [], settings(Mode.CONTINUOUS, **options), Silent())
    two.fit(TRAIN[:12], [], settings(Mode.CONTINUOUS, **options), Silent())
    interrupted = Interrupted(after=1)
    with pytest.raises(KeyboardInterrupt):
        NeuralParser().fit(TRAIN[:12], [], settings(Mode.CONTINUOUS, **options), interrupted)
    resumed.fit(TRAIN[:12], [], settings(Mode.CONTINUOUS, **options), Silent(), interrupted.state)
    for other in (two, resumed):
        for name, array in one.to_part().arrays.items():
            assert np.array_equal(array, other.to_part().arrays[name]), name


class Interrupted(Silent):
    """A monitor that interrupts a training after an epoch."""

    def __init__(self, after: int) -> None:
        self.after = after

    def epoch(self, number: int, loss: float, state: State = None) -> None:
        super().epoch(number, loss, state)
        if number == self.after:
            raise KeyboardInterrupt


class Stalling(Silent):
    """A monitor for which the second epoch is the best."""

    def __init__(self, epochs: int = 0) -> None:
        self.epochs, self.said = epochs, ""

    @property
    def stalled(self) -> int:
        return max(self.epochs - 2, 0)

    def say(self, text: str) -> None:
        self.said = text

    def epoch(self, number: int, loss: float, state: State = None) -> None:
        super().epoch(number, loss, state)
        self.epochs = number


def test_a_training_stops_early() -> None:
    options = settings(Mode.CONTINUOUS, epochs="30", hidden="16")
    monitor = Stalling()
    NeuralParser().fit(TRAIN[:4], [], options, monitor)
    patience = 30 // 4
    assert patience > PATIENCE
    assert monitor.epochs == 2 + patience
    assert monitor.said == "training stops early: no new best epoch among the last 7"
    resumed = Stalling(monitor.epochs)
    NeuralParser().fit(TRAIN[:4], [], options, resumed, monitor.state)
    assert (resumed.epochs, resumed.said) == (monitor.epochs, monitor.said)
