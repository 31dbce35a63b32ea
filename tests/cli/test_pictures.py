"""Pictures: `spindle draw` and `spindle parse` to SVG, PNG, PDF and LaTeX, standing and lying."""

import re
import struct
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.conftest import Spindle
from spindle.drawing import svg_tree, with_theme
from spindle.drawing.rendering import CannotRender, png_picture
from spindle.heads import find_heads, load_rules
from spindle.treebanks import parse_tree

CROSSING = "(S (NP (DT 0=A) (NN 1=man) (SBAR (WP 4=who) (VBD 5=left))) (VP (VBD 2=came) (RP 3=in)))\n"
FLAT = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n"
LONG = "(S " + "(NP (DT the) (JJ remarkable) (NN hippopotamus)) " * 25 + "(VP (VBD slept)))\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    (tmp_path / "x.dbr").write_text(CROSSING * 2, "utf-8")
    (tmp_path / "long.ptb").write_text(LONG, "utf-8")
    return tmp_path


def png_size(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def size(svg: str) -> tuple[float, float]:
    root = ElementTree.fromstring(svg)
    return float(root.get("width", "0")), float(root.get("height", "0"))


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_ending_decides(spindle: Spindle, trees: Path) -> None:
    for name in ("t.svg", "t.svg.gz", "t.tex", "t.txt"):
        assert spindle("draw", "x.dbr", "-o", name).code == 0
        assert Path(name).stat().st_size > 100
    assert Path("t.tex").read_text("utf-8").count(r"\begin{drawing}") == 2
    assert Path("t.txt").read_text("utf-8").startswith("1\n      S\n")
    code, _, err = spindle("draw", "x.dbr", "-o", "t.jpg")
    assert (code, "Cannot tell which format to write to t.jpg" in err) == (2, True)
    assert not Path("t.jpg").exists()
    for wrong in (("-o", "u.png", "--to", "svg"), ("-o", "u.png", "--to", "text"), ("--svg", "u.png")):
        code, _, err = spindle("draw", "x.dbr", *wrong)
        assert (code, "u.png has the ending of png, but --to is" in err) == (2, True)
    code, _, err = spindle("parse", "Trees grow.", "--model", "light", "--to", "bracket", "-o", "u.png")
    assert (code, "u.png has the ending of png, but --to is bracket" in err) == (2, True)
    assert not Path("u.png").exists()


def test_png_and_pdf(spindle: Spindle, trees: Path) -> None:
    pytest.importorskip("typst", reason="the extra `draw` is not installed")
    assert spindle("draw", "x.dbr", "--limit", 1, "-o", "one.svg").code == 0
    width, height = size(Path("one.svg").read_text("utf-8"))
    assert spindle("draw", "x.dbr", "--limit", 1, "-o", "one.png").code == 0
    assert png_size(Path("one.png").read_bytes()) == pytest.approx((2 * width, 2 * height), abs=2)
    assert spindle("draw", "x.dbr", "-o", "both.png").code == 0
    assert png_size(Path("both.png").read_bytes())[1] == pytest.approx(4 * height, abs=2)
    assert spindle("draw", "x.dbr", "-o", "both.pdf").code == 0
    pdf = Path("both.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
    assert spindle("draw", "x.dbr", "-o", "dark.png", "--theme", "dark").code == 0
    assert Path("dark.png").read_bytes() != Path("both.png").read_bytes()
    assert spindle("parse", "Trees grow.", "--model", "light", "-o", "parsed.png").code == 0
    assert png_size(Path("parsed.png").read_bytes())[0] > 100
    with pytest.raises(CannotRender, match="too large"):
        png_picture([svg_tree(parse_tree(CROSSING))], scale=1000)


def test_without_the_renderer_there_is_an_error_and_no_file(
    spindle: Spindle, trees: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    for arguments in (("draw", "x.dbr"), ("parse", "Trees grow.", "--model", "light")):
        code, _, err = spindle(*arguments, "-o", "t.png")
        assert code == 1
        assert err.endswith('need the package typst; pip install "spindle-parser[draw]"\n')
        assert not Path("t.png").exists()


def test_latex(spindle: Spindle, trees: Path) -> None:
    Path("flat.ptb").write_text(FLAT, "utf-8")
    options = ("draw", "flat.ptb", "--to", "latex", "--fragment")
    assert spindle(*options).out.startswith("\\begin{forest}")
    assert "\\Tree" in spindle(*options, "--latex-style", "tikz-qtree").out
    crossing = spindle("draw", "x.dbr", "--to", "latex", "--fragment", "--limit", 1).out
    assert "\\begin{tikzpicture}" in crossing
    assert "\\draw[spindleA]" in crossing  # the discontinuous node
    assert "\\documentclass" in spindle("draw", "flat.ptb", "--to", "latex").out
    assert spindle("draw", "flat.ptb", "--fragment").code == 2


def test_one_file_for_each_tree(spindle: Spindle, trees: Path) -> None:
    ids = "#FORMAT 4\n#BOS a/../b\nw\t--\tN\t--\t--\t0\n#EOS a/../b\n#BOS c\nw\t--\tN\t--\t--\t0\n#EOS c\n"
    Path("x.export").write_text(ids, "utf-8")
    assert spindle("draw", "x.export", "-o", "tree-{n}.svg").code == 0
    assert sorted(path.name for path in Path().glob("tree-*")) == ["tree-1.svg", "tree-2.svg"]
    assert spindle("draw", "x.export", "-o", "{id}.tex").code == 0
    assert sorted(path.name for path in Path().glob("*.tex")) == ["a_.._b.tex", "c.tex"]
    Path("x.export").write_text(ids.replace("a/../b", "c"), "utf-8")
    assert "two sentences have this name" in spindle("draw", "x.export", "-o", "{id}.svg").err
    assert spindle("draw", "x.export", "-o", "tree-{n}.txt").code == 2


# ── heads, themes ────────────────────────────────────────────────────────────────────────────────────


def test_heads_are_bold_unless_left_out(spindle: Spindle, trees: Path) -> None:
    out, err = spindle("draw", "x.dbr", "--to", "svg")[1:]
    assert err.startswith("spindle: head rules: ")
    assert re.search(r'class="[^"]*bold[^"]*"[^>]*>man<', out)
    plain, err = spindle("draw", "x.dbr", "--to", "svg", "--no-heads")[1:]
    assert ('class="bold' in plain, err) == (False, "")
    assert "\\textbf{man}" in spindle("draw", "x.dbr", "--to", "latex").out
    assert "\\textbf" not in spindle("draw", "x.dbr", "--to", "latex", "--no-heads").out
    assert spindle("draw", "x.dbr", "--heads", "collins", "--no-heads").code == 2
    assert (
        "bold"
        in spindle("parse", "Trees grow.", "--model", "light", "--to", "svg").out.partition("</style>")[2]
    )
    bare = spindle("parse", "Trees grow.", "--model", "light", "--to", "svg", "--no-heads").out
    assert "bold" not in bare.partition("</style>")[2]
    assert spindle("parse", "Trees grow.", "--model", "light", "--no-heads").code == 2


def test_themes(spindle: Spindle, trees: Path) -> None:
    both = spindle("draw", "x.dbr", "--to", "svg", "--no-heads").out
    assert "prefers-color-scheme:dark" in both
    for theme, color in (("light", "#24292f"), ("dark", "#e6edf3")):
        one = spindle("draw", "x.dbr", "--to", "svg", "--no-heads", "--theme", theme).out
        assert "prefers-color-scheme" not in one
        assert f"color:{color}" in one
        ElementTree.fromstring(one)
    drawing = svg_tree(parse_tree(CROSSING))
    assert with_theme(drawing, "auto") == drawing


# ── trees that lie down ──────────────────────────────────────────────────────────────────────────────


def test_wide_trees_lie_down(spindle: Spindle, trees: Path) -> None:
    auto, wide, tall = (
        spindle("draw", "long.ptb", "--to", "svg", "--no-heads", "--layout", layout).out
        for layout in ("auto", "wide", "tall")
    )
    assert auto == tall != wide
    assert size(wide)[0] > 1400 > size(tall)[0]
    short = svg_tree(parse_tree(FLAT), layout="auto")
    assert short == svg_tree(parse_tree(FLAT))
    text = spindle("draw", "x.dbr", "--layout", "tall").out
    assert text.startswith("1\n1 S─┬─")


@pytest.mark.parametrize("has_heads", [False, True])
@pytest.mark.parametrize("text", [CROSSING, FLAT, LONG, "(X x)\n", "(A (B (C (D d))))\n"])
def test_no_two_labels_of_a_lying_tree_overlap(text: str, has_heads: bool) -> None:
    tree = parse_tree(text)
    if has_heads:
        tree = find_heads(tree, load_rules("collins"))
    root = ElementTree.fromstring(svg_tree(tree, layout="tall"))
    texts = list(root.iter(f"{SVG}text"))
    shown = [element.text for element in texts]
    assert [word for word in shown if word in {token.form for token in tree.tokens}]
    assert len(shown) == len(tree.labels) + 2 * len(tree)
    rows: dict[float, list[tuple[float, float]]] = {}
    for element in texts:
        left = float(element.get("x", "0"))
        rows.setdefault(float(element.get("y", "0")), []).append((left, left + 6 * len(element.text or "")))
    for row in rows.values():
        for (_, end), (start, _) in pairwise(sorted(row)):
            assert end <= start
    words = [float(e.get("y", "0")) for e in texts if e.text in {token.form for token in tree.tokens}]
    assert words == sorted(words)  # one word a line, in order


def test_crossing_lines_of_a_lying_tree_are_interrupted() -> None:
    drawn = svg_tree(parse_tree(CROSSING), layout="tall")
    crossing = re.search(r'<path class="c0" d="([^"]*)"', drawn)
    assert crossing is not None
    # the vertical line of the discontinuous NP has a gap where the line to VP crosses it
    verticals = re.findall(r"M(\d+) (\d+)V(\d+)", crossing[1])
    assert len({x for x, _, _ in verticals}) == 1
    assert len(verticals) == 2
