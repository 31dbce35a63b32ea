"""Measure the memory of splitting, and of parsing, a file of gigabytes: it must not grow.

    python benchmarks/text_stream.py --megabytes 2000
    python benchmarks/text_stream.py --megabytes 1000 --one-line
    python benchmarks/text_stream.py --megabytes 50 --parse

The text is generated: sentences of this script in random order, each with a word that is never seen again, so
that whatever is kept for every new word grows without end. It is written to a temporary file and read as
`spindle parse FILE` reads it. A line has 1 to 8 sentences, and one line of ten is empty; with --one-line the
file has no line end. --parse parses the sentences with a model. A row of figures is printed after every equal
part of the file. At the end, the characters of all words are compared with those of the file.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

from measuring import command_line, cpu_seconds, memory
from spindle.pipeline import load
from spindle.pipeline.inputs import InputKind, InputReader
from spindle.pipeline.sentence import Sentence

MEGABYTE = 1_000_000
SENTENCES = (
    "Mr. and Mrs. {} left for Paris on Jan. 5, at 3 p.m.",
    "It cost $3.50 in 1999 (or so {} said).",
    '"Who knows {}?" she asked.',
    "They can't find the file {}.txt, and we're not going to look for it.",
    "The well-known museum of {} is closed on Mondays!",
    "See Fig. 2 in Smith et al. or write to {}@example.org.",
    "Nobody in the small town near the river had ever heard of {}, but everybody talked about it...",
)


def lines(size: int, is_one_line: bool) -> Iterator[str]:
    """Yield a text of at least `size` characters, the same in every run."""
    random = Random(1)
    numbers = count()
    while size > 0:
        many = 1 if is_one_line else random.randint(1, 8)
        line = " ".join(random.choice(SENTENCES).format(f"N{next(numbers):x}") for _ in range(many))
        line += " " if is_one_line else "\n\n" if random.random() < 0.1 else "\n"
        size -= len(line)
        yield line


class Progress:
    """Counts sentences and prints a row after every `every` characters of text."""

    def __init__(self, every: float) -> None:
        self._every = self._next = every
        self._sentences = self._tokens = 0
        self.characters = 0
        print(
            "| read, MB | sentences | tokens | memory, MB | at most, MB | CPU s |\n|---|---|---|---|---|---|"
        )

    def count(self, sentences: Iterator[Sentence]) -> Iterator[Sentence]:
        """Pass sentences on, without the empty ones."""
        started = cpu_seconds()
        for sentence in sentences:
            if not sentence.spans:
                continue
            yield sentence
            self._sentences += 1
            self._tokens += len(sentence.spans)
            self.characters += sum([end - start for _, start, end in sentence.spans])
            read = sentence.text_start + sentence.spans[-1].end
            if read >= self._next:
                self._next += self._every
                now, most = memory("self")
                print(
                    f"| {read / MEGABYTE:,.0f} | {self._sentences:,} | {self._tokens:,} | {now} | {most} "
                    f"| {cpu_seconds() - started:.0f} |",
                    flush=True,
                )


def main() -> None:
    """Write the file, read it, and print a row of the table now and then."""
    arguments = command_line(__doc__)
    arguments.add_argument("--megabytes", type=int, default=2000)
    arguments.add_argument("--rows", type=int, default=20)
    arguments.add_argument("--one-line", action="store_true")
    arguments.add_argument("--model", default="light", help="whose model of raw text is used")
    arguments.add_argument("--parse", action="store_true", help="parse the sentences, too")
    chosen = arguments.parse_args()
    size = chosen.megabytes * MEGABYTE
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        with path.open("w", encoding="utf-8") as file:
            for line in lines(size, chosen.one_line):
                file.write(line)
                written += sum(map(len, line.split()))
        parser = load(chosen.model)
        progress = Progress(size / chosen.rows)
        sentences = progress.count(InputReader(parser.splitter).read_file(str(path), InputKind.TEXT))
        results = parser.parse_many(sentences) if chosen.parse else sentences
        for _ in results:
            pass
    if progress.characters != written:
        sys.exit(f"the file has {written:,} characters but blanks, the words have {progress.characters:,}")
    print(f"\nThe words have all {written:,} characters of the file but blanks.")


if __name__ == "__main__":
    main()
