"""`spindle encode` and `spindle decode`: round trips, and repairs of bad predictions."""

import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from spindle.cli import main
from spindle.treebanks import read_trees

WRAPPED = """\
( (S (NP (DT the) (NN end)) (VP (VBZ is) (ADJP (JJ near)))))
(ROOT (TOP (S (NP (NN a)) (VP (VB b) (NP (NN c))))))
(TOP (ROOT (UH yes)))
(ROOT (UH yes))
(UH yes)
(VROOT (S (NN a) (VB b)) (. .))
( (S (NN a) (VB b)) (. .))
( ( (S (NN a) (VB b))))
(S1 (S1 (S1 (S1 (X x)))))
(FRAG (ROOT (NN a) (VB b)))
(S-1=2 (NP|X#3 (NN a_b) (-NONE- *T*-1)) (V+P::句 (VB -LRB-) (NN _)))
"""
CROSSING = """\
#FORMAT 4
%% a file with everything
#BOS 1 0 1 0 %% as it came
Es	es	PPER	3.Nom	PH	502
kam	kommen	VVFIN	_	HD	503	SB	501
gestern	--	ADV	--	MO	503
nichts	nichts	PIAT	*	NK	501
Neues	Neues	NN	a|b:c,d>e	HD	501
.	.	$.	--	--	0
#501	--	NP	--	RE	502
#502	--	NP	--	SB	503	OA	503
#503	--	S	--	--	0
#EOS 1
#BOS two
Ja	--	ITJ	--	--	0
#EOS two
#BOS 3
Ja	--	ITJ	--	--	500
!	--	$.	--	--	500
#500	--	VROOT	--	--	501
#501	--	S	--	SB	0
#EOS 3
"""


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Write a file with unusual wrappers and labels, and a file with everything that export can represent."""
    written = {"bracket": tmp_path / "wrapped.ptb", "export": tmp_path / "crossing.export"}
    written["bracket"].write_text(WRAPPED, "utf-8")
    written["export"].write_text(CROSSING, "utf-8")
    return written


@pytest.mark.parametrize("conll", ["conllu", "conllx"])
@pytest.mark.parametrize("encoding", ["direct", "delta", "hn"])
@pytest.mark.parametrize("format", ["bracket", "export"])
def test_round_trips(
    capsys: pytest.CaptureFixture[str],
    files: dict[str, Path],
    tmp_path: Path,
    format: str,
    encoding: str,
    conll: str,
) -> None:
    """`decode` writes the same bytes as `convert`."""
    want, rows, got = tmp_path / "want", tmp_path / f"rows.{conll}", tmp_path / "got"
    assert run(capsys, "convert", files[format], want, "--to", format) == (0, "", "")
    code, out, err = run(capsys, "encode", files[format], "-o", rows, "--encoding", encoding)
    assert (code, out) == (0, "")
    assert err.startswith("spindle: head rules: ")
    assert run(capsys, "decode", rows, "-o", got, "--to", format) == (0, "", "")
    assert got.read_bytes() == want.read_bytes()


def test_rows_are_as_documented(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> None:
    _, out, err = run(capsys, "encode", files["export"], "-o", "-", "--heads", "negra", "--edges-first")
    assert out.splitlines()[:12] == [
        "# spindle encoding=direct",
        "# sent_id = 1",
        "# spindle_secondary = OA:5.2:2.1,SB:2:5.1",
        "# a file with everything",
        "# export_bos = 0 1 0",
        "# export_bos_comment = as it came",
        "1\tEs\tes\tPPER\tPPER\t3.Nom\t5\tNP#2\t_\tFunction=PH",
        "2\tkam\tkommen\tVVFIN\tVVFIN\t_\t0\troot\t_\tFunction=HD|Morph=_",
        "3\tgestern\t_\tADV\tADV\t_\t2\tS#1\t_\tFunction=MO",
        "4\tnichts\tnichts\tPIAT\tPIAT\t*\t5\tNP#1\t_\tFunction=NK",
        "5\tNeues\tNeues\tNN\tNN\ta|b:c,d>e\t2\tS#1\t_\tEdges=1:RE,2:SB|Function=HD",
        "6\t.\t.\t$.\t$.\t_\t2\tVROOT#2\t_\t_",
    ]
    assert "\tUnary=1:S|Edges=1:SB>\\e" in out
    assert err == ""


def test_pipes_and_compression(files: dict[str, Path], tmp_path: Path) -> None:
    command = f"{sys.executable} -m spindle"
    script = (
        f"{command} convert wrapped.ptb want.ptb && "
        f"cat wrapped.ptb | {command} encode - -o rows.conllu.gz --heads collins && "
        f"zcat rows.conllu.gz | {command} decode - -o - --to bracket | cmp - want.ptb"
    )
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_guessed_head_rules_and_unknown_labels_are_reported(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], tmp_path: Path
) -> None:
    rows = tmp_path / "rows.conllu"
    _, _, err = run(capsys, "encode", files["export"], "-o", rows)
    assert err == "spindle: head rules: negra (the labels are those of German in the NEGRA or TIGER scheme)\n"
    _, _, err = run(capsys, "encode", files["export"], "-o", rows, "--heads", "alpino")
    assert err == "spindle: no head rule for 1 nodes, the default was used: s (1)\n"


def test_head_rules_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trees, rules = tmp_path / "trees.ptb", tmp_path / "rules.toml"
    trees.write_text("(S (NP (NN a)) (VP (VB b)))\n", "utf-8")
    rules.write_text('[rules]\nS = ["leftmost NP"]\n', "utf-8")
    _, out, _ = run(capsys, "encode", trees, "-o", "-", "--heads", rules)
    assert "1\ta\t_\tNN\tNN\t_\t0\troot\t_\tUnary=0:NP\n" in out
    rules.write_text('[rules]\nS = ["leftmots NP"]\n', "utf-8")
    code, _, err = run(capsys, "encode", trees, "-o", "-", "--heads", rules)
    assert code == 1
    assert err.startswith(f"spindle: {rules}: rule for S, step 1: a step starts with one of leftmost,")


def test_a_file_without_its_header(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], tmp_path: Path
) -> None:
    """Most parsers write no comments and no MISC. The unaryless trees are still complete."""
    rows, bare = tmp_path / "rows.conllu", tmp_path / "bare.conllu"
    run(capsys, "encode", files["export"], "-o", rows)
    lines = [line for line in rows.read_text("utf-8").splitlines() if not line.startswith("#")]
    bare.write_text(
        "".join("\t".join([*line.split("\t")[:9], "_"][:10]) + "\n" if line else "\n" for line in lines)
    )
    code, _, err = run(capsys, "decode", bare, "-o", "-", "--to", "discbracket")
    assert code == 1
    assert err.startswith(f"spindle: {bare}: the file does not name the encoding of its labels")
    code, out, err = run(capsys, "decode", bare, "-o", "-", "--to", "discbracket", "--encoding", "direct")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 3=nichts) (NN 4=Neues))) (VVFIN 1=kam) (ADV 2=gestern))"
        " ($. 5=.))",
        "(ITJ 0=Ja)",
        "(VROOT (ITJ 0=Ja) ($. 1=!))",
    ]


def test_brackets_need_continuous_trees(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], tmp_path: Path
) -> None:
    rows = tmp_path / "rows.conllu"
    run(capsys, "encode", files["export"], "-o", rows)
    code, _, err = run(capsys, "decode", rows, "-o", tmp_path / "got.ptb")
    assert code == 1
    assert err.endswith(
        "(sentence 1): a discontinuous tree cannot be written in brackets without positions; "
        "write discbracket, export or tigerxml instead, or set --mode to continuous\n"
    )
    code, out, err = run(capsys, "decode", rows, "-o", "-", "--to", "bracket", "--mode", "continuous")
    assert code == 0
    assert out.splitlines()[0] == (
        "(VROOT (S (PPER Es) (VVFIN kam) (ADV gestern) (NP (PIAT nichts) (NN Neues))) ($. .))"
    )
    assert err == "spindle: repaired 3 of 9 tokens (33.33%): crossing 1, edges 1, secondary 1\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("encode", "{trees}", "-o", "{trees}"), "is the input; write to another file."),
        (("encode", "{trees}", "-o", "out.ptb"), "bracket contains trees, not dependencies"),
        (("encode", "{trees}"), "Missing option '-o'"),
        (("encode", "{trees}", "-o", "-", "--heads", "colins"), "did you mean collins?"),
        (("encode", "nowhere.ptb", "-o", "-"), "nowhere.ptb: No such file or directory"),
        (("decode", "{trees}", "-o", "-", "--to", "bracket"), "bracket contains trees, not dependencies"),
        (("decode", "{trees}", "-o", "out.xyz"), "Cannot tell which format to write to out.xyz"),
    ],
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str], files: dict[str, Path], args: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, *(arg.format(trees=files["bracket"]) for arg in args))
    assert code in (1, 2)
    assert out == ""
    assert message in err


# ── what a bad parser writes ─────────────────────────────────────────────────────────────────────────

LABELS = ("NP#1", "S#2", "NP#0", "S#-3", "NP|S#1", "#2", "root", "nsubj", "_", "#", "X#999999999", r"\q#1")
MISC = ("_", "Unary=", "Unary=0:NP>S", "Unary=7:X", "Edges=9:SB,0:A", "Unary=x:Y|Unary", "SpaceAfter=No")


def spoiled(text: str, chance: Random) -> str:
    """Give one word in three a wrong head, label or MISC."""
    sentences = []
    for sentence in text.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in sentence.split("\n") if not line.startswith("#")]
        for row in rows:
            if chance.random() < 0.3:
                row[6] = chance.choice(("_", *map(str, range(len(rows) + 1))))
            if chance.random() < 0.3:
                row[7] = chance.choice(LABELS)
            if chance.random() < 0.3:
                row[9] = chance.choice(MISC)
        sentences.append("".join("\t".join(row) + "\n" for row in rows))
    return "\n".join(sentences) + "\n"


def test_everything_becomes_a_tree(
    capsys: pytest.CaptureFixture[str], treebanks: Path, tmp_path: Path
) -> None:
    """Corrupted sentences decode into valid trees, which are continuous in continuous mode."""
    rows, bad = tmp_path / "rows.conllu", tmp_path / "bad.conllu"
    run(capsys, "encode", treebanks / "dutch-alpino" / "dev.export", "-o", rows)
    few = "\n\n".join(islice(rows.read_text("utf-8").split("\n\n"), 250))
    for seed, encoding in enumerate(("direct", "delta", "hn")):
        bad.write_text("".join(spoiled(few, Random(4 * seed + part)) for part in range(4)), "utf-8")
        for mode, format in (("continuous", "bracket"), ("discontinuous", "discbracket")):
            got = tmp_path / f"{encoding}.{format}"
            code, _, err = run(
                capsys, "decode", bad, "-o", got, "--to", format, "--encoding", encoding, "--mode", mode
            )
            assert code == 0, err
            assert err.startswith("spindle: repaired ")
            assert sum(1 for _ in read_trees(got)) == 1000
