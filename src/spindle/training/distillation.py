"""Distillation: a small parser learns from the probabilities of a large one, on raw text and on gold trees.

The teacher parses every sentence once. For raw text its tree and the probabilities of heads, tags, labels and
chains are the targets; for a gold tree its probabilities are mixed with the tree. Everything else is as in
any training, with the label sets and the conventions of the teacher.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

from spindle.errors import Hint, ParserError, Setting, SpindleError
from spindle.models import ModelPart
from spindle.parsers import Backend, Distillable, DistillationData, Example, FitSettings, name_of
from spindle.parsers.linear import FunctionClassifier
from spindle.pipeline import Card, Input, Parser, Sentence
from spindle.pipeline.card import Corpus
from spindle.pipeline.conventions import Conventions
from spindle.text import BoundaryModel, TextSplitter, TokenizationStyle
from spindle.training.checkpoint import Checkpoint
from spindle.training.dev_monitor import DevMonitor
from spindle.training.listener import Listener, LoggingListener, TrainingLog
from spindle.training.options import FunctionPolicy, TrainOptions
from spindle.training.run import Training, fingerprint, run_training
from spindle.training.stage_training import StageTrainer, Tokens
from spindle.training.treebank import PreparedTreebank, Treebank
from spindle.trees import Tree

MAX_TEXT_LENGTH = 100
"""Longer sentences of raw text are left out by default: they are rarely sentences."""


@dataclass(frozen=True)
class DistillOptions:
    """The options of a distillation; all other choices are the teacher's.

    In the targets of a gold tree, `gold_share` is the weight of the tree; the teacher has the rest. A
    sentence of raw text counts `text_weight` times. `encoder`, `epochs` and `parser_options` are those of the
    student.
    """

    encoder: str = "bilstm"
    epochs: int | None = None
    parser_options: Mapping[str, Any] = field(default_factory=dict)
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

    def student_options(self, teacher: Parser) -> TrainOptions:
        """The options of the student's training."""
        settings = teacher.settings
        return TrainOptions(
            parser=name_of(type(teacher.backend)),
            encoder=self.encoder,
            epochs=self.epochs,
            parser_options=self.parser_options,
            encoding=settings.encoding,
            heads=settings.head_rules,
            mode=settings.mode,
            punct=settings.conventions.punctuation,
            functions=FunctionPolicy.STRIP if teacher.stages.functions is None else FunctionPolicy.PREDICT,
            licence=self.licence or teacher.card.licence,
            seed=self.seed,
            threads=self.threads,
        )


@dataclass(frozen=True)
class RawText:
    """Sentences without trees, the files they come from, and how many were left out for which reason."""

    sentences: tuple[tuple[str, ...], ...] = ()
    files: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def collect(
        cls,
        sentences: Iterable[Input],
        files: Sequence[str] = (),
        *,
        splitter: TextSplitter,
        limit: int | None = None,
        longest: int = MAX_TEXT_LENGTH,
    ) -> Self:
        """Take the first `limit` sentences that have words, and at most `longest` of them."""
        left_out: Counter[str] = Counter()
        interned: dict[str, str] = {}

        def forms() -> Iterator[tuple[str, ...]]:
            for given in sentences:
                tokens = Sentence.of(given, splitter).tokens
                if not tokens:
                    left_out["without words"] += 1
                elif len(tokens) > longest:
                    left_out[f"longer than {longest} words"] += 1
                else:
                    yield tuple([interned.setdefault(token.form, token.form) for token in tokens])

        return cls(tuple(islice(forms(), limit)), tuple(files), left_out)

    @property
    def corpus(self) -> Corpus:
        """Files, sentences and tokens, for the student's card."""
        return Corpus(self.files, len(self.sentences), sum(map(len, self.sentences)))


def check_teacher(parser: Parser, name: str) -> None:
    """Raise a `ParserError` for a parser that cannot teach."""
    if not isinstance(parser.backend, Distillable):
        raise ParserError(
            f"{name}: a teacher is a neural parser, but this one is {name_of(type(parser.backend))}",
            hint=Hint("train one with {} neural", Setting.PARSER),
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
    """Train a student; files are written, and a training is resumed, as by `train_parser`.

    `name` is what the student's card calls the teacher.
    """
    check_teacher(teacher, name)
    student_options = options.student_options(teacher)
    student_options.check()
    if not text.sentences and not train.trees:
        raise ParserError("there is no training data; give raw text, trees, or both")
    return run_training(
        lambda checkpoint, log: Distillation(teacher, name, text, train, dev, options, checkpoint, log),
        _fingerprint(teacher, text, options, fingerprint(train, dev, student_options)),
        output=output,
        resume=resume,
        listener=listener or LoggingListener(),
    )


def _fingerprint(teacher: Parser, text: RawText, options: DistillOptions, of_training: str) -> str:
    digest = hashlib.sha256(f"{of_training} {options.gold_share} {options.text_weight}".encode())
    for array in teacher.backend.to_part().arrays.values():
        digest.update(array.tobytes())
    for forms in text.sentences:
        digest.update(repr(forms).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Targets:
    """The teacher's targets as a stage of the checkpoint."""

    part: ModelPart

    def to_part(self) -> ModelPart:
        return self.part


class Distillation(Training):
    """A training in which the student learns the teacher's probabilities."""

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
        super().__init__(train, dev, options.student_options(teacher), checkpoint, log)
        self.teacher, self.name, self.text, self.distill_options = teacher, name, text, options

    # ── choices of the teacher ──────────────────────────────────────────────────────────────────────

    def _conventions(self) -> Conventions:
        return self.teacher.settings.conventions

    def _prepare(self) -> PreparedTreebank:
        if not self.train.trees:
            return PreparedTreebank((), self._conventions(), Counter())
        return super()._prepare()

    def _tokenization(self, tokens: Tokens) -> TokenizationStyle:
        return self.teacher.settings.tokenization

    def _text_model(self) -> BoundaryModel | None:
        return self.teacher.text_model

    def _train_functions(
        self, trainer: StageTrainer, trees: Sequence[Tree], tokens: Tokens
    ) -> FunctionClassifier | None:
        return self.teacher.stages.functions

    def _card(self, label_sets: Mapping[str, tuple[str, ...]]) -> Card:
        card, options = self.teacher.card, self.distill_options
        about = {
            "name": self.name,
            "encoder": self.teacher.backend.to_part().settings.get("encoder"),
            "f1": card.scores.get("f1"),
            "files": list(card.training.files),
            "licence": card.licence,
            "fingerprint": card.fingerprint,
            "gold_share": options.gold_share,
            "text_weight": options.text_weight,
        }
        return replace(super()._card(card.label_sets), teacher=about, text=self.text.corpus)

    # ── training ─────────────────────────────────────────────────────────────────────────────────────

    def _fit(
        self,
        backend: Backend,
        examples: Sequence[Example],
        dev_examples: Sequence[Example],
        fit_settings: FitSettings,
        monitor: DevMonitor,
    ) -> None:
        teacher = self.teacher.backend
        assert isinstance(teacher, Distillable)
        assert isinstance(backend, Distillable)
        for reason, count in self.text.left_out.items():
            self.log.say(f"{count:,} sentences {reason} were left out of the text")
        data = DistillationData(
            examples=examples,
            sentences=self.text.sentences,
            encoding=fit_settings.encoding,
            mode=fit_settings.mode,
            gold_share=self.distill_options.gold_share,
            text_weight=self.distill_options.text_weight,
        )
        self.log.stage("teacher")
        targets = self.checkpoint.stage(
            "targets",
            _Targets,
            lambda: _Targets(teacher.soft_targets(data, self.options.threads, self.log.progress)),
        ).part
        if left_out := targets.settings["left_out"]:
            self.log.say(
                f"{left_out:,} trees were left out: they have tags, labels or chains unknown to the teacher"
            )
        sentences, size = targets.settings["sentences"], targets.settings["bytes"]
        self.log.say(f"the teacher parsed {sentences:,} sentences; its targets take {size / 1e6:,.0f} MB")
        self.log.stage("parser")
        backend.fit_dataset(data, targets, fit_settings, monitor, self.checkpoint.parts.get("state"))
