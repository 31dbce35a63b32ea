"""`spindle parse`: all kinds of input, all output formats, and --resume."""

import io
import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from spindle.cli import main
from spindle.training import train
from spindle.treebanks import read_dependencies, read_trees, write_trees
from support import stand_ins
from support.hostile_lines import HOSTILE, UNDECODABLE

DATA = files("spindle.models") / "data"
TRAIN = str(DATA / "demo-train.dbr")
TEXT = "The weaver opened the window. A cat slept under the table!\n\nNobody saw the thief.\n"


@pytest.fixture(autouse=True)
def _stages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins.plug_in(monkeypatch)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train the models `disc`, `cont`, `gold` (needs tagged input) and `oracle`; return their folder."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        stand_ins.plug_in(patch)
        trees = tuple(read_trees(TRAIN))
        train(trees, output=folder / "disc", parser="slow", epochs=5)
        train(trees, output=folder / "cont", parser="slow", epochs=5, mode="continuous")
        train(trees, output=folder / "gold", parser="slow", epochs=5, tags="gold")
        train(trees, output=folder / "oracle", parser="oracle")
    return folder


class Run:
    def __init__(self, capsys: pytest.CaptureFixture[str], models: Path) -> None:
        self.capsys, self.models = capsys, models

    def __call__(self, *args: object, model: str = "cont", code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in ("parse", *args, "--model", self.models / model)])
        out, err = self.capsys.readouterr()
        assert int(ended.value.code or 0) == code, err
        assert "Traceback" not in err
        return out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], models: Path) -> Run:
    return Run(capsys, models)


def test_a_sentence(run: Run) -> None:
    out, err = run("The weaver opened the window.")
    tree = "(ROOT (S (NP (DT The) (NN weaver)) (VP (VBD opened) (NP (DT the) (NN window))) (. .)))"
    assert (out, err) == (tree + "\n", "")
    out, _ = run("We know the road. They will come tomorrow.", "Look at the moon!")
    assert len(out.splitlines()) == 3


def test_every_input_line_gives_an_output_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(TEXT)
    out, _ = run(tmp_path / "in.txt")
    assert [line.count("(") > 0 for line in out.splitlines()] == [True, True, False, True]
    (tmp_path / "in.txt").write_text("a b\n\n \nc_X d\n")
    out, _ = run(tmp_path / "in.txt", "--input", "tokens")
    assert [len(line) > 0 for line in out.splitlines()] == [True, False, False, True]
    assert "c_X" in out


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Children like stories .\n")))
    out, _ = run("-", "--input", "tokens")
    assert out.count("\n") == 1
    assert "(NNS Children)" in out


def test_given_tags_are_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("a_b_XX c_YY\n_ d_ZZ\n")
    out, err = run(tmp_path / "in", "--input", "tagged")
    first, second = out.splitlines()
    assert "(XX a_b)" in first
    assert "(YY c)" in first
    assert "ZZ" not in second
    assert f"{tmp_path / 'in'}:2: '_' has no tag" in err
    out, _ = run(tmp_path / "in", "--input", "tagged", "--tags", "predicted")
    assert "XX" not in out


def test_words_of_trees_and_conll_rows_are_parsed(run: Run, tmp_path: Path) -> None:
    trees = [tree.replace(id=f"s{number}") for number, tree in enumerate(read_trees(TRAIN), start=1)][:3]
    odd = trees[0].replace(tokens=tuple(token._replace(tag="ODD") for token in trees[0].tokens))
    write_trees([odd, *trees[1:]], tmp_path / "in.export")
    out, err = run(tmp_path / "in.export")
    assert "read as trees; set --input if this is wrong" in err
    assert "ODD" not in out
    out, _ = run(tmp_path / "in.export", "--input", "trees", "--tags", "gold", "--to", "export")
    assert out.count("ODD") == len(trees[0])
    assert [line for line in out.splitlines() if line.startswith("#BOS")] == ["#BOS s1", "#BOS s2", "#BOS s3"]
    rows = "1\tWe\t_\t_\tAA\t_\t0\troot\t_\t_\n2\tknow\t_\tBB\t_\t_\t1\tx\t_\t_\n\n"
    (tmp_path / "in.conllu").write_text("# sent_id = x\n# note = kept\n" + rows)
    out, _ = run(tmp_path / "in.conllu", "--tags", "gold", "--to", "conllu")
    assert "# sent_id = x" in out
    assert "# note = kept" in out
    assert "\tAA\tAA\t" in out
    assert "\tBB\tBB\t" in out


def test_a_model_without_a_tagger(run: Run, tmp_path: Path) -> None:
    _, err = run("Some words here", model="gold", code=1)
    assert "has no tagger" in err
    (tmp_path / "in").write_text("We_PRP know_VBP\n")
    out, _ = run(tmp_path / "in", "--input", "tagged", model="gold")
    assert "(PRP 0=We)" in out
    run(TRAIN, model="gold")
    run(TRAIN, "--tags", "predicted", model="gold", code=1)


@pytest.mark.parametrize("to", ["discbracket", "export", "tigerxml", "conllu", "conllu-tree", "json", "svg"])
def test_every_format_reads_back(run: Run, tmp_path: Path, to: str) -> None:
    output = tmp_path / "out"
    run(TRAIN, "-o", output, "--to", to, model="oracle")
    trees = list(read_trees(TRAIN))
    if to == "svg":
        assert output.read_text().startswith("<svg")
    elif to == "json":
        records = [json.loads(line) for line in output.read_text().splitlines()]
        assert [len(record["nodes"]) for record in records] == [len(tree.labels) for tree in trees]
        (tmp_path / "json.dbr").write_text("".join(record["tree"] + "\n" for record in records))
        assert list(read_trees(tmp_path / "json.dbr")) == trees
    elif to == "conllu":
        from spindle.reduction import decode, read_rows

        rows = read_dependencies(output, "conllu")
        assert [decode(reduced).replace(id="") for reduced, _ in read_rows(rows)] == trees
    else:
        found = list(read_trees(output, to))
        assert [tree.replace(id="") for tree in found] == trees
        if to == "export":
            assert [tree.id for tree in found] == [str(number) for number in range(1, len(trees) + 1)]


def test_json_has_offsets_and_scores(run: Run) -> None:
    text = "A cat slept. It's \N{GRINNING FACE} odd"
    out, _ = run(text, "--to", "json", "--scores")
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["id"] for record in records] == ["1", "2"]
    for record in records:
        for token in record["tokens"]:
            assert text[token["start"] : token["end"]] == token["form"]
        assert all(0 <= node["confidence"] <= 1 for node in record["nodes"])
        assert record["nodes"][0] == {
            "label": "ROOT",
            "parent": -1,
            "tokens": list(range(len(record["tokens"]))),
            "confidence": 1.0,
        }


def test_k_best(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("We know the road .\n\nChildren like stories .\n")
    out, _ = run(tmp_path / "in", "--input", "tokens", "--k-best", "2")
    assert [bool(line) for line in out.splitlines()] == [True, True, False, False, True, True, False]
    out, _ = run(tmp_path / "in", "--input", "tokens", "--k-best", "2", "--to", "json")
    first, nothing, _ = [json.loads(line) for line in out.splitlines()]
    assert nothing is None
    assert first["candidates"][0]["tree"] == first["tree"]
    out, _ = run(tmp_path / "in", "--input", "tokens", "--k-best", "2", "--to", "export")
    assert out.count("#BOS 1.") == 2


@pytest.mark.parametrize(
    "to", ["bracket", "discbracket", "export", "tigerxml", "conllu", "conllu-tree", "json"]
)
def test_hostile_lines_are_parsed(run: Run, tmp_path: Path, to: str) -> None:
    lines = "".join(f"{line}\n" for line in HOSTILE).encode() + UNDECODABLE + b"\n" + b"the end ."
    (tmp_path / "in").write_bytes(lines)
    output = tmp_path / "out"
    _, err = run(tmp_path / "in", "--input", "tokens", "-o", output, "--to", to)
    assert "sentences longer than --max-length, parsed in pieces: 1" in err
    assert "byte 0xff is not utf-8" in err
    if to in ("bracket", "discbracket", "json"):
        assert output.read_bytes().count(b"\n") == len(HOSTILE) + 2
    if to == "json":
        forms = [
            [token["form"] for token in json.loads(line)["tokens"]] if line != "null" else []
            for line in output.read_text().split("\n")[:-1]
        ]
        assert forms[: len(HOSTILE)] == [line.split(" ") if line else [] for line in HOSTILE]
    elif to == "conllu":
        assert sum(1 for _ in read_dependencies(output, to)) == len(HOSTILE) + 1
    else:
        found = [[token.form for token in tree.tokens] for tree in read_trees(output, to)]
        assert len(found) == len(HOSTILE) + 1
        assert found[-1] == ["the", "end", "."]
        assert found[0] == ["word"] * 2000
    run(tmp_path / "in", "--max-length", "50", "-o", output, "--to", to)


@pytest.mark.parametrize(
    ("to", "k"),
    [
        *(
            (to, 1)
            for to in ("bracket", "discbracket", "export", "tigerxml", "conllu-tree", "conllu", "json")
        ),
        *((to, 2) for to in ("bracket", "json")),
    ],
)
def test_resume_continues_after_the_last_complete_sentence(run: Run, tmp_path: Path, to: str, k: int) -> None:
    (tmp_path / "in").write_text(TEXT * 3)
    arguments = (tmp_path / "in", "--to", to, "--k-best", k)
    run(*arguments, "-o", tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    for length in sorted({0, 1, len(whole) - 1, len(whole), *range(0, len(whole), len(whole) // 7)}):
        (tmp_path / "part").write_bytes(whole[:length])
        run(*arguments, "-o", tmp_path / "part", "--resume")
        assert (tmp_path / "part").read_bytes() == whole
    (tmp_path / "in").write_text("We know.\n")
    assert "another input 1" in run(*arguments, "-o", tmp_path / "part", "--resume", code=1)[1]
    assert (tmp_path / "part").read_bytes() == whole


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nofile",), 2, "There is no file nofile; a sentence to parse must contain a blank"),
        (("a b", "--resume"), 2, "name it with -o"),
        (("a b", "--scores"), 2, "add --to json"),
        (("a b", "--max-length", "1"), 2, "--max-length"),
        (("a b", "--to", "svg", "--resume", "-o", "x.svg"), 2, "A picture cannot be resumed"),
        (
            ("a b", "--to", "export", "--resume", "-o", "x", "--k-best", "2"),
            2,
            "cannot tell the trees of one sentence apart",
        ),
        ((TRAIN, "-o", TRAIN), 2, "is the input"),
        (("a b", "--input", "trees"), 2, "reads files"),
        (("a b", "--tags", "gold"), 2, "--tags gold does not apply to --input text"),
        (
            (TRAIN, "--input", "tokens", "--from", "export"),
            2,
            "--from export does not apply to --input tokens",
        ),
        ((TRAIN, "--input", "conllu", "--from", "export"), 2, "does not go with"),
    ],
)
def test_usage_errors(run: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    assert said in run(*arguments, code=code)[1]


def test_outputs_that_a_model_cannot_give(run: Run, tmp_path: Path) -> None:
    assert "write discbracket, export" in run("a b", "--to", "bracket", model="disc", code=2)[1]
    assert "gives no confidences" in run(TRAIN, "--to", "json", "--scores", model="oracle", code=2)[1]
    assert "only its best" in run(TRAIN, "--k-best", "2", model="oracle", code=1)[1]
    assert "(PRP 1=you)" in run("did you see", model="disc")[0]
    output = tmp_path / "x.ptb.gz"
    run("We know the road .", "-o", output)
    assert next(read_trees(output)).labels[0] == "ROOT"
    assert "compressed" in run("We know the road .", "-o", output, "--resume", code=1)[1]
    assert "no such model file" in run("a b", model="missing", code=1)[1]
