"""Measure CPU time and memory of every verb against the size of one sentence.

    python benchmarks/lengths.py [VERB…] [--seconds 120]

A file has one sentence of n words, of one word below n nested nodes, or of four words of which one has n
characters. A cell has CPU seconds and peak memory in MB. With an error it also has the line that was printed;
after more than --seconds of CPU time it is `killed`. Rows are printed as they are measured.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import command_line

SHAPES = {"words": (1_000, 10_000, 100_000), "nested": (1_000, 100_000), "characters": (5_000_000,)}
VERBS = {
    "parse": "parse text --lines sentence --model light --threads 1 -o out.ptb",
    "parse trees": "parse a.ptb --input trees --model light --threads 1 -o out.ptb",
    "parse k-best": "parse text --lines sentence --model light --threads 1 --k-best 3 -o out.ptb",
    "parse neural": "parse text --lines sentence --model english --threads 1 -o out.ptb",
    "convert": "convert a.ptb out.export",
    "convert psd": "convert a.ptb out.psd",
    "convert xml": "convert a.ptb out.xml --to tigerxml",
    "encode": "encode a.ptb -o out.conllu",
    "stats": "stats a.ptb",
    "evaluate": "evaluate a.ptb a.ptb",
    "evaluate discodop": "evaluate a.ptb a.ptb --scheme discodop",
    "compare": "compare a.ptb a.ptb a.ptb",
    "diff": "diff a.ptb a.ptb",
    "search": "search NP<<NN a.ptb",
    "draw": "draw a.ptb -o out.svg",
    "train": "train a.ptb -o out.model --order basic --epochs 1 --threads 1",
}


def write_inputs(folder: Path, shape: str, size: int) -> None:
    """Write a tree and a text."""
    if shape == "words":
        forms = [f"w{at % 50}" for at in range(size)]
        tree = f"(S {' '.join(f'(NP (NN {form}))' for form in forms)})"
    elif shape == "nested":
        forms = ["word"]
        tree = f"{'(NP ' * size}(NN word){')' * size}"
    else:
        forms = ["The", "ab1-" * (size // 4), "grows", "."]
        tree = f"(S (NP (DT The) (NN {forms[1]})) (VP (VB grows)) (. .))"
    (folder / "a.ptb").write_text(tree + "\n")
    (folder / "text").write_text(" ".join(forms) + "\n")


def measure(command: str, folder: Path, seconds: int) -> str:
    """Run a verb; return the content of its cell."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    with open(folder / "errors", "wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "spindle", *command.split(" ")],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            preexec_fn=limit,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode < 0:
        return "killed"
    lines = (folder / "errors").read_text(errors="replace").splitlines()
    found = f"{used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss // 1024} MB"
    if process.returncode:
        return f"{found}: {next((line for line in lines if 'rror' in line), 'no message')[:150]}"
    return found


def main() -> None:
    """Print a row for each verb."""
    arguments = command_line(__doc__)
    arguments.add_argument("verbs", metavar="VERB", nargs="*", choices=[*VERBS, []], default=[])
    arguments.add_argument("--seconds", type=int, default=120)
    chosen = arguments.parse_args()
    columns = [(shape, size) for shape, sizes in SHAPES.items() for size in sizes]
    print("| verb |", " | ".join(f"{size:,} {shape}" for shape, size in columns), "|")
    print("|---" * (len(columns) + 1) + "|", flush=True)
    for verb in chosen.verbs or VERBS:
        print(f"| {verb} |", end="", flush=True)
        for shape, size in columns:
            with tempfile.TemporaryDirectory() as folder:
                write_inputs(Path(folder), shape, size)
                print(f" {measure(VERBS[verb], Path(folder), chosen.seconds)} |", end="", flush=True)
        print(flush=True)


if __name__ == "__main__":
    main()
