"""Measure the speed of searching against NLTK's tgrep and Stanford's Tregex.

    python benchmarks/search_speed.py ../shared/treebanks/english-craft/train.ptb --nltk-trees 2000
    python benchmarks/search_speed.py TREEBANK --tregex corenlp/classes:corenlp/lib/*

`--tregex` is the class path of a compiled Tregex (package `edu.stanford.nlp.trees.tregex` of CoreNLP) and of
the libraries that it needs. Every program loads the trees once and searches them for each pattern. Times are
CPU times. `--nltk-trees` limits NLTK to the first trees, because it is slow; its time is then scaled to all.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from measuring import command_line, run_program

# The same query in the spelling of Spindle and NLTK, and in that of Tregex.
QUERIES = (
    ("NP < NN", "NP < NN"),
    ("NP << CC", "NP << CC"),
    ("VP < (NP $.. PP)", "VP < (NP $++ PP)"),
    ("/^NP/ < (PP < (IN < of))", "/^NP/ < (PP < (IN < of))"),
    ("S !<< VP", "S !<< VP"),
    ("NP . (VP < VBD)", "NP . (VP < VBD)"),
    ("PP >> (NP $, VBD)", "PP >> (NP $- VBD)"),
    ("/^SBAR/ < (S < (NP <: /^PRP/)) | <, WHNP", "/^SBAR/ < (S < (NP <: /^PRP/)) | <, WHNP"),
    ("RRC", "RRC"),
)

OURS = """
import sys, time
from spindle.search import LoadedTrees, Searcher, compile_pattern
from spindle.search.reading import read_items
from spindle.treebanks import ReadingReport, Source, read_trees
cpu = time.process_time
before = cpu()
loaded = LoadedTrees(read_items(Source(sys.argv[1]), None, "stop", ReadingReport()), threads=1)
print("load", len(loaded), cpu() - before, sep="\\t")
for pattern in sys.argv[3:]:
    times = []
    for round in range(int(sys.argv[2])):
        before = cpu()
        compiled = compile_pattern(pattern)
        found = loaded.find(compiled, compiled.searcher(loaded.store, False))
        count = sum(code >= 0 for tree in found for code in tree.codes)
        times.append(cpu() - before)
    print("query", count, *times, sep="\\t")
"""

NLTK = """
import sys, time, warnings
warnings.simplefilter("ignore")
from itertools import islice
from nltk.tgrep import tgrep_positions
from nltk.tree import ParentedTree
cpu = time.process_time
before = cpu()
with open(sys.argv[1], encoding="utf-8") as lines:
    trees = [ParentedTree.fromstring(line) for line in islice(lines, int(sys.argv[2]))]
print("load", len(trees), cpu() - before, sep="\\t")
for pattern in sys.argv[3:]:
    before = cpu()
    found = sum(len(places) for places in tgrep_positions(pattern, trees, search_leaves=False))
    print("query", found, cpu() - before, sep="\\t")
"""


class Timing(NamedTuple):
    """The CPU seconds of loading, and of each query with its matches."""

    trees: int
    load: float
    queries: list[tuple[int, float]]


def read_timing(output: str) -> Timing:
    """Return the measurement that a program printed; the time of a query is the median of its rounds."""
    rows = [line.split("\t") for line in output.splitlines()]
    loads = [row for row in rows if row[0] == "load"]
    queries = [(int(row[1]), statistics.median(map(float, row[2:]))) for row in rows if row[0] == "query"]
    return Timing(int(loads[0][1]), float(loads[0][2]), queries)


def run_python(program: str, treebank: str, number: int, patterns: list[str]) -> Timing:
    """Run one of the programs above."""
    command = [sys.executable, "-c", program, treebank, str(number), *patterns]
    return read_timing(run_program(command).output)


def run_tregex(class_path: str, treebank: str, rounds: int) -> Timing:
    """Compile the Java program of this benchmark and run it."""
    source = Path(__file__).with_name("tregex") / "SearchSpeed.java"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["javac", "-cp", class_path, "-d", folder, str(source)], check=True)
        patterns = [theirs for _, theirs in QUERIES]
        command = ["java", "-XX:+UseSerialGC", "-cp", f"{folder}:{class_path}", "SearchSpeed", treebank]
        done = subprocess.run(
            [*command, str(rounds), *patterns], check=True, stdout=subprocess.PIPE, text=True
        )
    return read_timing(done.stdout)


def print_results(ours: Timing, nltk: Timing, tregex: Timing | None) -> None:
    """Print a table of CPU milliseconds and ratios; NLTK's times are scaled to the number of our trees."""
    scale = ours.trees / nltk.trees
    print("query | matches | spindle ms | NLTK ms | times | Tregex ms | times | Tregex matches")
    nltk_ratios, tregex_ratios = [], []
    for at, (pattern, _) in enumerate(QUERIES):
        matches, seconds = ours.queries[at]
        slow = nltk.queries[at][1] * scale
        nltk_ratios.append(slow / seconds)
        row = f"{pattern} | {matches:,} | {1000 * seconds:.1f} | {1000 * slow:,.0f} | {slow / seconds:,.0f}"
        if nltk.trees == ours.trees and nltk.queries[at][0] != matches:
            row += f" (NLTK finds {nltk.queries[at][0]:,})"
        if tregex:
            found, theirs = tregex.queries[at]
            tregex_ratios.append(theirs / seconds)
            row += f" | {1000 * theirs:,.1f} | {theirs / seconds:.1f} | {found:,}"
        print(row)
    total, slow = sum(time for _, time in ours.queries), sum(time for _, time in nltk.queries) * scale
    load = nltk.load * scale
    print(f"spindle: load {ours.load:.2f} s, all queries {total:.3f} s")
    print(f"NLTK: load {load:.1f} s ({load / ours.load:.0f} times), all queries {slow:.1f} s")
    print(f"  queries {slow / total:.0f} times, least {min(nltk_ratios):.0f}")
    print(f"  load and all queries {(load + slow) / (ours.load + total):.0f} times")
    if tregex:
        theirs = sum(time for _, time in tregex.queries)
        print(f"Tregex: load {tregex.load:.2f} s ({tregex.load / ours.load:.1f} times), all {theirs:.2f} s")
        print(f"  queries {theirs / total:.1f} times, least {min(tregex_ratios):.1f}")
        print(f"  load and all queries {(tregex.load + theirs) / (ours.load + total):.1f} times")


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("treebank")
    parser.add_argument("--tregex", metavar="CLASSPATH")
    parser.add_argument("--nltk-trees", type=int, default=1 << 30, metavar="N")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    patterns = [ours for ours, _ in QUERIES]
    ours = run_python(OURS, arguments.treebank, arguments.rounds, patterns)
    tregex = run_tregex(arguments.tregex, arguments.treebank, arguments.rounds) if arguments.tregex else None
    nltk = run_python(NLTK, arguments.treebank, arguments.nltk_trees, patterns)
    print_results(ours, nltk, tregex)


if __name__ == "__main__":
    main()
