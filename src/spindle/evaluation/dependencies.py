"""Attachment scores of dependency files, with and without punctuation.

Scored on two encoded files, whose labels hold the constituents, the labelled score without punctuation is
what the paper's Table 1 reports as LAS: a word is right if its head, the phrase symbol and the event are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spindle.errors import TreebankError
from spindle.evaluation.entries import read_dependency_entries
from spindle.evaluation.pairing import Absent, Pair, pair_entries
from spindle.evaluation.score import show
from spindle.evaluation.sentence import Status
from spindle.evaluation.totals import percent
from spindle.trees import Dependencies, Token, Word
from spindle.trees.punctuation import PUNCTUATION_TAGS, is_punctuation


class Attachments(NamedTuple):
    """How many words there are, and how many have the right head, the right label, and both."""

    words: int = 0
    heads: int = 0
    labels: int = 0
    both: int = 0


class DependencySentence(NamedTuple):
    """The counts of one sentence."""

    number: int
    id: str = ""
    status: Status = Status.SCORED
    everything: Attachments = Attachments()
    without_punctuation: Attachments = Attachments()
    problem: str = ""

    @property
    def name(self) -> str:
        """What to call the sentence: its id, or its number."""
        return self.id or str(self.number)


@dataclass(frozen=True)
class DependencyScore:
    """Attachment scores in per cent, None where there are no words; scores of parts add up."""

    sentences: tuple[DependencySentence, ...]

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
        """How this was computed, in one line."""
        from spindle import __version__

        return f"dependencies|labels:whole|punct:by-gold-tag|v:{__version__}"

    def to_dict(self, per_sentence: bool = False) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        errors = [sentence for sentence in self.sentences if sentence.status is Status.ERROR]
        result: dict[str, Any] = {
            **_figures(self.everything, ""),
            **_figures(self.without_punctuation, "_no_punctuation"),
            "sentences": len(self.sentences),
            "errors": len(errors),
            "problems": [{"sentence": one.name, "problem": one.problem} for one in errors],
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
        shown = (f"{name} {show(figure)}" for name, figure in figures.items() if not name.startswith("words"))
        return f"{'  '.join(shown)}  {self.signature}"

    def __add__(self, other: DependencyScore) -> DependencyScore:
        return DependencyScore(self.sentences + other.sentences)


def evaluate_dependencies(gold: str | Path, pred: str | Path) -> DependencyScore:
    """Score one CoNLL file against another."""
    return score_dependencies(pair_entries(read_dependency_entries(gold), read_dependency_entries(pred)))


def score_dependencies(
    pairs: Iterable[Pair[Dependencies]], tell: Callable[[DependencySentence], None] = lambda _: None
) -> DependencyScore:
    """Score sentence by sentence; `tell` hears of every one that cannot be compared."""
    sentences = []
    for pair in pairs:
        sentence = _judge(pair)
        if sentence.problem:
            tell(sentence)
        sentences.append(sentence)
    return DependencyScore(tuple(sentences))


def _judge(pair: Pair[Dependencies]) -> DependencySentence:
    number, gold, pred = pair
    for analysis, where in ((gold, "gold"), (pred, "the prediction")):
        if isinstance(analysis, TreebankError):
            return DependencySentence(number, status=Status.ERROR, problem=str(analysis))
        if isinstance(analysis, Absent):
            return DependencySentence(number, status=Status.ERROR, problem=f"not in {where}")
    assert isinstance(gold, Dependencies)
    assert isinstance(pred, Dependencies)
    problem = _difference(gold, pred)
    if problem:
        return DependencySentence(number, gold.id, Status.ERROR, problem=problem)
    pairs = list(zip(gold.words, pred.words, strict=True))
    words = [(one, other) for one, other in pairs if not _is_punctuation(one)]
    return DependencySentence(number, gold.id, Status.SCORED, _count(pairs), _count(words))


def _difference(gold: Dependencies, pred: Dependencies) -> str:
    """Why two sentences cannot be compared; empty if they can."""
    if len(gold) != len(pred):
        return f"{len(gold)} words in gold, but {len(pred)} in the prediction"
    for place, (one, other) in enumerate(zip(gold.words, pred.words, strict=True), 1):
        if one.form != other.form:
            return f"gold has the word {one.form!r} where the prediction has {other.form!r}"
        if one.head < 0:
            return f"word {place} has no head in gold"
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


def _figures(counts: Attachments, ending: str) -> dict[str, Any]:
    return {
        f"uas{ending}": percent(counts.heads, counts.words),
        f"las{ending}": percent(counts.both, counts.words),
        f"label_accuracy{ending}": percent(counts.labels, counts.words),
        f"words{ending}": counts.words,
    }
