"""`spindle convert`: input, output and messages."""

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from cli.conftest import Spindle

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
CROSSING = "(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))\n"
EXPORT = """\
#FORMAT 4
#BOS a-1
Es	es	PPER	3.Sg	PH	500
kam	kommen	VVFIN	--	HD	501
nichts	--	NN	--	NK	500
.	--	$.	--	--	0
#500	--	NP	--	SB	501
#501	--	S	--	--	0
#EOS a-1
"""
TIGER = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<corpus id="c"><body>
<s id="s1"><graph root="s1_500"><terminals><t id="s1_1" word="a" pos="NN"/><t id="s1_2" word="b" pos="VB"/>
</terminals><nonterminals>
<nt id="s1_500" cat="S"><edge idref="s1_1" label="SB"/><edge idref="s1_501" label="HD"/></nt>
<nt id="s1_501" cat="VP"><edge idref="s1_2" label="HD"/><edge idref="s1_1" label="OA"/></nt>
</nonterminals></graph></s>
<s id="s2"><graph><terminals><t id="s2_1" word="a" pos="NN"/></terminals><nonterminals>
<nt id="s2_500" cat="S"><edge idref="s2_9" label="SB"/></nt></nonterminals></graph></s>
<s id="s3"><graph><terminals><t id="s3_1" word="ä" pos="NN"/><t id="s3_2" word="b" pos="NN"/></terminals>
<nonterminals/></graph></s>
</body></corpus>
"""
ALPINO = """\
<alpino_ds id="{0}"><node cat="top" rel="top" begin="0" end="2"><node cat="smain" rel="--" begin="0" end="2">
<node rel="su" index="1" begin="0" end="1" pt="vnw" word="Het"/>
<node rel="hd" begin="1" end="2" pt="ww" word="regent"/><node rel="obj1" index="1" begin="0" end="1"/>
</node></node><sentence sentid="{0}">Het regent</sentence></alpino_ds>
"""
HET_REGENT = "(smain (vnw 0=Het) (ww 1=regent))\n"
CONLLU = """\
# sent_id = x
1-2	im	_	_	_	_	_	_	_	_
1	in	in	ADP	_	_	2	case	_	_
2	dem	der	DET	_	_	0	root	_	_
2.1	nichts	_	_	_	_	_	_	_	_

"""


# ── every line of the formats' table ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (
            "(S\n  (NP (DT the)\n      (NN cat))\n  (VP (V sleeps)))",
            "(S (NP (DT the) (NN cat)) (VP (V sleeps)))",
        ),
        ("\ufeff(S (NN a))\r\n", "(S (NN a))"),
        ("( (S (NN a)))", "( (S (NN a)))"),
        ("((S (NN a)))", "( (S (NN a)))"),
        ("(TOP (S (NN a)) (. .))", "(TOP (S (NN a)) (. .))"),
        ("(NP (-LRB- -LRB-) (NN a-LRB-b#RRB#))", "(NP (-LRB- -LRB-) (NN a-LRB-b-RRB-))"),
        ("(NP (-LSB- -LSB-) (-RCB- -RCB-))", "(NP (-LSB- [) (-RCB- }))"),
        ("(NP (NN 1\\/2) (NN \\*))", "(NP (NN 1/2) (NN *))"),
        ("(NP (NNP New#SP#York) (NN New York))", "(NP (NNP New#SP#York) (NN New#SP#York))"),
        ("(NP-SBJ-1 (NP=2 (NN a)) (PP-TMP-1 (IN in)))", "(NP-SBJ-1 (NP=2 (NN a)) (PP-TMP-1 (IN in)))"),
        ("(S (NP (-NONE- *T*-1)) (VP (VB go)))", "(S (NP (-NONE- *T*-1)) (VP (VB go)))"),
        ("(TOP (-- --) (`` ``) (, ,))", "(TOP (-- --) (`` ``) (, ,))"),
        ("(NP (NN (dog)) (JJ (New York)))", "(NP (NN dog) (JJ New#SP#York))"),
        ("(S (NP (0)) (VP (VB go) (NP (*-2))))", "(S (NP (-NONE- 0)) (VP (VB go) (NP (-NONE- *-2))))"),
        ("(NP (CD 5) *U*)", "(NP (CD 5) (-NONE- *U*))"),
        ("(NP (N##g=f|n=s## maisons) (DT##g=f## la))", "(NP (N##g=f|n=s## maisons) (DT##g=f## la))"),
    ],
)
def test_brackets(spindle: Spindle, read: str, written: str) -> None:
    assert spindle("convert", "-", "-", "--to", "bracket", stdin=read) == (0, written + "\n", "")


def test_psd(spindle: Spindle) -> None:
    text = (
        "( (METADATA (AUTHOR x)) (IP-MAT (NP-SBJ *con*) (VBPI langar-langa) (CODE {sic}) (. .-.)) (ID A,1.2))"
    )
    _, out, _ = spindle("convert", "-", "-", "--to", "export", stdin=text)
    assert "#BOS A,1.2" in out
    assert "langar\tlanga\tVBPI" in out
    assert "*con*\t--\t-NONE-" in out
    assert "{sic}\t--\tCODE" in out
    Path("x.export").write_text(out, "utf-8")
    assert spindle("convert", "x.export", "-", "--to", "psd").out == text + "\n\n"


def test_discbracket(spindle: Spindle) -> None:
    text = "(S (VVFIN 1=kam) (NP (PPER 0=-LRB-Es#RRB#) (NN 2=New#SP#York)))"
    code, out, _ = spindle("convert", "-", "-", "--to", "discbracket", stdin=text)
    assert (code, out) == (0, "(S (NP (PPER 0=#LRB#Es#RRB#) (NN 2=New#SP#York)) (VVFIN 1=kam))\n")


def test_export(spindle: Spindle) -> None:
    assert spindle("convert", "-", "-", "--to", "export", stdin=EXPORT).out == EXPORT
    third = spindle("convert", "-", "-", "--to", "export3", stdin=EXPORT).out
    assert "Es\tPPER\t3.Sg\tPH\t500\n" in third
    assert spindle("convert", "-", "-", "--to", "export3", stdin=third).out == third


def test_tigerxml(spindle: Spindle) -> None:
    code, out, err = spindle(
        "convert", "-", "-", "--to", "discbracket", "--on-error", "skip", stdin=TIGER.encode("latin-1")
    )
    assert (code, out) == (0, "(S (NN 0=a) (VP (VB 1=b)))\n(VROOT (NN 0=ä) (NN 1=b))\n")
    assert err.splitlines() == [
        "spindle: <stdin>:6 (sentence s1): 's1_1' has two parents",
        "spindle: <stdin>:9 (sentence s2): an edge of 's2_500' leads to 's2_9', which does not exist",
        "spindle: second parent dropped: 1",
        "spindle: sentence skipped: 1",
    ]


def test_alpino_files_treebanks_and_folders(spindle: Spindle) -> None:
    Path("one.xml").write_text(ALPINO.format("x"), "utf-8")
    assert spindle("convert", "one.xml", "-", "--to", "discbracket") == (0, HET_REGENT, "")
    Path("all.xml").write_text(f"<treebank>{ALPINO.format(1)}{ALPINO.format(2)}</treebank>", "utf-8")
    assert spindle("convert", "all.xml", "-", "--to", "discbracket").out == HET_REGENT * 2
    Path("corpus/.hidden").mkdir(parents=True)
    Path("corpus/.hidden/9.xml").write_text("", "utf-8")
    for number in (10, 9, 100):
        Path(f"corpus/cdb_{number}.xml").write_text(ALPINO.format(f"n{number}"), "utf-8")
    out = spindle("convert", "corpus", "-", "--to", "export").out
    assert [line for line in out.splitlines() if line.startswith("#BOS")] == [
        "#BOS n9",
        "#BOS n10",
        "#BOS n100",
    ]
    assert "regent\t--\tww\t--\thd\t" in out


def test_conll_rows_that_are_not_words_are_counted(spindle: Spindle) -> None:
    code, out, err = spindle("convert", "-", "-", "--to", "conllx", stdin=CONLLU)
    kept = [line for line in CONLLU.splitlines(keepends=True) if not line.startswith(("1-2", "2.1"))]
    assert (code, out) == (0, "".join(kept))
    assert err.splitlines()[2:] == [
        "spindle: multiword token range skipped: 1",
        "spindle: empty node skipped: 1",
    ]


def test_edge_labels_are_written_in_brackets_only_on_request(spindle: Spindle) -> None:
    plain = spindle("convert", "-", "-", "--to", "discbracket", stdin=EXPORT).out
    assert plain == "(VROOT (S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam)) ($. 3=.))\n"
    merged = spindle("convert", "-", "-", "--to", "discbracket", "--functions", stdin=EXPORT).out
    assert merged == "(VROOT (S (NP-SB (PPER-PH 0=Es) (NN-NK 2=nichts)) (VVFIN-HD 1=kam)) ($. 3=.))\n"


# ── compression, guessing, encodings ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_files_and_standard_input(spindle: Spindle, ending: str) -> None:
    packed = PACKERS[ending](CROSSING.encode())
    assert spindle("convert", "-", "-", "--to", "discbracket", stdin=packed) == (0, CROSSING, "")
    Path(f"in.dbr{ending}").write_bytes(packed)
    assert spindle("convert", f"in.dbr{ending}", f"out.export{ending}") == (0, "", "")
    assert (Path(f"out.export{ending}").read_bytes()[:7] == b"#FORMAT") is (ending == "")
    assert spindle("convert", f"out.export{ending}", "-", "--to", "discbracket").out == CROSSING


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("bracket", "(S (NN a) (CD 3=4) (NN b))"),
        ("bracket", "<DOC>\n<S ID=1>\n( (IP (NN a)))\n</S>\n</DOC>"),
        ("discbracket", CROSSING),
        ("discbracket", "(S (NN 0=a) (NN b) (NN 2=c))"),  # malformed, with balanced brackets
        ("psd", "( (IP (N a-a)) (ID X,1))"),
        ("export", EXPORT),
        ("export", EXPORT.removeprefix("#FORMAT 4\n")),
        ("tigerxml", TIGER.replace("ISO-8859-1", "UTF-8")),
        ("alpino", ALPINO),
        ("conllu", CONLLU),
    ],
)
def test_formats_are_guessed_from_their_content(spindle: Spindle, format: str, text: str) -> None:
    target = "conllu" if format == "conllu" else "tigerxml"
    Path("corpus.txt").write_text(text, "utf-8")
    guessed = spindle("convert", "corpus.txt", "-", "--to", target, "--on-error", "skip")
    given = spindle("convert", "corpus.txt", "-", "--to", target, "--on-error", "skip", "--from", format)
    assert guessed == given
    assert guessed.code == 0


def test_the_file_name_decides_if_the_content_is_ambiguous(spindle: Spindle) -> None:
    Path("X.PSD").write_text("( (IP (N form-lemma)))\n", "utf-8")
    assert spindle("convert", "X.PSD", "Y.EXPORT.GZ").code == 0
    assert b"form\tlemma\tN" in gzip.decompress(Path("Y.EXPORT.GZ").read_bytes())


def test_encodings(spindle: Spindle) -> None:
    text = "(S (NN Größe))\n"
    Path("l1.ptb").write_bytes(text.encode("latin-1"))
    code, out, err = spindle("convert", "l1.ptb", "-", "--to", "bracket")
    assert (code, out) == (1, "")
    hint = "set --text-encoding, e.g. to latin-1"
    assert err == f"spindle: l1.ptb:1: byte 0xf6 is not utf-8; {hint}\n"
    assert spindle("convert", "l1.ptb", "-", "--to", "bracket", "--text-encoding", "latin-1").out == text
    both = gzip.compress(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert spindle("convert", "-", "-", "--to", "bracket", stdin=both).out == text
    assert spindle("convert", "-", "-", "--to", "bracket", stdin=text.encode("utf-16")).out == text
    export = EXPORT.replace("Es", "Äs").encode("latin-1")  # the usual encoding of this format
    _, out, err = spindle("convert", "-", "-", "--to", "export", stdin=export)
    assert "Äs\tes" in out
    assert err.endswith("spindle: read as Latin-1: 1\n")


def test_line_ends_may_be_mixed(spindle: Spindle) -> None:
    text = b"(S (NN a))\r\n(S (NN b))\r(S (NN c))\n(S\r\n (NN d))\n\r\n(S (NN e))"
    assert spindle("convert", "-", "-", "--to", "bracket", stdin=text).out == "".join(
        f"(S (NN {word}))\n" for word in "abcde"
    )


# ── malformed trees ──────────────────────────────────────────────────────────────────────────────

BROKEN = (
    b"(S (NN a))\n\n(S (NN a))\n(S (NN a))\n(S (NN b)\n(S (NN c))\n"
    b"(S (NN d\xff))\n(S (NN e)))\n(S ())\n(S (NN g))\n"
)


def test_the_default_stops_at_a_malformed_tree(spindle: Spindle) -> None:
    Path("x.ptb").write_bytes(BROKEN)
    code, out, err = spindle("convert", "x.ptb", "-", "--to", "bracket")
    assert (code, out) == (1, "(S (NN a))\n" * 3)
    assert err == 'spindle: x.ptb:5: 1 "(" not closed\n'


def test_skipped_trees_are_reported_and_counted_and_no_other_is_lost(spindle: Spindle) -> None:
    Path("x.ptb").write_bytes(BROKEN)
    code, out, err = spindle("convert", "x.ptb", "y.ptb", "--on-error", "skip")
    assert (code, out) == (0, "")
    words = Path("y.ptb").read_text("utf-8").replace("(S (NN ", "").replace("))", "").split("\n")
    assert words == ["a", "a", "a", "c", "g", ""]
    assert [line.partition(";")[0] for line in err.splitlines()] == [
        'spindle: x.ptb:5: 1 "(" not closed',
        "spindle: x.ptb:7: byte 0xff is not utf-8",
        'spindle: x.ptb:8: 1 ")" too many',
        "spindle: x.ptb:9: () is empty",
        "spindle: sentence skipped: 4",
    ]


def test_only_the_first_remarks_of_a_kind_are_shown(spindle: Spindle) -> None:
    code, out, err = spindle(
        "convert", "-", "-", "--to", "bracket", "--on-error", "skip", stdin="(S (NN a))\n(S ())\n" * 30
    )
    assert (code, out.count("\n")) == (0, 30)
    assert err.count("() is empty") == 10
    assert err.endswith(
        "more of this kind (sentence skipped) are only counted\nspindle: sentence skipped: 30\n"
    )


def test_a_file_that_cannot_be_read_to_its_end_is_an_error_even_if_skipped(spindle: Spindle) -> None:
    packed = gzip.compress("".join(f"(S (NN w{number}))\n" for number in range(9999)).encode())
    Path("corpus").mkdir()
    Path("corpus/1.ptb.gz").write_bytes(packed[: len(packed) // 2])
    Path("corpus/2.ptb").write_text("(S (NN last))\n", "utf-8")
    code, _, err = spindle("convert", "corpus", "out.ptb", "--on-error", "skip")
    lines = Path("out.ptb").read_text("utf-8").splitlines()
    assert lines[-1] == "(S (NN last))"
    count = len(lines) - 1
    assert code == 1
    assert err.splitlines() == [
        f"spindle: corpus/1.ptb.gz:{count + 1}: cannot be read from here on: the .gz file is cut off",
        "spindle: file not read to its end: 1",
        "spindle: not everything could be read",
    ]
    assert spindle("convert", "corpus", "out.ptb").code == 1


@pytest.mark.parametrize("target", ["bracket", "psd"])
def test_a_discontinuous_tree_is_refused_by_brackets_or_skipped(spindle: Spindle, target: str) -> None:
    code, out, err = spindle("convert", "-", "-", "--to", target, stdin=CROSSING)
    assert (code, out) == (1, "")
    assert err.startswith(
        "spindle: <stdout> (sentence 1): a discontinuous tree cannot be written in brackets"
    )
    code, out, err = spindle(
        "convert", "-", "-", "--to", target, "--on-error", "skip", stdin=CROSSING + "(S (NN 0=a))\n"
    )
    assert (code, out.strip()) == (0, "(S (NN a))")
    assert err.endswith("spindle: sentence skipped: 1\n")


def test_trees_that_xml_cannot_store_can_be_skipped(spindle: Spindle) -> None:
    text = "(S (NN a))\n(S (NN b\0))\n(S (NN c))\n"
    code, out, err = spindle("convert", "-", "-", "--to", "tigerxml", "--on-error", "skip", stdin=text)
    assert (code, out.count("</s>")) == (0, 2)
    assert out.endswith("</corpus>\n")
    assert "(sentence 2): XML cannot contain the character U+0000" in err


# ── transforms ───────────────────────────────────────────────────────────────────────────────────

QUESTION = "( (SQ (NP-1 (W What)) (V did) (NP-SBJ (P you)) (VP (V see) (NP (-NONE- *T*-1))) (. ?)))"


@pytest.mark.parametrize(
    ("options", "written"),
    [
        (
            "--punct leave",
            "( (SQ (NP-1 (W 0=What)) (V 1=did) (NP-SBJ (P 2=you))"
            " (VP (V 3=see) (NP (-NONE- 4=*T*-1))) (. 5=?)))",
        ),
        ("--strip traces", "( (SQ (NP-1 (W 0=What)) (V 1=did) (NP-SBJ (P 2=you)) (VP (V 3=see)) (. 4=?)))"),
        (
            "--strip traces,indices",
            "( (SQ (NP (W 0=What)) (V 1=did) (NP-SBJ (P 2=you)) (VP (V 3=see)) (. 4=?)))",
        ),
        (
            "--strip wrapper,functions --strip traces",
            "(SQ (NP (W 0=What)) (V 1=did) (NP (P 2=you)) (VP (V 3=see)) (. 4=?))",
        ),
        (
            "--resolve-traces",
            "( (SQ (VP (NP-1 (W 0=What)) (V 3=see)) (V 1=did) (NP-SBJ (P 2=you)) (. 4=?)))",
        ),
        (
            "--strip traces --punct raise",
            "( (SQ (NP-1 (W 0=What)) (V 1=did) (NP-SBJ (P 2=you)) (VP (V 3=see))) (. 4=?))",
        ),
        (
            "--strip traces --punct remove",
            "( (SQ (NP-1 (W 0=What)) (V 1=did) (NP-SBJ (P 2=you)) (VP (V 3=see))))",
        ),
        (
            "--strip traces --wrapper TOP",
            "(TOP (SQ (NP-1 (W 0=What)) (V 1=did) (NP-SBJ (P 2=you)) (VP (V 3=see)) (. 4=?)))",
        ),
    ],
)
def test_transforms(spindle: Spindle, options: str, written: str) -> None:
    outcome = spindle("convert", "-", "-", "--to", "discbracket", *options.split(), stdin=QUESTION)
    assert outcome == (0, written + "\n", "")


def test_transforms_of_export(spindle: Spindle) -> None:
    two_roots = (
        EXPORT.replace("#501	--	S	--	--	0", "#501	--	S	--	HD	0")
        .replace("kam", ",")
        .replace("VVFIN", "$,")
    )
    moved = spindle("convert", "-", "-", "--to", "bracket", "--punct", "move", stdin=two_roots).out
    assert moved == "(VROOT (S (NP (PPER Es) ($, ,) (NN nichts))) ($. .))\n"
    stripped = spindle("convert", "-", "-", "--to", "export", "--strip", "morphology,functions", stdin=EXPORT)
    assert "Es\t--\tPPER\t--\t--\t500\n" in stripped.out
    under_one = spindle("convert", "-", "-", "--to", "discbracket", "--wrapper", "TOP", stdin=EXPORT).out
    assert under_one.startswith("(TOP (S ")
    tags = spindle(
        "convert", "-", "-", "--to", "bracket", "--strip", "tag-functions", stdin="(S (CLS-SUJ il))"
    )
    assert tags.out == "(S (CLS il))\n"


def test_a_sentence_without_words_after_the_transforms(spindle: Spindle) -> None:
    Path("x.ptb").write_text("(S (NN a))\n(S (. .))\n(S (NN b))\n", "utf-8")
    code, _, err = spindle("convert", "x.ptb", "y.ptb", "--punct", "remove")
    assert code == 1
    assert err == (
        "spindle: x.ptb (sentence 2): no words are left; set --on-error to skip to leave such sentences out\n"
    )
    assert spindle("convert", "x.ptb", "y.ptb", "--punct", "remove", "--on-error", "skip").code == 0
    assert Path("y.ptb").read_text("utf-8") == "(S (NN a))\n(S (NN b))\n"


# ── outputs that are refused ─────────────────────────────────────────────────────────────────────


def test_the_input_is_never_overwritten(spindle: Spindle) -> None:
    Path("corpus").mkdir()
    Path("corpus/a.dbr").write_text(CROSSING, "utf-8")
    Path("link.dbr").symlink_to("corpus/a.dbr")
    for target, said in (
        ("corpus/a.dbr", "corpus/a.dbr is the input"),
        ("link.dbr", "link.dbr is the input"),
        ("corpus/./b.dbr", "is in the input folder"),
    ):
        source = "corpus" if "folder" in said else "corpus/a.dbr"
        code, _, err = spindle("convert", source, target)
        assert code == 2
        assert said in err
    assert Path("corpus/a.dbr").read_text("utf-8") == CROSSING
    assert not Path("corpus/b.dbr").exists()


@pytest.mark.parametrize("name", ["none.dbr", "broken.dbr", "cut.dbr.gz"])
@pytest.mark.parametrize("options", [(), ("--from", "discbracket")])
def test_an_existing_output_is_kept_if_the_input_cannot_be_read(
    spindle: Spindle, name: str, options: tuple[str, ...]
) -> None:
    Path("broken.dbr").write_text("(S (NN 1=a))\n", "utf-8")
    Path("cut.dbr.gz").write_bytes(gzip.compress(CROSSING.encode())[:8])
    Path("old.export").write_text(EXPORT, "utf-8")
    code, _, err = spindle("convert", name, "old.export", *options)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"spindle: {name}")
    assert Path("old.export").read_text("utf-8") == EXPORT


def test_a_file_without_trees_gives_an_empty_output(spindle: Spindle) -> None:
    for text in ("", "\n \r\n\n"):
        Path("x.ptb").write_text(text, "utf-8")
        assert spindle("convert", "x.ptb", "-", "--to", "bracket") == (0, "", "")
        code, _, err = spindle("convert", "-", "-", "--to", "bracket", stdin=text)
        assert (code, "<stdin>: the input is empty" in err) == (1, True)


# ── real treebanks ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name", ["german-pcc/dev.export", "german-pcc/dev-tigerxml", "dutch-alpino/dev-100.xml"]
)
def test_round_trips_of_real_treebanks(spindle: Spindle, treebanks: Path, name: str) -> None:
    assert spindle("convert", treebanks / name, "a.export").code == 0
    assert spindle("convert", "a.export", "b.tigerxml.zst").code == 0
    assert spindle("convert", "b.tigerxml.zst", "c.export").code == 0
    assert Path("c.export").read_bytes() == Path("a.export").read_bytes()
    assert spindle("convert", "a.export", "d.dbr").code == 0
    trees = Path("d.dbr").read_text("utf-8")
    assert spindle("convert", "-", "-", "--to", "discbracket", stdin=trees).out == trees
