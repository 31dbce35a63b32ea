"""Fast scoring: compiled code for the common case, `compare_pair` for all others.

The common case is a pair of trees with the same words. Trees on lines of their own are never built in Python:
the compiled code reads the two lines and returns the counts.
"""

from __future__ import annotations

from collections import Counter

from spindle import _core
from spindle.evaluation.breakdown import CONJUNCTION_TAGS, Breakdown, Kind
from spindle.evaluation.comparison import Comparison, brackets, kept_alone
from spindle.evaluation.lines import Line
from spindle.evaluation.pairing import Pair, read_pair
from spindle.evaluation.schemes import Deletion
from spindle.evaluation.sentence_score import SentenceScore, Status, compare_pair
from spindle.evaluation.settings import Settings
from spindle.trees import Tree
from spindle.trees.token import EMPTY_TAGS
from spindle.trees.wrapper import WRAPPER_LABELS

DELETED_LABEL = -1


class Scorer:
    """Scores sentences one by one and accumulates the breakdown of their errors."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._slow = Breakdown()
        self._labels: dict[str, int] = {}
        self._compiled = _compile(settings, self._labels)

    def score(self, pair: Pair[Tree]) -> SentenceScore:
        """Return the counts of one sentence and add it to the breakdown."""
        gold, pred = pair.gold, pair.pred
        if isinstance(gold, Line) and isinstance(pred, Line):
            counts = self._score_lines(gold, pred)
            if counts:
                return SentenceScore(pair.number, "", counts[0], Status.SCORED, *counts[1:])
        pair = read_pair(pair)
        gold, pred = pair.gold, pair.pred
        if isinstance(gold, Tree) and isinstance(pred, Tree):
            counts = self._compiled.score_columns(_columns(gold), _columns(pred))
            if counts:
                return SentenceScore(pair.number, gold.id, counts[0], Status.SCORED, *counts[1:])
        return self._score_slowly(pair)

    def _score_lines(self, gold: Line, pred: Line) -> _core.SentenceCounts | None:
        one, other = gold.file, pred.file
        if one.is_nested or other.is_nested:
            return None
        return self._compiled.score_texts(gold.text, one.is_discontinuous, pred.text, other.is_discontinuous)

    @property
    def breakdown(self) -> Breakdown:
        """The breakdown of all sentences scored so far."""
        gold, pred, matched, confused, missing, extra = self._compiled.tallies()
        labels = list(self._labels)
        compiled = Breakdown(
            Counter(dict(zip(labels, gold, strict=False))),
            Counter(dict(zip(labels, pred, strict=False))),
            Counter(dict(zip(labels, matched, strict=False))),
            Counter({(labels[one], labels[other]): count for (one, other), count in confused.items()}),
            Counter(dict(zip(Kind, missing, strict=True))),
            Counter(dict(zip(Kind, extra, strict=True))),
        )
        return compiled + self._slow

    def _score_slowly(self, pair: Pair[Tree]) -> SentenceScore:
        sentence, compared = compare_pair(pair, self.settings)
        if self.settings.cutoff is not None and sentence.length > self.settings.cutoff:
            return sentence
        if isinstance(compared, Comparison):
            assert isinstance(pair.gold, Tree)
            assert isinstance(pair.pred, Tree)
            self._slow.add(pair.gold, pair.pred, compared)
        elif sentence.status is Status.UNPARSED:
            assert isinstance(pair.gold, Tree)
            kept = kept_alone(pair.gold.tokens, self.settings)
            self._slow.add_unparsed(pair.gold, brackets(pair.gold, kept, self.settings))
        return sentence


def _compile(settings: Settings, labels: dict[str, int]) -> _core.TreeScorer:
    """Return the compiled scorer; it calls back once per label and tag, and `labels` numbers the labels."""
    tags: dict[str, int] = {}

    def label_code(label: str) -> int:
        name = settings.label(label)
        if name is None:
            return DELETED_LABEL
        return labels.setdefault(name if settings.parameters.labeled else "", len(labels))

    def tag_facts(tag: str) -> tuple[int, bool, bool, bool, bool]:
        facts = settings.tag(tag)
        code = tags.setdefault(facts.compared_as, len(tags))
        is_dropped_trace = tag in EMPTY_TAGS and not settings.official
        return code, facts.is_deleted, facts.is_in_length, is_dropped_trace, tag in CONJUNCTION_TAGS

    return _core.TreeScorer(
        label_code=label_code,
        tag_facts=tag_facts,
        equal_words=settings.equal_words,
        deleted_words=set(settings.deleted_words),
        wrapper_labels=set() if settings.official else set(WRAPPER_LABELS),
        deletes_by_gold=settings.scheme.deletion is Deletion.BY_GOLD,
        disc_only=settings.parameters.disc_only,
        longest=settings.cutoff,
    )


def _columns(
    tree: Tree,
) -> tuple[list[str], list[str], tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    tokens = tree.tokens
    forms, tags = [token[0] for token in tokens], [token[1] for token in tokens]
    return forms, tags, tree.labels, tree.parents, tree.leaf_parents
