"""`--rerank`: the reranker is trained by jackknifing, scored, resumed, and left out where it does no good."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy
import pytest

from spindle import load
from spindle.evaluation import evaluate
from spindle.parsers.linear import LinearParser, Reranker
from spindle.parsers.linear.reranker import RankedList
from spindle.pipeline import Parser
from spindle.pipeline.constraints import Bracket, Constraints
from spindle.training import train
from spindle.training.reranking import FOLDS
from spindle.trees import Tree
from support.demo_treebank import demo_trees

SMALL: dict[str, Any] = {"order": "basic", "epochs": 2, "shrink": 8, "rerank": True, "threads": 1}


def words(trees: Iterable[Tree]) -> list[list[str]]:
    return [[token.form for token in tree.tokens] for tree in trees]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file with a reranker, whatever its effect on the few development trees."""
    path = tmp_path_factory.mktemp("models") / "reranked.model"
    train(demo_trees("train"), output=path, **SMALL)
    return path


@pytest.fixture(scope="module")
def parser(model: Path) -> Parser:
    return load(model)


def test_the_best_tree_is_that_of_the_reranker(parser: Parser) -> None:
    assert parser.stages.reranker is not None
    assert not parser.k_best_is_exact
    changed = 0
    plain = Parser(parser.backend, parser.settings, parser.stages.without_reranker())
    for tree in demo_trees("dev"):
        [analysis] = parser.analyse([tree], k=5)
        scores = [one.score for one in analysis.candidates if one.score is not None]
        assert len(scores) == len(analysis.candidates)
        assert scores == sorted(scores, reverse=True)
        [alone] = parser.analyse([tree])
        assert len(alone.candidates) == 1
        changed += alone.candidates[0].tree != plain.parse(tree)
    assert changed > 0


def test_threads_and_batches_change_nothing(parser: Parser) -> None:
    sentences = words(demo_trees("dev"))
    one = list(parser.parse_many(sentences, threads=1))
    assert list(parser.parse_many(sentences, threads=2, batch=3)) == one


def test_a_sentence_of_one_word_and_an_empty_one(parser: Parser) -> None:
    found = list(parser.parse_many([["Yes"], []]))
    assert found[0] is not None
    assert found[1] is None


def test_constraints_are_kept(parser: Parser) -> None:
    tree = next(tree for tree in demo_trees("dev") if len(tree) > 4)
    constraints = Constraints(required=(Bracket((1, 2)),))
    [analysis] = parser.analyse([words([tree])[0]], constraints=[constraints])
    assert not constraints.violations(analysis.candidates[0].tree)


def test_the_card_has_the_score_with_the_reranker(tmp_path: Path) -> None:
    dev = demo_trees("dev")
    path = tmp_path / "model"
    train(demo_trees("train"), dev, path, **SMALL)
    loaded = load(path)
    score = evaluate(dev, [tree for tree in loaded.parse_many(words(dev)) if tree is not None])
    assert score.f1 is not None
    assert round(score.f1, 4) == loaded.card.scores["f1"]
    assert loaded.card.chosen["reranked"] == (loaded.stages.reranker is not None)


def test_a_reranker_that_scores_less_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = Reranker.train([], bits=8).to_part().arrays

    def worst(lists: Iterable[RankedList], **_: Any) -> Reranker:
        """A reranker that chooses the worst tree."""
        list(lists)
        return Reranker(10, {**arrays, "parser_weight": numpy.array([-1], dtype=numpy.float32)})

    monkeypatch.setattr(Reranker, "train", worst)
    parser = train(demo_trees("train"), demo_trees("dev"), **SMALL)
    assert parser.stages.reranker is None
    assert parser.card.chosen["reranked"] is False


class Interrupted(Exception):
    pass


def stop(after: int) -> Callable[..., Reranker]:
    def train_and_stop(lists: Iterable[RankedList], **_: Any) -> Reranker:
        for number, _one in enumerate(lists, start=1):
            if number == after:
                raise Interrupted
        raise Interrupted

    return train_and_stop


def test_finished_folds_are_not_trained_again(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reranked.model"
    with monkeypatch.context() as patch:
        patch.setattr(Reranker, "train", stop(after=12))  # in the second fold
        with pytest.raises(Interrupted):
            train(demo_trees("train"), output=path, **SMALL)
    fitted = []
    fit = LinearParser.fit

    def counted(self: LinearParser, examples: Any, *rest: Any, **more: Any) -> None:
        fitted.append(len(examples))
        fit(self, examples, *rest, **more)

    monkeypatch.setattr(LinearParser, "fit", counted)
    train(demo_trees("train"), output=path, resume=True, **SMALL)
    assert len(fitted) == 1 + FOLDS - 2  # the parser itself, which has no epochs left, and three folds
    assert path.read_bytes() == model.read_bytes()


def test_every_list_comes_from_a_parser_that_has_not_seen_its_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[frozenset[str]] = []
    fit = LinearParser.fit

    def recorded(self: LinearParser, examples: Any, *rest: Any, **more: Any) -> None:
        seen.append(frozenset(" ".join(token.form for token in one.tokens) for one in examples))
        fit(self, examples, *rest, **more)

    asked: list[str] = []
    learn = Reranker.train

    def checked(lists: Iterable[RankedList], **more: Any) -> Reranker:
        def each() -> Iterable[RankedList]:
            for ranked in lists:
                text = " ".join(token.form for token in ranked.trees[0].tokens)
                assert text not in seen[-1]
                asked.append(text)
                yield ranked

        return learn(each(), **more)

    monkeypatch.setattr(LinearParser, "fit", recorded)
    monkeypatch.setattr(Reranker, "train", checked)
    # sentences that occur once
    trees = {" ".join(words([tree])[0]): tree for tree in demo_trees("train")}
    train(tuple(trees.values()), **SMALL)
    assert sorted(asked) == sorted(trees)
