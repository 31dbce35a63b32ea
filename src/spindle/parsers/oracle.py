"""The oracle: a parser that looks gold trees up.

It shows which accuracy the rest of the pipeline reaches with a perfect parser. With `gives=heads` it gives
only the arcs, so the labeler and the unary stage are measured on gold arcs; with `gives=heads,labels` the
unary stage alone is measured, on gold unaryless trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self

import numpy

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.options import BackendOptions, option
from spindle.reduction import Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import Token

PARTS = frozenset({"labels", "tags", "chains"})

_Forms = tuple[str, ...]


class Gives(StrEnum):
    """The parts of the gold trees that the oracle gives."""

    EVERYTHING = "heads,labels,tags,chains"
    HEADS = "heads"
    HEADS_AND_LABELS = "heads,labels"


@dataclass(frozen=True)
class OracleOptions(BackendOptions):
    """The options of the oracle."""

    gives: Gives = option(Gives.EVERYTHING, "parts of the gold trees that it gives")


class _Gold(NamedTuple):
    tokens: tuple[Token, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    chains: dict[Place, Chain]

    @property
    def forms(self) -> _Forms:
        return _forms(self.tokens)


class Oracle(Backend):
    """Looks gold trees up by the words of a sentence, in the development trees first.

    A sentence with several gold trees gets them in turn.
    """

    name = "oracle"
    predicts = PARTS
    one_shot = True
    Options = OracleOptions

    def __init__(self) -> None:
        self.gives = PARTS
        self._gold: list[_Gold] = []
        self._by_forms: dict[_Forms, list[_Gold]] = {}
        self._turns: dict[_Forms, int] = {}

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """Return the parts that the option `gives` names."""
        return frozenset(settings.options.gives.split(",")) & super().will_predict(settings)

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Store all trees; of sentences with development trees only these."""
        del state
        self.gives = self.will_predict(settings)
        in_dev = {_forms(example.tokens) for example in dev}
        kept = [*dev, *(example for example in train if _forms(example.tokens) not in in_dev)]
        self._store([_Gold(one.tokens, one.heads, one.labels, dict(one.chains)) for one in kept])
        monitor.epoch(1, 0.0)

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Return the gold trees of these sentences."""
        del threads
        return [self._look_up(_forms(tokens)) for tokens in sentences]

    def _look_up(self, forms: _Forms) -> Prediction:
        if forms not in self._by_forms:
            raise ParserError(
                f"the oracle has no tree for {' '.join(forms[:8])!r}; it has only the training and the "
                "development trees"
            )
        turn = self._turns.get(forms, 0)
        self._turns[forms] = (turn + 1) % len(self._by_forms[forms])
        gold = self._by_forms[forms][turn]
        return Prediction(
            gold.heads,
            gold.labels if "labels" in self.gives else None,
            gold.tokens if "tags" in self.gives else None,
            gold.chains if "chains" in self.gives else None,
        )

    def _store(self, gold: list[_Gold]) -> None:
        self._gold, self._by_forms, self._turns = gold, {}, {}
        for one in gold:
            self._by_forms.setdefault(one.forms, []).append(one)

    def to_part(self) -> ModelPart:
        """Return all trees."""
        heads = [head for gold in self._gold for head in gold.heads]
        examples: list[dict[str, Any]] = [
            {
                "tokens": gold.tokens,
                "labels": gold.labels,
                "chains": [[*place, *chain] for place, chain in gold.chains.items()],
            }
            for gold in self._gold
        ]
        settings = {"gives": sorted(self.gives), "examples": examples}
        return ModelPart(settings, {"heads": numpy.array(heads, dtype=numpy.int32)})

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the trees; the inverse of `to_part`."""
        heads, start, gold = part.arrays["heads"].tolist(), 0, []
        for example in part.settings["examples"]:
            tokens = tuple(Token(*columns) for columns in example["tokens"])
            chains: dict[Place, Chain] = {
                Place(word, event): tuple(chain) for word, event, *chain in example["chains"]
            }
            end = start + len(tokens)
            gold.append(_Gold(tokens, tuple(heads[start:end]), tuple(example["labels"]), chains))
            start = end
        oracle = cls()
        oracle.gives = frozenset(part.settings["gives"])
        oracle._store(gold)
        return oracle


def _forms(tokens: Sequence[Token]) -> _Forms:
    return tuple(token.form for token in tokens)
