"""Repair of predicted d-trees, so that they can be decoded; every repair is recorded.

A parser's prediction need not be a head-ordered d-tree. The repairs are made in a fixed order:

1. heads: a second root, a cycle or a non-existent head is attached to the root, with a new event of its own
   (symbol VROOT) above all others
2. indices below 1 become 1
3. in continuous mode: a word that is separated from its head by a gap is attached to the head's head, at the
   event that attaches the head; then nesting is restored on each side of every head
4. modifiers of one event with different symbols take the symbol of the one nearest to the head; on a tie, of
   the left one
5. events are renumbered 1, 2, …, J
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from spindle import _core
from spindle.errors import TreeError
from spindle.trees import ROOT, DTree, Token

ROOT_SYMBOL = "VROOT"
_EVENT_REPAIRS = ("index", "nesting", "symbol", "gap")
"""The repairs that do not change heads, in the order of `_core.repair_events`."""


class Mode(StrEnum):
    """Whether crossing branches are kept or removed."""

    DISCONTINUOUS = "discontinuous"
    CONTINUOUS = "continuous"


class Nesting(StrEnum):
    """How violated nesting is repaired, going outward from the head."""

    LOWER_NEARER = "lower-nearer"
    """As in the paper: a modifier gets the smallest index at or beyond it: 3, 1, 2 → 1, 1, 2."""
    RAISE_FARTHER = "raise-farther"
    """As in the authors' code: a modifier gets the largest index up to it: 3, 1, 2 → 3, 3, 3."""


class Repairs(dict[str, set[int]]):
    """The repaired tokens by kind of repair."""

    def add(self, kind: str, token: int) -> None:
        """Record the repair of a token."""
        self.setdefault(kind, set()).add(token)

    @property
    def tokens(self) -> set[int]:
        """All repaired tokens."""
        return set().union(*self.values())

    @property
    def counts(self) -> Counter[str]:
        """The number of tokens by kind of repair; a token may need several kinds."""
        return Counter({kind: len(tokens) for kind, tokens in self.items()})


def repair(
    tokens: Sequence[Token],
    heads: Sequence[int],
    symbols: Sequence[str],
    indices: Sequence[int],
    *,
    mode: Mode = Mode.DISCONTINUOUS,
    nesting: Nesting = Nesting.LOWER_NEARER,
    id: str = "",
    comments: Sequence[str] = (),
) -> tuple[DTree, Repairs]:
    """Return a d-tree that can be decoded, and the repairs that were needed.

    Most predictions need repairs of events only, or none; the core does these.
    """
    heads = tuple(heads)
    size = len(heads)
    if not len(tokens) == len(symbols) == len(indices) == size:
        raise TreeError(
            f"sentence {id or '?'}: length mismatch: {len(tokens)} tokens, {size} heads, "
            f"{len(symbols)} symbols, {len(indices)} indices"
        )
    if not size:
        raise TreeError(f"sentence {id or '?'}: a d-tree needs at least one token")
    try:
        result = _core.repair_events(
            heads, symbols, indices, mode is Mode.CONTINUOUS, nesting is Nesting.LOWER_NEARER
        )
    except TypeError:  # indices that are too large for the core
        result = None
    if result is None:
        return repair_by_the_book(
            tokens, heads, symbols, indices, mode=mode, nesting=nesting, id=id, comments=comments
        )
    events, new_symbols, repaired, properties = result
    dtree = DTree.trusted(tuple(tokens), heads, new_symbols, events, id, tuple(comments), properties)
    kinds = zip(_EVENT_REPAIRS, repaired, strict=True)
    return dtree, Repairs({kind: set(found) for kind, found in kinds if found})


def repair_by_the_book(
    tokens: Sequence[Token],
    heads: Sequence[int],
    symbols: Sequence[str],
    indices: Sequence[int],
    *,
    mode: Mode = Mode.DISCONTINUOUS,
    nesting: Nesting = Nesting.LOWER_NEARER,
    id: str = "",
    comments: Sequence[str] = (),
) -> tuple[DTree, Repairs]:
    """Compute the same as `repair`, step by step."""
    if not heads:
        raise TreeError(f"sentence {id or '?'}: a d-tree needs at least one token")
    arcs = _Arcs(list(heads), list(symbols), list(indices))
    arcs.repair_heads()
    arcs.raise_indices()
    if mode is Mode.CONTINUOUS and not arcs.are_projective():
        arcs.lift_crossing()
    modifiers = arcs.modifiers()  # heads do not change after this point
    if mode is Mode.CONTINUOUS:
        arcs.restore_nesting(modifiers, nesting)
    arcs.agree_on_symbols(modifiers)
    arcs.renumber(modifiers)
    dtree = DTree(
        tuple(tokens), tuple(arcs.heads), tuple(arcs.symbols), tuple(arcs.indices), id, tuple(comments)
    )
    return dtree, arcs.repairs


Modifiers = dict[int, list[int]]


class _Arcs:
    """The columns during repair."""

    def __init__(self, heads: list[int], symbols: list[str], indices: list[int]) -> None:
        self.heads, self.symbols, self.indices = heads, symbols, indices
        self.repairs = Repairs()

    def repair_heads(self) -> None:
        """Ensure one root, no cycles, and no non-existent heads."""
        heads, size = self.heads, len(self.heads)
        strays = [token for token, head in enumerate(heads) if not ROOT <= head < size or head == token]
        for token in strays:
            heads[token] = ROOT
            self.repairs.add("head", token)
        repaired = {*strays, *self._cut_cycles()}
        roots = [token for token, head in enumerate(heads) if head == ROOT]
        # prefer a predicted root to a root that a repair has made
        root = next((token for token in roots if token not in repaired), roots[0])
        top = max((self.indices[token] for token, head in enumerate(heads) if head == root), default=0)
        for token in roots:
            if token != root:
                heads[token], self.symbols[token], self.indices[token] = root, ROOT_SYMBOL, max(top, 0) + 1
                if token not in repaired:
                    self.repairs.add("root", token)
        self.symbols[root], self.indices[root] = "", 0

    def _cut_cycles(self) -> list[int]:
        """Make the leftmost word of every cycle a root."""
        heads, cut = self.heads, []
        state = [0] * len(heads)  # 0: not visited, otherwise the number of the walk that visited it
        for start in range(len(heads)):
            token = start
            while token != ROOT and not state[token]:
                state[token] = start + 1
                token = heads[token]
            if token != ROOT and state[token] == start + 1:
                cycle = [token]
                while heads[cycle[-1]] != token:
                    cycle.append(heads[cycle[-1]])
                cut.append(min(cycle))
                heads[min(cycle)] = ROOT
                self.repairs.add("cycle", min(cycle))
        return cut

    def raise_indices(self) -> None:
        """Replace indices below 1 by 1."""
        for token, head in enumerate(self.heads):
            if head != ROOT and self.indices[token] < 1:
                self.indices[token] = 1
                self.repairs.add("index", token)

    def are_projective(self) -> bool:
        """Return whether no arcs cross."""
        unused = [0] * len(self.heads)  # symbols and events do not matter for projectivity
        return _core.dtree_properties(self.heads, unused, unused)[0]

    def lift_crossing(self) -> None:
        """Attach modifiers that are separated from their head by a gap to the head's head.

        Bottom-up, so that every modifier and its descendants are already a contiguous span.
        """
        modifiers = self.modifiers()
        first, last = list(range(len(self.heads))), list(range(len(self.heads)))
        order = [self.heads.index(ROOT)]
        for head in order:
            order.extend(modifiers.get(head, ()))
        for head in reversed(order):
            words = sorted(modifiers.get(head, ()))  # including those lifted to this head
            left, right = [word for word in reversed(words) if word < head], [w for w in words if w > head]
            kept = 0
            while kept < len(left) and last[left[kept]] == first[head] - 1:
                first[head] = first[left[kept]]
                kept += 1
            separated = left[kept:]
            kept = 0
            while kept < len(right) and first[right[kept]] == last[head] + 1:
                last[head] = last[right[kept]]
                kept += 1
            for word in separated + right[kept:]:
                self.heads[word], self.symbols[word] = self.heads[head], self.symbols[head]
                self.indices[word] = self.indices[head]
                self.repairs.add("crossing", word)
                modifiers[self.heads[head]].append(word)

    def restore_nesting(self, modifiers_of: Modifiers, nesting: Nesting) -> None:
        """Ensure that, on each side of a head, no farther modifier has a smaller index than a nearer one."""
        for head, modifiers in modifiers_of.items():
            if len(modifiers) == 1:
                continue
            for side in ([m for m in reversed(modifiers) if m < head], [m for m in modifiers if m > head]):
                indices = [self.indices[modifier] for modifier in side]  # going outward
                if nesting is Nesting.LOWER_NEARER:
                    for at in reversed(range(len(indices) - 1)):
                        indices[at] = min(indices[at], indices[at + 1])
                else:
                    for at in range(1, len(indices)):
                        indices[at] = max(indices[at], indices[at - 1])
                for modifier, index in zip(side, indices, strict=True):
                    if self.indices[modifier] != index:
                        self.indices[modifier] = index
                        self.repairs.add("nesting", modifier)

    def agree_on_symbols(self, modifiers_of: Modifiers) -> None:
        """Give all modifiers of an event the symbol of the nearest one; on a tie, of the left one."""
        for head, modifiers in modifiers_of.items():
            if len(modifiers) == 1:
                continue
            deciding: dict[int, str] = {}
            for modifier in sorted(modifiers, key=lambda modifier: (abs(modifier - head), modifier)):
                symbol = deciding.setdefault(self.indices[modifier], self.symbols[modifier])
                if self.symbols[modifier] != symbol:
                    self.symbols[modifier] = symbol
                    self.repairs.add("symbol", modifier)

    def renumber(self, modifiers_of: Modifiers) -> None:
        """Renumber the indices of every head as 1, 2, …, J."""
        for modifiers in modifiers_of.values():
            used = sorted({self.indices[modifier] for modifier in modifiers})
            if used[-1] == len(used):
                continue
            events = {index: event for event, index in enumerate(used, start=1)}
            for modifier in modifiers:
                if self.indices[modifier] != events[self.indices[modifier]]:
                    self.indices[modifier] = events[self.indices[modifier]]
                    self.repairs.add("gap", modifier)

    def modifiers(self) -> Modifiers:
        """Return the modifiers of every head that has any, from left to right."""
        modifiers: Modifiers = {}
        for token, head in enumerate(self.heads):
            if head != ROOT:
                modifiers.setdefault(head, []).append(token)
        return modifiers
