"""`spindle draw`."""

import gzip
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.conftest import Spindle

CROSSING = "(S (NP (DT 0=A) (NN 1=man) (SBAR (WP 4=who) (VBD 5=left))) (VP (VBD 2=came) (RP 3=in)))\n"
DRAWN = """\
1
      S
  ┌───┴───┐
  NP      │
┌─┴─┬─────│───────┐
│   │     VP     SBAR
│   │   ┌─┴─┐   ┌─┴─┐
DT  NN VBD  RP  WP VBD
A  man came in who left

"""
TWO = """\
#FORMAT 4
#BOS 2
a	--	NN	--	SB	500
b	--	VB	--	HD	0
#500	--	NP	--	SB	0
#EOS 2
#BOS x
c	--	NN	--	--	0
#EOS x
"""


def names(out: str) -> list[str]:
    """The first lines of the drawings."""
    return [drawing.split("\n", 1)[0] for drawing in out.rstrip().split("\n\n")]


def test_a_tree_with_a_gap(spindle: Spindle) -> None:
    assert spindle("draw", "-", stdin=CROSSING) == (0, DRAWN, "")


def test_edge_labels_and_bare_words(spindle: Spindle) -> None:
    out = spindle("draw", "-", stdin=TWO).out
    assert "NP:SB" in out
    assert out.endswith("x\nNN\nc\n\n")


def test_a_narrow_terminal_gets_a_tall_drawing(spindle: Spindle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    out = spindle("draw", "-", stdin="(S (NP (DT the) (NN cat)) (NP " + "(NN mouse) " * 9 + "))").out
    assert out.splitlines()[1] == " 1 S─┬─NP─┬─ DT the"
    assert out.splitlines()[-2] == "11        └─ NN mouse"


def test_dependencies(spindle: Spindle) -> None:
    Path("x.dbr").write_text(CROSSING, "utf-8")
    spindle("encode", "x.dbr", "-o", "x.conllu", "--heads", "collins")
    out = spindle("draw", "x.conllu").out
    assert "NP#1" in out
    assert "root" in out
    assert spindle("draw", "x.conllu", "--svg", "x.svg").code == 0
    ElementTree.fromstring(Path("x.svg").read_text("utf-8"))


@pytest.mark.parametrize(
    ("options", "drawn"),
    [
        ((), ["2", "x", "2", "x"]),
        (("--limit", "3"), ["2", "x", "2"]),
        (("--id", "x"), ["x"]),
        (("--id", "2"), ["2"]),  # the id, although it is not the second sentence
        (("--id", "4"), ["x"]),  # no such id, so the number
    ],
)
def test_trees_are_selected_by_id_or_number(
    spindle: Spindle, options: tuple[str, ...], drawn: list[str]
) -> None:
    code, out, err = spindle("draw", "-", *options, stdin=TWO * 2)
    assert (code, names(out), err) == (0, drawn, "")


def test_no_such_tree(spindle: Spindle) -> None:
    Path("two.export").write_text(TWO, "utf-8")
    assert spindle("draw", "two.export", "--id", "9") == (1, "", "spindle: two.export has no sentence 9.\n")
    Path("none.export").write_text("#FORMAT 4\n", "utf-8")
    assert spindle("draw", "none.export") == (1, "", "spindle: none.export has no trees.\n")
    assert spindle("draw", "none.export", "--svg", "x.svg").code == 1
    assert not Path("x.svg").exists()
    assert spindle("draw", "two.export", "--limit", "0").code == 2


def test_svg(spindle: Spindle) -> None:
    assert spindle("draw", "-", "--svg", "one.svg", "--no-heads", stdin=CROSSING) == (0, "", "")
    one = ElementTree.fromstring(Path("one.svg").read_text("utf-8"))
    assert {"A", "man", "came", "SBAR"} <= {text.strip() for text in one.itertext()}
    assert spindle("draw", "-", "--svg", "both.svg.gz", "--no-heads", stdin=CROSSING * 2).code == 0
    both = ElementTree.fromstring(gzip.decompress(Path("both.svg.gz").read_bytes()))
    assert float(both.get("height", "0")) == 2 * float(one.get("height", "0"))
    assert spindle("draw", "-", "--to", "svg", "--no-heads", stdin=CROSSING).out == Path("one.svg").read_text(
        "utf-8"
    )
    tricky = ElementTree.fromstring(spindle("draw", "-", "--svg", "-", stdin="(S (N <&>\"') (N ]]>))").out)
    assert "<&>\"'" in "".join(tricky.itertext())


def test_a_picture_never_overwrites_the_treebank(spindle: Spindle) -> None:
    Path("x.dbr").write_text(CROSSING, "utf-8")
    assert spindle("draw", "x.dbr", "--svg", "x.dbr").code == 2
    assert Path("x.dbr").read_text("utf-8") == CROSSING


def test_malformed_sentences(spindle: Spindle) -> None:
    text = CROSSING + "(S (NN 1=a))\n" + CROSSING
    code, out, err = spindle("draw", "-", stdin=text)
    assert (code, out, err) == (1, DRAWN, "spindle: <stdin>:2: position 0 is missing\n")
    code, out, err = spindle("draw", "-", "--on-error", "skip", stdin=text)
    assert (code, names(out)) == (0, ["1", "2"])
    assert err.endswith("spindle: sentence skipped: 1\n")
