"""Morphology as single attributes: `case=nom` is known in a word of new morphology; older models lack it."""

from __future__ import annotations

from itertools import product

import pytest

from spindle.models import ModelPart
from spindle.parsers import Example, FitSettings
from spindle.parsers.linear import Labeler, LinearParser, UnaryClassifier
from spindle.parsers.linear.parser import LinearOptions
from spindle.parsers.order import Order
from spindle.reduction import Mode, Place
from spindle.trees import DTree, Token
from support.watching import Diary

CASES, NUMBERS = ("nom", "acc", "dat", "gen"), ("1", "2", "3", "4", "5")
PAIRS = list(product(CASES, NUMBERS))
SEEN = [pair for at, pair in enumerate(PAIRS) if at % 3]  # every case and every number
UNSEEN = [pair for at, pair in enumerate(PAIRS) if at % 3 == 0]
STYLES = ("case={}|num={}", "N(soort,{},{})", "{}.{}")

Headed = tuple[tuple[Token, ...], tuple[int, ...]]
"""The words of a sentence and their heads."""


def word(tag: str, style: str, pair: tuple[str, str]) -> Token:
    return Token("w", tag, morph=style.format(*pair))


def sentences(style: str, adjectives: list[tuple[str, str]]) -> list[Headed]:
    """Return sentences of noun, adjective, noun, verb; the adjective belongs to the noun of its case."""
    found: list[Headed] = []
    for at, (case, number) in enumerate(adjectives):
        for shift in (1, 2, 3):
            other = CASES[(CASES.index(case) + shift) % 4]
            own = (case, NUMBERS[(at * 7 + shift) % 5])
            wrong = (other, number)
            for left, right, head in ((own, wrong, 0), (wrong, own, 2)):
                tokens = (
                    word("N", style, left),
                    word("A", style, (case, number)),
                    word("N", style, right),
                    Token("w", "V"),
                )
                found.append((tokens, (3, head, 3, -1)))
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("order", [Order.BASIC, Order.STANDARD])
def test_agreement_in_one_attribute_is_learnt(style: str, order: Order) -> None:
    examples = [
        Example(DTree(tokens, heads, ("X", "X", "X", ""), (1, 1, 1, 0)), ("",) * 4)
        for tokens, heads in sentences(style, SEEN)
    ]
    parser = LinearParser()
    options = LinearOptions(order=order, epochs=8, bits=16)
    parser.fit(examples, [], FitSettings(mode=Mode.CONTINUOUS, options=options), Diary())
    test = sentences(style, UNSEEN)
    found = parser.parse([tokens for tokens, _ in test], 1)
    right = sum(one.heads[1] == heads[1] for one, (_, heads) in zip(found, test, strict=True))
    assert right > 0.9 * len(test)
    # an earlier model, whose weights know nothing of attributes
    part = parser.to_part()
    assert part.settings["attributes"] is True
    earlier = ModelPart({k: v for k, v in part.settings.items() if k != "attributes"}, part.arrays)
    blind = LinearParser.from_part(earlier).parse([tokens for tokens, _ in test], 1)
    assert sum(one.heads[1] == heads[1] for one, (_, heads) in zip(blind, test, strict=True)) < right


def test_labels_follow_one_attribute() -> None:
    def corpus(pairs: list[tuple[str, str]]) -> tuple[list[list[Token]], list[list[int]], list[list[str]]]:
        tokens = [[word("N", STYLES[0], pair), Token("w", "V")] for pair in pairs]
        return tokens, [[1, -1]] * len(pairs), [[number, "root"] for _, number in pairs]

    labeler = Labeler.train(*corpus(SEEN), bits=14, epochs=30)
    tokens, heads, labels = corpus(UNSEEN)
    assert labeler.label(tokens, heads) == labels
    part = labeler.to_part()
    earlier = Labeler.from_part(
        ModelPart({**part.settings, "features": Labeler.WITHOUT_ATTRIBUTES}, part.arrays)
    )
    assert earlier.label(tokens, heads) != labels
    assert earlier.to_part().settings["features"] == Labeler.WITHOUT_ATTRIBUTES
    assert Labeler.from_part(part).label(tokens, heads) == labels


def test_unary_chains_follow_one_attribute() -> None:
    def dtrees(pairs: list[tuple[str, str]]) -> list[DTree]:
        return [DTree((word("N", STYLES[0], pair),), (-1,), ("",), (0,)) for pair in pairs]

    def chains(pairs: list[tuple[str, str]]) -> list[dict[Place, tuple[str, ...]]]:
        return [{Place(0, 0): (f"X{number}",)} for _, number in pairs]

    unaries = UnaryClassifier.train(dtrees(SEEN), chains(SEEN), bits=14, epochs=30)
    assert unaries.predict_chains(dtrees(UNSEEN)) == chains(UNSEEN)
    part = unaries.to_part()
    earlier = UnaryClassifier.from_part(ModelPart({**part.settings, "features": 1}, part.arrays))
    assert earlier.predict_chains(dtrees(UNSEEN)) != chains(UNSEEN)
