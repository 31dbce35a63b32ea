"""What benchmarks share."""

from __future__ import annotations

import resource
import time
from pathlib import Path

TREEBANKS = Path(__file__).resolve().parents[2] / "shared" / "treebanks"
ENDINGS = (".ptb", ".export", ".mrg", ".bracket", "")


def part(name: str, which: str) -> Path:
    """The file, or the folder, of one part of a treebank."""
    paths = [TREEBANKS / name / f"{which}{ending}" for ending in ENDINGS]
    return next(path for path in paths if path.exists())


def cpu_seconds() -> float:
    """CPU time of this process and of the programs that it has run."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
