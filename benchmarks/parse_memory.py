"""Measure the memory of `spindle parse` on an endless input: it must not grow.

    python benchmarks/parse_memory.py MODEL [--sentences 1000000] [--threads 1]

The sentences are random words of the demo treebank.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from random import Random

from measuring import command_line
from spindle.treebanks import read_trees


def peak(process: int) -> int:
    """Return the peak memory of a running process, in MB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


def main() -> None:
    """Feed sentences to one process and print its peak memory ten times."""
    arguments = command_line(__doc__)
    arguments.add_argument("model")
    arguments.add_argument("--sentences", type=int, default=1_000_000)
    arguments.add_argument("--threads", type=int, default=1)
    chosen = arguments.parse_args()

    demo = files("spindle.models") / "data" / "demo-train.dbr"
    words = [token.form for tree in read_trees(str(demo)) for token in tree.tokens]
    random = Random(1)
    command = [sys.executable, "-m", "spindle", "parse", "-", "--input", "tokens", "--model", chosen.model]
    process = subprocess.Popen(
        [*command, "--threads", str(chosen.threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    tokens = 0
    print("| sentences | tokens | peak memory, MB |\n|---|---|---|", flush=True)
    for number in range(1, chosen.sentences + 1):
        length = random.randint(1, 12)
        tokens += length
        process.stdin.write(" ".join(random.choices(words, k=length)) + "\n")
        # sentences in the pipe have not been parsed yet; they are too few to matter
        if number * 10 % chosen.sentences == 0:
            print(f"| {number:,} | {tokens:,} | {peak(process.pid)} |", flush=True)
    process.stdin.close()
    sys.exit(process.wait())


if __name__ == "__main__":
    main()
