"""What benchmarks share."""

from __future__ import annotations

import resource
import time


def cpu_seconds() -> float:
    """CPU time of this process and of the programs that it has run."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
