"""The page about the paper's claims: from the little treebank of the demo to verdicts, and its statistics."""

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from spindle.models.bundled import DATA

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def science(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("science")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("train", "dev"):
        target = tmp_path / "treebanks" / "demo" / f"{part}.dbr"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((DATA / f"demo-{part}.dbr").read_bytes())
    return tmp_path


def run(science: Any, folder: Path, *words: str) -> str:
    places = {"treebanks": "treebanks", "runs": "runs", "models": "models", "output": "page"}
    paths = [word for name, place in places.items() for word in (f"--{name}", str(folder / place))]
    given = science.arguments(["--quick", "--rounds", "200", *paths, *words])
    page: str = science.test_claims(given)
    return page


def lab_of(folder: Path, cut: tuple[int | None, int | None] = (None, None)) -> Any:
    store = import_module("science_store").Store(folder / "runs")
    return import_module("science_lab").Lab(folder / "treebanks", store, folder / "models", cut)


CLAIMS = (
    *("encodings", "stages", "parsers", "orders", "crossings", "unaries", "repairs", "time", "heads"),
    *("induced", "grammars", "ensembles", "curves"),
)


def test_every_claim_of_the_light_engine_on_the_demo_treebank(
    science: Any, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # programs of other people and networks take their time, and are tested elsewhere
    monkeypatch.setattr(import_module("science_claims"), "installed_parsers", lambda: ["linear"])
    planned = run(science, folder, *CLAIMS, "--no-training")
    assert "| [higher order > first order](#orders) | **not tested** | no run |" in planned
    assert "Planned and not run: seed 1: demo 3; seed 2: demo 3." in planned
    assert capsys.readouterr().out == ""

    page = run(science, folder, *CLAIMS)
    kept = (folder / "runs" / "demo.jsonl").read_text(encoding="utf-8")
    assert len(kept.splitlines()) > 10
    assert "| [higher order > first order](#orders) | **" in page
    assert "| demo | linear basic | linear standard | F1 | " in page
    assert "| Disc-F1 |" in page
    assert "linear standard, 1 gap | " not in page
    assert "| demo | linear standard | 1 gap | " in page
    assert "| [on par with grammars, and faster](#grammars) | **not tested** | no run |" in page
    assert "Planned and not run" not in page
    assert "Scored: demo " in page
    for name in ("time", "curves", "orders"):
        assert f"](science/{name}.svg)" in page
        assert (folder / "page" / "science" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
    trained = capsys.readouterr().out
    assert trained.count("seed 2") > 5
    assert trained.count("seed 1") == trained.count("seed 2") + trained.count("ensemble of 2")
    assert run(science, folder, *CLAIMS) == page
    assert capsys.readouterr().out == ""  # nothing is trained again


def test_the_kept_runs_have_no_text_of_a_treebank(science: Any, folder: Path) -> None:
    lab = lab_of(folder)
    lab.run(import_module("science_setup").Setup("demo", order="basic"), 1)
    kept = (folder / "runs" / "demo.jsonl").read_text(encoding="utf-8")
    words = {token.form for tree in lab.trees("demo", "dev") for token in tree.tokens if len(token.form) > 5}
    assert words
    assert not [word for word in words if word in kept]


def test_a_kept_run_has_the_score_of_its_trees(science: Any, folder: Path) -> None:
    lab, setup = lab_of(folder), import_module("science_setup").Setup("demo", order="basic")
    run = lab.run(setup, 1)
    parser = lab.trained(setup, 1)
    measuring = import_module("measuring")
    again = measuring.score_trees(
        lab.gold("demo"),
        parser.parse_many(measuring.untagged(lab.gold("demo")), threads=1),
        lab.scheme(setup),
    )
    assert run.score.signature == again.signature
    for figure in ("f1", "precision", "exact", "tags", "disc_f1"):
        assert getattr(run.score, figure) == getattr(again, figure), figure
    assert lab_of(folder).kept(setup, 1).score.f1 == run.score.f1


def test_a_command_that_was_killed_loses_one_run_at_most(science: Any, folder: Path) -> None:
    store = import_module("science_store").Store(folder / "runs")
    store.add("demo", {"key": "one"})
    path = folder / "runs" / "demo.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + '{"key":"tw', encoding="utf-8")
    torn = import_module("science_store").Store(folder / "runs")
    assert torn.find("one") is not None
    torn.add("demo", {"key": "three"})
    again = import_module("science_store").Store(folder / "runs")
    assert [again.find(key) is not None for key in ("one", "two", "three")] == [True, False, True]


def test_other_data_seeds_and_versions_are_other_runs(
    science: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = import_module("science_setup").Setup("demo")
    first = lab_of(folder)
    keys = {
        first.key(setup, 1),
        first.key(setup, 2),
        first.key(replace(setup, order="full"), 1),
        lab_of(folder, (5, None)).key(setup, 1),
        first.key(replace(setup, parser="neural"), 1),
    }
    assert len(keys) == 5
    assert lab_of(folder).key(setup, 1) in keys
    before = first.key(replace(setup, parser="udpipe"), 1)
    monkeypatch.setitem(import_module("science_store").VERSIONS, "linear", 0)
    changed = lab_of(folder)
    assert changed.key(setup, 1) not in keys
    assert changed.key(replace(setup, parser="udpipe"), 1) != before  # our tagger and labeler are in it
    assert changed.key(replace(setup, parser="neural"), 1) in keys


def test_encodings_share_their_arcs(science: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spindle.parsers.linear import parser

    lab, setup = lab_of(folder), import_module("science_setup").Setup("demo", order="basic")
    lab.trained(setup, 1)
    monkeypatch.setattr(parser, "ParserTraining", None)  # training arcs again would fail
    shared = lab.trained(replace(setup, encoding="hn"), 1)
    assert str(shared.settings.encoding) == "hn"


def test_a_failed_setup_is_named(science: Any, folder: Path) -> None:
    run = lab_of(folder).run(import_module("science_setup").Setup("demo", order="cubic"), 1)
    assert run.score is None
    assert "order of linear cannot be 'cubic'" in run.problem


def test_a_program_of_other_people_is_scored(science: Any, folder: Path) -> None:
    setup = import_module("science_setup").Setup("demo", "copier", command="cp {dev} {output}")
    # the demo has crossing branches, which brackets cannot hold: the run says so
    assert lab_of(folder).run(setup, 1).problem
    continuous = (folder / "treebanks" / "flat" / "train.ptb", folder / "treebanks" / "flat" / "dev.ptb")
    continuous[0].parent.mkdir()
    for path in continuous:
        path.write_text("(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))\n", encoding="utf-8")
    run = lab_of(folder).run(replace(setup, treebank="flat"), 1)
    assert run.score is not None
    assert run.score.f1 == 100


def test_cuts_are_spread_over_the_treebank(science: Any) -> None:
    spread_over = import_module("science_lab").spread_over
    assert spread_over(tuple(range(10)), 5) == (0, 2, 4, 6, 8)
    assert spread_over(tuple(range(3)), 5) == (0, 1, 2)
    assert spread_over(tuple(range(3)), None) == (0, 1, 2)


def test_verdicts(science: Any) -> None:
    statistics = import_module("science_statistics")

    def word(pairs: Sequence[tuple[float, float]], margin: float | None = None) -> str:
        outcomes = [
            statistics.Outcome(None, 50.0, 50.0 + more, p, 9, (1, 1), (more - 0.4, more + 0.4))
            for more, p in pairs
        ]
        found: str = statistics.verdict(outcomes, margin).word
        return found

    assert word([(1, 0.01), (0.2, 0.5)]) == "confirmed"
    claim = next(one for one in import_module("science_claims").CLAIMS if one.name == "orders")
    outcome = statistics.Outcome(None, 50.0, 51.0, 0.01, 9, (1, 1), (0.6, 1.4))
    assert statistics.decision(claim, [outcome], [], is_complete=False).word == "confirmed so far"
    assert statistics.decision(claim, [], [], is_complete=False).word == "not tested"
    assert word([(1, 0.01), (-1, 0.01)]) == "undecided"
    assert word([(-1, 0.01), (0.1, 0.9)]) == "refuted"
    assert word([(1, 0.2), (1, 0.3), (2, 0.01)]) == "undecided"
    assert word([]) == "not tested"
    assert word([(-0.1, 0.5)], margin=0.5) == "undecided"
    assert word([(-0.1, 0.5), (0.1, 0.5)], margin=0.5) == "confirmed"
    assert word([(-0.4, 0.01), (0.6, 0.5), (0.6, 0.5)], margin=0.5) == "undecided"


def test_holm_corrects_and_keeps_the_order(science: Any) -> None:
    statistics = import_module("science_statistics")
    ps = [0.04, 0.01, 0.03, 0.5]
    corrected = [one.p for one in statistics.holm([statistics.Outcome(None, 0.0, 1.0, p, 9) for p in ps])]
    assert corrected == pytest.approx([0.09, 0.04, 0.09, 0.5])


def test_unknown_names_are_refused(science: Any, folder: Path) -> None:
    with pytest.raises(SystemExit, match="there is no claim magic; there are encodings, delta, stages"):
        run(science, folder, "magic")
    with pytest.raises(SystemExit, match="no treebank latin; there are demo"):
        run(science, folder, "orders", "--treebank", "latin")


def test_the_page_of_the_documentation_is_that_of_the_kept_runs(science: Any) -> None:
    page = (BENCHMARKS.parent / "docs" / "science.md").read_text(encoding="utf-8")
    for claim in import_module("science_claims").CLAIMS:
        assert f"\n## {claim.name.capitalize()}\n" in page
    store = import_module("science_store").Store(BENCHMARKS / "science")
    kept = [record for record in store.records if "setup" in record]
    [found] = re.findall(r"^(\d+) runs, seeds", page, re.M)
    assert int(found) <= len(kept)
    scores = [store.score(record) for record in kept]
    assert all(score is None or 0 < (score.f1 or 0) < 100 for score in scores)
