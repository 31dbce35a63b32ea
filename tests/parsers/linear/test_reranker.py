"""The reranker: what it learns, that it is stored, and lists of every kind."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy
import pytest

from spindle.errors import ModelError, ParserError
from spindle.models import ModelPart
from spindle.parsers.linear.reranker import RankedList, Reranker
from spindle.trees import Token, Tree
from support.demo_treebank import demo_headed
from support.stage_parts import damaged, same, through_a_file

TOKENS = {
    "high": (Token("ate", "V"), Token("rice", "N"), Token("with", "P"), Token("sticks", "N")),
    "low": (Token("ate", "V"), Token("rice", "N"), Token("with", "P"), Token("beans", "N")),
}


def attached(kind: str, where: str) -> Tree:
    """Return a verb phrase whose prepositional phrase belongs to the verb (high) or to the noun (low)."""
    tokens = TOKENS[kind]
    if where == "high":
        return Tree.build(tokens, ["VP", "PP"], [-1, 0], [0, 0, 1, 1], heads=[0, 2])
    return Tree.build(tokens, ["VP", "NP", "PP"], [-1, 0, 1], [0, 1, 2, 2], heads=[0, 1, 2])


def lists(wrong_score: float = 0.0) -> list[RankedList]:
    """Return lists whose best tree is the second one, with a lower score of the parser."""
    return [
        RankedList([attached("high", "low"), attached("high", "high")], [wrong_score, -0.5], [0.5, 1.0]),
        RankedList([attached("low", "high"), attached("low", "low")], [wrong_score, -0.5], [0.5, 1.0]),
    ]


def learn(**options: Any) -> Reranker:
    return Reranker.train(lists(), **{"bits": 12, "epochs": 100, "seed": 1, **options})


def best_of(reranker: Reranker, given: list[RankedList], threads: int = 1) -> list[int]:
    """Return the number of the best tree of every list."""
    scores = reranker.scores([one.trees for one in given], [one.scores for one in given], threads)
    return [int(numpy.argmax(of_list)) for of_list in scores]


def test_it_prefers_the_trees_that_were_better_in_training() -> None:
    reranker = learn()
    assert best_of(reranker, lists()) == [1, 1]
    assert best_of(reranker, lists(), threads=2) == [1, 1]


def test_without_training_the_parser_decides() -> None:
    untrained = Reranker.train([], bits=8)
    assert best_of(untrained, lists()) == [0, 0]
    same_quality = [one._replace(qualities=[1.0, 1.0]) for one in lists()]
    assert best_of(Reranker.train(same_quality, bits=8), lists()) == [0, 0]


def test_a_parser_that_is_sure_is_believed() -> None:
    assert best_of(learn(), lists(wrong_score=1000.0)) == [0, 0]


def test_only_differences_of_scores_matter() -> None:
    reranker = learn()
    given = lists()
    moved = [one._replace(scores=[score + 1e6 for score in one.scores]) for one in given]
    one = reranker.scores([tree.trees for tree in given], [tree.scores for tree in given])
    other = reranker.scores([tree.trees for tree in moved], [tree.scores for tree in moved])
    assert one == other


def test_gaps_are_seen() -> None:
    """Two trees with the same rules, heads and ends: only the yield of VP differs."""
    tokens = tuple(Token(form, "X") for form in "abcde")
    labels, parents, heads = ["S", "VP"], [-1, 0], [0, 1]
    one = Tree.build(tokens, labels, parents, [0, 1, 0, 1, 1], heads=heads)
    other = Tree.build(tokens, labels, parents, [0, 1, 1, 0, 1], heads=heads)
    ranked = [RankedList([one, other], [0.0, 0.0], [0.0, 1.0])]
    assert best_of(Reranker.train(ranked, bits=12), ranked) == [1]


def test_it_learns_to_prefer_gold_trees() -> None:
    """Gold trees of the demo against flat ones, which the parser prefers."""

    def against_flat(tree: Tree) -> RankedList:
        assert tree.heads is not None
        flat = Tree.build(tree.tokens, tree.labels[:1], [-1], [0] * len(tree), heads=tree.heads[:1])
        return RankedList([flat, tree], [0.0, -1.0], [0.0, 1.0])

    reranker = Reranker.train(map(against_flat, demo_headed("train")), bits=14)
    dev = [against_flat(tree) for tree in demo_headed("dev") if len(tree.labels) > 1]
    assert sum(best_of(reranker, dev)) > 0.8 * len(dev)


def test_it_is_stored(tmp_path: Path) -> None:
    reranker = learn(candidates=7)
    part = reranker.to_part()
    again = Reranker.from_part(through_a_file(part, tmp_path / "part"))
    assert same(part, again.to_part())
    assert again.candidates == 7
    assert best_of(again, lists()) == [1, 1]
    assert same(part, learn(candidates=7).to_part())


def test_another_version_is_refused() -> None:
    part = learn().to_part()
    with pytest.raises(ModelError, match="other features"):
        Reranker.from_part(ModelPart({**part.settings, "features": 0}, part.arrays))


def test_damaged_arrays_do_not_crash() -> None:
    for _, part in damaged(learn().to_part()):
        with suppress(ValueError, TypeError):
            Reranker.from_part(part).scores([one.trees for one in lists()], [one.scores for one in lists()])


def test_a_weight_that_is_no_number_is_refused() -> None:
    part = learn().to_part()
    arrays = {**part.arrays, "parser_weight": numpy.array([numpy.nan], dtype=numpy.float32)}
    with pytest.raises(ValueError, match="finite"):
        Reranker.from_part(ModelPart(part.settings, arrays))


def test_trees_need_heads() -> None:
    bare = Tree.build(TOKENS["low"], ["VP"], [-1], [0, 0, 0, 0])
    with pytest.raises(ParserError, match="no heads"):
        learn().scores([[bare]], [[0.0]])
