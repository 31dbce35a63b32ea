"""The head-ordered dependency tree (d-tree): the other side of the paper's isomorphism.

Every word but the root has a head, a *symbol* (the phrase label written on the arc) and an *event*: the
step of the head's spine at which it is attached. Positions start at 0; the root's head is -1, its
symbol empty and its event 0.

    >>> from spindle.trees import DTree, Token
    >>> words = [Token("really"), Token("needs"), Token("caution")]
    >>> flat = DTree(words, heads=(1, -1, 1), symbols=("VP", "", "VP"), events=(1, 0, 1))
    >>> flat.is_ordered, flat.is_strict, flat.is_nested, flat.is_projective
    (True, False, True, True)
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

from spindle.errors import TreeError
from spindle.trees.token import Token
from spindle.trees.tree import ROOT, gaps


@dataclass(frozen=True)
class DTree:
    """A d-tree with one root, no cycles, and an event of at least 1 on every arc.

    Whether the events form a proper weak order is a property (`is_ordered`), because predicted
    trees must be held before they are repaired.
    """

    tokens: tuple[Token, ...]
    heads: tuple[int, ...]
    symbols: tuple[str, ...]
    events: tuple[int, ...]
    id: str = ""
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for column in ("tokens", "heads", "symbols", "events", "comments"):
            object.__setattr__(self, column, tuple(getattr(self, column)))
        size = len(self.tokens)
        if not size:
            raise TreeError("a d-tree needs at least one token")
        if not len(self.heads) == len(self.symbols) == len(self.events) == size:
            raise TreeError(f"heads, symbols and events must be {size}, as many as there are tokens")
        self._check_arcs()
        self._check_acyclic()

    def replace(self, **changes: object) -> DTree:
        """A copy with some columns changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def root(self) -> int:
        """The position of the only word without a head."""
        return self.heads.index(ROOT)

    @cached_property
    def modifiers(self) -> tuple[tuple[int, ...], ...]:
        """The modifiers of every word, from left to right."""
        modifiers: list[list[int]] = [[] for _ in self.tokens]
        for modifier, head in enumerate(self.heads):
            if head != ROOT:
                modifiers[head].append(modifier)
        return tuple(map(tuple, modifiers))

    @property
    def is_projective(self) -> bool:
        """Whether every word and what depends on it stand in one unbroken span."""
        masks = [1 << position for position in range(len(self))]
        for position in reversed(self._top_down):
            if self.heads[position] != ROOT:
                masks[self.heads[position]] |= masks[position]
        return not any(map(gaps, masks))

    @property
    def is_nested(self) -> bool:
        """Whether, on each side of a head, a farther modifier never has a smaller event."""
        for head, modifiers in enumerate(self.modifiers):
            left = [self.events[m] for m in modifiers if m < head]
            right = [self.events[m] for m in modifiers if m > head]
            if left != sorted(left, reverse=True) or right != sorted(right):
                return False
        return True

    @property
    def is_ordered(self) -> bool:
        """Whether every head's events are 1, 2, …, J and all modifiers of an event agree on its symbol."""
        for modifiers in self.modifiers:
            symbols: dict[int, str] = {}
            for modifier in modifiers:
                event = self.events[modifier]
                if symbols.setdefault(event, self.symbols[modifier]) != self.symbols[modifier]:
                    return False
            if symbols and max(symbols) != len(symbols):
                return False
        return True

    @property
    def is_strict(self) -> bool:
        """Whether no two modifiers of a head share an event: such trees are the binary ones."""
        return all(
            len({self.events[modifier] for modifier in modifiers}) == len(modifiers)
            for modifiers in self.modifiers
        )

    @cached_property
    def _top_down(self) -> tuple[int, ...]:
        """All positions, heads before their modifiers."""
        order = [self.root]
        for position in order:
            order.extend(self.modifiers[position])
        return tuple(order)

    def _check_arcs(self) -> None:
        size = len(self.tokens)
        for position, (head, symbol, event) in enumerate(
            zip(self.heads, self.symbols, self.events, strict=True)
        ):
            if not ROOT <= head < size or head == position:
                raise TreeError(f"token {position + 1} cannot have head {head + 1}")
            if head == ROOT and (symbol or event):
                raise TreeError(f"token {position + 1} is the root and cannot have a symbol or an event")
            if head != ROOT and event < 1:
                raise TreeError(f"token {position + 1} has event {event}; events start at 1")
        roots = self.heads.count(ROOT)
        if roots != 1:
            raise TreeError(f"a d-tree has one root, not {roots}")

    def _check_acyclic(self) -> None:
        if len(self._top_down) != len(self.tokens):
            stray = min(set(range(len(self.tokens))) - set(self._top_down))
            raise TreeError(f"token {stray + 1} is its own ancestor, or depends on one that is")
