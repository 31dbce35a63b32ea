"""The treebanks of the paper, read from licensed copies in the layout of their distributions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path

from measuring import has_words
from spindle.errors import SpindleError
from spindle.treebanks import read_dependencies, read_trees
from spindle.trees import Dependencies, Token, Tree

PARTS = ("train", "dev", "test")


class Problem(SpindleError):
    """A file is missing, or the number of sentences is not that of the paper."""


@dataclass(frozen=True)
class Corpus:
    """The parts of a treebank; `provided` has the sentences with the predicted tags, lemmas and morphology
    that come with it.
    """

    name: str
    parts: Mapping[str, tuple[Tree, ...]]
    provided: Mapping[str, tuple[tuple[Token, ...], ...]] = field(default_factory=dict)

    def checked(self, counts: Sequence[int], any_count: bool) -> Corpus:
        """Return the corpus without trees that have only traces.

        Prints the numbers of sentences, and raises a `Problem` if they are not those of the paper.
        """
        found = [len(self.parts[part]) for part in PARTS]
        actual = f"{self.name}: {' / '.join(f'{count:,}' for count in found)} sentences"
        print(f"{actual} (train / dev / test)", file=sys.stderr, flush=True)
        if found != list(counts) and not any_count:
            expected = " / ".join(f"{count:,}" for count in counts)
            raise Problem(f"{actual}, where the paper has {expected}; --any-count continues anyway")
        kept = {part: list(map(has_words, trees)) for part, trees in self.parts.items()}
        return Corpus(
            self.name,
            {part: tuple(compress(trees, kept[part])) for part, trees in self.parts.items()},
            {part: tuple(compress(sentences, kept[part])) for part, sentences in self.provided.items()},
        )


def find_file(path: Path, what: str, *patterns: str) -> Path:
    """Return the first file under a folder that matches the first possible pattern."""
    for pattern in patterns:
        if found := sorted(file for file in path.rglob(pattern) if file.is_file()):
            return found[0]
    raise Problem(f"{path}: there is no {what} here; its name would be {' or '.join(patterns)}")


def ptb(path: Path) -> Corpus:
    """Read the Wall Street Journal sections of the Penn Treebank."""
    for folder in (path, *sorted(path.rglob("*"))):
        if folder.name.lower() == "wsj" and any(folder.glob("23/*.[mM][rR][gG]")):
            sections = {"train": range(2, 22), "dev": range(22, 23), "test": range(23, 24)}
            return Corpus(
                "PTB",
                {part: tuple(_sections(folder, numbers)) for part, numbers in sections.items()},
            )
    raise Problem(f"{path}: there is no parsed/mrg/wsj with a section 23 here")


def _sections(folder: Path, numbers: range) -> Iterator[Tree]:
    for number in numbers:
        for file in sorted((folder / f"{number:02}").glob("*.[mM][rR][gG]")):
            yield from read_trees(str(file))


def spmrl(path: Path, language: str, kind: str = "ptb") -> Corpus:
    """Read a treebank of the SPMRL shared task, in the format `ptb` or `xml`, with its predicted tags."""
    name = language.capitalize()
    folder = spmrl_folder(path, language)
    parts: dict[str, tuple[Tree, ...]] = {}
    provided: dict[str, tuple[tuple[Token, ...], ...]] = {}
    for part in PARTS:
        names = spmrl_names(part, name)
        trees = find_file(folder / "gold" / kind, f"{part} part", *(f"{one}.gold.{kind}" for one in names))
        tags = find_file(folder / "pred" / "conll", f"{part} part", *(f"{one}.pred.conll" for one in names))
        parts[part] = tuple(read_trees(str(trees)))
        rows = tuple(read_dependencies(str(tags), "conllx"))
        provided[part] = tuple(_provided(parts[part], rows, f"{name} {part}"))
    return Corpus(name, parts, provided)


def spmrl_folder(path: Path, language: str) -> Path:
    """Return the folder of a language."""
    name = f"{language.upper()}_SPMRL"
    folder = next((one for one in (path, *path.rglob("*")) if one.name == name), None)
    if folder is None:
        raise Problem(f"{path}: there is no folder {name} here")
    return folder


def spmrl_names(part: str, name: str) -> list[str]:
    """Return the possible names of a part; Hebrew and Swedish have only a small training part."""
    return [f"{one}/{one}.{name}" for one in ((part, f"{part}5k") if part == "train" else (part,))]


def _provided(trees: Sequence[Tree], rows: Sequence[Dependencies], name: str) -> Iterator[tuple[Token, ...]]:
    """Yield the words of trees with the tags, lemmas and morphology of the same sentences in another file.

    The fine tags, as in the experiments of the paper: its scripts copied them over the coarse ones. A tree of
    traces only has no words, and may have no row in the other file.
    """
    worded = sum(map(has_words, trees))
    if len(rows) not in (len(trees), worded):
        raise Problem(f"{name}: {len(trees):,} trees, but {len(rows):,} sentences with predicted tags")
    sentences = iter(rows)
    for number, tree in enumerate(trees, start=1):
        tokens = [token for token in tree.tokens if not token.is_empty]
        sentence = next(sentences) if tokens or len(rows) == len(trees) else Dependencies(())
        if len(tokens) != len(sentence) and tokens:
            raise Problem(
                f"{name}, sentence {number}: {len(tokens)} words in the tree, "
                f"but {len(sentence)} with predicted tags"
            )
        yield tuple(
            token._replace(tag=word.xpos or word.upos, lemma=word.lemma, morph=word.feats, function="")
            for token, word in zip(tokens, sentence.words, strict=False)
        )


def tiger_hn(path: Path) -> Corpus:
    """Read TIGER in the split of Hall and Nivre."""
    file = find_file(path, "TIGER treebank", "tiger*.export*", "*.export*", "tiger*.xml*", "*.xml")
    parts: dict[str, list[Tree]] = {part: [] for part in PARTS}
    for number, tree in enumerate(read_trees(str(file)), start=1):
        parts[{0: "test", 9: "dev"}.get(number % 10, "train")].append(tree)
    return Corpus("TIGER-H&N", {part: tuple(trees) for part, trees in parts.items()})


def negra(path: Path) -> Corpus:
    """Read NEGRA, split by the numbers of its sentences."""
    file = find_file(path, "NEGRA treebank", "negra*.export*", "*.export*")
    numbers = {"train": range(1, 18_603), "dev": range(19_603, 20_603), "test": range(18_603, 19_603)}
    trees = list(read_trees(str(file)))
    return Corpus(
        "NEGRA",
        {part: tuple(tree for tree in trees if _number(tree) in chosen) for part, chosen in numbers.items()},
    )


def _number(tree: Tree) -> int:
    digits = "".join(character for character in tree.id if character.isdecimal())
    return int(digits) if digits else 0
