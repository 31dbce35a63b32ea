"""Pairing of predicted with gold sentences.

Sentences are paired by id if both files have ids. Otherwise files with equally many sentences are paired by
position. If the numbers differ, positions mean nothing after the first missing sentence, so the sentences are
aligned by their words. The official programs pair by position only.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from enum import Enum
from itertools import chain, zip_longest
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from spindle.errors import TreebankError
from spindle.evaluation.lines import Line
from spindle.trees import Dependencies, Tree


class Absent(Enum):
    """The reason why a file has no tree for a sentence."""

    UNPARSED = "unparsed"
    """The file contains the sentence as an empty line or `(())`."""
    MISSING = "missing"
    """The file does not contain the sentence."""


StructureT = TypeVar("StructureT", Tree, Dependencies)
Entry: TypeAlias = StructureT | Line | Absent | TreebankError
"""The entry of a file for a sentence: a structure, an unparsed line, a reason for absence, or an error."""


class Pair(NamedTuple, Generic[StructureT]):
    """A gold sentence and its prediction; `number` counts pairs from 1."""

    number: int
    gold: Entry[StructureT]
    pred: Entry[StructureT]


def read_pair(pair: Pair[Tree]) -> Pair[Tree]:
    """Return the pair with its lines parsed into trees."""
    number, gold, pred = pair
    return Pair(
        number,
        gold.read() if isinstance(gold, Line) else gold,
        pred.read() if isinstance(pred, Line) else pred,
    )


def pair_entries(
    gold: Iterable[Entry[StructureT]],
    pred: Iterable[Entry[StructureT]],
    *,
    official: bool = False,
    on_remark: Callable[[str], None] = lambda _: None,
) -> Iterator[Pair[StructureT]]:
    """Pair the sentences of two files; a sentence that one file lacks is `Absent.MISSING` there.

    With `official`, sentences without ids are paired by position only. `on_remark` is told if they are
    aligned by their words instead.
    """
    gold_id, gold = _first_id(iter(gold))
    pred_id, pred = _first_id(iter(pred))
    if gold_id and pred_id:
        return _pair_by_id(gold, pred)
    return _pair_by_position(gold, pred) if official else _pair_without_ids(gold, pred, on_remark)


def _first_id(entries: Iterator[Entry[StructureT]]) -> tuple[str, Iterator[Entry[StructureT]]]:
    """Return the id of the first readable sentence, and an iterator over all entries."""
    seen: list[Entry[StructureT]] = []
    for entry in entries:
        seen.append(entry)
        if not isinstance(entry, Absent | TreebankError):
            return entry.id, chain(seen, entries)
    return "", iter(seen)


def _pair_by_position(
    gold: Iterator[Entry[StructureT]], pred: Iterator[Entry[StructureT]]
) -> Iterator[Pair[StructureT]]:
    number = 0
    for one, other in zip_longest(gold, pred, fillvalue=Absent.MISSING):
        if isinstance(one, Absent) and isinstance(other, Absent) and one is not other:
            continue  # an empty line at the end of the longer file is not a sentence
        number += 1
        yield Pair(number, one, other)


def _pair_without_ids(
    gold: Iterator[Entry[StructureT]], pred: Iterator[Entry[StructureT]], on_remark: Callable[[str], None]
) -> Iterator[Pair[StructureT]]:
    golds, preds = list(gold), list(pred)
    # an empty line at the end of the longer file is not a sentence
    while len(golds) > len(preds) and golds[-1] is Absent.UNPARSED:
        golds.pop()
    while len(preds) > len(golds) and preds[-1] is Absent.UNPARSED:
        preds.pop()
    if len(golds) == len(preds):
        return _pair_by_position(iter(golds), iter(preds))
    on_remark(
        f"{len(golds)} sentences in gold, {len(preds)} in the prediction, and no ids to pair them by: "
        "they are aligned by their words"
    )
    return _pair_by_words(golds, preds)


def _pair_by_words(
    golds: list[Entry[StructureT]], preds: list[Entry[StructureT]]
) -> Iterator[Pair[StructureT]]:
    """Pair sentences with the same words, in the order of both files.

    A run of sentences without an equal in the other file is paired by position only if both runs are equally
    long; else no sentence of it has a partner.
    """
    matcher = SequenceMatcher(None, list(map(_words, golds)), list(map(_words, preds)), autojunk=False)
    number = 0
    for _, first, last, start, end in matcher.get_opcodes():
        run, others = golds[first:last], [one for one in preds[start:end] if one is not Absent.UNPARSED]
        if last - first == end - start:
            paired = list(zip(run, preds[start:end], strict=True))
        else:
            paired = [(one, Absent.MISSING) for one in run] + [(Absent.MISSING, other) for other in others]
        for one, other in paired:
            number += 1
            yield Pair(number, one, other)


def _words(entry: Entry[StructureT]) -> tuple[str, ...]:
    """Return the words of an entry, without traces; () if it has none that can be read."""
    if isinstance(entry, Line):
        read = entry.read()
        return () if isinstance(read, TreebankError) else _words(read)
    if isinstance(entry, Tree):
        return tuple(token.form for token in entry.tokens if not token.is_empty)
    return tuple(word.form for word in entry.words) if isinstance(entry, Dependencies) else ()


def _pair_by_id(
    gold: Iterator[Entry[StructureT]], pred: Iterator[Entry[StructureT]]
) -> Iterator[Pair[StructureT]]:
    """Pair in gold order. Repeated ids are paired in order; files in the same order are streamed."""
    ahead: dict[str, deque[Entry[StructureT]]] = defaultdict(deque)
    number = 0
    for number, entry in enumerate(gold, 1):
        name = _id(entry)
        while not ahead[name]:
            other = next(pred, None)
            if other is None:
                break
            ahead[_id(other)].append(other)
        yield Pair(number, entry, ahead[name].popleft() if ahead[name] else Absent.MISSING)
        if not ahead[name]:
            del ahead[name]
    for left in chain(chain.from_iterable(ahead.values()), pred):
        number += 1
        yield Pair(number, Absent.MISSING, left)


def _id(entry: Entry[StructureT]) -> str:
    if isinstance(entry, TreebankError):
        return entry.sentence
    return "" if isinstance(entry, Absent) else entry.id
