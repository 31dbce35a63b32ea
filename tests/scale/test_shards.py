"""Scores, matches and statistics of a corpus are those of its parts joined to one file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spindle
from spindle import scale
from spindle.cli import main
from spindle.heads import HeadFinder, load_rules
from spindle.reduction.statistics import Statistics
from spindle.scale import CorpusError, parse_corpus
from spindle.scale.corpus import Corpus
from spindle.trees import Tree
from support.corpora import write_texts
from support.demo_treebank import DATA, demo_headed

GOLD = ["train", "dev"]


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two treebanks that are parsed anew."""
    folder = tmp_path_factory.mktemp("gold")
    for part in GOLD:
        (folder / f"{part}.dbr").write_text((DATA / f"demo-{part}.dbr").read_text())
    return [str(folder / f"{part}.dbr") for part in GOLD]


@pytest.fixture(scope="module", params=["bracket", "discbracket", "export", "tigerxml"])
def parsed(
    gold: list[str], request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Corpus:
    folder = tmp_path_factory.mktemp("parsed") / request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spindle.scale.partitions.MIN_SIZE", 100)
        corpus = parse_corpus(gold, folder, "light", partition_size=1000, to=request.param)
    assert len(corpus.parts) == 2
    return corpus


@pytest.fixture
def whole(gold: list[str], parsed: Corpus, tmp_path: Path) -> Path:
    path = tmp_path / f"whole{parsed.parts[0].suffix}"
    path.write_bytes(b"".join(part.read_bytes() for part in parsed.parts))
    return path


@pytest.fixture
def gold_file(gold: list[str], tmp_path: Path) -> Path:
    path = tmp_path / "gold.dbr"
    path.write_text("".join(Path(name).read_text() for name in gold))
    return path


def test_scores_add_up(parsed: Corpus, whole: Path, gold_file: Path) -> None:
    expected = spindle.evaluate(gold_file, whole)
    by_inputs = scale.evaluate(parsed.folder)
    by_file = scale.evaluate(parsed.folder, gold_file)
    by_trees = scale.evaluate(parsed.folder, list(spindle.read_trees(gold_file)))
    for found in (by_inputs, by_file, by_trees):
        assert found.to_dict() == expected.to_dict()
        assert found.signature == expected.signature
        assert [one.number for one in found.sentences] == [one.number for one in expected.sentences]
    perfect = scale.evaluate(parsed.folder, parsed.folder)
    assert perfect.f1 == 100.0


def test_gold_trees_of_another_corpus_are_refused(parsed: Corpus, gold: list[str]) -> None:
    for trees, said in ((gold[:1], "fewer gold trees"), ([*gold, gold[0]], "more gold trees")):
        entries = [tree for name in trees for tree in spindle.read_trees(name)]
        with pytest.raises(CorpusError, match=said):
            scale.evaluate(parsed.folder, entries, "discodop")


@pytest.mark.parametrize("pattern", ["NP < NN|DT", "VP <# __=head", "NP:gap"])
def test_matches_add_up(parsed: Corpus, whole: Path, pattern: str) -> None:
    expected = list(spindle.search(pattern, whole))
    found = scale.search(pattern, parsed.folder)
    assert found.matches == len(expected)
    assert found.labels.total() == found.matches
    assert found.searched == len(list(spindle.read_trees(whole)))


def test_statistics_add_up(parsed: Corpus, whole: Path) -> None:
    trees = list(spindle.read_trees(whole))
    finder, expected = HeadFinder(load_rules(spindle.guess_rules(trees).name)), Statistics()
    for tree in trees:
        expected.add(finder(tree))
    assert scale.stats(parsed.folder).to_dict() == expected.to_dict()


@given(st.lists(st.sampled_from(demo_headed("train")), max_size=8), st.integers(0, 8))
def test_statistics_are_additive(trees: list[Tree], at: int) -> None:
    whole, first, second = Statistics(), Statistics(), Statistics()
    for number, tree in enumerate(trees):
        whole.add(tree)
        (first if number < at else second).add(tree)
    assert first + second == whole


def test_other_verbs_read_the_folder_of_a_corpus(
    parsed: Corpus, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [str(tree) for tree in spindle.read_trees(parsed.folder)] == [
        str(tree) for tree in spindle.read_trees(whole)
    ]
    with pytest.raises(SystemExit) as ended:
        main(["search", "--count", "NP", str(parsed.folder)])
    assert not ended.value.code
    assert "part-00001" in capsys.readouterr().out


def test_an_unfinished_corpus_is_not_read(gold: list[str], tmp_path: Path) -> None:
    class Stop(scale.Listener):
        def finished(self, record: object, size: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parse_corpus(gold, tmp_path / "out", "light", partition_size=1000, listener=Stop())
    for work in (scale.stats, scale.evaluate, lambda folder: list(spindle.read_trees(folder))):
        with pytest.raises(spindle.SpindleError, match="the corpus is unfinished: 1 of 2 parts"):
            work(tmp_path / "out")
    with pytest.raises(CorpusError, match="this is no parsed corpus"):
        scale.stats(tmp_path)


def test_a_part_of_a_file_has_no_gold_trees(tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 1, 200_000)
    parse_corpus(names, tmp_path / "out", "light", partition_size=100_000)
    with pytest.raises(CorpusError, match="was parsed from a part of a file"):
        scale.evaluate(tmp_path / "out")
