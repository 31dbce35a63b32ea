"""`spindle heads`."""

from pathlib import Path

import pytest

from spindle.cli import main
from spindle.heads import available_rules, load_rules, parse_rules

TREES = "(S (NP (DT the) (NN end)) (VP (VBZ is) (ADJP (JJ near))) (. .))\n"
ROWS = "".join(
    f"{number}\t{form}\t_\t_\t_\t_\t{head}\tx\t_\t_\n"
    for number, (form, head) in enumerate([("the", 2), ("end", 4), ("is", 4), ("near", 0), (".", 4)], 1)
)


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in ("heads", *args)])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    file = tmp_path / "some.ptb"
    file.write_text(TREES * 20, "utf-8")
    return file


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    file = tmp_path / "some.conllu"
    file.write_text((ROWS + "\n") * 20, "utf-8")
    return file


def test_list_names_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(available_rules())


def test_list_prints_a_table_that_can_be_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "list", "collins")
    assert parse_rules(out, "collins") == load_rules("collins")
    code, _, err = run(capsys, "list", "colins")
    assert code == 1
    assert err == "spindle: there are no head rules and no file named 'colins'; did you mean collins?\n"


def test_show_says_which_rule_fired(capsys: pytest.CaptureFixture[str], trees: Path) -> None:
    code, out, err = run(capsys, "show", trees, "--limit", "1")
    assert code == 0
    assert out.splitlines() == [
        "1: the end is near .",
        "  S         is    VP   leftmost TO IN VP S SBAR ADJP UCP NP",
        "    NP      end   NN   rightmost of NN NNP NNPS NNS NML NX POS JJR",
        "    VP      is    VBZ  leftmost TO VBD VBN MD VBZ VB VBG VBP AUX AUXG VP ADJP NN NNS NP",
        "      ADJP  near  JJ   only child",
        "",
    ]
    assert "head rules: collins (the labels are those of English" in err


def test_show_reports_labels_without_a_rule(capsys: pytest.CaptureFixture[str], trees: Path) -> None:
    _, out, err = run(capsys, "show", trees, "--limit", "1", "--heads", "alpino")
    assert "no rule for the label: leftmost" in out
    assert "no head rule for 2 nodes, the default was used: vp (1), s (1)" in err


def test_induce_writes_rules_and_reports_their_accuracy(
    capsys: pytest.CaptureFixture[str], trees: Path, rows: Path, tmp_path: Path
) -> None:
    file = tmp_path / "rules.toml"
    code, out, err = run(capsys, "induce", trees, rows, "-o", file)
    assert code == 0
    rules = load_rules(str(file))
    assert [str(step) for step in rules.steps["VP"]] == ["rightmost ADJP", "rightmost"]
    assert [line.split() for line in out.splitlines()] == [
        ["held", "out", "nodes", "new", "rules", "collins"],
        ["all", "6", "100.00", "66.67"],
        ["NP", "2", "100.00", "100.00"],
        ["S", "2", "100.00", "100.00"],
        ["VP", "2", "100.00", "0.00"],
    ]
    assert "head given by the dependencies: 60" in err


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (19, "ends after 19 sentences, but"),
        (21, "has more sentences than"),
    ],
)
def test_induce_needs_files_of_equal_length(
    capsys: pytest.CaptureFixture[str], trees: Path, rows: Path, sentences: int, message: str
) -> None:
    rows.write_text((ROWS + "\n") * sentences, "utf-8")
    code, _, err = run(capsys, "induce", trees, rows, "-o", rows.with_suffix(".toml"))
    assert code == 1
    assert message in err
    assert not rows.with_suffix(".toml").exists()


def test_induce_names_the_sentence_that_differs(
    capsys: pytest.CaptureFixture[str], trees: Path, rows: Path
) -> None:
    rows.write_text((ROWS + "\n") * 19 + "# sent_id = odd\n" + ROWS.replace("end", "and") + "\n", "utf-8")
    code, _, err = run(capsys, "induce", trees, rows, "-o", rows.with_suffix(".toml"))
    assert code == 1
    assert f"{rows} (sentence odd): word 2 is 'end' in the tree and 'and' in the dependencies" in err


def test_induced_rules_can_be_used(
    capsys: pytest.CaptureFixture[str], trees: Path, rows: Path, tmp_path: Path
) -> None:
    run(capsys, "induce", trees, rows, "-o", tmp_path / "rules.toml")
    with pytest.raises(SystemExit):
        main(["encode", str(trees), "-o", "-", "--heads", str(tmp_path / "rules.toml")])
    assert "4\tnear\t_\tJJ\tJJ\t_\t0\troot\t_\tUnary=0:ADJP\n" in capsys.readouterr().out


def test_standard_output_contains_only_the_rules(
    capsys: pytest.CaptureFixture[str], trees: Path, rows: Path
) -> None:
    _, out, err = run(capsys, "induce", trees, rows, "-o", "-")
    assert "VP" in parse_rules(out, "induced").steps
    assert "new rules" in err


def test_rules_never_overwrite_the_treebank(
    capsys: pytest.CaptureFixture[str], trees: Path, rows: Path
) -> None:
    for file in (trees, rows):
        code, _, err = run(capsys, "induce", trees, rows, "-o", file)
        assert code == 2
        assert "is the input; write to another file." in err
    assert trees.read_text("utf-8").startswith("(S ")


def test_edges_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "some.export"
    file.write_text(
        "#BOS 1\nHans\tNE\t--\tHD\t500\nkommt\tVVFIN\t--\tSB\t500\n#500\tS\t--\t--\t0\n#EOS 1\n", "utf-8"
    )
    _, out, _ = run(capsys, "show", file, "--heads", "negra")
    assert out.splitlines()[1] == "  S  kommt  VVFIN  rightmost VMFIN VVFIN VAFIN VVIMP VAIMP"
    _, out, _ = run(capsys, "show", file, "--heads", "negra", "--edges-first")
    assert out.splitlines()[1] == "  S  Hans  NE  edge HD"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rules\n", "is this a file of head rules, in TOML?"),
        (
            '[rules]\nNP = ["left NN"]\n',
            "rule for NP, step 1: a step starts with one of leftmost, rightmost,",
        ),
        ('like = "collin"\n', "'like' must name a bundled table, not 'collin'; choose one of alpino,"),
    ],
)
def test_a_malformed_table_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], trees: Path, tmp_path: Path, text: str, message: str
) -> None:
    table = tmp_path / "mine.toml"
    table.write_text(text, "utf-8")
    code, out, err = run(capsys, "show", trees, "--heads", table)
    assert (code, out) == (1, "")
    assert err.startswith(f"spindle: {table}: ")
    assert message in err
    assert err.count("\n") == 1
