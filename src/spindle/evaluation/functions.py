"""Function tags (edge labels such as SB, or the end of NP-SBJ) of matched brackets and rightly tagged words.

disco-dop's evaluator prints their F-measure if the prediction has any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spindle.evaluation.comparison import Bracket, Comparison, kept_by_gold
from spindle.evaluation.settings import Settings
from spindle.trees import Token, Tree

NO_FUNCTION = "--"
_INDEX = "=0123456789"


class FunctionCounts(NamedTuple):
    """The numbers of function tags of two trees, and of those that both have; they add up over sentences."""

    gold: int = 0
    pred: int = 0
    matched: int = 0


def compare_functions(gold: Tree, pred: Tree, compared: Comparison, settings: Settings) -> FunctionCounts:
    """Count the function tags of the brackets that both trees have, and of the words whose tag is right."""
    kept_gold, kept_pred = kept_by_gold(gold.tokens, pred.tokens, settings)
    gold_words, pred_words = (
        _words(gold.tokens, kept_gold, settings),
        _words(pred.tokens, kept_pred, settings),
    )
    of_gold = _functions(gold, kept_gold, compared.gold, gold_words, compared.pred, pred_words)
    of_pred = _functions(pred, kept_pred, compared.pred, pred_words, compared.gold, gold_words)
    return FunctionCounts(of_gold.total(), of_pred.total(), (of_gold & of_pred).total())


def add_up(counts: Sequence[FunctionCounts]) -> FunctionCounts:
    """Return the counts of several sentences.

    >>> add_up([FunctionCounts(2, 1, 1), FunctionCounts(1, 1, 0)])
    FunctionCounts(gold=3, pred=2, matched=1)
    """
    return FunctionCounts(*(sum(column) for column in zip(*counts, strict=True)))


def _words(tokens: Sequence[Token], kept: Sequence[int], settings: Settings) -> list[Bracket]:
    """Return the counted words as brackets: the tag, over the word alone."""
    return [
        Bracket(settings.tag(tokens[position].tag).compared_as, 1 << number)
        for number, position in enumerate(kept)
    ]


def _functions(
    tree: Tree,
    kept: Sequence[int],
    own: Mapping[int, Bracket],
    words: Sequence[Bracket],
    other: Mapping[int, Bracket],
    other_words: Sequence[Bracket],
) -> Counter[tuple[Bracket, str]]:
    """Return the function tags of a tree with their brackets, where the other tree has the bracket, too."""
    others = set(other.values())
    found: Counter[tuple[Bracket, str]] = Counter()
    for node, bracket in own.items():
        if bracket in others:
            found.update((bracket, tag) for tag in _tags(tree.functions[node], tree.labels[node]))
    for position, word, its_pair in zip(kept, words, other_words, strict=True):
        if word == its_pair or word in others:
            token = tree.tokens[position]
            found.update((word, tag) for tag in _tags(token.function, token.tag))
    return found


def _tags(function: str, label: str) -> list[str]:
    """Return the function tags of an edge, or else those that are written in the label.

    >>> _tags("MO-RE", "PP"), _tags("--", "PP"), _tags("", "NP-SBJ=2"), _tags("", "NP=2"), _tags("", "-LRB-")
    (['MO', 'RE'], [], ['SBJ'], [], [])
    """
    if not function:
        _, hyphen, end = label[1:].partition("-")
        function = end.rstrip(_INDEX) if hyphen and not end.isdigit() else ""
    return function.split("-") if function not in ("", NO_FUNCTION) else []
