"""The comparison of two trees of one sentence, bracket by bracket; all schemes use it.

Ignored words are removed and the remaining words renumbered, so that a yield has gaps only where counted
words are missing from it. A bracket is a label and a yield, and two trees are compared as two multisets of
brackets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spindle.evaluation.schemes import Deletion
from spindle.evaluation.settings import Settings
from spindle.trees import ROOT, Token, Tree
from spindle.trees.nodes import gaps
from spindle.trees.wrapper import wrapper


class Bracket(NamedTuple):
    """A counted constituent: its label and its yield (a bit set over the counted words)."""

    label: str
    mask: int


@dataclass(frozen=True)
class WordMismatch:
    """The reason why two trees cannot be compared: their numbers of words, or the first pair that differs."""

    gold: int | str
    pred: int | str

    def __str__(self) -> str:
        if isinstance(self.gold, int):
            return f"length mismatch: {self.gold} counted words in gold, {self.pred} in the prediction"
        return f"word mismatch: {self.gold!r} in gold, {self.pred!r} in the prediction"


class Comparison(NamedTuple):
    """The brackets of two trees by node number, without ignored nodes."""

    gold: dict[int, Bracket]
    pred: dict[int, Bracket]
    words: int
    tags: int
    """The number of words whose predicted tag is the gold tag."""

    @property
    def matched(self) -> Counter[Bracket]:
        """The multiset intersection of the gold and the predicted brackets."""
        return Counter(self.gold.values()) & Counter(self.pred.values())

    @property
    def crossing(self) -> int:
        """The number of predicted brackets that overlap a gold bracket while neither contains the other."""
        yields = {bracket.mask for bracket in self.gold.values()}
        crossed = {bracket.mask: _crosses_any(bracket.mask, yields) for bracket in self.pred.values()}
        return sum(crossed[bracket.mask] for bracket in self.pred.values())


def compare_trees(gold: Tree, pred: Tree, settings: Settings) -> Comparison | WordMismatch:
    """Compare two trees, or return the mismatch that makes a comparison impossible."""
    by_gold = settings.scheme.deletion is Deletion.BY_GOLD
    find_kept = kept_by_gold if by_gold else _kept_by_own_tags
    kept_gold, kept_pred = find_kept(gold.tokens, pred.tokens, settings)
    if len(kept_gold) != len(kept_pred):
        return WordMismatch(len(kept_gold), len(kept_pred))
    return compare_kept(gold, kept_gold, pred, kept_pred, settings)


def compare_kept(
    gold: Tree, kept_gold: list[int], pred: Tree, kept_pred: list[int], settings: Settings
) -> Comparison | WordMismatch:
    """Compare two trees by the words at the kept positions, which must be the same words in both."""
    tags = 0
    for one, other in zip(kept_gold, kept_pred, strict=False):
        gold_token, pred_token = gold.tokens[one], pred.tokens[other]
        if settings.word(gold_token.form) != settings.word(pred_token.form):
            return WordMismatch(gold_token.form, pred_token.form)
        tags += settings.tag(gold_token.tag).compared_as == settings.tag(pred_token.tag).compared_as
    return Comparison(
        brackets(gold, kept_gold, settings), brackets(pred, kept_pred, settings), len(kept_gold), tags
    )


def sentence_length(tree: Tree, settings: Settings) -> int:
    """Return the length of a sentence that cut-offs compare."""
    return sum(settings.tag(token.tag).is_in_length for token in tree.tokens)


def brackets(tree: Tree, kept: Iterable[int], settings: Settings) -> dict[int, Bracket]:
    """Return the counted brackets by node number, over the kept words only."""
    tree.check_size_of_masks()
    masks = [0] * len(tree.labels)
    for number, position in enumerate(kept):
        if tree.leaf_parents[position] != ROOT:
            masks[tree.leaf_parents[position]] |= 1 << number
    for node in range(len(masks) - 1, 0, -1):
        masks[tree.parents[node]] |= masks[node]
    found = {}
    parameters = settings.parameters
    first = 0 if settings.official or wrapper(tree) is None else 1
    for node in range(first, len(masks)):
        label = settings.label(tree.labels[node])
        if label is None or not masks[node] or (parameters.disc_only and not gaps(masks[node])):
            continue
        found[node] = Bracket(label if parameters.labeled else "", masks[node])
    return found


def _kept_by_own_tags(
    gold: Sequence[Token], pred: Sequence[Token], settings: Settings
) -> tuple[list[int], list[int]]:
    kept_gold = kept_alone(gold, settings)
    kept_pred = kept_alone(pred, settings)
    if len(kept_gold) != len(kept_pred) and settings.parameters.quote_labels:
        _restore_quotes(gold, kept_gold, pred, kept_pred, settings)
    return kept_gold, kept_pred


def kept_alone(tokens: Sequence[Token], settings: Settings) -> list[int]:
    """Return the positions of the words that the sentence's own tags and forms do not delete."""
    return [
        position
        for position, token in enumerate(tokens)
        if not settings.tag(token.tag).is_deleted and token.form not in settings.deleted_words
    ]


def kept_by_gold(
    gold: Sequence[Token], pred: Sequence[Token], settings: Settings
) -> tuple[list[int], list[int]]:
    """Align predicted words with gold words, and delete those whose gold word is deleted.

    Deleted gold words may be missing from the prediction. A predicted word without a gold word is kept, so
    that the sentences are reported as different. Traces are not aligned, except by the official program.
    """
    kept_gold = kept_alone(gold, settings)
    kept = set(kept_gold)
    words = [position for position, token in enumerate(gold) if not _is_dropped_trace(token, settings)]
    kept_pred = []
    start = 0
    for position, token in enumerate(pred):
        if _is_dropped_trace(token, settings):
            continue
        match = start
        while match < len(words) and settings.word(gold[words[match]].form) != settings.word(token.form):
            match += 1
        if match == len(words) or words[match] in kept:
            kept_pred.append(position)
        if match < len(words):
            start = match + 1
    return kept_gold, kept_pred


def _is_dropped_trace(token: Token, settings: Settings) -> bool:
    return token.is_empty and not settings.official


QUOTES = frozenset("'\"/")


def _restore_quotes(
    gold: Sequence[Token],
    kept_gold: list[int],
    pred: Sequence[Token],
    kept_pred: list[int],
    settings: Settings,
) -> None:
    """Restore a quotation mark that only one of the two files deletes by its tag.

    An apostrophe may be tagged as a quotation mark or as a possessive. EVALB pairs such marks by the number
    of kept words before them, and every restored mark shifts this number for the marks after it.
    """
    gold_quotes = _quotes(gold, kept_gold, settings)
    pred_quotes = _quotes(pred, kept_pred, settings)
    for rank, pred_quote in enumerate(pred_quotes):
        before = pred_quote.before
        for other_rank, gold_quote in enumerate(gold_quotes):
            if gold_quote.before != before or gold_quote.tag == pred_quote.tag:
                continue
            if gold_quote.is_deleted and not pred_quote.is_deleted:
                _restore(kept_gold, gold_quotes, other_rank)
            elif pred_quote.is_deleted and not gold_quote.is_deleted:
                _restore(kept_pred, pred_quotes, rank)


@dataclass
class _Quote:
    position: int
    tag: str
    is_deleted: bool
    before: int


def _quotes(tokens: Sequence[Token], kept: list[int], settings: Settings) -> list[_Quote]:
    quotes = []
    before = 0
    kept_positions = set(kept)
    for position, token in enumerate(tokens):
        if token.tag in settings.parameters.quote_labels and token.form in QUOTES:
            quotes.append(_Quote(position, token.tag, settings.tag(token.tag).is_deleted, before))
        before += position in kept_positions
    return quotes


def _restore(kept: list[int], quotes: list[_Quote], rank: int) -> None:
    kept.insert(quotes[rank].before, quotes[rank].position)
    for quote in quotes[rank:]:
        quote.before += 1


def _crosses_any(mask: int, others: set[int]) -> bool:
    # a yield that both trees have crosses nothing in the other tree
    return mask not in others and any(
        (shared := mask & other) and shared != mask and shared != other for other in others
    )
