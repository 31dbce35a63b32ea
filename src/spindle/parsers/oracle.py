"""The oracle: a parser that has seen the gold trees of everything it is asked.

It shows what the rest of the pipeline would reach with a perfect parser. With `gives=heads` it knows only the
arcs, so that the labeler and the unary stage are measured on gold arcs; with `gives=heads,labels` the unary
stage alone, on gold unaryless trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.reduction import Place
from spindle.trees import Token

GIFTS = ("labels", "tags", "chains")

_Forms = tuple[str, ...]


class Oracle(Backend):
    """Gold trees looked up by the words of a sentence, those of the development trees first.

    A sentence that has several trees gets them in turn.
    """

    name = "oracle"
    predicts = frozenset(GIFTS)
    one_shot = True
    options = {"gives": ("heads,labels,tags,chains", "heads", "heads,labels")}  # noqa: RUF012

    def __init__(self) -> None:
        self.gives: frozenset[str] = frozenset(GIFTS)
        self._examples: list[Example] = []
        self._known: dict[_Forms, list[Example]] = {}
        self._turns: dict[_Forms, int] = {}

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """What it was told to give."""
        return frozenset(settings.options["gives"].split(",")) & super().will_predict(settings)

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Remember everything."""
        self.gives = self.will_predict(settings)
        of_dev = {_forms(example.tokens) for example in dev}
        self._remember([*dev, *(example for example in train if _forms(example.tokens) not in of_dev)])
        watch.epoch(1, 0.0)

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """The gold trees of these sentences."""
        return [self._look_up(tokens) for tokens in sentences]

    def _look_up(self, tokens: Sequence[Token]) -> Prediction:
        forms = _forms(tokens)
        if forms not in self._known:
            raise ParserError(
                f"the oracle has seen no tree of {' '.join(forms[:8])!r}; it knows the trees that it was "
                "trained on and the development trees"
            )
        turn = self._turns.get(forms, 0)
        self._turns[forms] = (turn + 1) % len(self._known[forms])
        gold = self._known[forms][turn]
        return Prediction(
            gold.heads,
            gold.labels if "labels" in self.gives else None,
            gold.tokens if "tags" in self.gives else None,
            gold.chains if "chains" in self.gives else None,
        )

    def _remember(self, examples: list[Example]) -> None:
        self._examples, self._known, self._turns = examples, {}, {}
        for example in examples:
            self._known.setdefault(_forms(example.tokens), []).append(example)

    def to_part(self) -> ModelPart:
        """All trees."""
        heads = [head for example in self._examples for head in example.heads]
        examples: list[dict[str, Any]] = [
            {
                "tokens": example.tokens,
                "labels": example.labels,
                "chains": [[*place, *chain] for place, chain in example.chains.items()],
            }
            for example in self._examples
        ]
        settings = {"gives": sorted(self.gives), "examples": examples}
        return ModelPart(settings, {"heads": numpy.array(heads, dtype=numpy.int32)})

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The oracle again."""
        heads, start, examples = part.arrays["heads"].tolist(), 0, []
        for example in part.settings["examples"]:
            tokens = tuple(Token(*columns) for columns in example["tokens"])
            chains = {Place(word, event): tuple(chain) for word, event, *chain in example["chains"]}
            end = start + len(tokens)
            examples.append(Example(tokens, tuple(heads[start:end]), tuple(example["labels"]), chains))
            start = end
        oracle = cls()
        oracle.gives = frozenset(part.settings["gives"])
        oracle._remember(examples)
        return oracle


def _forms(tokens: Sequence[Token]) -> _Forms:
    return tuple(token.form for token in tokens)
