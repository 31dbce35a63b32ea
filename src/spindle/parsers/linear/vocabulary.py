"""What there is of a kind, in the order in which models number it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def vocabulary(things: Iterable[Thing]) -> list[Thing]:
    """The different ones, the most frequent first, of equally frequent ones the one that came first.

    >>> vocabulary("abbccd")
    ['b', 'c', 'a', 'd']
    """
    return [thing for thing, _ in Counter(things).most_common()]
