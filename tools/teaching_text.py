"""Joins raw text of several kinds into one file of sentences, for a teacher to parse (`spindle distill`).

    python tools/teaching_text.py --tagged masc --pairs eng-fra.txt --text novel.txt -o text.tokens

`--tagged` takes folders of files with word_TAG, such as the tagged part of MASC; `--pairs` files whose first
column is a sentence, such as Tatoeba's pairs of sentences; `--text` plain text. Every sentence is written
once, its words between blanks. Read the result with `--input tokens`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import spindle
from spindle.text import TextSplitter


def tagged_sentences(folder: Path) -> Iterator[list[str]]:
    """Yield the words of every sentence of a folder; a line is a sentence."""
    for path in sorted(folder.rglob("*.txt")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            yield [word.rpartition("_")[0] for word in line.split() if "_" in word]


def split_sentences(text: str, splitter: TextSplitter) -> Iterator[list[str]]:
    """Yield the words of every sentence of raw text."""
    for spans in splitter.sentences(text):
        yield [span.form for span in spans]


def main() -> None:
    """Write the sentences of all sources."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--tagged", type=Path, nargs="*", default=[], metavar="FOLDER")
    arguments.add_argument("--pairs", type=Path, nargs="*", default=[], metavar="FILE")
    arguments.add_argument("--text", type=Path, nargs="*", default=[], metavar="FILE")
    arguments.add_argument("-o", "--output", type=Path, required=True)
    given = arguments.parse_args()
    splitter = spindle.load().splitter
    firsts = (
        "\n\n".join(line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines())
        for path in given.pairs
    )
    texts = (path.read_text(encoding="utf-8") for path in given.text)
    sources = chain(
        chain.from_iterable(map(tagged_sentences, given.tagged)),
        chain.from_iterable(split_sentences(text, splitter) for text in chain(firsts, texts)),
    )
    # a dictionary keeps the order; blanks inside a token would split it
    lines = dict.fromkeys(" ".join("".join(word.split()) for word in words) for words in sources if words)
    given.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    words = sum(line.count(" ") + 1 for line in lines)
    print(f"{given.output}: {len(lines):,} sentences, {words:,} words")


if __name__ == "__main__":
    main()
