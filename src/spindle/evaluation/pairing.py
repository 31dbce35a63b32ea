"""Pairing of predicted with gold sentences: by id if both files have ids, else by position."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
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
    gold: Iterable[Entry[StructureT]], pred: Iterable[Entry[StructureT]]
) -> Iterator[Pair[StructureT]]:
    """Pair the sentences of two files; a sentence that one file lacks is `Absent.MISSING` there."""
    gold_id, gold = _first_id(iter(gold))
    pred_id, pred = _first_id(iter(pred))
    return _pair_by_id(gold, pred) if gold_id and pred_id else _pair_by_position(gold, pred)


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
