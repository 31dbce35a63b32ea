"""The interface between a trainable dependency parser and the pipeline.

Subclass `Backend`: `fit` trains and sets `learned`, which is stored; `parse` predicts. A backend must predict
heads. What else it predicts it declares in `predicts`; the pipeline trains a stage for the rest:

    >>> class Chain(Backend):
    ...     '''Attaches every word to the word before it.'''
    ...
    ...     def fit(self, train, dev, settings, monitor, state=None):
    ...         pass
    ...
    ...     def parse(self, sentences, threads):
    ...         return [Prediction(range(-1, len(tokens) - 1)) for tokens in sentences]
    >>> from spindle.trees import Token
    >>> list(Chain().parse([[Token("It"), Token("works")]], threads=1)[0].heads)
    [-1, 0]

Heads are positions that start at 0; the head of the root is -1. Predicted heads need not form a tree: the
pipeline repairs them and counts the repairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from spindle.errors import ParserError
from spindle.models import Array, ModelPart
from spindle.models.schema import Schema, anything, table
from spindle.parsers.options import BackendOptions
from spindle.reduction import Encoding, Mode, Place, chains_that_fit
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree, Token

PREDICTED = frozenset({"labels", "tags", "chains", "confidences"})
"""What a backend may predict beside heads."""

_LEAST = 1e-20
"""Probabilities of heads are raised to this before their logarithm is taken."""


@dataclass(frozen=True)
class Example:
    """A training sentence: its head-ordered d-tree, the labels that encode it, and its unary chains.

    The tokens of the d-tree have tags like those that the backend will read when it parses; for a backend
    that predicts tags, gold tags. `treebank` is the number of the treebank that the sentence comes from; the
    parser imitates treebank 0. `weight` is how often the sentence counts in an epoch.
    """

    dtree: DTree
    labels: tuple[str, ...]
    chains: Mapping[Place, Chain] = field(default_factory=dict)
    treebank: int = 0
    weight: float = 1.0

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words with their tags."""
        return self.dtree.tokens

    @property
    def heads(self) -> tuple[int, ...]:
        """The position of every word's head, -1 for the root."""
        return self.dtree.heads


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a backend predicts for one sentence; None for what it does not predict.

    `tokens` carry the predicted tags and morphology. `confidences` are the probabilities of the arcs, one per
    token. `score` orders the analyses of a k-best list. `state` is opaque: the pipeline hands it back to the
    backend in later calls.
    """

    heads: Sequence[int]
    labels: Sequence[str] | None = None
    tokens: Sequence[Token] | None = None
    chains: Mapping[Place, Chain] | None = None
    confidences: Sequence[float] | None = None
    score: float | None = None
    state: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("labels", "tokens", "confidences"):
            found = getattr(self, name)
            if found is not None and len(found) != len(self.heads):
                raise ParserError(f"a prediction has {len(self.heads)} heads, but {len(found)} {name}")


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """The settings of a training for a backend. `options` is an object of the backend's own `Options` class.

    `one_shot` asks the backend to label its arcs. `shrink` halves every weight table this many times.
    """

    mode: Mode = Mode.DISCONTINUOUS
    encoding: Encoding = Encoding.DIRECT
    one_shot: bool = False
    seed: int = 1
    threads: int = 1
    shrink: int = 0
    options: Any = field(default_factory=BackendOptions)


class Monitor(Protocol):
    """Follows the training of a backend."""

    def progress(self, done: int, of: int, loss: float) -> None:
        """Report how many sentences of the training, or of its epoch, are done, and the mean loss so far."""

    def say(self, text: str) -> None:
        """Show a message to the user."""

    def note(self, text: str) -> None:
        """Write the output of an external program to the log."""

    def epoch(self, number: int, loss: float, state: Callable[[], ModelPart] | None = None) -> float | None:
        """Report the end of an epoch, counted from 1; the backend must be ready to parse and to be saved.

        `state` returns everything that is needed to continue from here; `fit` receives it when an interrupted
        training is resumed. Returns F1 on the development trees, or None if there are none.
        """

    @property
    def stalled(self) -> int:
        """The number of epochs since the best one, resumed or not; 0 without development trees."""


class Backend(ABC):
    """A dependency parser that the pipeline can train and run."""

    name: ClassVar[str] = ""
    """The name in model files; the name of the class if empty."""
    predicts: ClassVar[frozenset[str]] = frozenset()
    """What it can predict beside heads: a subset of `PREDICTED`."""
    is_nonprojective: ClassVar[bool] = True
    """Whether its arcs may cross; discontinuous trees need that."""
    one_shot: ClassVar[bool] = False
    """Whether it labels its arcs itself by default."""
    Options: ClassVar[type[BackendOptions]] = BackendOptions
    """The class of its own options."""
    uses_example_weights: ClassVar[bool] = False
    """Whether training respects the weights of examples."""
    can_shrink: ClassVar[bool] = False
    """Whether training can halve its weight tables (`FitSettings.shrink`)."""
    gives_k_best: ClassVar[bool] = False
    """Whether `parse_k_best` is implemented."""
    batch: ClassVar[int] = 256
    """The number of sentences that the pipeline passes at once."""
    parallel: ClassVar[bool] = False
    """Whether several batches can be parsed at the same time, each on one thread."""
    SETTINGS: ClassVar[Schema] = staticmethod(table(anything()))
    """What the settings of its part in a model file must look like; checked before `from_part` sees them."""
    learned: Mapping[str, Any] = MappingProxyType({})
    """What `fit` has learned, by name: arrays, and values that JSON can hold. Model files store it."""
    needs: ClassVar[str] = ""
    """What must be installed and how to install it; empty if it comes with Spindle."""

    @classmethod
    def version(cls) -> str | None:
        """The version of what it needs, empty if unknown or nothing is needed; None if that is missing."""
        return None if cls.needs else ""

    @classmethod
    def check(cls, options: Any) -> None:
        """Raise a `ParserError` for options that `fit` cannot work with, before anything is trained."""
        del options
        if cls.version() is None:
            raise ParserError(f"{cls.name or cls.__name__} needs {cls.needs}")

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """What it predicts beside heads when it is trained with these settings."""
        return cls.predicts if settings.one_shot else cls.predicts - {"labels"}

    @abstractmethod
    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Train on examples; continue from `state`, which `monitor.epoch` was given, if there is one."""

    @abstractmethod
    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> Sequence[Prediction]:
        """Return one prediction per sentence, in order."""

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> Sequence[Sequence[Prediction]]:
        """Return up to `k` different analyses per sentence, the best first, which is that of `parse`."""
        raise ParserError(f"the parser {self.name or type(self).__name__} gives only its best analysis")

    @property
    def k_best_is_exact(self) -> bool:
        """Whether no tree outside a k-best list scores more than those in it."""
        return True

    def predict_chains(
        self, predictions: Sequence[Prediction], dtrees: Sequence[DTree], threads: int
    ) -> Sequence[Mapping[Place, Chain]]:
        """Return the unary chains of every d-tree, which repairs have made of its prediction.

        Override it to predict chains from the whole tree. By default the chains of the predictions are kept
        where the d-trees have their places.
        """
        return [
            chains_that_fit(prediction.chains or {}, dtree)
            for prediction, dtree in zip(predictions, dtrees, strict=True)
        ]

    def head_probabilities(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Array | None]:
        """Return the probability of every head of every word, `[words + 1, words]`; None if unknown.

        Row 0 is the artificial root. Computed only when confidences are requested. By default the probability
        that an arc's confidence leaves over is spread evenly over all other heads.
        """
        return [_spread_confidences(prediction) for prediction in predictions]

    def arc_scores(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Array]:
        """Return the scores of all arcs, `[words + 1, words]`, from which constrained trees are found.

        Row 0 is the artificial root. By default they are logarithms of the head probabilities; without these,
        the predicted heads are better than all others, and near heads better than far ones.
        """
        tables = self.head_probabilities(sentences, predictions, threads)
        return [
            _near_prediction(prediction) if table is None else np.log(np.maximum(table, _LEAST))
            for prediction, table in zip(predictions, tables, strict=True)
        ]

    def reattach(
        self,
        sentences: Sequence[Sequence[Token]],
        predictions: Sequence[Prediction],
        trees: Sequence[Sequence[Sequence[int]]],
        threads: int,
    ) -> Sequence[Prediction]:
        """Return predictions with other heads: for each sentence the best of some trees.

        The trees of a sentence come with the best scores of arcs first. By default the first one is taken,
        and every word keeps its label.
        """
        del sentences, threads
        return [
            replace(prediction, heads=heads)
            for prediction, (heads, *_) in zip(predictions, trees, strict=True)
        ]

    def label_probabilities(
        self, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[float]]:
        """Return the probability of every predicted label, given its arc. Default: 1.0 for every label."""
        del threads
        return [[1.0] * len(prediction.heads) for prediction in predictions]

    def to_part(self) -> ModelPart:
        """Return what parsing needs, by default `learned`. Copy arrays that further training changes."""
        part = ModelPart()
        for name, value in self.learned.items():
            if isinstance(value, np.ndarray):
                part.arrays[name] = value.copy()
            else:
                part.settings[name] = value
        return part

    @classmethod
    def check_part(cls, part: ModelPart) -> None:
        """Raise a `ModelError` or a `SchemaError` for a part of a model file that cannot be trusted."""
        cls.SETTINGS(part.settings, "parser")

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser; the inverse of `to_part`. By default the class is called without arguments."""
        parser = cls()
        parser.learned = {**part.settings, **part.arrays}
        return parser

    def compressed_variants(self, examples: Sequence[Example]) -> Iterable[Self]:
        """Yield smaller and faster versions of the trained parser, the smallest first.

        `examples` are those that it was trained on. The pipeline keeps the first whose F1 on the development
        trees is close to the original's.
        """
        del examples
        return ()


def _near_prediction(prediction: Prediction) -> Array:
    """Return scores of arcs for a parser that gives only its best tree."""
    size = len(prediction.heads)
    words = np.arange(size)
    table: Array = -np.abs(np.arange(-1, size)[:, None] - words[None, :]).astype(np.float32) / (size + 1)
    table[np.clip(prediction.heads, -1, size - 1) + 1, words] = 1
    return table


def _spread_confidences(prediction: Prediction) -> Array | None:
    if prediction.confidences is None:
        return None
    sure = np.asarray(prediction.confidences, dtype=np.float32)
    words = np.arange(len(sure))
    table = np.tile((1 - sure) / max(len(sure) - 1, 1), (len(sure) + 1, 1))
    table[words + 1, words] = 0  # no word is its own head
    table[np.clip(prediction.heads, -1, len(sure) - 1) + 1, words] = sure
    return table


# ── distillation ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class DistillationData:
    """What a student learns from: gold trees, and sentences that only the teacher parses.

    In the targets of a gold tree the tree has the weight `gold_share` and the teacher the rest. Every
    sentence of the text counts `text_weight` times in an epoch.
    """

    examples: Sequence[Example]
    sentences: Sequence[tuple[str, ...]]
    encoding: Encoding
    mode: Mode
    gold_share: float = 0.5
    text_weight: float = 1.0


@runtime_checkable
class Distillable(Protocol):
    """A backend that can be the teacher and the student of a distillation."""

    def soft_targets(
        self, data: DistillationData, threads: int, progress: Callable[[int, int], None]
    ) -> ModelPart:
        """As the teacher: return storable predictions for all examples and sentences.

        The setting `left_out` counts the examples with classes unknown to the teacher; the targets do not
        include them.
        """

    def fit_dataset(
        self,
        data: DistillationData,
        targets: ModelPart,
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """As the student: train on what `soft_targets` returned for this data, with the teacher's classes."""
