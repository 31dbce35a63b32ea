"""Very simple stages and a backend that replace the real ones in tests of the pipeline.

Each stage memorises the most frequent answers of the training data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Self

import numpy
import pytest

from spindle.models import ModelPart
from spindle.parsers import (
    PARSERS,
    Backend,
    BackendOptions,
    Example,
    FitSettings,
    Monitor,
    Prediction,
    option,
)
from spindle.pipeline import stages
from spindle.reduction import Place, Reduced, decode
from spindle.trees import DTree, Token, Tree


def plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the real stages by the stand-ins and register `SlowLearner` as `slow`."""
    for name, stage in (
        ("tagger", MemoryTagger),
        ("labeler", MemoryLabeler),
        ("unaries", MemoryUnaries),
        ("functions", MemoryFunctions),
    ):
        monkeypatch.setitem(stages.STAGES, name, stage)
    monkeypatch.setitem(PARSERS, "slow", "support.stand_ins:SlowLearner")


class Memory:
    """Maps questions to their most frequent answers; of several questions, the most exact comes first."""

    TABLE_BITS = 0

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers

    @classmethod
    def learn(cls, pairs: Iterable[tuple[Sequence[str], str]]) -> Self:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for questions, answer in pairs:
            for question in questions:
                counts[question][answer] += 1
        return cls({question: min(found, key=lambda a: (-found[a], a)) for question, found in counts.items()})

    def ask(self, questions: Sequence[str], default: str) -> str:
        return next((self.answers[q] for q in questions if q in self.answers), default)

    def to_part(self) -> ModelPart:
        return ModelPart({"answers": self.answers})

    @classmethod
    def check_part(cls, part: ModelPart, place: str) -> None:
        del part, place

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        return cls(part.settings["answers"])


class MemoryTagger(Memory):
    @classmethod
    def train(
        cls, sentences: Sequence[Sequence[Token]], *, seed: int, threads: int, progress: Any, **_: Any
    ) -> Self:
        progress(len(sentences), len(sentences))
        return cls.learn(([token.form, ""], token.tag) for sentence in sentences for token in sentence)

    @classmethod
    def jackknife(
        cls, sentences: Sequence[Sequence[Token]], *, folds: int, seed: int, threads: int, progress: Any
    ) -> list[list[Token]]:
        tagged: list[list[Token]] = []
        for at, sentence in enumerate(sentences):
            others = [other for place, other in enumerate(sentences) if place % folds != at % folds]
            tagged += cls.train(others, seed=seed, threads=1, progress=progress).tag([sentence], 1)
        return tagged

    def tag(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[list[Token]]:
        return [[Token(token.form, self.ask([token.form, ""], "?")) for token in s] for s in sentences]


class MemoryLabeler(Memory):
    @classmethod
    def with_features(cls, features: object) -> type[Self]:
        return cls

    @staticmethod
    def questions(tokens: Sequence[Token], heads: Sequence[int], at: int) -> list[str]:
        exact = " ".join([str(at), *(token.form for token in tokens)])
        if heads[at] < 0:
            return [exact, "root"]
        side = "<" if heads[at] > at else ">"
        return [exact, f"{tokens[heads[at]].tag} {side} {tokens[at].tag}", side]

    @classmethod
    def train(
        cls, sentences: Any, heads: Any, labels: Any, *, seed: int, threads: int, progress: Any, **_: Any
    ) -> Self:
        return cls.learn(
            (cls.questions(tokens, arcs, at), named[at])
            for tokens, arcs, named in zip(sentences, heads, labels, strict=True)
            for at in range(len(tokens))
        )

    def label(self, sentences: Any, heads: Any, threads: int) -> list[list[str]]:
        return [
            [self.ask(self.questions(tokens, arcs, at), "S#1") for at in range(len(tokens))]
            for tokens, arcs in zip(sentences, heads, strict=True)
        ]

    def label_with_confidences(
        self, sentences: Any, heads: Any, threads: int
    ) -> tuple[list[list[str]], list[list[float]]]:
        labels = self.label(sentences, heads, threads)
        return labels, [[1.0] * len(of_sentence) for of_sentence in labels]


class MemoryUnaries(Memory):
    @staticmethod
    def places(dtree: DTree) -> dict[Place, list[str]]:
        symbols = {Place(word, 0): token.tag for word, token in enumerate(dtree.tokens)}
        for head, symbol, event in zip(dtree.heads, dtree.symbols, dtree.events, strict=True):
            if head >= 0:
                symbols[Place(head, event)] = symbol
        return {
            place: [f"{symbol} {dtree.tokens[place.word].form} {len(dtree)} {place}", symbol]
            for place, symbol in symbols.items()
        }

    @classmethod
    def train(
        cls, dtrees: Sequence[DTree], chains: Sequence[Mapping[Place, tuple[str, ...]]], *, seed: int,
        threads: int, progress: Any, **_: Any,
    ) -> Self:  # fmt: skip
        return cls.learn(
            (questions, " ".join(found.get(place, ())))
            for dtree, found in zip(dtrees, chains, strict=True)
            for place, questions in cls.places(dtree).items()
        )

    def decode(self, dtrees: Sequence[DTree], threads: int) -> list[Tree]:
        found = []
        for dtree in dtrees:
            chains = {place: self.ask(questions, "") for place, questions in self.places(dtree).items()}
            kept = {place: tuple(chain.split()) for place, chain in chains.items() if chain}
            found.append(decode(Reduced(dtree, kept)))
        return found


class MemoryFunctions(Memory):
    @staticmethod
    def questions(tree: Tree, node: int) -> list[str]:
        above = tree.labels[tree.parents[node]] if node else ""
        return [f"{above} {tree.labels[node]} {tree.masks[node]} {len(tree)}", f"{above} {tree.labels[node]}"]

    @classmethod
    def train(cls, trees: Sequence[Tree], *, seed: int, threads: int, progress: Any, **_: Any) -> Self:
        return cls.learn(
            (cls.questions(tree, node), tree.functions[node])
            for tree in trees
            for node in range(len(tree.labels))
        )

    def label(self, trees: Sequence[Tree], threads: int) -> list[Tree]:
        return [
            tree.replace(
                functions=tuple(self.ask(self.questions(tree, node), "") for node in range(len(tree.labels)))
            )
            for tree in trees
        ]


class Interrupted(Exception):
    """Raised by `SlowLearner` to interrupt a training."""


class SlowOrder(StrEnum):
    BASIC = "basic"
    FULL = "full"


@dataclass(frozen=True)
class SlowOptions(BackendOptions):
    epochs: int = option(6, "passes over the training data", at_least=1)
    order: SlowOrder = option(SlowOrder.BASIC, "an option that changes nothing")


class SlowLearner(Backend):
    """A backend that memorises more sentences in every epoch, and fewer again after the fifth."""

    name = "slow"
    predicts = frozenset({"confidences"})
    Options = SlowOptions
    gives_k_best = True
    interrupt_after = 0
    fitted_from: int | None = None

    def __init__(self) -> None:
        self.known: dict[tuple[str, ...], list[int]] = {}

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        epochs = settings.options.epochs
        done = 0 if state is None else int(state.arrays["done"][0])
        type(self).fitted_from = done
        for epoch in range(done + 1, epochs + 1):
            count = len(train) * min(epoch, 10 - epoch) // 5
            self.known = {tuple(t.form for t in one.tokens): list(one.heads) for one in train[:count]}
            monitor.progress(count, len(train), 1 / epoch)
            monitor.epoch(epoch, 1 / epoch, partial(ModelPart, {}, {"done": numpy.array([epoch])}))
            if epoch == self.interrupt_after:
                raise Interrupted

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        return [self._parse(tokens) for tokens in sentences]

    def _parse(self, tokens: Sequence[Token]) -> Prediction:
        heads = self.known.get(tuple(token.form for token in tokens), list(range(-1, len(tokens) - 1)))
        return Prediction(heads, confidences=[0.5] * len(tokens))

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> list[list[Prediction]]:
        lists = []
        for tokens in sentences:
            chain = [*range(1, len(tokens)), -1]
            lists.append([self._parse(tokens), Prediction(chain, score=-1.0)][:k])
        return lists

    def to_part(self) -> ModelPart:
        return ModelPart({"known": [[list(forms), heads] for forms, heads in self.known.items()]})

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        parser = cls()
        parser.known = {tuple(forms): heads for forms, heads in part.settings["known"]}
        return parser
