"""What a reader noticed and could live with, and what it had to leave out: counted, never silent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from spindle.errors import TreebankError


class ReadingReport:
    """Counts remarks by kind and hands each one on as it comes.

    `tell` is called with every remark; the command line prints them, tests collect them.
    """

    def __init__(self, tell: Callable[[str, TreebankError], None] | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._tell = tell

    def add(self, kind: str, remark: TreebankError) -> None:
        """Count a remark of this kind, such as `second parent dropped`, and pass it on."""
        self.counts[kind] += 1
        if self._tell:
            self._tell(kind, remark)
