"""Rules induced from dependencies."""

from collections.abc import Iterator
from itertools import groupby, product

from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.heads import (
    HeadRules,
    Step,
    agreement,
    find_heads,
    format_rules,
    induce_rules,
    load_rules,
    overall,
    parse_rules,
)
from spindle.heads.steps import Place
from spindle.trees import ROOT, Dependencies, Token, Tree, Word

LABELS = "ABCDE"


@st.composite
def known_rules(draw: st.DrawFn) -> HeadRules:
    """Return rules for X with every kind of step that can be learned."""
    steps = []
    order = draw(st.permutations(LABELS))
    groups = draw(st.lists(st.integers(0, 3), min_size=len(order), max_size=len(order)).map(sorted))
    for _, members in groupby(zip(groups, order, strict=True), key=lambda item: item[0]):
        labels = tuple(label for _, label in members)
        place: Place = draw(st.sampled_from(["leftmost", "rightmost"]))
        steps.append(Step(place, labels, draw(st.sampled_from(["priority", "of"]))))
    return HeadRules("known", "known", {"X": tuple(steps)})


def treebank(rules: HeadRules) -> Iterator[tuple[Tree, Dependencies]]:
    """Yield phrases of up to three children and a full stop, with the dependencies that follow the rules."""
    for size in (2, 3):
        for tags in product(LABELS, repeat=size):
            tokens = (*(Token(tag.lower(), tag) for tag in tags), Token(".", "."))
            tree = find_heads(Tree(tokens, ("X",), (-1,), (0,) * len(tokens)), rules)
            assert tree.heads is not None
            head = tree.heads[0]
            words = (Word(token.form, head=0 if i == head else head + 1) for i, token in enumerate(tokens))
            yield tree.replace(heads=None), Dependencies(tuple(words))


@settings(max_examples=40, deadline=None)
@given(known_rules())
def test_what_can_be_learned_is_learned(rules: HeadRules) -> None:
    """All heads of the held-out cases are found."""
    induction = induce_rules(treebank(rules), load_rules("leftmost"))
    found = overall(agreement(induction.rules, induction.held_out).values())
    assert found.total == 15
    assert found.percent == 100


def test_induced_rules_can_be_written_and_read() -> None:
    rules = HeadRules(
        "known", "known", {"X": (Step("rightmost", ("A", "B"), "of"), Step("leftmost", ("C",)))}
    )
    induced = induce_rules(treebank(rules), load_rules("leftmost")).rules
    assert parse_rules(format_rules(induced), induced.name) == induced
    assert induced.steps["X"][0] == Step("rightmost", ("A", "B"), "of")


def test_only_clear_cases_are_learned_from() -> None:
    tokens = Token("a", "A"), Token("b", "B"), Token("c", "C")
    tree = Tree(tokens, ("S", "X"), (-1, 0), (1, 1, 0))
    unclear = Dependencies(
        tuple(Word(token.form, head=head) for token, head in zip(tokens, (3, 3, 0), strict=True))
    )
    induction = induce_rules([(tree, unclear)], load_rules("leftmost"))
    assert set(induction.rules.steps) == {"S"}
    assert +induction.counts == {
        "several children governed from outside": 1,
        "head given by the dependencies": 1,
    }


def test_odd_labels_do_not_get_into_rules() -> None:
    """A label that is empty, has blanks, or is a reserved word gets no rule; the default applies."""
    tokens = Token("a", "with"), Token("b", "two words"), Token("c", "")
    pairs = []
    for label in ("", "of", "X", "A B"):
        tree = Tree(tokens, (label,), (ROOT,), (0, 0, 0))
        words = tuple(Word(token.form, head=head) for token, head in zip(tokens, (3, 3, 0), strict=True))
        pairs.append((tree, Dependencies(words)))
    induced = induce_rules(pairs, load_rules("leftmost")).rules
    assert induced.steps == {"ROOT": (Step("rightmost"),), "X": (Step("rightmost"),)}
    assert parse_rules(format_rules(induced), induced.name) == induced


def test_nothing_to_learn_from() -> None:
    induction = induce_rules([], load_rules("leftmost"))
    assert induction.rules.steps == {}
    assert overall(agreement(induction.rules, induction.held_out).values()).percent == 0
