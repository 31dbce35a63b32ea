r"""Dependency labels for symbols and events, in three encodings: direct, delta, and Hall & Nivre's.

direct  `NP#2`: the symbol and the event.
delta   `NP#1`: the symbol and the difference to the event of the next nearer modifier on the same side; the
        nearest one keeps its event. The difference is negative where nesting is violated.
hn      `NP|S#2`: the symbols of the modifier's own spine, bottom-up, and the event.

The root's label is `root`, or for hn its spine with event 0: `S#0`.

A symbol may contain any character. Reserved characters (a space, the `|` between spine symbols, the
backslash) are escaped, and the index follows the *last* `#`.
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
"""The symbol of an arc whose label contains no symbol; only external parsers write such labels."""


class Encoding(StrEnum):
    """The encodings of symbols and events in dependency labels."""

    DIRECT = "direct"
    DELTA = "delta"
    HN = "hn"


class ReadLabels(NamedTuple):
    """Symbols and indices from labels, before repair; `faults` names the tokens with unreadable labels."""

    symbols: list[str]
    indices: list[int]
    faults: Repairs


def write_labels(dtree: DTree, encoding: Encoding) -> list[str]:
    """Return the label of every token's arc. The inverse is `read_labels`."""
    return _WRITERS[encoding](dtree)


def read_labels(heads: Sequence[int], labels: Sequence[str], encoding: Encoding) -> ReadLabels:
    """Read symbols and indices from labels without validation; `repair` builds a d-tree from them."""
    return _READERS[encoding](heads, labels)


# ── direct ───────────────────────────────────────────────────────────────────────────────────────────


def _write_direct(dtree: DTree) -> list[str]:
    return [
        ROOT_LABEL if head == ROOT else f"{escape(symbol)}#{event}"
        for head, symbol, event in zip(dtree.heads, dtree.symbols, dtree.events, strict=True)
    ]


def _read_direct(heads: Sequence[int], labels: Sequence[str]) -> ReadLabels:
    if len(heads) != len(labels):
        raise ValueError(f"length mismatch: {len(heads)} heads, {len(labels)} labels")
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
    return ReadLabels(symbols, indices, faults)  # type: ignore[arg-type]  # no index is None now


@lru_cache(maxsize=10_000)
def _read_label(label: str) -> tuple[str, int | None]:
    """Return the symbol and the index; cached, because the same few labels occur again and again."""
    symbol, index = _split(label)
    if index is None:
        # an unknown label is still useful as a symbol, except `root`
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
    # on each side of a head, going outward, an index is the sum of the differences so far
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
    """Return pairs of adjacent modifiers on one side of a head, nearer first, going outward."""
    left: list[tuple[int, int]] = []
    right: list[tuple[int, int]] = []
    before: dict[int, int] = {}  # the previous modifier of every head
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
        if not 0 <= head < len(heads):  # the root, or an invalid head that `repair` will replace
            continue
        spine_above = spines[head]
        if indices[token] > len(spine_above):
            faults.add("spine", token)
            indices[token] = max(len(spine_above), 1)  # the top of the spine
        symbols[token] = spine_above[max(indices[token], 1) - 1] if spine_above else UNKNOWN_SYMBOL
    return ReadLabels(symbols, indices, faults)


_INDEX = re.compile(r"-?[0-9]{1,9}\Z")


def _split(label: str) -> tuple[str, int | None]:
    """Split a label into symbol and index; the index is None if there is no valid one."""
    symbol, mark, index = label.rpartition("#")
    return (symbol, int(index)) if mark and _INDEX.match(index) else (label, None)


_WRITERS = {Encoding.DIRECT: _write_direct, Encoding.DELTA: _write_delta, Encoding.HN: _write_hn}
_READERS = {Encoding.DIRECT: _read_direct, Encoding.DELTA: _read_delta, Encoding.HN: _read_hn}
