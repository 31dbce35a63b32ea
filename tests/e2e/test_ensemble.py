"""Several parsers as one: the same methods as a parser, and what is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import spindle
from cli.conftest import Spindle
from cli.conftest import spindle as run_spindle
from spindle.errors import ParserError
from spindle.pipeline import Ensemble, Parser
from spindle.reduction import Mode
from spindle.training import train
from spindle.trees import Tree
from support.demo_treebank import demo_trees

spindle_command = run_spindle
Trees = tuple[Tree, ...]


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Model files of three small parsers with different seeds, encodings and engines."""
    folder = tmp_path_factory.mktemp("members")
    paths = [folder / name for name in ("a.model", "b.model", "c.model")]
    demo_train = demo_trees("train")
    train(demo_train, output=paths[0], epochs=2, order="basic", encoding="direct", shrink=8)
    train(demo_train, output=paths[1], epochs=2, order="basic", encoding="delta", seed=2, shrink=8)
    train(demo_train, output=paths[2], epochs=2, order="basic", one_shot=True, seed=3, shrink=8)
    return paths


@pytest.fixture(scope="module")
def demo_dev() -> Trees:
    return demo_trees("dev")


@pytest.fixture(scope="module")
def ensemble(members: list[Path]) -> Ensemble:
    return spindle.load(members)


def test_it_parses_as_a_parser_does(ensemble: Ensemble, demo_dev: Trees) -> None:
    words = [[token.form for token in one.tokens] for one in demo_dev]
    found = list(ensemble.parse_many(words))
    assert [[token.form for token in one.tokens] for one in found if one] == words
    assert all(one is not None and one.heads is not None for one in found)
    assert ensemble.parse(words[0]) == found[0]
    assert list(ensemble.parse_many([[], words[0]])) == [None, found[0]]
    assert list(ensemble.parse_many(words, threads=2, batch=3)) == found
    assert "Ensemble of 3 parsers" in repr(ensemble)


def test_text_keeps_its_offsets(ensemble: Ensemble) -> None:
    document = ensemble("She saw it. He left.")
    assert document.sentences[1].text == "He left."
    assert document.tokens[0].end_char == 3


def test_one_parser_is_its_own_ensemble(members: list[Path], demo_dev: Trees) -> None:
    alone = spindle.load(members[0])
    assert list(Ensemble((alone,)).parse_many(demo_dev)) == list(alone.parse_many(demo_dev))


def test_members_of_different_engines() -> None:
    """The bundled models: a linear and a neural parser."""
    together = spindle.load(["light", "english"])
    sentence = "The old dog sleeps on the porch ."
    trees = [parser.parse(sentence) for parser in together.parsers]
    found = together.parse(sentence)
    assert {token.form for token in found.tokens} == set(sentence.split())
    shared = set(zip(trees[0].labels, trees[0].masks, strict=True)) & set(
        zip(trees[1].labels, trees[1].masks, strict=True)
    )
    assert shared
    assert shared <= set(zip(found.labels, found.masks, strict=True))


def test_three_times_the_same_parser(members: list[Path], demo_dev: Trees) -> None:
    alone = spindle.load(members[0])
    together = Ensemble((alone, alone, alone))
    differ = sum(
        one != other
        for one, other in zip(together.parse_many(demo_dev), alone.parse_many(demo_dev), strict=True)
    )
    # a constituent that all of them doubt may be left out
    assert differ <= len(demo_dev) // 3


def test_confidences(ensemble: Ensemble, demo_dev: Trees) -> None:
    (analysis,) = ensemble.analyse([demo_dev[0]], confidences=True)
    (candidate,) = analysis.candidates
    assert candidate.confidences is not None
    assert len(candidate.confidences) == len(candidate.tree.labels)
    assert all(0 < confidence <= 1 for confidence in candidate.confidences)
    assert candidate.dtree.is_ordered
    assert next(ensemble.analyse([demo_dev[0]])).candidates[0].confidences is None


def test_ids_and_comments_are_kept(ensemble: Ensemble, demo_dev: Trees) -> None:
    given = demo_dev[0].replace(id="x7", comments=("a comment",))
    found = ensemble.parse(given)
    assert (found.id, found.comments) == ("x7", ("a comment",))


def test_pickled_by_file(ensemble: Ensemble, demo_dev: Trees) -> None:
    assert pickle.loads(pickle.dumps(ensemble)).parse(demo_dev[0]) == ensemble.parse(demo_dev[0])


def test_what_is_refused(members: list[Path]) -> None:
    with pytest.raises(ParserError, match="at least one parser"):
        Ensemble(())
    alone = spindle.load(members[0])
    with pytest.raises(ParserError, match="only its best analysis"):
        Ensemble((alone, alone)).k_best("It works .", 2)
    other = replace(
        alone.settings.conventions, functions_in_labels=not alone.settings.conventions.functions_in_labels
    )
    stranger = Parser(alone.backend, replace(alone.settings, conventions=other), alone.stages)
    with pytest.raises(ParserError, match="one annotation scheme"):
        Ensemble((alone, stranger))


def test_discontinuous_if_a_member_is(members: list[Path]) -> None:
    alone = spindle.load(members[0])
    modes = []
    for mode in (Mode.CONTINUOUS, Mode.DISCONTINUOUS):
        other = Parser(alone.backend, replace(alone.settings, mode=mode), alone.stages)
        modes.append(Ensemble((alone, other)).settings.mode)
    assert modes == [alone.settings.mode, Mode.DISCONTINUOUS]


def test_on_the_command_line(spindle_command: Spindle, members: list[Path], ensemble: Ensemble) -> None:
    options = [part for path in members for part in ("--model", path)]
    outcome = spindle_command("parse", "She saw it .", "--to", "discbracket", *options)
    assert outcome.out.strip() == ensemble.parse_text("She saw it .").__next__().to_string("discbracket")
    outcome = spindle_command("parse", "She saw it .", *options, "--k-best", "2")
    assert outcome.code == 1
    assert "only its best analysis" in outcome.err
    outcome = spindle_command("parse", "She saw it .", *options, "--to", "json", "--scores")
    assert '"confidence"' in outcome.out
