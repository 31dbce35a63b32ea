"""What the stages of the linear engine share: the classes they predict, their arrays, and the training loop.

A stage chooses one class for every item, for example a label for every arc. The compiled core numbers the
classes and holds the weights; this side keeps the names of the classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from spindle import _core
from spindle.errors import ModelError
from spindle.models import Array, ModelPart
from spindle.models.schema import Schema, items, record, text, whole
from spindle.parsers.linear.hashed_sentence import hashed_sentence
from spindle.trees import Token

Item = TypeVar("Item", bound=Hashable)
Class = TypeVar("Class", bound=Hashable)
Model = TypeVar("Model")

Progress = Callable[[int, int], None]
"""Called with the number of finished steps (epochs or folds) and the number of all steps."""


def vocabulary(items: Iterable[Item], first: Iterable[Item] = ()) -> dict[Item, int]:
    """Number the distinct items: those of `first`, then the others by falling frequency.

    Items of equal frequency are numbered in the order of their first occurrence.

    >>> vocabulary("abbccd", first="d")
    {'d': 0, 'b': 1, 'c': 2, 'a': 3}
    """
    by_frequency = (item for item, _ in Counter(items).most_common())
    return {item: number for number, item in enumerate(dict.fromkeys([*first, *by_frequency]))}


def run_epochs(epochs: int, run_epoch: Callable[[], object], progress: Progress | None) -> None:
    """Call `run_epoch` `epochs` times and report progress after each call."""
    for epoch in range(1, epochs + 1):
        run_epoch()
        if progress is not None:
            progress(epoch, epochs)


def select_arrays(part: ModelPart, prefix: str) -> dict[str, Array]:
    """Return the arrays of a part whose names start with a prefix, by their names without it."""
    return {
        name.removeprefix(prefix): array for name, array in part.arrays.items() if name.startswith(prefix)
    }


class CoreTrainer(Protocol):
    """A trainer in the core."""

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of the trained model."""


class LinearStage(ABC, Generic[Class, Model]):
    """A trained stage: its classes, its arrays, and the model that the core makes of both.

    The core uses the arrays in place.
    """

    TABLE_BITS: ClassVar[int]
    """The default size of the weight table, which has 2 ** bits entries of two bytes."""
    CLASS: ClassVar[Schema] = staticmethod(text(1_000))
    """What a class must look like in a model file."""
    FEATURES: ClassVar[int] = 1
    """The version of the stage's features in the core. Raise it when the features change, because weights
    that were trained with other features are meaningless."""
    WITHOUT_ATTRIBUTES: ClassVar[int | None] = None
    """The earlier version of the features that is still read: it lacks single attributes of morphology."""

    def __init__(
        self, classes: Iterable[Class], arrays: Mapping[str, Array], attributes: bool = True
    ) -> None:
        self._classes, self._arrays, self._has_attributes = tuple(classes), dict(arrays), attributes
        self._model = self._load_model(self._classes, self._arrays)

    @staticmethod
    @abstractmethod
    def _load_model(classes: Sequence[Class], arrays: dict[str, Array]) -> Model:
        """Return the model in the core; a ValueError if the arrays do not fit."""

    @staticmethod
    def _class_from_json(stored: Any) -> Class:
        """Return a class as it was before `to_part`. JSON makes lists of tuples."""
        found: Class = stored
        return found

    @classmethod
    def _run(
        cls,
        classes: Iterable[Class],
        trainer: CoreTrainer,
        run_epoch: Callable[[], object],
        epochs: int,
        progress: Progress | None,
    ) -> Self:
        """Run all epochs of a trainer in the core and return the trained stage."""
        run_epochs(epochs, run_epoch, progress)
        return cls(classes, trainer.arrays())

    def to_part(self) -> ModelPart:
        """Return the classes and the arrays."""
        features = self.FEATURES if self._has_attributes else self.WITHOUT_ATTRIBUTES
        return ModelPart({"classes": list(self._classes), "features": features}, self._arrays)

    def _hashed(self, tokens: Sequence[Token]) -> _core.Sentence:
        """Return a sentence as the features of this stage read it."""
        return hashed_sentence(tokens, self._has_attributes)

    @classmethod
    def check_part(cls, part: ModelPart, place: str) -> None:
        """Raise a `SchemaError` for settings of a model file that do not fit."""
        record({"classes": items(cls.CLASS, 1), "features": whole(0, 1_000)})(part.settings, place)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the stage; the inverse of `to_part`."""
        features = part.settings.get("features")
        if features is None or features not in (cls.FEATURES, cls.WITHOUT_ATTRIBUTES):
            raise ModelError(
                f"{cls.__name__} was trained by another version of Spindle, with other features: "
                "train the model again"
            )
        classes = map(cls._class_from_json, part.settings["classes"])
        return cls(classes, part.arrays, features == cls.FEATURES)
