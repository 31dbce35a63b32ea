"""What a reader repaired, dropped or skipped: counted by kind, and reported one by one."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable

from spindle.errors import TreebankError

_logger = logging.getLogger(__name__)


class ReadingReport:
    """Counts remarks by kind and passes each of them on.

    `listener` is called with the kind and the remark: the command line prints it, tests collect it. Without a
    listener remarks are logged.
    """

    def __init__(self, listener: Callable[[str, TreebankError], None] | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._listener = listener

    def add(self, kind: str, remark: TreebankError) -> None:
        """Count a remark of this kind, such as `second parent dropped`, and pass it on."""
        self.counts[kind] += 1
        if self._listener:
            self._listener(kind, remark)
        else:
            _logger.warning("%s (%s)", remark, kind)
