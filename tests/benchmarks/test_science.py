"""The page about the paper's claims: from the little treebank of the demo to verdicts, and its statistics."""

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
    places = ("--treebanks", "treebanks", "--runs", "runs", "--output", "page")
    paths = [str(folder / word) if at % 2 else word for at, word in enumerate(places)]
    page: str = science.test_claims(science.arguments(["--quick", "--seeds", "1,2", *paths, *words]))
    return page


def test_every_claim_of_the_light_engine_on_the_demo_treebank(
    science: Any, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = ("orders", "crossings", "unaries", "repairs", "time", "heads", "stages", "parsers", "grammars")
    # programs of other people take their time, and are tested elsewhere; the networks are, too
    monkeypatch.setattr(import_module("science_claims"), "installed_parsers", lambda: ["linear"])
    monkeypatch.setattr(
        import_module("science_claims").Scale, "neural", lambda scale, treebank, **more: linear(treebank)
    )
    page = run(science, folder, *claims)
    assert len(list((folder / "runs").glob("*.json"))) == len(list((folder / "runs").glob("*.dbr"))) > 10
    assert "| higher order > first order | **" in page
    assert "demo | linear basic | linear standard | f1 |" in page
    assert "disc_f1" in page
    assert "| demo | linear full |" in page
    assert "nothing here can test it" in page  # no grammar was named
    assert (folder / "page" / "science-lengths.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "scored:" in page
    trained = capsys.readouterr().out
    assert trained.count("seed 2") == trained.count("seed 1") > 5
    assert run(science, folder, *claims) == page
    assert capsys.readouterr().out == ""  # nothing is trained again


def linear(treebank: str) -> Any:
    return import_module("science_claims").linear(treebank)


def test_other_data_and_seeds_are_other_runs(science: Any, folder: Path) -> None:
    lab = import_module("science_lab")
    setup = lab.Setup("demo")
    first = lab.Lab(folder / "treebanks", folder / "runs")
    names = {
        first.fingerprint(setup, 1),
        first.fingerprint(setup, 2),
        first.fingerprint(replace(setup, order="full"), 1),
        lab.Lab(folder / "treebanks", folder / "runs", (5, None)).fingerprint(setup, 1),
    }
    assert len(names) == 4
    assert lab.Lab(folder / "treebanks", folder / "elsewhere").fingerprint(setup, 1) in names


def test_a_failed_setup_is_named(science: Any, folder: Path) -> None:
    lab = import_module("science_lab")
    run = lab.Lab(folder / "treebanks", folder / "runs").run(lab.Setup("demo", order="cubic"), 1)
    assert run.score is None
    assert "order of linear cannot be 'cubic'" in run.problem


def test_a_program_of_other_people_is_scored(science: Any, folder: Path) -> None:
    lab = import_module("science_lab")
    setup = lab.Setup("demo", "copier", command="cp {dev} {output}")
    # the demo has crossing branches, which brackets cannot hold: the run says so
    run = lab.Lab(folder / "treebanks", folder / "runs").run(setup, 1)
    assert run.problem
    continuous = (folder / "treebanks" / "flat" / "train.ptb", folder / "treebanks" / "flat" / "dev.ptb")
    continuous[0].parent.mkdir()
    for path in continuous:
        path.write_text("(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))\n", encoding="utf-8")
    run = lab.Lab(folder / "treebanks", folder / "runs").run(replace(setup, treebank="flat"), 1)
    assert run.score is not None
    assert run.score.f1 == 100


def test_verdicts(science: Any) -> None:
    page = import_module("science_page")

    def outcomes(pairs: Sequence[tuple[float, float]]) -> list[Any]:
        return [page.Outcome(None, 50.0, 50.0 + difference, p, 9) for difference, p in pairs]

    assert page.verdict(outcomes([(1, 0.01), (0.2, 0.5)]))[0] == "confirmed"
    assert page.verdict(outcomes([(1, 0.01), (-1, 0.01)]))[0] == "undecided"
    assert page.verdict(outcomes([(-1, 0.01), (0.1, 0.9)]))[0] == "refuted"
    assert page.verdict(outcomes([(1, 0.2), (1, 0.3), (2, 0.01)]))[0] == "undecided"
    assert page.verdict([]) == ("not tested", "nothing here can test it")


def test_holm_corrects_and_keeps_the_order(science: Any) -> None:
    page = import_module("science_page")
    ps = [0.04, 0.01, 0.03, 0.5]
    corrected = [one.p for one in page.holm([page.Outcome(None, 0.0, 1.0, p, 9) for p in ps])]
    assert corrected == pytest.approx([0.09, 0.04, 0.09, 0.5])


def test_unknown_names_are_refused(science: Any, folder: Path) -> None:
    with pytest.raises(SystemExit, match="there is no claim 'magic'; there are encodings, stages"):
        run(science, folder, "magic")
    with pytest.raises(SystemExit, match="no treebank latin; there are demo"):
        run(science, folder, "orders", "--treebank", "latin")
