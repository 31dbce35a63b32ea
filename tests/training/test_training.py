"""Training: inferred settings, messages, the stored model, and resuming after an interruption."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.errors import ModelError, ParserError, SpindleError
from spindle.parsers import PARSERS
from spindle.pipeline import Parser, load
from spindle.reduction import Encoding, Mode
from spindle.training import train
from spindle.trees import Tree
from support.notation import tree
from support.stand_ins import Interrupted, SlowLearner

Trees = tuple[Tree, ...]


class Recorder:
    """A listener that records messages, stages and epochs."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.stages: list[str] = []
        self.epochs: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        self.notes.append(text)

    def stage(self, name: str) -> None:
        self.stages.append(name)

    def progress(self, done: int, of: int, loss: float | None) -> None:
        assert 0 <= done <= of

    def epoch(self, record: dict[str, Any]) -> None:
        self.epochs.append(record)

    def heard(self, words: str) -> bool:
        return any(words in note for note in self.notes)


def learn(trees: Trees, dev: Trees = (), **options: Any) -> tuple[Parser, Recorder]:
    recorder = Recorder()
    return train(trees, dev, listener=recorder, **{"parser": "oracle", **options}), recorder


def test_the_oracle_has_a_perfect_score(demo_train: Trees, demo_dev: Trees) -> None:
    parser, recorder = learn(demo_train, demo_dev)
    assert parser.card.scores["f1"] == parser.card.scores["disc_f1"] == 100
    assert recorder.stages == ["reduction", "parser"]
    assert list(parser.parse_many(demo_dev)) == list(demo_dev)


@pytest.mark.parametrize("encoding", ["direct", "delta", "hn"])
def test_only_missing_stages_are_trained(demo_train: Trees, encoding: str) -> None:
    arcs, recorder = learn(
        demo_train, demo_train, parser_options={"gives": "heads"}, tags="gold", encoding=encoding
    )
    assert recorder.stages == ["reduction", "labeler", "unaries", "parser"]
    assert arcs.stages.tagger is None
    assert arcs.card.scores["f1"] == 100
    labels, recorder = learn(
        demo_train, demo_train, parser_options={"gives": "heads,labels"}, encoding=encoding
    )
    assert recorder.stages == ["reduction", "tagger", "jackknifing", "unaries", "parser"]
    assert labels.stages.labeler is None
    skipped, recorder = learn(demo_train, demo_train, parser_options={"gives": "heads,labels"}, unaries=False)
    assert "unaries" not in recorder.stages
    assert 50 < skipped.card.scores["f1"] < 100


def test_mode_and_encoding_are_inferred_from_the_trees(demo_train: Trees) -> None:
    parser, recorder = learn(demo_train)
    assert (parser.settings.mode, parser.settings.encoding) == (Mode.DISCONTINUOUS, Encoding.DIRECT)
    assert recorder.heard("mode: discontinuous (27.9% of the trees are discontinuous)")
    continuous = tuple(one for one in demo_train if one.is_continuous)
    parser, _ = learn(continuous)
    assert (parser.settings.mode, parser.settings.encoding) == (Mode.CONTINUOUS, Encoding.DELTA)


def test_a_continuous_parser_from_a_discontinuous_treebank(demo_train: Trees) -> None:
    parser, _ = learn(demo_train, demo_train, mode="continuous")
    assert all(one is not None and one.is_continuous for one in parser.parse_many(demo_train))
    assert 70 < parser.card.scores["f1"] < 100


def test_dropped_traces_functions_and_sentences_are_reported() -> None:
    trees = (
        tree("(TOP (S (NP-SBJ-1 (NN Trees)) (VP (VBP grow) (NP (-NONE- *-1)))))"),
        tree("(TOP (S (NP (-NONE- *))))"),
    )
    parser, recorder = learn(trees, trees)
    assert recorder.heard("2 traces")
    assert recorder.heard("1 sentences without words")
    assert recorder.heard("functions were stripped from 1 nodes")
    assert parser.parse(["Trees", "grow"]) == tree("(TOP (S (NP (NN Trees)) (VP (VBP grow))))")
    parser, recorder = learn(trees, functions="predict")
    assert not recorder.heard("functions were stripped")
    assert parser.parse(["Trees", "grow"]) == tree("(TOP (S (NP-SBJ (NN Trees)) (VP (VBP grow))))")


def test_long_trees_are_left_out() -> None:
    trees = (tree("(S (NN Trees) (VBP grow))"), tree("(S (NN Trees) (VBP grow) (RB fast))"))
    _, recorder = learn(trees, max_length=2)
    assert recorder.heard("1 sentences of more than 2 words were left out (raise max-length")
    with pytest.raises(ParserError, match="all have more than 1 words"):
        learn(trees, max_length=1)
    with pytest.raises(SpindleError, match="max_length cannot be 0"):
        learn(trees, max_length=0)


def test_functions_on_edges_are_restored_on_edges() -> None:
    trees = (tree("(VROOT (S (NP/SB (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam)) ($. 3=.))"),)
    parser, recorder = learn(trees, trees, functions="predict")
    assert recorder.heard("raised to the root on output")
    assert parser.parse(trees[0]) == trees[0]
    parser, _ = learn(trees, punct="leave")
    assert "raised" not in parser.card.chosen["punct"]


def test_the_sources_of_tags(demo_train: Trees) -> None:
    gives = {"gives": "heads,labels"}
    parser, _ = learn(demo_train, demo_train, parser_options=gives, tags="predicted")
    assert parser.stages.tagger is not None
    assert parser.card.scores["tags"] > 95
    parser, _ = learn(demo_train, demo_train, parser_options=gives, tags="gold")
    assert parser.card.scores["tags"] == 100
    with pytest.raises(ParserError, match="has no tagger; give it tagged"):
        parser.parse([token.form for token in demo_train[0].tokens])
    with pytest.raises(ParserError, match="oracle tags by itself"):
        learn(demo_train, tags="jackknife")
    untagged = tuple(
        one.replace(tokens=tuple(token._replace(tag="") for token in one.tokens)) for one in demo_train
    )
    parser, recorder = learn(untagged, untagged, parser_options=gives)
    assert recorder.heard("no tags")
    assert parser.card.scores["f1"] == 100


def test_the_best_epoch_is_kept(demo_train: Trees, tmp_path: Path) -> None:
    recorder = Recorder()
    parser = train(demo_train, demo_train, tmp_path / "m", parser=SlowLearner, tags="gold", listener=recorder)
    scores = [record["f1"] for record in recorder.epochs]
    assert len(scores) == 6
    assert scores[4] == max(scores) == parser.card.scores["f1"] == 100
    assert parser.card.scores["epoch"] == 5
    assert parser.card.scores["signature"].startswith("discodop|")
    assert parser.card.scores["signature"].endswith("|attached:leave")
    log = [json.loads(line) for line in (tmp_path / "m.log.jsonl").read_text().splitlines()]
    assert [one["epoch"] for one in log if one["event"] == "epoch"] == [1, 2, 3, 4, 5, 6]
    assert log[-1]["event"] == "finished"
    assert "best 100.00 in epoch 5" in (tmp_path / "m.curve.svg").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "m.curve.svg", "m.log.jsonl"]


def test_without_development_trees_the_last_epoch_is_kept(demo_train: Trees) -> None:
    parser = train(demo_train, parser=SlowLearner, tags="gold", epochs=2)
    assert parser.card.scores == {"epoch": 2}


@pytest.mark.parametrize("after", [1, 3, 5])
def test_resuming_ends_with_the_same_model(
    demo_train: Trees, demo_dev: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    def run(name: str, **more: Any) -> None:
        train(demo_train, demo_dev, tmp_path / name, parser=SlowLearner, functions="predict", **more)

    run("whole")
    monkeypatch.setattr(SlowLearner, "interrupt_after", after)
    with pytest.raises(Interrupted):
        run("part")
    assert not (tmp_path / "part").exists()
    assert (tmp_path / "part.checkpoint").exists()
    monkeypatch.setattr(SlowLearner, "interrupt_after", 0)
    with pytest.raises(ModelError, match="other options or other trees"):
        run("part", resume=True, seed=2)
    run("part", resume=True)
    assert SlowLearner.fitted_from == after
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "part.checkpoint").exists()
    recorder = Recorder()
    run("part", resume=True, listener=recorder)
    assert recorder.heard("finished already")
    run("part", resume=True, listener=recorder, seed=2)
    assert recorder.heard("no interrupted training to resume")


def test_resuming_after_an_interruption_before_the_parser(
    demo_train: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.stand_ins import MemoryUnaries

    train(demo_train, output=tmp_path / "whole", parser=SlowLearner)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryUnaries, "train", interrupt)
        with pytest.raises(Interrupted):
            train(demo_train, output=tmp_path / "part", parser=SlowLearner)
    recorder = Recorder()
    train(demo_train, output=tmp_path / "part", parser=SlowLearner, resume=True, listener=recorder)
    assert recorder.heard("resumed: tagger, tags, labeler done")
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


def interrupt(*_: Any, **__: Any) -> None:
    raise Interrupted


def test_head_rules_are_compared_on_development_trees(demo_train: Trees, demo_dev: Trees) -> None:
    parser, recorder = learn(demo_train, demo_dev, heads="try")
    assert recorder.heard("head rules leftmost-word: F1 100.00")
    assert parser.card.chosen["heads"] == "collins"
    with pytest.raises(ParserError, match="compared on development trees, but there are none"):
        learn(demo_train, heads="try")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"parser": "orakel"}, "there is no parser 'orakel'"),
        ({"order": "full"}, "order does not apply to oracle, which has gives"),
        ({"epochs": 3}, "epochs does not apply"),
        ({"parser": SlowLearner, "order": "third"}, "choose from basic, full"),
        ({"parser": SlowLearner, "one_shot": True}, "cannot label"),
        ({"parser_options": {"x": "y"}}, "x does not apply"),
        ({"mode": "both"}, "mode cannot be 'both'"),
        ({"punct": "eat"}, "punct cannot be 'eat'"),
    ],
)
def test_options_that_do_not_apply_are_refused(demo_train: Trees, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpindleError, match=said):
        learn(demo_train, **options)


def test_a_projective_parser_is_continuous(demo_train: Trees, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SlowLearner, "is_nonprojective", False)
    with pytest.raises(ParserError, match="cannot give crossing arcs"):
        learn(demo_train, parser=SlowLearner, mode="discontinuous")
    parser, _ = learn(demo_train, parser=SlowLearner, tags="gold")
    assert parser.settings.mode is Mode.CONTINUOUS


def test_a_training_without_trees_is_refused() -> None:
    with pytest.raises(ParserError, match="no trees to learn from"):
        learn(())


def test_the_card_is_stored_and_loaded(demo_train: Trees, demo_dev: Trees, tmp_path: Path) -> None:
    parser, _ = learn(demo_train, demo_dev, output=tmp_path / "m", licence="MIT")
    card = parser.card
    assert (card.training.sentences, card.development.sentences) == (43, 10)
    assert card.licence == "MIT"
    assert "NP" in card.label_sets["symbols"]
    assert "NP#1" in card.label_sets["arcs"]
    assert card.chosen["wrapper"] == "ROOT"
    again = load(tmp_path / "m")
    assert again.card == card
    assert again.settings.conventions == parser.settings.conventions
    assert again.settings.tokenization == parser.settings.tokenization
    assert list(again.parse_many(demo_dev)) == list(demo_dev)


def test_an_unregistered_backend_must_be_given_when_loading(
    demo_train: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(demo_train, output=tmp_path / "m", parser=SlowLearner)
    monkeypatch.delitem(PARSERS, "slow")
    with pytest.raises(ModelError, match="load it with its class as `parser`"):
        load(tmp_path / "m")
    assert isinstance(load(tmp_path / "m", SlowLearner).backend, SlowLearner)


def test_lemmas_are_used_only_with_gold_tags(demo_train: Trees, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = tuple(
        one.replace(tokens=tuple(token._replace(lemma=token.form.lower()) for token in one.tokens))
        for one in demo_train
    )
    fit = SlowLearner.fit
    seen: set[str] = set()

    def look(self: SlowLearner, train: Any, *more: Any) -> None:
        seen.update(token.lemma for example in train for token in example.tokens)
        fit(self, train, *more)

    monkeypatch.setattr(SlowLearner, "fit", look)
    for tags in ("jackknife", "predicted"):
        learn(trees, parser=SlowLearner, tags=tags)
        assert seen == {""}
    learn(trees, parser=SlowLearner, tags="gold")
    assert "weaver" in seen
