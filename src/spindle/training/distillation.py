"""Distillation: a small parser learns what a large one thinks of raw text, and what is in gold trees.

The teacher reads every sentence once. Of raw text it gives the tree as well as how probable it finds every
head, tag, label and chain; of a gold tree it is asked what it thinks of that one, and the two are mixed. All
else is as in any training, with the classes and the conventions of the teacher.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self

from spindle.errors import ParserError, SpindleError
from spindle.parsers import Backend, Example, name_of
from spindle.parsers.neural import NeuralParser
from spindle.parsers.neural.dataset import Dataset, DatasetBuilder
from spindle.pipeline.card import Card, Corpus
from spindle.pipeline.conventions import Conventions
from spindle.pipeline.in_order import in_order
from spindle.pipeline.parser import Parser
from spindle.pipeline.sentence import Input, Sentence
from spindle.pipeline.stages import FunctionClassifier
from spindle.reduction import Mode, read_labels, repair
from spindle.text import TokenizationStyle
from spindle.training.checkpoint import Checkpoint
from spindle.training.dev_monitor import DevMonitor
from spindle.training.listener import Listener, TrainingLog
from spindle.training.options import TrainOptions
from spindle.training.run import Training, Treebank, fingerprint, run_training
from spindle.training.treebank import PreparedTreebank
from spindle.trees import DTree, Token, Tree

LONGEST = 100
"""Longer sentences are rarely any."""


@dataclass(frozen=True)
class DistillOptions:
    """What a user may choose about a distillation; everything else is as the teacher has it.

    Of what is right in a gold tree, `gold_share` is what the tree says and the rest what the teacher thinks.
    A sentence of raw text counts `text_weight` times. `encoder`, `epochs` and `parser_options` are those of
    the neural parser.
    """

    encoder: str = "bilstm"
    epochs: int | None = None
    parser_options: Mapping[str, str] = field(default_factory=dict)
    gold_share: float = 0.5
    text_weight: float = 1.0
    licence: str = ""
    seed: int = 1
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)

    def __post_init__(self) -> None:
        if not 0 <= self.gold_share <= 1:
            raise SpindleError(f"gold_share cannot be {self.gold_share}; choose a number from 0 to 1")
        if not 0 < self.text_weight < float("inf"):
            raise SpindleError(f"text_weight cannot be {self.text_weight}; choose a number above 0")

    def as_taught_by(self, teacher: Parser) -> TrainOptions:
        """The options of the student's training."""
        return TrainOptions(
            parser=NeuralParser.name,
            encoder=self.encoder,
            epochs=self.epochs,
            parser_options=self.parser_options,
            encoding=str(teacher.encoding),
            heads=teacher.card.chosen["heads"],
            mode=str(teacher.mode),
            punct=str(teacher.conventions.punctuation),
            functions="strip" if teacher.functions is None else "predict",
            licence=self.licence or teacher.card.licence,
            seed=self.seed,
            threads=self.threads,
        )


@dataclass(frozen=True)
class RawText:
    """Sentences without trees, the files they are from, and how many were left out, and why."""

    sentences: tuple[tuple[str, ...], ...] = ()
    files: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def collect(
        cls,
        sentences: Iterable[Input],
        files: Sequence[str] = (),
        *,
        habits: TokenizationStyle,
        most: int | None = None,
        longest: int = LONGEST,
    ) -> Self:
        """The first sentences that have words, but not too many of them."""
        left_out: Counter[str] = Counter()
        known: dict[str, str] = {}  # every word is in memory once

        def words() -> Iterable[tuple[str, ...]]:
            for given in sentences:
                tokens = Sentence.of(given, habits).tokens
                if not tokens:
                    left_out["without words"] += 1
                elif len(tokens) > longest:
                    left_out[f"longer than {longest} words"] += 1
                else:
                    yield tuple([known.setdefault(token.form, token.form) for token in tokens])

        return cls(tuple(islice(words(), most)), tuple(files), left_out)

    @property
    def corpus(self) -> Corpus:
        """What the student's card says of it."""
        return Corpus(self.files, len(self.sentences), sum(map(len, self.sentences)))


def check_teacher(parser: Parser, name: str) -> None:
    """Refuse a parser that cannot soft_targets."""
    if not isinstance(parser.backend, NeuralParser):
        raise ParserError(
            f"{name}: a teacher is a neural parser, but this one is {name_of(type(parser.backend))}; "
            "train one with --parser neural"
        )


def distill_parser(
    teacher: Parser,
    name: str,
    text: RawText,
    train: Treebank,
    dev: Treebank,
    options: DistillOptions,
    *,
    output: Path | None = None,
    resume: bool = False,
    listener: Listener | None = None,
) -> Parser:
    """Train a student; everything is written, and can be resumed, as with `train_parser`.

    `name` is what the student's card calls its teacher.
    """
    check_teacher(teacher, name)
    as_taught = options.as_taught_by(teacher)
    as_taught.check()
    if not text.sentences and not train.trees:
        raise ParserError("there is nothing to learn from; give raw text, trees, or both")
    return run_training(
        lambda checkpoint, log: Distillation(teacher, name, text, train, dev, options, checkpoint, log),
        _fingerprint(teacher, text, options, fingerprint(train, dev, as_taught)),
        output=output,
        resume=resume,
        listener=listener,
    )


def _fingerprint(teacher: Parser, text: RawText, options: DistillOptions, others: str) -> str:
    digest = hashlib.sha256(f"{others} {options.gold_share} {options.text_weight}".encode())
    for array in teacher.backend.to_part().arrays.values():
        digest.update(array.tobytes())
    for forms in text.sentences:
        digest.update(repr(forms).encode())
    return digest.hexdigest()


class Distillation(Training):
    """A training in which the student is shown what the teacher thinks."""

    def __init__(
        self,
        teacher: Parser,
        name: str,
        text: RawText,
        train: Treebank,
        dev: Treebank,
        options: DistillOptions,
        checkpoint: Checkpoint,
        log: TrainingLog,
    ) -> None:
        super().__init__(train, dev, options.as_taught_by(teacher), checkpoint, log)
        assert isinstance(teacher.backend, NeuralParser)
        self.teacher, self.name, self.text, self.how = teacher, name, text, options
        self.mind = teacher.backend

    # ── what is as the teacher has it ────────────────────────────────────────────────────────────────

    def _conventions(self) -> Conventions:
        return self.teacher.conventions

    def _choose_mode(self, material: PreparedTreebank) -> Mode:
        self.chosen["mode"] = str(self.teacher.mode)
        return self.teacher.mode

    def _habits(self, tokens: Sequence[Sequence[Token]]) -> TokenizationStyle:
        return self.teacher.habits

    def _train_functions(
        self, trees: Sequence[Tree], tokens: Sequence[Sequence[Token]]
    ) -> FunctionClassifier | None:
        return self.teacher.functions

    def _card(self, label_sets: Mapping[str, tuple[str, ...]]) -> Card:
        card = self.teacher.card
        about = {
            "name": self.name,
            "encoder": self.mind.encoder,
            "f1": card.scores.get("f1"),
            "files": list(card.training.files),
            "licence": card.licence,
            "fingerprint": card.fingerprint,
            "gold_share": self.how.gold_share,
            "text_weight": self.how.text_weight,
        }
        return replace(super()._card(card.label_sets), teacher=about, text=self.text.corpus)

    # ── lessons ──────────────────────────────────────────────────────────────────────────────────────

    def _fit(
        self, backend: Backend, examples: Sequence[Example], of_dev: Sequence[Example], trial: DevMonitor
    ) -> None:
        assert isinstance(backend, NeuralParser)
        maker = DatasetBuilder(self.mind.classes, self.encoding)
        known = [one for one in examples if maker.knows(one)]
        self._tell_left_out(len(examples) - len(known))
        # of other treebanks than the first, by whose guidelines it parses, the teacher has no right idea
        others = [one for one in known if one.treebank]
        first = [one for one in known if not one.treebank]
        of_trees = [tuple([token.form for token in one.tokens]) for one in (*others, *first)]
        forms = [*of_trees, *self.text.sentences]
        self.log.stage("teacher")
        lessons = self.checkpoint.stage(
            "lessons",
            lambda part: Dataset.from_part(part, forms),
            lambda: replace(self._ask(maker, others, first), forms=forms),
        )
        self.log.say(
            f"the teacher has read {len(first) + len(self.text.sentences):,} sentences; "
            f"what it thinks of them takes {lessons.size / 1e6:,.0f} MB"
        )
        self.log.stage("parser")
        backend.fit_dataset(
            lessons, self.mind.classes, self.settings, trial, self.checkpoint.parts.get("state")
        )

    def _tell_left_out(self, unknown: int) -> None:
        if unknown:
            self.log.say(
                f"{unknown:,} trees were left out, which have tags, labels or chains that the teacher has not"
            )
        for why, count in self.text.left_out.items():
            self.log.say(f"{count:,} sentences {why} were left out of the text")

    def _ask(self, maker: DatasetBuilder, others: Sequence[Example], first: Sequence[Example]) -> Dataset:
        """The lessons of all gold trees and of the text, in this order."""
        size = self.mind.batch
        found = [maker.gold(others)] if others else []
        calls = [
            *(partial(self._of_trees, maker, together) for together in _stretches(first, size)),
            *(partial(self._of_text, maker, together) for together in _stretches(self.text.sentences, size)),
        ]
        for done, lessons in enumerate(in_order(_call, calls, self.options.threads), start=1):
            found.append(lessons)
            self.log.progress(done, len(calls))
        return Dataset.joined(found)

    def _of_trees(self, maker: DatasetBuilder, examples: Sequence[Example]) -> Dataset:
        predictions = self.mind.parse([one.tokens for one in examples], 1)
        return self.mind.soft_targets(maker.gold(examples), predictions, self.how.gold_share, 1)

    def _of_text(self, maker: DatasetBuilder, sentences: Sequence[Sequence[str]]) -> Dataset:
        predictions = self.mind.parse([[Token(form) for form in forms] for forms in sentences], 1)
        trees: list[DTree] = []
        for prediction in predictions:
            assert prediction.tokens is not None
            assert prediction.labels is not None
            symbols, indices, _ = read_labels(prediction.heads, prediction.labels, self.encoding)
            trees.append(repair(prediction.tokens, prediction.heads, symbols, indices, mode=self.mode)[0])
        return self.mind.soft_targets(maker.bare(trees, self.how.text_weight), predictions, 0.0, 1)


def _stretches(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _call(function: Callable[[], Dataset]) -> Dataset:
    return function()
