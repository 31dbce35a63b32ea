"""Held-out shares and cross-validation."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import spindle
from spindle.errors import SpindleError
from spindle.evaluation import Score
from spindle.models.bundled import DATA
from spindle.training import TrainOptions, Treebank, cross_validate, train_parser
from spindle.training.cross_validation import split_folds
from spindle.training.held_out import hold_out, read_share
from spindle.treebanks import read_trees

TREEBANK = Treebank.of(DATA / "demo-train.dbr")
OPTIONS = TrainOptions(order="basic", epochs=2, tags="predicted", parser_options={"bits": 12})  # type: ignore[arg-type]


# ── a share of the training trees ────────────────────────────────────────────────────────────────────


def test_a_share_is_drawn_from_the_first_treebank() -> None:
    both = Treebank.joined([("a.ptb", TREEBANK.trees[:20], 2.0), ("b.ptb", TREEBANK.trees[20:30], 1.0)])
    rest, dev, message = hold_out(both, 25, seed=3)
    assert (len(rest.trees), len(dev.trees)) == (25, 5)
    assert [tuple(source) for source in rest.sources] == [(15, 2.0), (10, 1.0)]
    assert Counter(map(id, (*rest.trees, *dev.trees))) == Counter(map(id, both.trees))
    assert {id(tree) for tree in dev.trees} <= {id(tree) for tree in both.trees[:20]}
    assert message.startswith("development trees: 5 of 20, 25% of ")
    assert message.endswith("a.ptb at random, seed 3")
    again, other = hold_out(both, 25, seed=3)[1], hold_out(both, 25, seed=4)[1]
    assert dev.trees == again.trees != other.trees


def test_what_is_a_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (read_share("12.5 %"), read_share("dev.ptb"), read_share(None)) == (12.5, None, None)
    (tmp_path / "10%").touch()
    assert read_share("10%") is None
    for share in ("0%", "100%"):
        with pytest.raises(SpindleError, match="cannot be held out"):
            read_share(share)
    with pytest.raises(SpindleError, match="no tree would be left"):
        hold_out(Treebank(TREEBANK.trees[:1]), 50, 1)


def test_the_card_says_what_was_held_out() -> None:
    parser = spindle.train(
        *(DATA / "demo-train.dbr", "10%"), order="basic", epochs=2, tags="predicted", seed=5
    )
    assert parser.card.development.sentences == 4
    assert parser.card.development.files == ("10% of data/demo-train.dbr at random, seed 5",)
    assert parser.card.training.sentences == 39
    assert "f1" in parser.card.scores


# ── cross-validation ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("size", "folds", "seed"), [(10, 3, None), (43, 10, 7), (5, 5, 1)])
def test_every_sentence_is_in_one_fold(size: int, folds: int, seed: int | None) -> None:
    parts = split_folds(size, folds, seed)
    assert len(parts) == folds
    assert sorted(number for part in parts for number in part) == list(range(size))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert (parts == split_folds(size, folds)) == (seed is None or folds == size == 1)


def test_too_many_folds() -> None:
    with pytest.raises(SpindleError, match="43 trees cannot be split into 44 folds; choose from 2 to 43"):
        cross_validate(TREEBANK, 44, OPTIONS, "unused")


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folds")
    cross_validate(TREEBANK, 3, OPTIONS, folder)
    return folder


def test_files(validated: Path) -> None:
    folds = [f"fold-0{number}.{kind}" for number in (1, 2, 3) for kind in ("dbr", "json")]
    assert sorted(path.name for path in validated.iterdir()) == [*folds, "predictions.dbr", "report.json"]
    predicted = list(read_trees(validated / "predictions.dbr"))
    words = [[token.form for token in tree.tokens] for tree in predicted]
    assert words == [[token.form for token in tree.tokens] for tree in TREEBANK.trees]


def test_the_report_agrees_with_evaluate(validated: Path) -> None:
    report = json.loads((validated / "report.json").read_text(encoding="utf-8"))
    score = spindle.evaluate(DATA / "demo-train.dbr", validated / "predictions.dbr", scheme="discodop")
    assert report["score"]["f1"] == pytest.approx(score.f1)
    assert report["signature"] == score.signature
    assert (report["order"], report["folds"], report["sentences"]) == ("as in the treebank", 3, 43)
    assert [fold["sentences"] for fold in report["per_fold"]] == [14, 14, 15]
    f1 = [fold["f1"] for fold in report["per_fold"]]
    assert report["mean"]["f1"] == pytest.approx(sum(f1) / 3)
    assert report["deviation"]["f1"] > 0
    # inferred once, although the last fold is trained on continuous trees only
    assert report["options"]["mode"] == "discontinuous"


def test_no_parser_has_seen_its_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Treebank] = []

    def watched(train: Treebank, *rest: object, **options: object) -> spindle.Parser:
        seen.append(train)
        return original(train, *rest, **options)

    original: Callable[..., spindle.Parser] = train_parser
    monkeypatch.setattr("spindle.training.cross_validation.train_parser", watched)
    trees = Treebank(TREEBANK.trees[:12])
    cross_validate(trees, 2, OPTIONS, tmp_path / "folds", shuffle=True, dev_percent=20)
    parts = split_folds(12, 2, OPTIONS.seed)
    assert parts != split_folds(12, 2)
    for train, part in zip(seen, parts, strict=True):
        assert len(train.trees) == 5  # six, without the development tree
        assert not {id(tree) for tree in train.trees} & {id(trees.trees[number]) for number in part}


class Stop(Exception):
    pass


def test_an_interrupted_run_is_resumed(validated: Path, tmp_path: Path) -> None:
    def stop(number: int, score: Score | None) -> None:
        if number == 2 and score is None:
            raise Stop

    folder = tmp_path / "folds"
    with pytest.raises(Stop):
        cross_validate(TREEBANK, 3, OPTIONS, folder, on_fold=stop)
    assert not (folder / "report.json").exists()
    with pytest.raises(SpindleError, match="the folder is not empty"):
        cross_validate(TREEBANK, 3, OPTIONS, folder)
    with pytest.raises(SpindleError, match="had other options or other trees"):
        cross_validate(TREEBANK, 3, TrainOptions(order="basic", epochs=1), folder, resume=True)
    first = (folder / "fold-01.dbr").stat().st_mtime_ns
    cross_validate(TREEBANK, 3, OPTIONS, folder, resume=True)
    assert (folder / "fold-01.dbr").stat().st_mtime_ns == first
    for name in ("predictions.dbr", "report.json"):
        assert (folder / name).read_bytes() == (validated / name).read_bytes()


def test_models_are_kept_on_request(tmp_path: Path) -> None:
    trees = Treebank(TREEBANK.trees[:12])
    cross_validate(trees, 2, OPTIONS, tmp_path / "folds", keep_models=True)
    model = spindle.load(tmp_path / "folds" / "fold-02.model")
    assert model.card.training.sentences == 6
