"""Which predicted sentence belongs to which gold sentence: by id where both files have ids, else by place."""

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
    """Why there is no tree."""

    UNPARSED = "unparsed"
    """The file has the sentence, as an empty line or `(())`."""
    MISSING = "missing"


Analysis = TypeVar("Analysis", Tree, Dependencies)
Entry: TypeAlias = Analysis | Line | Absent | TreebankError
"""What a file holds for a sentence: an analysis, read or not, none, or something that cannot be read."""


class Pair(NamedTuple, Generic[Analysis]):
    """A gold sentence and its prediction; `number` counts pairs from 1."""

    number: int
    gold: Entry[Analysis]
    pred: Entry[Analysis]


def read_pair(pair: Pair[Tree]) -> Pair[Tree]:
    """The pair with trees in place of lines."""
    number, gold, pred = pair
    return Pair(
        number,
        gold.read() if isinstance(gold, Line) else gold,
        pred.read() if isinstance(pred, Line) else pred,
    )


def pair_entries(
    gold: Iterable[Entry[Analysis]], pred: Iterable[Entry[Analysis]]
) -> Iterator[Pair[Analysis]]:
    """Pair the sentences of two files; what one of them lacks is `Absent.MISSING` there."""
    gold_id, gold = _first_id(iter(gold))
    pred_id, pred = _first_id(iter(pred))
    return _pair_by_id(gold, pred) if gold_id and pred_id else _pair_by_place(gold, pred)


def _first_id(entries: Iterator[Entry[Analysis]]) -> tuple[str, Iterator[Entry[Analysis]]]:
    """The id of the first sentence that can be read, and all entries again."""
    seen: list[Entry[Analysis]] = []
    for entry in entries:
        seen.append(entry)
        if not isinstance(entry, Absent | TreebankError):
            return entry.id, chain(seen, entries)
    return "", iter(seen)


def _pair_by_place(
    gold: Iterator[Entry[Analysis]], pred: Iterator[Entry[Analysis]]
) -> Iterator[Pair[Analysis]]:
    number = 0
    for one, other in zip_longest(gold, pred, fillvalue=Absent.MISSING):
        if isinstance(one, Absent) and isinstance(other, Absent) and one is not other:
            continue  # an empty line at the end of the longer file is no sentence
        number += 1
        yield Pair(number, one, other)


def _pair_by_id(gold: Iterator[Entry[Analysis]], pred: Iterator[Entry[Analysis]]) -> Iterator[Pair[Analysis]]:
    """In the order of gold. Ids that occur twice are paired in order; files in the same order stream."""
    ahead: dict[str, deque[Entry[Analysis]]] = defaultdict(deque)
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


def _id(entry: Entry[Analysis]) -> str:
    if isinstance(entry, TreebankError):
        return entry.sentence
    return "" if isinstance(entry, Absent) else entry.id
