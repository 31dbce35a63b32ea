"""How fast trees are read, encoded and decoded, and how much memory an endless file takes.

    python benchmarks/reduction_speed.py ../shared/treebanks/english-craft/train.ptb
    python benchmarks/reduction_speed.py TREEBANK --memory 1000     # also a file of 1,000 MB (on Linux)

Times are CPU seconds of one thread, the best of several rounds. The readable Python versions of encode and
decode are timed in the same run, so that the ratio means something on a noisy machine.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.reduction import decode, encode
from spindle.reduction.isomorphism import decode_by_the_book, encode_by_the_book
from spindle.treebanks import read_trees

# What the kernel calls a process's maximum resident size is handed down from whoever started it, and this
# one has a treebank in memory; the high-water mark is the process's own.
COMMAND = """
import re, sys
from pathlib import Path
from spindle.cli import main
try:
    main(sys.argv[1:])
finally:
    print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def seconds(task: Callable[[], object], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        task()
        best = min(best, time.process_time() - start)
    return best


def measure_speed(name: str, rounds: int) -> None:
    trees = list(read_trees(name))
    tokens = sum(map(len, trees))
    rules = load_rules(guess_rules(trees[:200])[0])
    headed = [HeadFinder(rules)(tree) for tree in trees]
    assert all(decode(encode(tree)) == tree for tree in headed)

    def everything() -> None:
        find_heads = HeadFinder(rules)
        for tree in read_trees(name):
            decode(encode(find_heads(tree)))

    print(f"{name}: {len(trees):,} sentences, {tokens:,} tokens, head rules {rules.name}\n")
    tasks: dict[str, Callable[[], object]] = {
        "read": lambda: sum(1 for _ in read_trees(name)),
        "find heads": lambda: list(map(HeadFinder(rules), trees)),
        "encode": lambda: list(map(encode, headed)),
        "encode, by the book": lambda: list(map(encode_by_the_book, headed)),
        "encode + decode": lambda: list(map(decode, map(encode, headed))),
        "encode + decode, by the book": lambda: list(
            map(decode_by_the_book, map(encode_by_the_book, headed))
        ),
        "read + heads + encode + decode": everything,
    }
    print("| step | CPU s | tokens / CPU s |\n|---|---|---|")
    for step, task in tasks.items():
        taken = seconds(task, rounds)
        print(f"| {step} | {taken:.2f} | {tokens / taken:,.0f} |")


def measure_memory(name: str, megabytes: int) -> None:
    content = Path(name).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / f"big{Path(name).suffix}"
        with big.open("wb") as file:
            while file.tell() < megabytes * 1_000_000:
                file.write(content)
        print(f"\n{big.stat().st_size / 1e6:,.0f} MB of trees:")
        print("| command | peak memory, MB | CPU s |\n|---|---|---|")
        for verb in ("convert", "encode"):
            output = (
                ["-o", "/dev/null", "--to", "conllu"]
                if verb == "encode"
                else ["/dev/null", "--to", "bracket"]
            )
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, "-c", COMMAND, verb, str(big), *output]
            peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"| spindle {verb} | {int(peak) / 1024:.0f} | {after.ru_utime - before.ru_utime:.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, metavar="MB", help="also measure memory on a file of this size")
    options = parser.parse_args()
    measure_speed(options.treebank, options.rounds)
    if options.memory:
        measure_memory(options.treebank, options.memory)
