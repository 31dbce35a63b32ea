"""Graph-based parsers of other projects that are written in PyTorch.

Such a network scores every arc and every label of every arc. Spindle builds it from a few bounded numbers,
reads the sentences, trains it with the loss of its project, stores its weights as plain arrays, and finds the
best trees. No file of the other project is read or written: these are pickles, which can run code.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy

from spindle.decoding import k_best_trees, marginals
from spindle.errors import ModelError
from spindle.models import Array, ModelPart
from spindle.models.schema import Schema, flag, record, whole
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.external.vocabulary import Batch, Gold, Vocabulary
from spindle.parsers.neural.batches import batches_by_length
from spindle.parsers.neural.torch_environment import prepare_torch
from spindle.parsers.options import BackendOptions, option
from spindle.parsers.packages import installed
from spindle.reduction import Mode
from spindle.trees import Token

MOST_WIDTH, MOST_LAYERS = 2048, 16
BATCH_WORDS = 1000
"""The number of words, padding included, that go through a network at a time."""
MOST_SCORES = 50_000_000
"""Every arc has a score for every label: a batch of long sentences with many labels has fewer words."""


@dataclass(frozen=True)
class GraphNetworkOptions(BackendOptions):
    """The options of a network that scores arcs."""

    epochs: int = option(20, "passes over the training data", at_least=1)
    width: int = option(200, "units of a recurrent layer in each direction", at_least=1, at_most=MOST_WIDTH)
    layers: int = option(2, "recurrent layers", at_least=1, at_most=MOST_LAYERS)
    dropout: float = option(0.33, "share of the inputs set to zero", at_least=0, below=1)
    rate: float = option(0.002, "learning rate at the start", above=0, at_most=1)
    batch: int | None = option(None, "words per update; auto for 250 to 800", at_least=1)


class Scores(NamedTuple):
    """The scores of one sentence; row 0 of `arcs` is the artificial root, column `m` is word `m`.

    `labels` has the number of the best label of every arc, `sure` the logarithm of its probability.
    """

    arcs: Array
    labels: Array
    sure: Array


class GraphNetworkParser(Backend):
    """A parser whose network scores arcs and labels."""

    predicts = frozenset({"labels"})
    one_shot = True
    uses_example_weights = True
    gives_k_best = True
    Options: ClassVar[type[GraphNetworkOptions]] = GraphNetworkOptions
    SETTINGS: ClassVar[Schema] = staticmethod(
        record(
            {
                # the network is built from these two numbers and the sizes of the vocabulary
                "width": whole(1, MOST_WIDTH),
                "layers": whole(1, MOST_LAYERS),
                "projective": flag(),
                "one_shot": flag(),
                "vocabulary": record(Vocabulary.schema()),
            }
        )
    )
    package: ClassVar[str]
    """The package of the other project."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}
        self._vocabulary = Vocabulary((), (), (), (), ())
        self.network: Any = None

    @classmethod
    def version(cls) -> str | None:
        """Return the version of the package; None if it or torch is missing."""
        return installed(cls.package) if installed("torch") else None

    # ── what the projects define ─────────────────────────────────────────────────────────────────────

    @classmethod
    @abstractmethod
    def build(cls, vocabulary: Vocabulary, width: int, layers: int, dropout: float) -> Any:
        """Return the network with random weights."""

    @abstractmethod
    def loss(self, batch: Batch, gold: Gold) -> Any:
        """Return the loss of a batch, as a tensor."""

    @abstractmethod
    def score(self, batch: Batch) -> tuple[Any, Any]:
        """Return the scores of arcs and of labels, as tensors.

        Arcs are `[sentences, words + 1, words + 1]`: modifier, head. Labels have one more axis.
        """

    # ── training ─────────────────────────────────────────────────────────────────────────────────────

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Train; the pipeline keeps the best epoch."""
        del dev, state  # the pipeline scores development trees; the training cannot be resumed
        self.check(settings.options)
        prepare_torch()
        import torch

        from spindle.parsers.external.graph_training import train as run

        options: GraphNetworkOptions = settings.options
        torch.manual_seed(settings.seed)
        torch.set_num_threads(settings.threads)
        self._vocabulary = Vocabulary.learn(train, labelled=settings.one_shot)
        self._settings = {
            "width": options.width,
            "layers": options.layers,
            "projective": settings.mode is Mode.CONTINUOUS,
            "one_shot": settings.one_shot,
        }
        self.network = self.build(self._vocabulary, options.width, options.layers, options.dropout)
        run(self, self._vocabulary, train, settings, monitor)

    # ── storage ──────────────────────────────────────────────────────────────────────────────────────

    def to_part(self) -> ModelPart:
        """Return the weights, the vocabulary and the sizes of the network."""
        arrays = {name: weights.numpy().copy() for name, weights in self.network.state_dict().items()}
        return ModelPart({**self._settings, "vocabulary": self._vocabulary.to_dict()}, arrays)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser: build the network without weights, compare all shapes, then set the weights."""
        cls.check(cls.Options())
        prepare_torch()
        import torch

        parser = cls()
        parser._settings = {name: value for name, value in part.settings.items() if name != "vocabulary"}
        parser._vocabulary = Vocabulary(**part.settings["vocabulary"])
        with torch.device("meta"):  # nothing is allocated before the sizes are known to be right
            network = cls.build(parser._vocabulary, part.settings["width"], part.settings["layers"], 0.0)
        expected = network.state_dict()
        if expected.keys() != part.arrays.keys():
            raise ModelError(f"the weights are not those of a network of {cls.package}")
        for name, weights in part.arrays.items():
            shape = tuple(expected[name].shape)
            if weights.shape != shape or weights.dtype != numpy.float32:
                raise ModelError(
                    f"the weights {name} have the shape {list(weights.shape)} of {weights.dtype}; "
                    f"{cls.package} needs {list(shape)} of float32"
                )
        stored = {name: torch.from_numpy(array.copy()) for name, array in part.arrays.items()}
        network.load_state_dict(stored, assign=True)
        parser.network = network.eval()
        return parser

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Return the best tree of every sentence."""
        return [found for (found,) in self.parse_k_best(sentences, 1, threads)]

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> list[list[Prediction]]:
        """Return the trees with the best scores of arcs; every arc has its best label."""
        nothing = Prediction((), () if self._settings["one_shot"] else None)
        found = [[nothing] for _ in sentences]
        lengths = list(map(len, sentences))
        per_word = max(1, max(lengths, default=0) * len(self._vocabulary.labels))
        for numbers in batches_by_length(lengths, min(BATCH_WORDS, MOST_SCORES // per_word)):
            scored = self._score([sentences[number] for number in numbers], threads)
            for number, scores in zip(numbers, scored, strict=True):
                trees = k_best_trees(scores.arcs, k, projective=self._settings["projective"])
                found[number] = [self._prediction(heads, scores, k > 1) for heads in trees]
        return found

    def _score(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Scores]:
        import torch

        torch.set_num_threads(threads)
        batch = self._vocabulary.batch(sentences)
        self.network.eval()
        with torch.inference_mode():
            arcs, labels = self.score(batch)
            found = []
            for number, size in enumerate(batch.lengths.tolist()):
                # as a table of heads and modifiers; the root is no modifier
                own = arcs[number, 1:size, :size].log_softmax(1).T
                sure, best = labels[number, 1:size, :size].log_softmax(2).max(2)
                found.append(Scores(*(table.contiguous().numpy() for table in (own, best.T, sure.T))))
        return found

    def _prediction(self, heads: Sequence[int], scores: Scores, with_score: bool) -> Prediction:
        rows, words = numpy.array(heads) + 1, numpy.arange(len(heads))
        labels = None
        if self._settings["one_shot"]:
            names = self._vocabulary.label_names
            labels = [names[number] for number in scores.labels[rows, words].tolist()]
        score = float(scores.arcs[rows, words].sum()) if with_score else None
        return Prediction(heads, labels, score=score, state=scores)

    def head_probabilities(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> list[Array]:
        """Return the marginal probabilities of heads under the tree distribution of the arc scores."""
        del sentences, threads
        projective = self._settings["projective"]
        return [marginals(prediction.state.arcs, projective=projective) for prediction in predictions]

    def arc_scores(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> list[Array]:
        """Return the scores that the network gives arcs."""
        del sentences, threads
        return [prediction.state.arcs for prediction in predictions]

    def reattach(
        self,
        sentences: Sequence[Sequence[Token]],
        predictions: Sequence[Prediction],
        trees: Sequence[Sequence[Sequence[int]]],
        threads: int,
    ) -> list[Prediction]:
        """Return the tree with the best scores of arcs, with the best labels of its arcs."""
        del sentences, threads
        return [
            replace(self._prediction(heads, prediction.state, False), score=prediction.score)
            for prediction, (heads, *_) in zip(predictions, trees, strict=True)
        ]

    def label_probabilities(self, predictions: Sequence[Prediction], threads: int) -> list[list[float]]:
        """Return the probability of every predicted label."""
        del threads
        found = []
        for prediction in predictions:
            words = numpy.arange(len(prediction.heads))
            found.append(numpy.exp(prediction.state.sure[numpy.array(prediction.heads) + 1, words]).tolist())
        return found
