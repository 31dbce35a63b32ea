"""The public readers count what the README of the treebanks says.

Two kinds of figures differ:
- english-craft has words that contain a thin space; the README does not count them, the readers do;
- for icelandic-modern and indonesian, the README gives the number of tokens only approximately.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from spindle.treebanks.files import read_trees
from spindle.treebanks.transforms import move_punctuation, remove_punctuation
from spindle.trees import Tree
from spindle.trees.punctuation import is_punctuation


class Counts(NamedTuple):
    sentences: int
    words: int
    empties: int = 0


COUNTS = {
    "english-gum/train.ptb": Counts(10_224, 177_410),
    "english-gum/dev.ptb": Counts(1_575, 28_119),
    "english-craft/train.ptb": Counts(18_951, 493_372 + 8, 516_696 - 493_372),
    "english-craft/dev.ptb": Counts(2_780, 67_650 + 2, 70_618 - 67_650),
    "dutch-alpino/train.export": Counts(5_709, 113_201),
    "dutch-alpino/dev.export": Counts(713, 13_560),
    "dutch-alpino/dev-100.xml": Counts(100, 2_125),
    "german-pcc/train.export": Counts(1_773, 26_831),
    "german-pcc/dev.export": Counts(207, 3_152),
    "german-pcc/dev-tigerxml": Counts(207, 3_152),
    "french-sequoia/train.mrg": Counts(2_231, 48_088),
    "french-sequoia/dev.mrg": Counts(412, 9_488),
    "icelandic-modern/train": Counts(3_636, 65_060, 7_123),
    "icelandic-modern/dev": Counts(545, 8_833, 920),
    "indonesian/train.bracket": Counts(824, 20_989, 2_074),
    "indonesian/dev.bracket": Counts(103, 3_075, 325),
}

# percentage of discontinuous trees: without punctuation, and with punctuation as in the file
DISCONTINUOUS = {
    "dutch-alpino/train.export": (48.7, 69.4),
    "dutch-alpino/dev.export": (43.5, 63.1),
    "german-pcc/train.export": (30.9, 61.9),
    "german-pcc/dev.export": (25.6, 58.5),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(treebanks: Path, name: str) -> None:
    sentences = words = empties = 0
    for tree in read_trees(treebanks / name):
        sentences += 1
        here = sum(token.is_empty for token in tree.tokens)
        empties += here
        words += len(tree) - here
    assert Counts(sentences, words, empties) == COUNTS[name]


@pytest.mark.parametrize("name", DISCONTINUOUS)
def test_discontinuity(treebanks: Path, name: str) -> None:
    trees = list(read_trees(treebanks / name))

    def share(trees: list[Tree]) -> float:
        return round(100 * sum(not tree.is_continuous for tree in trees) / total, 1)

    total = len(trees)
    words = [remove_punctuation(tree) for tree in trees if not all(map(is_punctuation, tree.tokens))]
    assert (share(words), share(trees)) == DISCONTINUOUS[name]
    # punctuation that is moved into the tree adds no discontinuity
    assert share([move_punctuation(tree) for tree in trees]) == DISCONTINUOUS[name][0]
