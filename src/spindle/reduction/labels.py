r"""Symbols and events written into dependency labels, and read back: direct, delta, and Hall & Nivre's.

direct  `NP#2`: the symbol and the event.
delta   `NP#1`: the symbol and the difference to the event of the next nearer modifier on the same side; the
        nearest one keeps its event. Where nesting is broken the difference is negative.
hn      `NP|S#2`: the symbols of the modifier's own spine, bottom-up, and the event.

The root's label is `root`, or for hn its spine with event 0: `S#0`.

A symbol may hold any character. Those that would be taken for something else (a blank, the `|` between
spines, the escape itself) are escaped, and the index is what follows the *last* `#`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from spindle.reduction.escapes import escape, unescape
from spindle.reduction.repairs import Repairs
from spindle.trees import ROOT, DTree

ROOT_LABEL = "root"
UNKNOWN_SYMBOL = "X"
"""The symbol of an arc whose label says nothing: only outside parsers write such."""


class Encoding(StrEnum):
    """How symbols and events are written into dependency labels."""

    DIRECT = "direct"
    DELTA = "delta"
    HN = "hn"


class ReadLabels(NamedTuple):
    """Symbols and indices as labels give them, not yet repaired; `faults` are those that were unreadable."""

    symbols: list[str]
    indices: list[int]
    faults: Repairs


def write_labels(dtree: DTree, encoding: Encoding) -> list[str]:
    """The label of every token's arc."""
    return _WRITERS[encoding](dtree)


def read_labels(heads: Sequence[int], labels: Sequence[str], encoding: Encoding) -> ReadLabels:
    """What labels say, right or wrong; `repair` makes a d-tree of it. The inverse of `write_labels`."""
    return _READERS[encoding](heads, labels)


# ── direct ───────────────────────────────────────────────────────────────────────────────────────────


def _write_direct(dtree: DTree) -> list[str]:
    return [
        ROOT_LABEL if head == ROOT else f"{escape(symbol)}#{event}"
        for head, symbol, event in zip(dtree.heads, dtree.symbols, dtree.events, strict=True)
    ]


def _read_direct(heads: Sequence[int], labels: Sequence[str]) -> ReadLabels:
    if len(heads) != len(labels):
        raise ValueError(f"{len(heads)} heads and {len(labels)} labels")
    read = list(map(_read_label, labels))
    symbols, indices = [symbol for symbol, _ in read], [index for _, index in read]
    for token, head in enumerate(heads):
        if head == ROOT:
            symbols[token], indices[token] = "", 0
    faults = Repairs()
    if None in indices:
        for token, index in enumerate(indices):
            if index is None:
                indices[token] = 1
                faults.add("label", token)
    return ReadLabels(symbols, indices, faults)  # type: ignore[arg-type]  # no index is None any more


@lru_cache(maxsize=10_000)
def _read_label(label: str) -> tuple[str, int | None]:
    """The symbol and the index; kept, because the same few labels come again and again."""
    symbol, index = _split(label)
    if index is None:
        # a label of another kind is better than none, but `root` names no constituent
        symbol = UNKNOWN_SYMBOL if label in ("", ROOT_LABEL) else label
    return intern(str(unescape(symbol))), index


# ── delta ────────────────────────────────────────────────────────────────────────────────────────────


def _write_delta(dtree: DTree) -> list[str]:
    differences = list(dtree.events)
    for nearer, farther in _neighbours(dtree.heads):
        differences[farther] = dtree.events[farther] - dtree.events[nearer]
    return [
        ROOT_LABEL if head == ROOT else f"{escape(symbol)}#{difference}"
        for head, symbol, difference in zip(dtree.heads, dtree.symbols, differences, strict=True)
    ]


def _read_delta(heads: Sequence[int], labels: Sequence[str]) -> ReadLabels:
    read = _read_direct(heads, labels)
    indices = read.indices
    # on each side of a head, going outward, an index is what all differences so far add up to
    right: dict[int, int] = {}
    for token, head in enumerate(heads):
        if ROOT != head < token:
            right[head] = indices[token] = indices[token] + right.get(head, 0)
    left: dict[int, int] = {}
    for token in range(len(heads) - 1, -1, -1):
        if (head := heads[token]) > token:
            left[head] = indices[token] = indices[token] + left.get(head, 0)
    return read


def _neighbours(heads: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of modifiers next to each other on one side of a head, the nearer first, going outward."""
    left: list[tuple[int, int]] = []
    right: list[tuple[int, int]] = []
    before: dict[int, int] = {}  # the last modifier of a head so far
    for token, head in enumerate(heads):
        if head == ROOT:
            continue
        if head in before:
            other = before[head]
            if token < head:
                left.append((token, other))
            elif other > head:
                right.append((other, token))
        before[head] = token
    return [*right, *reversed(left)]


# ── Hall & Nivre ─────────────────────────────────────────────────────────────────────────────────────


def _write_hn(dtree: DTree) -> list[str]:
    spines: dict[int, dict[int, str]] = {}
    for head, symbol, event in zip(dtree.heads, dtree.symbols, dtree.events, strict=True):
        if head != ROOT:
            spines.setdefault(head, {})[event] = escape(symbol)
    prefixes = {head: "|".join([spine[level] for level in sorted(spine)]) for head, spine in spines.items()}
    return [f"{prefixes.get(token, '')}#{event}" for token, event in enumerate(dtree.events)]


def _read_hn(heads: Sequence[int], labels: Sequence[str]) -> ReadLabels:
    spines: list[list[str]] = []
    indices = [0] * len(heads)
    faults = Repairs()
    for token, label in enumerate(labels):
        spine, index = _split(label)
        if index is None:
            faults.add("label", token)
            spine, index = "", 1
        spines.append([unescape(symbol) for symbol in spine.split("|")] if spine else [])
        indices[token] = index if heads[token] != ROOT else 0
    symbols = [""] * len(heads)
    for token, head in enumerate(heads):
        if not 0 <= head < len(heads):  # the root, or a head that `repair` will mend
            continue
        spine_above = spines[head]
        if indices[token] > len(spine_above):
            faults.add("spine", token)
            indices[token] = max(len(spine_above), 1)  # clipped to the top
        symbols[token] = spine_above[max(indices[token], 1) - 1] if spine_above else UNKNOWN_SYMBOL
    return ReadLabels(symbols, indices, faults)


_INDEX = re.compile(r"-?[0-9]{1,9}\Z")


def _split(label: str) -> tuple[str, int | None]:
    """The symbol and the index, which is None if there is none that can be meant."""
    symbol, mark, index = label.rpartition("#")
    return (symbol, int(index)) if mark and _INDEX.match(index) else (label, None)


_WRITERS = {Encoding.DIRECT: _write_direct, Encoding.DELTA: _write_delta, Encoding.HN: _write_hn}
_READERS = {Encoding.DIRECT: _read_direct, Encoding.DELTA: _read_delta, Encoding.HN: _read_hn}
