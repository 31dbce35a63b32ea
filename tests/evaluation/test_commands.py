"""`spindle evaluate` and `spindle compare` as users call them."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spindle.cli import cli, main
from spindle.cli.verbosity import messages_on_standard_error

GOLD = """\
(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))
(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (PRP it))) (. .)))
(TOP (S (NP (PRP She)) (VP (VBD left)) (. .)))
"""
PRED = """\
(TOP (S (NP (DT the) (JJ cat)) (VP (VBZ sleeps)) (. .)))

(TOP (S (PRP She) (VP (VBD left)) (. .)))
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.ptb").write_text(GOLD)
    Path("pred.ptb").write_text(PRED)
    Path("odd.ptb").write_text(PRED.replace("She", "He") + "(())\n")


def run(*arguments: str, input: str = "") -> Result:
    with messages_on_standard_error():
        return CliRunner().invoke(cli, arguments, input=input)


@pytest.mark.usefixtures("files")
def test_tables_and_signature() -> None:
    result = run("evaluate", "gold.ptb", "pred.ptb", "--per-sentence")
    assert result.exit_code == 0
    for part in ("Score", "By label", "By length", "By kind of error", "Sentences", "evalb|prm:collins"):
        assert part in result.stdout
    assert result.stderr == (
        "spindle: scheme: evalb (the gold trees are continuous)\n"
        "spindle: sentence 2: no parse; counts as a failure\n"
    )
    assert re.search(r"^missing in the prediction +1$", result.stdout, re.MULTILINE)


@pytest.mark.usefixtures("files")
def test_json() -> None:
    figures = json.loads(run("evaluate", "gold.ptb", "pred.ptb", "--json").stdout)
    assert [figures[name] for name in ("sentences", "scored", "missing", "left_out")] == [3, 2, 1, 0]
    assert figures["precision"] == 100.0
    skipped = json.loads(run("evaluate", "gold.ptb", "pred.ptb", "--json", "--missing", "skip").stdout)
    assert skipped["tags"] == pytest.approx(80.0)
    assert skipped["recall"] > figures["recall"]


@pytest.mark.usefixtures("files")
def test_json_has_all_that_the_tables_have() -> None:
    """Every number of every table is a value in the JSON object, rounded as in the tables."""
    options = ("evaluate", "gold.ptb", "pred.ptb", "--per-sentence")
    values = json.dumps(list(flat(json.loads(run(*options, "--json").stdout))))
    tables, _, _ = run(*options).stdout.rpartition("\nevalb|")
    for number in re.findall(r"(?<![\w.–])\d+\.\d+|(?<= )\d+(?= |$)", tables, re.MULTILINE):
        assert re.search(rf'"{number}"', values), number
    figures = json.loads(run("evaluate", "gold.ptb", "pred.ptb", "--json").stdout)
    assert figures["by_label"]["NP"] == {
        "gold": 4,
        "pred": 1,
        "matched": 1,
        "precision": 100.0,
        "recall": 25.0,
        "f1": 40.0,
    }
    assert figures["by_length"]["1–10"]["sentences"] == 3
    assert figures["errors_by_kind"]["unary"] == {"missing": 3, "extra": 0}
    assert (figures["no_crossing"], figures["two_or_fewer_crossing"]) == (100.0, 100.0)


def flat(value: object) -> Iterator[str]:
    """Yield all numbers in JSON data as the tables print them."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from flat(inner)
    elif isinstance(value, float):
        yield f"{value:.2f}"
    elif isinstance(value, int):
        yield str(value)


@pytest.mark.usefixtures("files")
def test_csv() -> None:
    [row] = csv.DictReader(run("evaluate", "gold.ptb", "pred.ptb", "--csv").stdout.splitlines())
    figures = json.loads(run("evaluate", "gold.ptb", "pred.ptb", "--json").stdout)
    assert (row["gold"], row["pred"], row["disc_f1"]) == ("gold.ptb", "pred.ptb", "")
    for name in ("f1", "exact", "tags", "scored", "missing", "no_crossing"):
        assert float(row[name]) == figures[name]
    assert row["signature"] == figures["signature"]
    sentences = run("evaluate", "gold.ptb", "pred.ptb", "--csv", "--per-sentence").stdout.splitlines()
    assert [one["problem"] for one in csv.DictReader(sentences)] == ["", "no parse", ""]
    assert run("encode", "gold.ptb", "-o", "gold.conllu").exit_code == 0
    [row] = csv.DictReader(run("evaluate", "gold.conllu", "gold.conllu", "--csv").stdout.splitlines())
    assert (row["las"], row["words"]) == ("100.0", "11")
    rows = csv.DictReader(run("compare", "gold.ptb", "pred.ptb", "gold.ptb", "--csv").stdout.splitlines())
    compared = {row["figure"]: row for row in rows}
    assert set(compared) == {"f1", "precision", "recall", "exact", "disc_f1", "tags"}
    assert float(compared["f1"]["score_a"]) == figures["f1"]
    assert (compared["f1"]["scored_a"], compared["f1"]["scored_b"]) == ("2/3", "3/3")
    assert float(compared["f1"]["low"]) <= float(compared["f1"]["difference"])


@pytest.mark.usefixtures("files")
def test_latex() -> None:
    Path("pred_1 50%.ptb").write_text(PRED)
    lines = run("evaluate", "gold.ptb", "pred_1 50%.ptb", "--latex").stdout.splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrrrr}"
    assert lines[2] == r" & P & R & F1 & EM & tags & scored \\"  # no discontinuous columns: nothing in them
    assert lines[4].startswith(r"pred\_1 50\%.ptb & 100.00 & ")
    assert lines[4].endswith(r" & 2/3 \\")
    assert lines[-1].startswith("% pred_1 50%.ptb: evalb|prm:collins")
    Path("disc.dbr").write_text("(S (A (X 0=a) (X 2=c)) (X 1=b))\n")
    assert "disc. F1" in run("evaluate", "disc.dbr", "disc.dbr", "--latex").stdout
    compared = run("compare", "gold.ptb", "pred.ptb", "gold.ptb", "--latex").stdout
    assert r"scored & 2/3 & 3/3 &" in compared
    assert re.search(r"^F1 & [\d.]+ & 100.00 & \$\+\$[\d.]+ & \[\$\+\$", compared, re.MULTILINE)
    assert run("encode", "gold.ptb", "-o", "gold.conllu").exit_code == 0
    dependencies = run("evaluate", "gold.conllu", "gold.conllu", "--latex").stdout
    assert "UAS & LAS" in dependencies
    assert r"& 3/3 \\" in dependencies
    runs = run("evaluate", "gold.ptb", "pred.ptb", "gold.ptb", "--latex").stdout
    assert r"scored & 2/3 & 3/3 &" in runs


@pytest.mark.usefixtures("files")
def test_tables_in_a_pipe_are_plain_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    name = "a_very_long_label_that_no_terminal_has_room_for_" * 3
    Path("long.ptb").write_text(f"(TOP ({name} (A a) (B b)))\n")
    out = run("evaluate", "long.ptb", "long.ptb", "--per-sentence").stdout
    assert f"\n{name}     1          1     100.00  100.00  100.00\n" in out
    assert not set("│┃─━…") & set(out)


@pytest.mark.usefixtures("files")
def test_compact_view() -> None:
    result = run("evaluate", "gold.ptb", "pred.ptb", "--view", "compact", "--scheme", "discodop")
    assert result.stdout.count("\n") == 1
    assert "discodop|prm:proper" in result.stdout


@pytest.mark.usefixtures("files")
def test_official() -> None:
    result = run("evaluate", "gold.ptb", "odd.ptb", "--official")
    assert result.exit_code == 0
    assert result.stdout.startswith("  Sent.")
    assert "Number of Error sentence  =      1" in result.stdout
    assert result.stderr == "3 : Words unmatch (She|He)\n"
    assert "-- len<=9 --" in run("evaluate", "gold.ptb", "pred.ptb", "--official", "--cutoff", "9").stdout


@pytest.mark.usefixtures("files")
def test_official_stops_with_status_1() -> None:
    Path("strict.prm").write_text("MAX_ERROR 0\n")
    result = run("evaluate", "gold.ptb", "odd.ptb", "--official", "--params", "strict.prm")
    assert result.exit_code == 0  # the program compares before it counts: one error more passes
    for name in ("gold", "odd"):
        Path(f"{name}-twice.ptb").write_text(2 * Path(f"{name}.ptb").read_text())
    result = run("evaluate", "gold-twice.ptb", "odd-twice.ptb", "--official", "--params", "strict.prm")
    assert result.exit_code == 1
    assert "Summary" not in result.stdout


@pytest.mark.usefixtures("files")
def test_standard_input_and_other_formats() -> None:
    figures = json.loads(run("evaluate", "gold.ptb", "-", "--json", input=GOLD).stdout)
    assert figures["f1"] == 100.0
    assert run("convert", "gold.ptb", "gold.export").exit_code == 0
    figures = json.loads(run("evaluate", "gold.export", "gold.ptb", "--json").stdout)
    assert figures["f1"] == 100.0
    assert run("evaluate", "-", "-").exit_code == 2


@pytest.mark.usefixtures("files")
def test_dependencies() -> None:
    assert run("encode", "gold.ptb", "-o", "gold.conllu").exit_code == 0
    result = run("evaluate", "gold.conllu", "gold.conllu", "--json")
    assert json.loads(result.stdout)["las"] == 100.0
    assert "label accuracy" in run("evaluate", "gold.conllu", "gold.conllu", "--per-sentence").stdout
    refused = run("evaluate", "gold.conllu", "gold.conllu", "--scheme", "spmrl")
    assert refused.exit_code == 2
    assert "--scheme applies to trees" in refused.stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "options",
    [
        ("--official", "--json"),
        ("--official", "--csv"),
        ("--json", "--csv"),
        ("--latex", "--per-sentence"),
        ("--official", "--plot", "x.svg"),
        ("--official", "--view", "compact"),
        ("--official", "--missing", "count"),
        ("--official", "--scheme", "discodop", "--missing", "count"),
        ("--missing", "fail"),
        ("--cutoff", "-1"),
        ("--scheme", "bleu"),
    ],
)
def test_options_that_do_not_go_together(options: tuple[str, ...]) -> None:
    assert run("evaluate", "gold.ptb", "pred.ptb", *options).exit_code == 2


@pytest.mark.usefixtures("files")
def test_plot() -> None:
    assert run("evaluate", "gold.ptb", "pred.ptb", "--plot", "f1.svg").exit_code == 0
    picture = ET.fromstring(Path("f1.svg").read_text())
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"F1 by sentence length (words)", "F1 by label", "NP", "VP", "1–10"} <= set(texts)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gold.ptb", "absent.ptb"), "absent.ptb: No such file or directory"),
        (("gold.ptb", "pred.ptb", "--params", "absent.prm"), "absent.prm: No such file or directory"),
        (("gold.ptb", "pred.ptb", "--plot", "no/such/place.svg"), "no/such/place.svg: No such file"),
        (("empty.ptb", "empty.ptb", "--from", "bracket"), "empty.ptb: contains no sentences"),
        (("gold.ptb", "other.ptb"), "no sentence could be scored"),
        (
            ("gold.ptb", "odd.ptb", "--official", "--scheme", "discodop"),
            "sentence 3: word mismatch: 'She' in gold",
        ),
    ],
)
def test_what_cannot_be_scored_ends_with_status_1(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.ptb").write_text("")
    Path("other.ptb").write_text("(S (A a))\n" * 3)
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", *arguments])
    assert stop.value.code == 1
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_compare() -> None:
    result = run("compare", "gold.ptb", "pred.ptb", "gold.ptb", "--rounds", "100")
    assert result.exit_code == 0
    assert "3 sentences, 0 left out; with a scored prediction: A 2/3, B 3/3\n" in result.stdout
    assert "|scored:2/3|" in result.stdout
    assert "|scored:3/3|" in result.stdout
    assert (
        result.stderr
        == "spindle: scheme: evalb (the gold trees are continuous)\n"
        + "spindle: pred.ptb: sentences with problems: 1; `spindle evaluate` names them\n"
    )
    figures = json.loads(
        run("compare", "gold.ptb", "pred.ptb", "gold.ptb", "--json", "--rounds", "50").stdout
    )
    assert figures["figures"]["f1"]["difference"] > 0
    assert figures["coverage"] == [["2/3"], ["3/3"]]
    assert run("compare", "gold.ptb", "-", "gold.ptb").exit_code == 2


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("table", "first", "row"),
    [
        ("labels", "label", {"label": "NP", "gold": "4", "matched": "1"}),
        ("lengths", "words", {"words": "1–10", "sentences": "3"}),
        ("kinds", "kind", {"kind": "unary", "missing": "3", "extra": "0"}),
    ],
)
def test_tables_of_errors_as_csv_and_latex(table: str, first: str, row: dict[str, str]) -> None:
    rows = list(
        csv.DictReader(run("evaluate", "gold.ptb", "pred.ptb", "--csv", "--table", table).stdout.splitlines())
    )
    assert row.items() <= next(one for one in rows if one[first] == row[first]).items()
    latex = run("evaluate", "gold.ptb", "pred.ptb", "--latex", "--table", table).stdout
    assert latex.count("\\\\") == 1 + len(rows)
    assert row[first].replace("–", "") in latex.replace("–", "").replace("--", "")


@pytest.mark.usefixtures("files")
def test_confusions_as_csv_and_latex() -> None:
    Path("other.ptb").write_text(GOLD.replace("(NP (DT", "(NX (DT"))
    options = ("evaluate", "gold.ptb", "other.ptb", "--table", "confusions")
    assert run(*options, "--csv").stdout == "gold,pred,count\nNP,NX,1\n"
    assert "NP & NX & 1" in run(*options, "--latex").stdout
    assert run("evaluate", "gold.ptb", "gold.ptb", "--table", "confusions", "--latex").exit_code == 0


@pytest.mark.usefixtures("files")
def test_a_table_needs_a_form() -> None:
    result = run("evaluate", "gold.ptb", "pred.ptb", "--table", "labels")
    assert result.exit_code == 2
    assert "--csv or --latex" in result.stderr
