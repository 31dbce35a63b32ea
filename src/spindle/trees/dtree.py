"""The head-ordered dependency tree (d-tree): one side of the paper's isomorphism.

Every word except the root has a head, a *symbol* (the phrase label on the arc) and an *event*: the step of
the head's spine that attaches the word. Positions start at 0; the root's head is -1, its
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

from spindle import _core
from spindle.errors import TreeError
from spindle.trees.nodes import ROOT, shortened
from spindle.trees.token import Token
from spindle.trees.views import DTreeViews


@dataclass(frozen=True, repr=False)
class DTree(DTreeViews):
    """A d-tree with one root, no cycles, and an event of at least 1 on every arc.

    Whether the events form a proper weak order is a property (`is_ordered`) and not a requirement, because
    predicted d-trees exist before they are repaired.
    """

    tokens: tuple[Token, ...]
    heads: tuple[int, ...]
    symbols: tuple[str, ...]
    events: tuple[int, ...]
    id: str = ""
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for column in ("tokens", "heads", "symbols", "events", "comments"):
            if type(values := getattr(self, column)) is not tuple:
                object.__setattr__(self, column, tuple(values))
        size = len(self.tokens)
        if not len(self.heads) == len(self.symbols) == len(self.events) == size:
            columns = f"{len(self.heads)} heads, {len(self.symbols)} symbols, {len(self.events)} events"
            raise TreeError(f"length mismatch: {size} tokens, {columns}")
        try:
            _core.check_dtree(self.heads, self.events)
        except ValueError as error:
            raise TreeError(f"sentence {self.id}: {error}" if self.id else str(error)) from None
        if self.symbols[self.root]:
            raise TreeError(f"token {self.root + 1} is the root and must not have a symbol")

    @classmethod
    def trusted(
        cls,
        tokens: tuple[Token, ...],
        heads: tuple[int, ...],
        symbols: tuple[str, ...],
        events: tuple[int, ...],
        id: str,
        comments: tuple[str, ...],
        properties: tuple[bool, bool, bool, bool],
    ) -> DTree:
        """Build a d-tree without checks, from columns and properties that the core has just computed."""
        tree = object.__new__(cls)
        tree.__dict__.update(
            tokens=tokens, heads=heads, symbols=symbols, events=events, id=id, comments=comments
        )
        tree.__dict__["_properties"] = properties
        return tree

    def replace(self, **changes: object) -> DTree:
        """Return a copy with some columns changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        name = f" {self.id}:" if self.id else ""
        words = " ".join([token.form for token in self.tokens])
        return f"<DTree{name} {shortened(words)}, {len(self)} tokens>"

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def root(self) -> int:
        """The position of the word without a head."""
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
        """Whether every word and its descendants form a contiguous span."""
        return self._properties[0]

    @property
    def is_nested(self) -> bool:
        """Whether, on each side of a head, a farther modifier never has a smaller event than a nearer one."""
        return self._properties[1]

    @property
    def is_ordered(self) -> bool:
        """Whether every head's events are 1, 2, …, J, and all modifiers of an event have the same symbol."""
        return self._properties[2]

    @property
    def is_strict(self) -> bool:
        """Whether no two modifiers of a head share an event; such d-trees correspond to binary trees."""
        return self._properties[3]

    @cached_property
    def _properties(self) -> tuple[bool, bool, bool, bool]:
        numbers = {symbol: number for number, symbol in enumerate(set(self.symbols))}
        symbols = list(map(numbers.__getitem__, self.symbols))
        return _core.dtree_properties(self.heads, symbols, self.events)
