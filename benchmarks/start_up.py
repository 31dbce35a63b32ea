"""CPU time of the start: the help page, the import, and the first tree of each bundled model.

    python benchmarks/start_up.py [--rounds 9]

Prints the median and the minimum of the CPU seconds (user and system, all threads) of a new process, and the
limit. Exits with status 1 if a median is above it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from statistics import median

from spindle.models.bundled import bundled_models

SENTENCE = "The public is still cautious."
CASES = [
    ("spindle --help", ["-m", "spindle", "--help"], 0.2),
    ("import spindle", ["-c", "import spindle"], 0.2),
    *(
        (f"first tree, {name}", ["-m", "spindle", "parse", SENTENCE, "--model", name], 0.5)
        for name in bundled_models()
    ),
]
"""Name, arguments of Python, and the limit in seconds."""


def cpu_seconds(arguments: list[str], cache: str) -> float:
    """Run Python once, with modules that are compiled already, as in an installation."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], env={"PYTHONPYCACHEPREFIX": cache}, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    is_slow = False
    print(f"{'':<24}{'median':>8}{'minimum':>9}{'limit':>7}")
    with tempfile.TemporaryDirectory() as cache:
        for name, arguments, limit in CASES:
            cpu_seconds(arguments, cache)
            seconds = [cpu_seconds(arguments, cache) for _ in range(rounds)]
            is_slow |= median(seconds) > limit
            print(f"{name:<24}{median(seconds):8.3f}{min(seconds):9.3f}{limit:7.1f}")
    sys.exit(is_slow)


if __name__ == "__main__":
    main()
