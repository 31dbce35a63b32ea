"""Give the words of english-gum and english-craft their raw text back, as CoNLL-U with `SpaceAfter=No`.

    git clone https://github.com/UniversalDependencies/UD_English-GUM gum
    git clone https://github.com/UCDenver-ccp/CRAFT craft
    python benchmarks/raw_text.py gum craft -o raw

The sentences and words are those of the treebanks in `../shared`. The blanks and paragraphs come from
documents that other people publish: the sources of UD_English-GUM (`SpaceAfter`, `newpar`), and the articles
of CRAFT, which are plain text. The files are `english-gum-dev.conllu`, `english-gum-train.conllu`,
`english-craft-dev.conllu`, `english-craft-train.conllu`, and `free-train.conllu`, which holds what the
bundled models may learn from: the free genres of GUM, and CRAFT.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bundled_model import FREE_GENRES
from measuring import TREEBANKS, command_line
from spindle.text.alignment import Placed, align
from spindle.treebanks import read_trees


class Document(NamedTuple):
    """A document: the words of its sentences, and its raw text."""

    name: str
    sentences: list[list[str]]
    text: str


# ── GUM ──────────────────────────────────────────────────────────────────────────────────────────────


def gum_documents(clone: Path, part: str) -> Iterator[Document]:
    """Yield the documents of a part, in the order of the treebank."""
    name, sentences = "", list[list[str]]()
    for line in (TREEBANKS / "english-gum" / f"{part}.conllu").read_text("utf-8").splitlines():
        if line.startswith("# newdoc id = "):
            if name:
                yield Document(name, sentences, gum_text(clone, name))
            name, sentences = line.partition("= ")[2], []
        elif line.startswith("# sent_id"):
            sentences.append([])
        elif line:
            sentences[-1].append(line.split("\t")[1])
    yield Document(name, sentences, gum_text(clone, name))


def gum_text(clone: Path, name: str) -> str:
    """Return the raw text of a document, with an empty line between paragraphs."""
    pieces: list[str] = []
    inside = 0
    for line in stored(clone, f"not-to-release/sources/{name}.conllu").splitlines():
        if line == "# newpar" and pieces:
            pieces[-1] = pieces[-1].rstrip() + "\n\n"
        if not line or line.startswith("#"):
            inside = 0
            continue
        number, form, *_, misc = line.split("\t")
        first, _, last = number.partition("-")
        if last:
            inside = int(last)
        elif "." in number or int(first) <= inside:
            continue
        pieces.append(form if "SpaceAfter=No" in misc else form + " ")
    return "".join(pieces)


# ── CRAFT ────────────────────────────────────────────────────────────────────────────────────────────


def craft_documents(clone: Path, part: str) -> Iterator[Document]:
    """Yield the articles of a part; every article starts with a title."""
    names = [
        name for name in listed(clone, "articles/txt") if name.endswith(".txt") and "copyright" not in name
    ]
    texts = {squeezed(text)[:60]: text for text in (stored(clone, name) for name in names)}
    starts: list[tuple[int, str]] = []
    trees = read_trees(TREEBANKS / "english-craft" / f"{part}.ptb")
    words = [[token.form for token in tree.tokens if not token.is_empty] for tree in trees]
    for number in range(len(words)):
        start = squeezed("".join(word for sentence in words[number : number + 12] for word in sentence))[:60]
        if start in texts:
            starts.append((number, texts[start]))
    ends = [number for number, _ in starts[1:]] + [len(words)]
    for index, ((start_at, text), end) in enumerate(zip(starts, ends, strict=True), start=1):
        yield Document(f"{part}-{index}", words[start_at:end], text)


def squeezed(text: str) -> str:
    """Return a text without blanks."""
    return "".join(text.split())


def listed(clone: Path, folder: str) -> list[str]:
    """Return the files in a folder of a clone."""
    return git(clone, "ls-tree", "-r", "--name-only", "HEAD", folder).splitlines()


def stored(clone: Path, path: str) -> str:
    """Return the text of a file in a clone, which needs no work tree."""
    return git(clone, "show", f"HEAD:{path}")


def git(clone: Path, *arguments: str) -> str:
    """Return the output of git in a clone."""
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def conllu(document: Document, sentences: Sequence[Sequence[Placed]]) -> Iterator[str]:
    """Yield the lines of a document."""
    yield f"# newdoc id = {document.name}\n"
    is_new_paragraph = True
    for number, sentence in enumerate(sentences, start=1):
        if is_new_paragraph:
            yield "# newpar\n"
        yield f"# sent_id = {document.name}-{number}\n"
        for at, (form, blanks) in enumerate(sentence, start=1):
            misc = "_" if blanks else "SpaceAfter=No"
            yield f"{at}\t{form}\t_\t_\t_\t_\t{at - 1}\t_\t_\t{misc}\n"
        yield "\n"
        is_new_paragraph = "\n" in sentence[-1].blanks


def main() -> None:
    """Write the files and report how much of the treebanks was found in the texts."""
    arguments = command_line(__doc__)
    arguments.add_argument("gum", type=Path)
    arguments.add_argument("craft", type=Path)
    arguments.add_argument("-o", "--output", type=Path, required=True)
    given: argparse.Namespace = arguments.parse_args()
    given.output.mkdir(exist_ok=True)
    free: list[str] = []
    for name, documents in (("english-gum", gum_documents), ("english-craft", craft_documents)):
        clone = given.gum if name == "english-gum" else given.craft
        for part in ("train", "dev"):
            lines: list[str] = []
            kept = lost = 0
            for document in documents(clone, part):
                sentences, missing = align(document.sentences, document.text)
                rows = list(conllu(document, sentences))
                lines += rows
                if part == "train" and (
                    name == "english-craft" or document.name.split("_")[1] in FREE_GENRES
                ):
                    free += rows
                kept, lost = kept + len(sentences), lost + missing
            (given.output / f"{name}-{part}.conllu").write_text("".join(lines), "utf-8")
            print(f"{name} {part}: {kept:,} sentences; {lost:,} are not in the texts and left out")
    (given.output / "free-train.conllu").write_text("".join(free), "utf-8")


if __name__ == "__main__":
    main()
