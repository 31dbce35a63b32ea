"""The treebank of everyday English in this repository keeps to its own rules."""

import re
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from spindle.heads import HeadFinder, load_rules
from spindle.reduction import decode, encode
from spindle.treebanks import read_trees
from spindle.treebanks.transforms.penn import to_penn
from spindle.trees import Tree

FOLDER = Path(__file__).parents[2] / "treebanks" / "everyday"
LABELS = (
    "ROOT S SBAR SBARQ SINV SQ NP VP PP ADJP ADVP PRT INTJ FRAG PRN QP UCP NAC CONJP LST"
    " WHNP WHPP WHADVP WHADJP"
)
TAGS = (
    "CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH"
    " VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB . , : `` '' $ -LRB- -RRB-"
)
CLOSED = {
    "MD": "can could will would shall should may might must ought ca wo 'll 'd",
    "EX": "there",
    "TO": "to na ta",
    "POS": "'s '",
    "CC": "and or but nor either neither both",
    "WP": "who what whom",
    "WP$": "whose",
    "WDT": "which what that",
    "WRB": "when where why how whenever",
    "PRP$": "my your his her its our their",
}
"""All words of these tags."""
ENDINGS = {"VBZ": "s", "VBG": "(ing|gon)", "NNS": "(s|children|feet|gentlemen|people|police|women)"}
PUNCTUATION = {".": ".?!", ",": ",", ":": ":;--", "``": '"', "''": '"', "$": "$"}
WORDS_ABOVE = {"PRT": {"RP"}, "INTJ": {"UH"}, "LST": {"LS", ".", "-RRB-"}}
"""The tags that may stand directly below these labels, beside punctuation."""


def trees_of(part: str) -> list[Tree]:
    return list(read_trees(FOLDER / f"{part}.ptb"))


@pytest.fixture(scope="module")
def trees() -> list[Tree]:
    return [*trees_of("train"), *trees_of("dev")]


def words(tree: Tree) -> str:
    return " ".join(token.form for token in tree.tokens)


def test_sizes_are_those_of_the_readme() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    sizes = {}
    for part in ("train", "dev"):
        read = trees_of(part)
        sizes[part] = len(read)
        assert f"| `{part}.ptb` | {len(read)} | {sum(map(len, read)):,} |" in page
    assert sum(sizes.values()) >= 400
    assert sizes["train"] == pytest.approx(3 * sizes["dev"], abs=3)


def test_no_sentence_has_two_trees(trees: list[Tree]) -> None:
    assert [text for text, number in Counter(map(words, trees)).items() if number > 1] == []


def test_inventory(trees: list[Tree]) -> None:
    assert set(chain.from_iterable(tree.labels for tree in trees)) == set(LABELS.split())
    assert {token.tag for tree in trees for token in tree.tokens} <= set(TAGS.split())
    for tree in trees:
        assert tree.labels[0] == "ROOT", words(tree)
        assert len(tree.children[0]) == 1, words(tree)
        assert tree.is_continuous, words(tree)
        assert to_penn(tree) == tree, words(tree)


def test_tags_fit_words(trees: list[Tree]) -> None:
    for tree in trees:
        for token in tree.tokens:
            form = token.form.lower()
            assert form in CLOSED.get(token.tag, form).split(), (token, words(tree))
            assert re.search(f"{ENDINGS.get(token.tag, '')}$", form), (token, words(tree))
            if token.tag in PUNCTUATION:
                assert form in PUNCTUATION[token.tag], words(tree)


def test_structure(trees: list[Tree]) -> None:
    """Auxiliaries nest, PRT, INTJ and LST have only their words, clauses with WH-phrases have a clause."""
    for tree in trees:
        size = len(tree)
        for label, children in zip(tree.labels, tree.children, strict=True):
            below = [
                tree.labels[child - size] if child >= size else tree.tokens[child].tag for child in children
            ]
            place = f"{label} -> {' '.join(below)}: {words(tree)}"
            if label in WORDS_ABOVE:
                assert set(below) <= WORDS_ABOVE[label] | {".", ",", ":"}, place
            if label == "SBARQ":
                assert "SQ" in below, place
                assert any(child.startswith("WH") for child in below), place
            if label == "SBAR":
                assert {"S", "SINV"} & set(below), place
                assert not {"WDT", "WP", "WRB"} & set(below), place
            if label == "VP" and "TO" in below:
                assert below in (["TO", "VP"], ["TO"]), place
            if label == "VP" and "MD" in below and len(below) > 1:
                assert {"VP", "S", "RB"} & set(below), place
            if label == "PP" and "IN" in below and len(below) > 1:
                assert below[0] in ("IN", "ADVP", "JJ", "RB"), place
            if label in ("NP", "VP", "S"):
                assert not {"WRB", "WP"} & set(below), place


def test_reduction(trees: list[Tree]) -> None:
    finder = HeadFinder(load_rules("collins"))
    for tree in trees:
        assert decode(encode(finder(tree))) == tree
