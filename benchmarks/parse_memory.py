"""Measure the memory of parsing on an endless input: it must not grow.

    python benchmarks/parse_memory.py MODEL [--sentences 1000000] [--words 12] [--threads 1] [--python]
    python benchmarks/parse_memory.py MODEL [--input jsonl] [--to csv]

The sentences have 1 to WORDS words. Two words of three are from the demo treebank, one of three is made up
and never seen again, so that whatever is kept for every new word grows without end. They are parsed by
`spindle parse -`, or with --python by `parse_many`. A table has a sentence in each row. A row of figures is
printed as soon as they are there.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random

from measuring import command_line, memory
from spindle.pipeline import load
from spindle.tables import TableFormat, line_writer
from spindle.treebanks import read_trees

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def sentences(count: int, longest: int) -> Iterator[list[str]]:
    """Yield random sentences, the same in every run."""
    demo = files("spindle.models") / "data" / "demo-train.dbr"
    words = [token.form for tree in read_trees(str(demo)) for token in tree.tokens]
    random = Random(1)
    for _ in range(count):
        sentence = random.choices(words, k=random.randint(1, longest))
        for place in range(len(sentence)):
            if random.random() < 1 / 3:
                sentence[place] = "".join(random.choices(LETTERS, k=random.randint(2, 12)))
        yield sentence


class Table:
    """Prints memory and CPU time of a process after every `every` sentences."""

    def __init__(self, process: int | str, every: int) -> None:
        self._process, self._every = process, every
        self._sentences = self._tokens = 0
        print("| sentences | tokens | memory, MB | at most, MB | CPU s |\n|---|---|---|---|---|", flush=True)

    def count(self, tokens: int) -> None:
        """Count a sentence, and print a row if it is time to."""
        self._sentences += 1
        self._tokens += tokens
        if self._sentences % self._every == 0:
            now, most = memory(self._process)
            print(
                f"| {self._sentences:,} | {self._tokens:,} | {now} | {most} | {self._seconds():.0f} |",
                flush=True,
            )

    def _seconds(self) -> float:
        fields = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


def by_command(options: list[str], format: str, given: Iterator[list[str]], every: int) -> int:
    """Feed sentences to `spindle parse -`; return its exit code."""
    command = [sys.executable, "-m", "spindle", "parse", "-", "--input", format, *options]
    rows = None if format == "tokens" else line_writer("<stdin>", TableFormat(format))
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stdin is not None
    table = Table(process.pid, every)
    for number, sentence in enumerate(given, start=1):
        text = " ".join(sentence)
        process.stdin.write(text + "\n" if rows is None else rows({"id": number, "text": text}))
        # sentences in the pipe have not been parsed yet; they are too few to matter
        table.count(len(sentence))
    process.stdin.close()
    return process.wait()


def by_python(model: str, threads: int, given: Iterator[list[str]], every: int) -> int:
    """Parse sentences with `parse_many` in this process; return an exit code."""
    table = Table("self", every)
    for tree in load(model).parse_many(given, threads=threads):
        assert tree is not None
        table.count(len(tree.tokens))
    return 0


def main() -> None:
    """Parse, and print a row of the table now and then."""
    arguments = command_line(__doc__)
    arguments.add_argument("model")
    arguments.add_argument("--sentences", type=int, default=1_000_000)
    arguments.add_argument("--rows", type=int, default=20)
    arguments.add_argument("--words", type=int, default=12, help="of the longest sentence")
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--python", action="store_true", help="parse_many instead of the command")
    arguments.add_argument("--input", choices=["tokens", "jsonl", "csv", "tsv"], default="tokens")
    arguments.add_argument("--to", help="the output format")
    chosen = arguments.parse_args()
    given = sentences(chosen.sentences, chosen.words)
    every = max(1, chosen.sentences // chosen.rows)
    if chosen.python:
        sys.exit(by_python(chosen.model, chosen.threads, given, every))
    options = ["--model", chosen.model, "--threads", str(chosen.threads)]
    options += [] if chosen.to is None else ["--to", chosen.to]
    sys.exit(by_command(options, chosen.input, given, every))


if __name__ == "__main__":
    main()
