"""`spindle stats`."""

import json
from pathlib import Path

import pytest

from cli.conftest import Spindle

TREES = """\
(VROOT (S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam)) ($. 3=.))
(VROOT (S (NP (NN 0=er)) (VP (VVFIN 2=kam))) ($, 1=,) ($. 3=.))
(VROOT (S (NP (ART 0=der) ($, 1=,) (NN 2=Mann)) (VVFIN 3=kam)) ($. 4=.))
(VROOT (S (NP (ART 0=der) (NN 2=Mann)) (VVFIN 3=kam)) ($, 1=,) ($. 4=.))
(ROOT (S (NP (-NONE- 0=*)) (VVFIN 1=kam)))
"""


def test_figures(spindle: Spindle) -> None:
    code, out, err = spindle("stats", "-", "--heads", "negra", "--json", stdin=TREES)
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert figures == figures | {
        "sentences": 5,
        "tokens": 19,
        "empties": 1,
        "longest": 5,
        "nodes": 16,
        "symbols": 5,
        "wrappers": {"ROOT": 1},
        "unaries": 3,
        # a comma attached to the root also interrupts the second sentence and the last but one
        "discontinuous": 3,
        "discontinuous_percent": 60.0,
        "discontinuous_without_punctuation": 1,
        "discontinuous_without_punctuation_percent": 20.0,
        "gap_degrees": {"0": 2, "1": 3},
        "head_rules": "negra",
    }
    assert set(figures["labels"]) == {"direct", "delta", "hn"}
    assert figures["repairs_to_make_continuous"]


def test_transforms_are_applied_before_counting(spindle: Spindle) -> None:
    options = ("--heads", "negra", "--json", "--strip", "traces,wrapper", "--punct", "move")
    code, _, err = spindle("stats", "-", *options, stdin=TREES)
    assert code == 0
    figures = json.loads(spindle("stats", "-", *options, stdin=TREES).out)
    assert (err, figures["empties"], figures["wrappers"], figures["discontinuous"]) == ("", 0, {}, 1)


def test_the_table_has_the_same_figures(spindle: Spindle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")  # has no effect: the output is not a terminal
    _, out, err = spindle("stats", "-", stdin=TREES * 300)
    rows = dict(line.split("  ", 1) for line in out.partition("\n\n")[0].splitlines())
    assert rows["sentences"].strip() == "1,500"
    assert rows["discontinuous"].strip() == "900  (60.0 %)"
    assert rows["wrappers"].strip() == "ROOT 300"
    assert rows["gap degrees"].strip() == "0 600, 1 900"
    assert err == "spindle: head rules: negra (the labels are those of German in the NEGRA or TIGER scheme)\n"


def test_frequencies(spindle: Spindle) -> None:
    options = ("stats", "-", "--heads", "negra")
    frequencies = json.loads(spindle(*options, "--json", stdin=TREES).out)["frequencies"]
    assert frequencies["symbols"] == {"NP": 5, "S": 5, "VROOT": 4, "VP": 1, "ROOT": 1}
    assert frequencies["tags"]["VVFIN"] == 5
    assert frequencies["productions"]["NP → ART NN"] == 1
    assert frequencies["productions"]["S → NP VVFIN"] == 4
    assert frequencies["sentence_lengths"] == {"1": 1, "4": 2, "5": 2}
    assert frequencies["unary_chains"] == {"NP": 2, "VP": 1}
    out = spindle(*options, "--top", "2", stdin=TREES).out
    assert "\nLabels\n    count     %\nS       5  31.2\nNP      5  31.2\nand 3 more\n" in out
    assert "\nProductions\n" in out
    assert out.endswith("\nWords per sentence\n      count      %\n1–10      5  100.0\n")


def test_frequencies_of_dependencies(spindle: Spindle) -> None:
    Path("x.dbr").write_text(TREES, "utf-8")
    spindle("encode", "x.dbr", "-o", "x.conllu", "--heads", "negra")
    frequencies = json.loads(spindle("stats", "x.conllu", "--json").out)["frequencies"]
    assert set(frequencies) == {"labels", "tags", "sentence_lengths"}
    assert frequencies["tags"]["VVFIN"] == 5
    assert "\nTags\n" in spindle("stats", "x.conllu").out


def test_names_of_head_rules_are_not_read_as_markup(spindle: Spindle) -> None:
    rules = spindle("heads", "list", "collins").out
    Path("my[bold]rules.toml").write_text(rules, "utf-8")
    assert "my[bold]rules.toml" in spindle("stats", "-", "--heads", "my[bold]rules.toml", stdin=TREES).out


def test_dependencies(spindle: Spindle) -> None:
    Path("x.dbr").write_text(TREES, "utf-8")
    assert spindle("encode", "x.dbr", "-o", "x.conllu", "--heads", "negra").code == 0
    figures = json.loads(spindle("stats", "x.conllu", "--json").out)
    assert figures == figures | {"sentences": 5, "tokens": 20, "repairs": {}}
    assert figures["labels"] == json.loads(
        spindle("stats", "x.dbr", "--json", "--heads", "negra").out
    )["labels"]["direct"]  # fmt: skip
    code, _, err = spindle("stats", "x.conllu", "--strip", "traces")
    assert code == 2
    assert "--heads, --strip, --punct and --where are for trees" in err


def test_malformed_sentences(spindle: Spindle) -> None:
    text = TREES + "(S (NN 1=a))\n"
    code, out, err = spindle("stats", "-", "--json", stdin=text)
    assert (code, out) == (1, "")
    assert err.endswith("spindle: <stdin>:6: position 0 is missing\n")
    code, out, err = spindle("stats", "-", "--json", "--on-error", "skip", stdin=text)
    assert (code, json.loads(out)["sentences"]) == (0, 5)
    assert err.endswith("spindle: sentence skipped: 1\n")


def test_an_empty_file(spindle: Spindle) -> None:
    Path("empty.ptb").touch()
    code, out, _ = spindle("stats", "empty.ptb", "--json")
    assert (code, json.loads(out)["sentences"]) == (0, 0)


def test_a_real_treebank(spindle: Spindle, treebanks: Path) -> None:
    figures = json.loads(spindle("stats", treebanks / "german-pcc" / "dev.export", "--json").out)
    assert (figures["sentences"], figures["tokens"]) == (207, 3152)
    assert figures["discontinuous_percent"] == 58.45
    assert figures["discontinuous_without_punctuation_percent"] == 25.6
