"""The real treebanks in graph formats: the counts of their README, and lossless round trips."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from spindle.errors import TreebankError
from spindle.treebanks.alpino import read_alpino
from spindle.treebanks.export import read_export, write_export, write_export3
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.treebanks.tigerxml import read_tigerxml, write_tigerxml
from spindle.trees import Tree

PUNCTUATION = {"let", "$,", "$.", "$("}
# sentences, tokens, and the percentage of discontinuous trees without punctuation and with it
COUNTED = {
    "dutch-alpino/train": (5709, 113_201, 48.7, 69.4),
    "dutch-alpino/dev": (713, 13_560, 43.5, 63.1),
    "german-pcc/train": (1773, 26_831, 30.9, 61.9),
    "german-pcc/dev": (207, 3152, 25.6, 58.5),
}
_read: dict[str, list[Tree]] = {}


def export(treebanks: Path, name: str) -> list[Tree]:
    """Return the trees of an export file, all of which must be readable; read once for all tests."""
    if name not in _read:
        report = ReadingReport()
        _read[name] = whole(read_export(Source(str(treebanks / f"{name}.export")), report))
        assert not report.counts
    return _read[name]


def whole(items: Iterable[Tree | TreebankError]) -> list[Tree]:
    trees = []
    for item in items:
        assert isinstance(item, Tree), item
        trees.append(item)
    return trees


def has_gap(tree: Tree, ignored: set[str]) -> bool:
    """Return whether a node has a gap with a token whose tag is not ignored."""
    places = [position for position, token in enumerate(tree.tokens) if token.tag not in ignored]
    rank = {position: number for number, position in enumerate(places)}
    for node in tree.nodes():
        ranks = [rank[position] for position in node.positions if position in rank]
        if any(right - left > 1 for left, right in pairwise(ranks)):
            return True
    return False


@pytest.mark.parametrize("name", COUNTED)
def test_counts_are_those_of_the_readme(treebanks: Path, name: str) -> None:
    trees = export(treebanks, name)
    sentences, tokens, without_punctuation, with_punctuation = COUNTED[name]
    assert (len(trees), sum(map(len, trees))) == (sentences, tokens)
    for ignored, percentage in ((PUNCTUATION, without_punctuation), (set[str](), with_punctuation)):
        share = 100 * sum(has_gap(tree, ignored) for tree in trees) / len(trees)
        assert round(share, 1) == percentage


@pytest.mark.parametrize("name", COUNTED)
def test_export_survives_export(treebanks: Path, name: str) -> None:
    trees = export(treebanks, name)
    text = "".join(write_export(trees))
    assert whole(read_export(Source.from_text(text), ReadingReport())) == trees
    if name.endswith("dev"):
        bare = [
            tree.replace(tokens=tuple(token._replace(lemma="") for token in tree.tokens)) for tree in trees
        ]
        text = "".join(write_export3(trees))
        assert whole(read_export(Source.from_text(text), ReadingReport())) == bare


@pytest.mark.parametrize("name", COUNTED)
def test_export_survives_tigerxml(treebanks: Path, name: str) -> None:
    trees = export(treebanks, name)
    text = "".join(write_tigerxml(trees))
    assert whole(read_tigerxml(Source.from_text(text), ReadingReport())) == trees


def test_tigerxml_says_what_export_says(treebanks: Path) -> None:
    """Equal except for ids, secondary edges and comments, which only the TIGER-XML files have."""
    trees: list[Tree] = []
    report = ReadingReport()
    for file in sorted((treebanks / "german-pcc/dev-tigerxml").glob("*.xml")):
        read = whole(read_tigerxml(Source(str(file)), report))
        trees += [tree.replace(id=f"{file.stem}_{tree.id}") for tree in read]
    assert not report.counts
    assert [tree.replace(secondary=(), comments=()) for tree in trees] == export(treebanks, "german-pcc/dev")
    assert sum(len(tree.secondary) for tree in trees) == 24
    text = "".join(write_tigerxml(trees))
    assert whole(read_tigerxml(Source.from_text(text), ReadingReport())) == trees
    text = "".join(write_export(trees))
    assert whole(read_export(Source.from_text(text), ReadingReport())) == trees


def test_alpino_says_what_export_says(treebanks: Path) -> None:
    """Equal except for comments, and for a blank in one lemma, where the export file has `_`."""
    report = ReadingReport()
    trees = whole(read_alpino(Source(str(treebanks / "dutch-alpino/dev-100.xml")), report))
    assert not report.counts
    bare = [
        tree.replace(
            comments=(),
            tokens=tuple(token._replace(lemma=token.lemma.replace(" ", "_")) for token in tree.tokens),
        )
        for tree in trees
    ]
    assert bare == export(treebanks, "dutch-alpino/dev")[:100]
    assert all(tree.comments[0].startswith("text = ") for tree in trees)
    for id in ("cdb_1", "cdb_10"):
        (tree,) = whole(read_alpino(Source(str(treebanks / f"dutch-alpino/alpino-xml/{id}.xml")), report))
        assert tree.id == id
