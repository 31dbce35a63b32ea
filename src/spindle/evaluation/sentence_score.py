"""The counts of one sentence. They are additive, so no later computation has to score it again."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from spindle.errors import TreebankError
from spindle.evaluation.comparison import (
    Comparison,
    WordMismatch,
    brackets,
    compare_trees,
    kept_alone,
    sentence_length,
)
from spindle.evaluation.pairing import Absent, Entry, Pair, read_pair
from spindle.evaluation.schemes import Deletion
from spindle.evaluation.settings import Settings
from spindle.trees import Tree
from spindle.trees.nodes import gaps


class Status(IntEnum):
    """The outcome for a sentence; the numbers are those that the official programs print."""

    SCORED = 0
    ERROR = 1
    """The two trees cannot be compared; the sentence is left out of the score."""
    SKIPPED = 2
    """The prediction has no tree; the sentence is left out of the score."""
    UNPARSED = 3
    """The prediction has no tree, and all gold brackets count as missed."""
    EXTRA = 4
    """Gold does not have the sentence; never the status of a sentence in official output."""


class SentenceScore(NamedTuple):
    """The counts of one sentence; all of them add up over sentences."""

    number: int
    id: str = ""
    length: int = 0
    status: Status = Status.SCORED
    gold: int = 0
    pred: int = 0
    matched: int = 0
    crossing: int = 0
    words: int = 0
    tags: int = 0
    disc_gold: int = 0
    disc_pred: int = 0
    disc_matched: int = 0
    # a bracket that occurs twice in a tree (NP over NP) counts once here
    distinct_gold: int = 0
    distinct_pred: int = 0
    problem: str = ""

    @property
    def name(self) -> str:
        """The id of the sentence, or its number if it has no id."""
        return self.id or str(self.number)

    @property
    def counts(self) -> bool:
        """Whether the sentence is part of the score."""
        return self.status in (Status.SCORED, Status.UNPARSED)

    @property
    def is_exact(self) -> bool:
        """Whether the two trees have the same brackets."""
        return self.gold == self.pred == self.matched

    @property
    def is_disc_exact(self) -> bool:
        """Whether the two trees have the same discontinuous brackets."""
        return self.disc_gold == self.disc_pred == self.disc_matched


class ComparedPair(NamedTuple):
    """The counts of a sentence, and the comparison behind them if two trees were compared."""

    sentence: SentenceScore
    compared: Comparison | WordMismatch | None = None


def compare_pair(pair: Pair[Tree], settings: Settings) -> ComparedPair:
    """Compare a prediction with its gold tree; if that is impossible, the result names the problem."""
    number, gold, pred = read_pair(pair)
    if not isinstance(gold, Tree):
        return ComparedPair(_without_gold(number, gold, pred, settings))
    unscored = SentenceScore(number, gold.id, sentence_length(gold, settings), Status.ERROR)
    if not isinstance(pred, Tree):
        problem = _absence(pred)
        if settings.official and pred is not Absent.UNPARSED:  # the programs stop here, or leave it out
            return ComparedPair(unscored._replace(problem=problem))
        return ComparedPair(_unparsed(unscored, gold, settings, problem))
    if settings.scheme.deletion is not Deletion.BY_GOLD and not kept_alone(pred.tokens, settings):
        problem = "the prediction has no counted word"
        if settings.official:
            # programs that delete by tag cannot distinguish a punctuation-only sentence from an unparsed one
            return ComparedPair(_unparsed(unscored, gold, settings, problem))
        return ComparedPair(unscored._replace(problem=problem))
    return count_brackets(unscored, compare_trees(gold, pred, settings))


def _absence(pred: Entry[Tree]) -> str:
    """Say why the prediction has no tree for a sentence."""
    if isinstance(pred, TreebankError):
        return str(pred)
    return "not in the prediction" if pred is Absent.MISSING else "no parse"


def _without_gold(number: int, gold: Entry[Tree], pred: Entry[Tree], settings: Settings) -> SentenceScore:
    if isinstance(gold, TreebankError):
        return SentenceScore(number, status=Status.ERROR, problem=str(gold))
    name = pred.id if isinstance(pred, Tree) else ""
    if gold is Absent.MISSING:
        status = Status.ERROR if settings.official else Status.EXTRA
        return SentenceScore(number, name, status=status, problem="not in gold")
    status = Status.SKIPPED if settings.official and pred is Absent.UNPARSED else Status.ERROR
    return SentenceScore(number, name, status=status, problem="gold has no tree")


def count_brackets(sentence: SentenceScore, compared: Comparison | WordMismatch) -> ComparedPair:
    """Fill in the counts of a sentence from its comparison."""
    if isinstance(compared, WordMismatch):
        return ComparedPair(sentence._replace(status=Status.ERROR, problem=str(compared)), compared)
    matched = compared.matched
    disc_gold, disc_pred, disc_matched = (
        sum(gaps(bracket.mask) > 0 for bracket in found)
        for found in (compared.gold.values(), compared.pred.values(), matched.elements())
    )
    counted = sentence._replace(
        status=Status.SCORED,
        gold=len(compared.gold),
        pred=len(compared.pred),
        matched=matched.total(),
        crossing=compared.crossing,
        words=compared.words,
        tags=compared.tags,
        disc_gold=disc_gold,
        disc_pred=disc_pred,
        disc_matched=disc_matched,
        distinct_gold=len(set(compared.gold.values())),
        distinct_pred=len(set(compared.pred.values())),
    )
    return ComparedPair(counted, compared)


def _unparsed(sentence: SentenceScore, gold: Tree, settings: Settings, problem: str) -> SentenceScore:
    if settings.missing == "skip":
        return sentence._replace(status=Status.SKIPPED, problem=problem)
    kept = kept_alone(gold.tokens, settings)
    found = brackets(gold, kept, settings)
    return sentence._replace(
        status=Status.UNPARSED,
        gold=len(found),
        words=len(kept),
        disc_gold=sum(gaps(bracket.mask) > 0 for bracket in found.values()),
        distinct_gold=len(set(found.values())),
        problem=problem,
    )
