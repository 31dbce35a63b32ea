"""Pictures in notebooks, and the notebook of the documentation."""

import json
import re
from base64 import b64decode
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import spindle
from spindle.drawing import svg_dtree, svg_tree
from support.notebook import code_cells, comparable, run

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"
TREES = [spindle.parse_tree(f"(S (NP (DT the) (NN {noun})) (VP (VBZ sleeps)))") for noun in ("cat", "dog")]


def pictures(html: str) -> list[str]:
    """Return the images in HTML, as SVG."""
    return [b64decode(one).decode() for one in re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', html)]


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    """Return the names and attributes of all elements."""
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

    Reader().feed(html)
    return found


def test_one_tree_is_a_picture_without_a_slider() -> None:
    shown = spindle.show(TREES[0])
    assert (len(shown), repr(shown)) == (1, "<1 picture>")
    assert pictures(shown._repr_html_()) == [svg_tree(TREES[0])]
    assert "<script" not in shown.html
    dtree = spindle.encode(spindle.find_heads(TREES[0], spindle.load_rules("collins"))).dtree
    assert pictures(spindle.show(dtree).html) == [svg_dtree(dtree)]


def test_several_trees_have_a_slider() -> None:
    html = spindle.show(TREES).html
    assert pictures(html) == [svg_tree(tree) for tree in TREES]
    assert 'type="range" min="1" max="2"' in html
    assert html != spindle.show(TREES).html  # two outputs of a notebook do not share an id


def test_without_scripts_lines_open_the_pictures() -> None:
    """Viewers of notebooks that are not trusted remove scripts, style sheets and SVG elements."""
    started = elements(spindle.show([*TREES, TREES[0].replace(id="a<b")]).html)
    assert [attributes for tag, attributes in started if "hidden" in attributes] == [{"hidden": None}]
    parts = [attributes for tag, attributes in started if tag == "details"]
    assert ["open" in one for one in parts] == [True, False, False]
    assert len({one["name"] for one in parts}) == 1
    assert {"svg", "style", "iframe"}.isdisjoint(tag for tag, _ in started)
    assert "<summary>2. the dog sleeps</summary>" in spindle.show(TREES).html


def test_words_are_escaped_and_long_sentences_are_shortened() -> None:
    tree = spindle.parse_tree("(S " + " ".join(["(NN <b>&)"] * 40) + ")")
    html = spindle.show([tree, tree]).html
    assert "<b>" not in html
    assert "1. &lt;b&gt;&amp; &lt;b&gt;&amp;" in html
    assert max(len(unescape(line)) for line in html.splitlines() if "<summary>" in line) < 180


def test_nothing_is_loaded_from_elsewhere() -> None:
    html = spindle.show(TREES).html
    assert html.count("src=") == len(pictures(html)) == 2  # images that hold their data
    for text in (html, *pictures(html)):
        text = text.replace("http://www.w3.org/2000/svg", "")
        assert not any(word in text for word in ("http:", "https:", "@import", "url("))


def test_analyses_documents_iterators_and_sentences_without_words() -> None:
    parser = spindle.load("light")
    document = parser("She left. He stayed.")
    assert len(spindle.show(document)) == 2
    (analysis,) = parser.analyse(["She saw a man with a dog ."], k=3)
    assert len(spindle.show(analysis)) == len(spindle.show(analysis.candidates)) == 3
    assert len(spindle.show(parser.parse_many(["", "She left ."]))) == 1
    assert len(spindle.show([])) == 0


def test_a_long_treebank_is_cut_and_the_output_says_so() -> None:
    shown = spindle.show(TREES * 3, most=4)
    assert len(shown) == 4
    assert "Only the first 4 trees are shown." in shown.html
    assert "Only the first" not in spindle.show(TREES, most=2).html


@pytest.mark.parametrize("wrong", [3, "text", [3]])
def test_other_things_are_refused(wrong: object) -> None:
    with pytest.raises(spindle.WrongType, match="a tree, trees or an analysis is expected"):
        spindle.show(wrong)


def test_the_notebook_has_the_outputs_of_its_cells() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    for cell, outputs in zip(code_cells(notebook), run(notebook), strict=True):
        assert comparable(cell["outputs"]) == comparable(outputs), "".join(cell["source"])
