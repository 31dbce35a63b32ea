"""Pictures in notebooks, and the notebook of the documentation."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import spindle
from support.notebook import code_cells, comparable, run

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebook.ipynb"
TREES = [spindle.parse_tree(f"(S (NP (DT the) (NN {noun})) (VP (VBZ sleeps)))") for noun in ("cat", "dog")]


def test_one_tree_is_a_picture_without_a_slider() -> None:
    shown = spindle.show(TREES[0])
    assert (len(shown), repr(shown)) == (1, "<1 picture>")
    assert shown._repr_html_().count("<svg ") == 1
    assert "<script" not in shown.html
    dtree = spindle.encode(spindle.find_heads(TREES[0], spindle.load_rules("collins"))).dtree
    assert spindle.show(dtree).html.count("<svg ") == 1


def test_several_trees_have_a_slider() -> None:
    html = spindle.show(TREES).html
    assert html.count("<svg ") == 2
    assert 'type="range" min="1" max="2"' in html
    assert html != spindle.show(TREES).html  # two outputs of a notebook do not share an id


def test_all_pictures_are_visible_without_scripts() -> None:
    class Hidden(HTMLParser):
        found: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if "hidden" in dict(attrs):
                self.found.append(tag)

    parser = Hidden()
    parser.feed(spindle.show(TREES).html)
    assert parser.found == ["p"]  # only the slider, which needs the script


def test_nothing_is_loaded_from_elsewhere() -> None:
    html = spindle.show(TREES).html.replace("http://www.w3.org/2000/svg", "")
    assert not any(word in html for word in ("http:", "https:", "src=", "@import", "url("))


def test_analyses_documents_iterators_and_sentences_without_words() -> None:
    parser = spindle.load("light")
    document = parser("She left. He stayed.")
    assert len(spindle.show(document)) == 2
    (analysis,) = parser.analyse(["She saw a man with a dog ."], k=3)
    assert len(spindle.show(analysis)) == len(spindle.show(analysis.candidates)) == 3
    assert len(spindle.show(parser.parse_many(["", "She left ."]))) == 1
    assert len(spindle.show([])) == 0


def test_ids_are_captions_and_escaped() -> None:
    assert "<figcaption>a&lt;b</figcaption>" in spindle.show(TREES[0].replace(id="a<b")).html


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
