"""The protocol that plugs any trainable dependency parser into the pipeline.

Subclass `Backend` and say how it learns, how it parses, and what it keeps. All it must predict is heads; what
else it can predict it names in `predicts`, and the pipeline trains a stage of its own for all the rest:

    >>> class Chain(Backend):
    ...     '''Hangs every word under the one before it.'''
    ...
    ...     def fit(self, train, dev, settings, watch, state=None):
    ...         pass
    ...
    ...     def parse(self, sentences, threads):
    ...         return [Prediction(range(-1, len(tokens) - 1)) for tokens in sentences]
    ...
    ...     def to_part(self):
    ...         return ModelPart()
    ...
    ...     @classmethod
    ...     def from_part(cls, part):
    ...         return cls()
    >>> from spindle.trees import Token
    >>> list(Chain().parse([[Token("It"), Token("works")]], threads=1)[0].heads)
    [-1, 0]

Heads are positions that start at 0; the root's head is -1. What a parser predicts need not be a tree: it is
repaired, and repairs are counted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.models.model_file import Array
from spindle.reduction import Encoding, Mode, Place, chains_that_fit
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree, Token

PREDICTED = frozenset({"labels", "tags", "chains", "confidences"})
"""What a parser may be able to predict beside heads."""


@dataclass(frozen=True)
class Example:
    """A sentence to learn from. Tags are as the parser will see them; labels are encoded.

    A parser that predicts tags sees gold ones here. `chains` are the unary chains by the place (word and
    event) that they stand above. `treebank` is the number of the treebank that it is from, of which the
    first is the one to parse like, and `weight` how often it counts.
    """

    tokens: tuple[Token, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    chains: Mapping[Place, Chain] = field(default_factory=dict)
    treebank: int = 0
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a parser says of one sentence; None is what it does not say.

    `memory` is nobody's business but the parser's, which is given its predictions again.

    `tokens` are the tokens with the tags (and morphology) that the parser found. `confidences` are, for
    every token, how sure it is of that token's arc, from 0 to 1. `score` orders the analyses of a k-best
    list.
    """

    heads: Sequence[int]
    labels: Sequence[str] | None = None
    tokens: Sequence[Token] | None = None
    chains: Mapping[Place, Chain] | None = None
    confidences: Sequence[float] | None = None
    score: float | None = None
    memory: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("labels", "tokens", "confidences"):
            found = getattr(self, name)
            if found is not None and len(found) != len(self.heads):
                raise ParserError(f"a prediction with {len(self.heads)} heads has {len(found)} {name}")


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What is asked of a training. `options` are the parser's own, by the names it has declared.

    A parser with tables of weights halves them as often as `shrink` says.
    """

    mode: Mode = Mode.DISCONTINUOUS
    encoding: Encoding = Encoding.DIRECT
    one_shot: bool = False
    seed: int = 1
    threads: int = 1
    shrink: int = 0
    options: Mapping[str, str] = field(default_factory=dict)


class Monitor(Protocol):
    """What looks on while a parser learns."""

    def progress(self, done: int, of: int, loss: float) -> None:
        """Hear how many sentences of the training, or of its epoch, are done, and the mean loss so far."""

    def say(self, text: str) -> None:
        """Tell whoever trains the parser."""

    def note(self, text: str) -> None:
        """Keep in the log what a program has said."""

    def epoch(self, number: int, loss: float, state: Callable[[], ModelPart] | None = None) -> float | None:
        """Hear that an epoch, counted from 1, is done: the parser must be ready to parse and to be saved.

        `state` gives all that is needed to go on from here; it is handed to `fit` when an interrupted
        training is resumed. The answer is F1 on the development trees, if there are any.
        """

    @property
    def stalled(self) -> int:
        """How many epochs there have been since the best one, resumed or not; 0 without development trees."""


class Backend(ABC):
    """A dependency parser. `fit` makes it ready; `to_part` and `from_part` are inverses."""

    name: ClassVar[str] = ""
    """What a model file calls it; the class's own name if empty."""
    predicts: ClassVar[frozenset[str]] = frozenset()
    """What it can predict beside heads: some of `labels`, `tags`, `chains`, `confidences`."""
    is_nonprojective: ClassVar[bool] = True
    """Whether its arcs may cross, which discontinuous trees need."""
    one_shot: ClassVar[bool] = False
    """Whether it labels its arcs by itself unless told otherwise."""
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Its own options, each with the values it may have, the default first; no values: any.

    A default that is a number may be replaced by another one, and so may `auto`, by a whole one.
    """
    shares: ClassVar[frozenset[str]] = frozenset()
    """Those of its options that are shares: numbers below 1, or `auto` if that is the default."""
    uses_example_weights: ClassVar[bool] = False
    """Whether it heeds the weights of examples."""
    batch: ClassVar[int] = 256
    """How many sentences it wants at once."""
    parallel: ClassVar[bool] = False
    """Whether it can parse several batches at the same time, each on one thread."""
    needs: ClassVar[str] = ""
    """What must be on a machine for it to work, and how to get that; empty if it comes with Spindle."""

    @classmethod
    def version(cls) -> str | None:
        """The version of what it needs, empty if there is none to know; None if that is not there."""
        return None if cls.needs else ""

    @classmethod
    def check(cls, options: Mapping[str, str]) -> None:
        """Refuse early, with a `ParserError`, what `fit` could do nothing with."""
        if cls.version() is None:
            raise ParserError(f"{cls.name or cls.__name__} needs {cls.needs}")

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """What it will predict beside heads if it is trained with these settings."""
        return cls.predicts if settings.one_shot else cls.predicts - {"labels"}

    @abstractmethod
    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Learn from examples; go on from a state that `watch.epoch` was given, if there is one."""

    @abstractmethod
    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> Sequence[Prediction]:
        """A prediction for every sentence, in order."""

    def predict_chains(
        self, predictions: Sequence[Prediction], dtrees: Sequence[DTree], threads: int
    ) -> Sequence[Mapping[Place, Chain]]:
        """The unary chains of its predictions, which have become these d-trees.

        A parser that must see the whole tree to find them finds them here, at places that the d-trees have.
        What others have predicted is kept as far as there are such places.
        """
        return [
            chains_that_fit(prediction.chains or {}, dtree)
            for prediction, dtree in zip(predictions, dtrees, strict=True)
        ]

    def head_probabilities(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Array | None]:
        """How probable every head of every word is, its own predictions given; None where it cannot say.

        A table has a row for every head, the first for what is above the root, and a column for every word.
        Asked only when somebody wants to know. Unless a parser knows better, what the confidences of a
        prediction leave over is shared out among all other heads.
        """
        return [_shared_out(prediction) for prediction in predictions]

    def label_probabilities(
        self, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[float]]:
        """How probable its own labels are if the arcs are right. A parser that cannot say is believed."""
        del threads
        return [[1.0] * len(prediction.heads) for prediction in predictions]

    @abstractmethod
    def to_part(self) -> ModelPart:
        """All that is needed to parse. Its arrays may be used after more training: copy what changes."""

    @classmethod
    @abstractmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The parser again; the inverse of `to_part`."""

    def compressed_variants(self) -> Iterable[Self]:
        """The trained parser made smaller and faster at some cost: in some ways, the lightest first, or none.

        The pipeline keeps the first that is about as good on the development trees.
        """
        return ()


def _shared_out(prediction: Prediction) -> Array | None:
    if prediction.confidences is None:
        return None
    sure = np.asarray(prediction.confidences, dtype=np.float32)
    words = np.arange(len(sure))
    table = np.tile((1 - sure) / max(len(sure) - 1, 1), (len(sure) + 1, 1))
    table[words + 1, words] = 0  # no word is its own head
    table[np.clip(prediction.heads, -1, len(sure) - 1) + 1, words] = sure
    return table


class KBest(Protocol):
    """A parser that can give several analyses."""

    @property
    def k_best_is_exact(self) -> bool:
        """Whether no tree that it leaves out would score more than those that it gives."""

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> Sequence[Sequence[Prediction]]:
        """For every sentence up to `k` different analyses, the best first; that is what `parse` gives."""
