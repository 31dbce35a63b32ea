"""The tables on real treebanks: nearly all labels have a rule, and the heads are as expected."""

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from spindle.cli import common
from spindle.cli.common import choose_heads
from spindle.heads import HeadFinder, agreement, guess_rules, induce_rules, load_rules, overall
from spindle.heads.guess import count_labels
from spindle.treebanks.files import read_dependencies, read_trees
from spindle.treebanks.transforms import apply, plan
from spindle.trees import Tree
from spindle.trees.punctuation import is_punctuation

EXPECTED = {
    "english-craft/dev.ptb": "collins",
    "english-gum/dev.ptb": "collins",
    "dutch-alpino/dev.export": "alpino",
    "german-pcc/dev.export": "negra",
    "french-sequoia/dev.mrg": "french",
    "icelandic-modern/dev": "icelandic",
    "indonesian/dev.bracket": "indonesian",
}


def some_trees(treebanks: Path, name: str) -> list[Tree]:
    return list(islice(read_trees(treebanks / name), 500))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_guessed_table_knows_the_labels(treebanks: Path, name: str) -> None:
    trees = some_trees(treebanks, name)
    guess = guess_rules(trees)
    assert guess.name == EXPECTED[name]
    finder = HeadFinder(load_rules(guess.name))
    headed = [finder(tree) for tree in trees]
    branching = sum(len(children) > 1 for tree in trees for children in tree.children)
    assert finder.unknown.total() < 0.01 * branching, finder.unknown.most_common(5)
    clauses = [tree for tree in headed if tree.labels]
    assert clauses
    for tree in clauses:
        assert tree.heads is not None
        if not all(token.is_empty or is_punctuation(token) for token in tree.tokens):
            head = tree.tokens[tree.heads[0]]
            assert not head.is_empty, tree.id
            assert not is_punctuation(head), tree.id


STRIPPED: list[dict[str, Any]] = [
    {"strip": ["traces"]},
    {"strip": ["functions"]},
    {"strip": ["indices"]},
    {"strip": ["wrapper"]},
    {"strip": ["traces", "functions", "indices", "wrapper"]},
    {"punctuation": "move"},
    {"punctuation": "remove"},
    {"wrapper": "TOP"},
]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_guess_is_the_same_for_raw_and_stripped_trees(treebanks: Path, name: str) -> None:
    """Even the counts that the guess is based on are equal."""
    raw = some_trees(treebanks, name)
    guess, counts = guess_rules(raw), count_labels(raw)
    assert guess.name == EXPECTED[name]
    for options in STRIPPED:
        stripped = [tree for tree in apply(plan(**options), raw) if isinstance(tree, Tree)]
        assert guess_rules(stripped) == guess, options
        assert count_labels(stripped) == counts, options


def test_encode_guesses_from_the_same_trees(treebanks: Path, spindle_notes: list[str]) -> None:
    """The command line samples as `guess_rules` does, and puts the sampled trees back into the stream."""
    path = treebanks / "english-gum/dev.ptb"
    finder, name, trees = choose_heads(read_trees(path), None)
    assert finder.rules == load_rules(name)
    assert name == guess_rules(read_trees(path)).name
    assert spindle_notes == [f"head rules: {name} ({guess_rules(read_trees(path)).reason})"]
    assert list(trees) == list(read_trees(path))


@pytest.fixture
def spindle_notes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    notes: list[str] = []
    monkeypatch.setattr(common, "note", notes.append)
    return notes


@pytest.mark.parametrize("name", ["german-pcc/dev.export", "dutch-alpino/dev.export"])
def test_the_treebanks_own_edges(treebanks: Path, name: str) -> None:
    """With edges first, the only head edge of a node always wins."""
    finder = HeadFinder(load_rules(EXPECTED[name]), edges_first=True)
    checked = 0
    for tree in map(finder, some_trees(treebanks, name)):
        assert tree.heads is not None
        for node in tree.nodes():
            marked = [child for child in node.children if child.function.upper() == "HD"]
            if len(marked) == 1:
                checked += 1
                assert node.head == marked[0].head
    assert checked > 300


def test_tables_for_german_agree_on_most_clauses(treebanks: Path) -> None:
    """Rules by edge and rules by category, from different sources, find mostly the same heads."""
    trees = some_trees(treebanks, "german-pcc/dev.export")
    by_category, by_edge = HeadFinder(load_rules("negra")), HeadFinder(load_rules("tiger-edges"))
    same = {"S": 0, "PP": 0, "NP": 0}
    total = dict.fromkeys(same, 0)
    for tree in trees:
        for label, one, other in zip(
            tree.labels, by_category(tree).heads or (), by_edge(tree).heads or (), strict=True
        ):
            if label in same:
                total[label] += 1
                same[label] += one == other
    assert all(same[label] > 0.85 * total[label] for label in same), (same, total)


def test_induction_beats_a_table_made_for_other_heads(treebanks: Path) -> None:
    """Heads are content words in UD: induced rules find them, the rules of Collins do not."""
    folder = treebanks / "english-gum"
    pairs = zip(read_trees(folder / "dev.ptb"), read_dependencies(folder / "dev.conllu"), strict=True)
    collins = load_rules("collins")
    induction = induce_rules(pairs, collins)
    induced = overall(agreement(induction.rules, induction.held_out).values())
    assert induced.percent > 91
    assert overall(agreement(collins, induction.held_out).values()).percent < 75
