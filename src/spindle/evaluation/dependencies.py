"""Attachment scores of dependency files, with and without punctuation.

On encoded files, whose labels contain the constituents, the labelled score without punctuation is the LAS of
the paper's Table 1: a word is correct if its head, phrase symbol and event are correct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spindle import __version__
from spindle.errors import EvaluationError, TreebankError
from spindle.evaluation.entries import read_dependency_entries
from spindle.evaluation.pairing import Pair, pair_entries
from spindle.evaluation.score import format_figure
from spindle.evaluation.sentence_score import Status
from spindle.evaluation.settings import MissingPolicy
from spindle.evaluation.totals import percent
from spindle.trees import Dependencies, Token, Word
from spindle.trees.punctuation import PUNCTUATION_TAGS, is_punctuation


class Attachments(NamedTuple):
    """Numbers of words: all, with the correct head, with the correct label, and with both."""

    words: int = 0
    heads: int = 0
    labels: int = 0
    both: int = 0


class DependencySentenceScore(NamedTuple):
    """The attachment counts of one sentence."""

    number: int
    id: str = ""
    status: Status = Status.SCORED
    everything: Attachments = Attachments()
    without_punctuation: Attachments = Attachments()
    problem: str = ""

    @property
    def name(self) -> str:
        """The id of the sentence, or its number if it has no id."""
        return self.id or str(self.number)


@dataclass(frozen=True)
class DependencyScore:
    """Attachment scores in per cent, None if there are no words. Scores of parts add up: `score + score`."""

    sentences: tuple[DependencySentenceScore, ...]
    missing: MissingPolicy = "count"

    @cached_property
    def everything(self) -> Attachments:
        """The sums over all words."""
        return _sum(sentence.everything for sentence in self.sentences)

    @cached_property
    def without_punctuation(self) -> Attachments:
        """The sums over all words that are not punctuation in gold."""
        return _sum(sentence.without_punctuation for sentence in self.sentences)

    @property
    def signature(self) -> str:
        """One line that says how the score was computed."""
        coverage = self.coverage
        return (
            f"dependencies|labels:whole|punct:by-gold-tag|missing:{self.missing}|"
            f"scored:{coverage['scored']}/{coverage['sentences']}|v:{__version__}"
        )

    @property
    def coverage(self) -> dict[str, int]:
        """The numbers of sentences: of gold, scored, missing, left out, and in the prediction only."""
        found = Counter(sentence.status for sentence in self.sentences)
        return {
            "sentences": found.total() - found[Status.EXTRA],
            "scored": found[Status.SCORED],
            "missing": found[Status.UNPARSED] + found[Status.SKIPPED],
            "left_out": found[Status.ERROR],
            "extra": found[Status.EXTRA],
        }

    def to_dict(self, per_sentence: bool = False) -> dict[str, Any]:
        """Return all figures as plain data, ready for JSON."""
        result: dict[str, Any] = {
            **_figures(self.everything, ""),
            **_figures(self.without_punctuation, "_no_punctuation"),
            **self.coverage,
            "problems": [
                {"sentence": one.name, "problem": one.problem} for one in self.sentences if one.problem
            ],
            "signature": self.signature,
        }
        if per_sentence:
            result["per_sentence"] = [
                {
                    "number": sentence.number,
                    "id": sentence.id,
                    "status": sentence.status.name.lower(),
                    **sentence.everything._asdict(),
                    **{
                        f"{name}_no_punctuation": count
                        for name, count in sentence.without_punctuation._asdict().items()
                    },
                    "problem": sentence.problem,
                }
                for sentence in self.sentences
            ]
        return result

    def __str__(self) -> str:
        figures = {**_figures(self.everything, ""), **_figures(self.without_punctuation, "_no_punctuation")}
        shown = (
            f"{name} {format_figure(figure)}"
            for name, figure in figures.items()
            if not name.startswith("words")
        )
        coverage = (f"{name} {count}" for name, count in self.coverage.items())
        return f"{'  '.join(shown)}  {'  '.join(coverage)}  {self.signature}"

    def __add__(self, other: DependencyScore) -> DependencyScore:
        if self.missing != other.missing:
            raise EvaluationError(
                "scores with different settings cannot be added; evaluate both with the same settings"
            )
        return DependencyScore(self.sentences + other.sentences, self.missing)


def evaluate_dependencies(
    gold: str | Path, pred: str | Path, missing: MissingPolicy = "count"
) -> DependencyScore:
    """Score one CoNLL file against another; a missing sentence counts as wrong unless `missing="skip"`."""
    pairs = pair_entries(read_dependency_entries(gold), read_dependency_entries(pred))
    return score_dependencies(pairs, missing)


def score_dependencies(
    pairs: Iterable[Pair[Dependencies]],
    missing: MissingPolicy = "count",
    on_problem: Callable[[DependencySentenceScore], None] = lambda _: None,
) -> DependencyScore:
    """Score sentence by sentence; `on_problem` is called with every sentence that cannot be compared."""
    sentences = []
    for pair in pairs:
        sentence = _score_pair(pair, missing)
        if sentence.problem:
            on_problem(sentence)
        sentences.append(sentence)
    return DependencyScore(tuple(sentences), missing)


def _score_pair(pair: Pair[Dependencies], missing: MissingPolicy) -> DependencySentenceScore:
    number, gold, pred = pair
    if isinstance(gold, TreebankError):
        return DependencySentenceScore(number, status=Status.ERROR, problem=str(gold))
    if not isinstance(gold, Dependencies):
        name = pred.id if isinstance(pred, Dependencies) else ""
        return DependencySentenceScore(number, name, Status.EXTRA, problem="not in gold")
    if not isinstance(pred, Dependencies):
        problem = str(pred) if isinstance(pred, TreebankError) else "not in the prediction"
        if missing == "skip":
            return DependencySentenceScore(number, gold.id, Status.SKIPPED, problem=problem)
        counted = sum(not _is_punctuation(word) for word in gold.words)
        failed = Attachments(len(gold)), Attachments(counted)
        return DependencySentenceScore(number, gold.id, Status.UNPARSED, *failed, problem)
    problem = _difference(gold, pred)
    if problem:
        return DependencySentenceScore(number, gold.id, Status.ERROR, problem=problem)
    pairs = list(zip(gold.words, pred.words, strict=True))
    words = [(one, other) for one, other in pairs if not _is_punctuation(one)]
    return DependencySentenceScore(number, gold.id, Status.SCORED, _count(pairs), _count(words))


def _difference(gold: Dependencies, pred: Dependencies) -> str:
    """Return why two sentences cannot be compared; "" if they can."""
    if len(gold) != len(pred):
        return f"length mismatch: {len(gold)} words in gold, {len(pred)} in the prediction"
    for number, (one, other) in enumerate(zip(gold.words, pred.words, strict=True), 1):
        if one.form != other.form:
            return f"word mismatch: {one.form!r} in gold, {other.form!r} in the prediction"
        if one.head < 0:
            return f"word {number} has no head in gold"
    return ""


def _count(pairs: list[tuple[Word, Word]]) -> Attachments:
    return Attachments(
        len(pairs),
        sum(one.head == other.head for one, other in pairs),
        sum(one.deprel == other.deprel for one, other in pairs),
        sum(one.head == other.head and one.deprel == other.deprel for one, other in pairs),
    )


def _is_punctuation(word: Word) -> bool:
    return word.upos in PUNCTUATION_TAGS or is_punctuation(Token(word.form, word.xpos or word.upos))


def _sum(counts: Iterable[Attachments]) -> Attachments:
    columns = zip(*counts, strict=True)
    return Attachments(*map(sum, columns))


def _figures(counts: Attachments, suffix: str) -> dict[str, Any]:
    return {
        f"uas{suffix}": percent(counts.heads, counts.words),
        f"las{suffix}": percent(counts.both, counts.words),
        f"label_accuracy{suffix}": percent(counts.labels, counts.words),
        f"words{suffix}": counts.words,
    }
