"""Predicted d-trees made into ones that can be decoded, each repair counted.

What a parser predicts need not be a head-ordered d-tree. The order of the repairs is fixed:

1. heads: a second root, a cycle or a head that does not exist is hung under the root, with a new event
   of its own (symbol VROOT) above everything else
2. indices below 1 become 1
3. in continuous mode: a word that a gap parts from its head goes to that head's head, where it joins the
   event that attaches the head; then nesting is restored on each side of every head
4. modifiers of one event that disagree on its symbol follow the one nearest to the head, on a tie
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
_OF_EVENTS = ("index", "nesting", "symbol", "gap")
"""The repairs that leave heads as they are, in this order."""


class Mode(StrEnum):
    """Whether crossing branches are kept (nothing is repaired that need not be) or taken out."""

    DISCONTINUOUS = "discontinuous"
    CONTINUOUS = "continuous"


class Nesting(StrEnum):
    """How broken nesting is mended, going outward from the head."""

    LOWER_NEARER = "lower-nearer"
    """The paper's: a modifier gets the smallest index found at or beyond it: 3, 1, 2 → 1, 1, 2."""
    RAISE_FARTHER = "raise-farther"
    """The authors' released code's: it gets the largest found up to it: 3, 1, 2 → 3, 3, 3."""


class Repairs(dict[str, set[int]]):
    """The tokens that each kind of repair has touched."""

    def add(self, kind: str, token: int) -> None:
        """Note that a token has been repaired."""
        self.setdefault(kind, set()).add(token)

    @property
    def tokens(self) -> set[int]:
        """The tokens that any repair has touched."""
        return set().union(*self.values())

    @property
    def counts(self) -> Counter[str]:
        """How many tokens each kind has touched; one token may need several kinds."""
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
    """A d-tree that can be decoded, and the tokens that each kind of repair has touched.

    Most often only events have to be mended, or nothing at all, which is done in the core.
    """
    heads = tuple(heads)
    size = len(heads)
    if not len(tokens) == len(symbols) == len(indices) == size:
        raise TreeError(
            f"sentence {id or '?'}: {len(tokens)} tokens, {size} heads, {len(symbols)} symbols and "
            f"{len(indices)} indices; there must be one of each for every token"
        )
    try:
        mended = _core.repair_events(
            heads, symbols, indices, mode is Mode.CONTINUOUS, nesting is Nesting.LOWER_NEARER
        )
    except TypeError:  # what the core cannot hold, numbers that are too large, is done by the book
        mended = None
    if mended is None:
        return repair_by_the_book(
            tokens, heads, symbols, indices, mode=mode, nesting=nesting, id=id, comments=comments
        )
    events, named, touched, properties = mended
    dtree = DTree.trusted(tuple(tokens), heads, named, events, id, tuple(comments), properties)
    kinds = zip(_OF_EVENTS, touched, strict=True)
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
    """What `repair` does, one step after the other."""
    arcs = _Arcs(list(heads), list(symbols), list(indices))
    arcs.mend_heads()
    arcs.lift_indices()
    if mode is Mode.CONTINUOUS and not arcs.are_projective():
        arcs.lift_crossing()
    modifiers = arcs.modifiers()  # heads stay as they are from here on
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
    """The columns under repair."""

    def __init__(self, heads: list[int], symbols: list[str], indices: list[int]) -> None:
        self.heads, self.symbols, self.indices = heads, symbols, indices
        self.repairs = Repairs()

    def mend_heads(self) -> None:
        """One root, no cycles, no head that does not exist."""
        heads, size = self.heads, len(self.heads)
        strays = [token for token, head in enumerate(heads) if not ROOT <= head < size or head == token]
        for token in strays:
            heads[token] = ROOT
            self.repairs.add("head", token)
        made = {*strays, *self._cut_cycles()}
        roots = [token for token, head in enumerate(heads) if head == ROOT]
        # a root that the parser meant goes before one that mending has made
        root = next((token for token in roots if token not in made), roots[0])
        top = max((self.indices[token] for token, head in enumerate(heads) if head == root), default=0)
        for token in roots:
            if token != root:
                heads[token], self.symbols[token], self.indices[token] = root, ROOT_SYMBOL, max(top, 0) + 1
                if token not in made:
                    self.repairs.add("root", token)
        self.symbols[root], self.indices[root] = "", 0

    def _cut_cycles(self) -> list[int]:
        """Make the leftmost word of every cycle a root."""
        heads, cut = self.heads, []
        state = [0] * len(heads)  # 0: not seen, otherwise the number of the walk that has seen it
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

    def lift_indices(self) -> None:
        """An index below 1 becomes 1."""
        for token, head in enumerate(self.heads):
            if head != ROOT and self.indices[token] < 1:
                self.indices[token] = 1
                self.repairs.add("index", token)

    def are_projective(self) -> bool:
        """Whether nothing crosses; the core is quick to tell."""
        nothing = [0] * len(self.heads)
        return _core.dtree_properties(self.heads, nothing, nothing)[0]

    def lift_crossing(self) -> None:
        """Every head keeps the modifiers that make one unbroken span with it; its own head gets the rest.

        From the bottom up, so that what hangs on a modifier is such a span already. The root keeps all.
        """
        modifiers = self.modifiers()
        first, last = list(range(len(self.heads))), list(range(len(self.heads)))
        order = [self.heads.index(ROOT)]
        for head in order:
            order.extend(modifiers.get(head, ()))
        for head in reversed(order):
            words = sorted(modifiers.get(head, ()))  # with those lifted to it
            left, right = [word for word in reversed(words) if word < head], [w for w in words if w > head]
            kept = 0
            while kept < len(left) and last[left[kept]] == first[head] - 1:
                first[head] = first[left[kept]]
                kept += 1
            parted = left[kept:]
            kept = 0
            while kept < len(right) and first[right[kept]] == last[head] + 1:
                last[head] = last[right[kept]]
                kept += 1
            for word in parted + right[kept:]:
                self.heads[word], self.symbols[word] = self.heads[head], self.symbols[head]
                self.indices[word] = self.indices[head]
                self.repairs.add("crossing", word)
                modifiers[self.heads[head]].append(word)

    def restore_nesting(self, modifiers_of: Modifiers, nesting: Nesting) -> None:
        """On each side of a head no farther modifier has a smaller index."""
        for head, modifiers in modifiers_of.items():
            if len(modifiers) == 1:  # which can disagree with nobody
                continue
            for side in ([m for m in reversed(modifiers) if m < head], [m for m in modifiers if m > head]):
                indices = [self.indices[modifier] for modifier in side]  # going outward
                if nesting is Nesting.LOWER_NEARER:
                    for place in reversed(range(len(indices) - 1)):
                        indices[place] = min(indices[place], indices[place + 1])
                else:
                    for place in range(1, len(indices)):
                        indices[place] = max(indices[place], indices[place - 1])
                for modifier, index in zip(side, indices, strict=True):
                    if self.indices[modifier] != index:
                        self.indices[modifier] = index
                        self.repairs.add("nesting", modifier)

    def agree_on_symbols(self, modifiers_of: Modifiers) -> None:
        """All modifiers of an event take the symbol of the one nearest to the head, on a tie the left one."""
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
        """The indices of every head become 1, 2, …, J."""
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
        """The modifiers of every head that has some, from left to right."""
        modifiers: Modifiers = {}
        for token, head in enumerate(self.heads):
            if head != ROOT:
                modifiers.setdefault(head, []).append(token)
        return modifiers
