"""Guess the head rules from labels and tags."""

from collections.abc import Iterator

import pytest

from spindle.heads import SAMPLE_TREES, guess_rules, load_rules
from spindle.trees import Token, Tree


def flat(label: str, tags: str) -> Tree:
    words = tuple(Token("word", tag) for tag in tags.split())
    return Tree(words, (label,), (-1,), (0,) * len(words))


@pytest.mark.parametrize(
    ("label", "tags", "name"),
    [
        ("S", "DT NN VBZ DT JJ NNS .", "collins"),
        ("S", "ART NN VVFIN ART ADJA NN $.", "negra"),
        ("SENT", "DET NC V DET NC PONCT", "french"),
        ("smain", "lid n ww lid n let", "alpino"),
        ("IP", "NR VV NN PU", "chinese"),
        ("IP-MAT", "PRO-N VBPI D-A N-A .", "icelandic"),
        ("S", "NNP VB SC NN Z", "indonesian"),
        ("S", "PM VB NN MAD", "swedish"),
        ("VNP", "NNG+JX NNG+VCP+EF", "korean"),
        ("XYZ", "a b c", "leftmost-word"),
        ("SIMPX", "ART NN VVFIN $.", "leftmost-word"),  # German tags, but phrase labels that no table has
    ],
)
def test_the_labels_tell_the_table(label: str, tags: str, name: str) -> None:
    guess = guess_rules([flat(label, tags)])
    assert guess.name == name
    load_rules(guess.name)


def test_only_the_first_trees_are_read() -> None:
    taken = []

    def trees() -> Iterator[Tree]:
        for number in range(2 * SAMPLE_TREES):
            taken.append(number)
            yield flat("S", "DT NN VBZ") if number < SAMPLE_TREES else flat("SENT", "DET NC V")

    assert guess_rules(trees()).name == "collins"
    assert len(taken) == SAMPLE_TREES


def test_the_reason_is_for_people() -> None:
    assert guess_rules([flat("S", "DT NN VBZ DT NNS")]).reason == (
        "the labels are those of English in Penn Treebank style"
    )
    assert guess_rules([]) == ("leftmost-word", "no table fits the labels of this treebank")
    assert guess_rules([Tree((Token("Yes"),), (), (), (-1,))]).name == "leftmost-word"
