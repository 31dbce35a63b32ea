"""Measure the speed of reading, encoding and decoding, and the memory that a large file needs.

    python benchmarks/reduction_speed.py ../shared/treebanks/english-craft/train.ptb
    python benchmarks/reduction_speed.py TREEBANK --memory 1000     # also a file of 1,000 MB (on Linux)

Times are CPU seconds of one thread, the best of several rounds. The reference versions of encode and decode
in Python ("by the book") are timed in the same run, so that the ratio is valid on a busy machine.
Memory is measured for conversion to brackets, which needs continuous trees, and for `spindle encode`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measuring import command_line, run_program, timed
from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.reduction import decode, encode
from spindle.reduction.isomorphism import decode_by_the_book, encode_by_the_book
from spindle.treebanks import read_trees

# A child inherits the maximum resident size of the process that starts it, which holds a treebank here. The
# high-water mark belongs to the child alone.
COMMAND = """
import re, sys
from pathlib import Path
from spindle.cli import main
try:
    main(sys.argv[1:])
finally:
    print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""
OUTPUT = {"convert": ["/dev/null", "--to", "bracket"], "encode": ["-o", "/dev/null", "--to", "conllu"]}
"""The arguments that throw the output of a command away."""


def measure_speed(name: str, rounds: int) -> None:
    """Print the CPU time of every step."""
    trees = list(read_trees(name))
    tokens = sum(map(len, trees))
    rules = load_rules(guess_rules(trees).name)
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
        taken = timed(task, rounds).cpu
        print(f"| {step} | {taken:.2f} | {tokens / taken:,.0f} |")


def measure_memory(name: str, megabytes: int) -> None:
    """Print the peak memory of `convert` and `encode` on a file of this size."""
    content = Path(name).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / f"big{Path(name).suffix}"
        with big.open("wb") as file:
            while file.tell() < megabytes * 1_000_000:
                file.write(content)
        print(f"\n{big.stat().st_size / 1e6:,.0f} MB of trees:")
        print("| command | peak memory, MB | CPU s |\n|---|---|---|")
        for verb, output in OUTPUT.items():
            done = run_program([sys.executable, "-c", COMMAND, verb, str(big), *output])
            peak = int(done.output.split()[-1])
            print(f"| spindle {verb} | {peak / 1024:.0f} | {done.cpu:.0f} |")


def main() -> None:
    """Measure speed, and memory if a size is given."""
    parser = command_line(__doc__)
    parser.add_argument("treebank")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, metavar="MB", help="also measure memory on a file of this size")
    options = parser.parse_args()
    measure_speed(options.treebank, options.rounds)
    if options.memory:
        measure_memory(options.treebank, options.memory)


if __name__ == "__main__":
    main()
