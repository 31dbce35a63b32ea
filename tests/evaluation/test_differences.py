"""`spindle diff` and `spindle.evaluation.diff`: wrong brackets, their order, filters and pictures."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given

from cli.conftest import Spindle
from cli.conftest import spindle as spindle
from spindle.errors import EvaluationError
from spindle.evaluation import diff, evaluate
from spindle.evaluation.breakdown import Kind
from spindle.trees import Tree
from support.notation import tree
from support.strategies import trees

GOLD = (
    "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN mat)))))",
    "(S (NP (PRP it)) (VP (VBZ works)))",
    "(S (NP (NNP Ann)) (VP (VBD left)))",
)
PRED = (
    "(S (NX (DT the) (NN cat)) (VP (VBZ sleeps)) (PP (IN on) (NP (DT the) (NN mat))))",
    "(S (NP (PRP it)) (VP (VBZ works)))",
    "(S (NNP Ann) (VP (VBD left)))",
)
GOLD_TREES, PRED_TREES = [tree(text) for text in GOLD], [tree(text) for text in PRED]


def test_errors_by_node_and_kind() -> None:
    first, second = diff(GOLD_TREES, PRED_TREES).sentences
    assert [(one.node, one.label, one.kind.value, one.other) for one in first.missing] == [
        (1, "NP", "label", "NX"),
        (2, "VP", "attachment", ""),
    ]
    assert [(one.label, one.kind.value, one.other) for one in first.extra] == [
        ("NX", "label", "NP"),
        ("VP", "attachment", ""),
    ]
    assert [(one.label, one.kind.value) for one in second.missing] == [("NP", "unary")]
    assert (first.score.number, second.score.number) == (1, 3)


def test_order() -> None:
    numbers = {
        order: [one.score.number for one in diff(GOLD_TREES[::-1], PRED_TREES[::-1], order=order).sentences]
        for order in ("errors", "f1", "file")
    }
    assert numbers == {"errors": [3, 1], "f1": [3, 1], "file": [1, 3]}


@pytest.mark.parametrize(
    ("interest", "found"),
    [
        ({"label": "NX"}, [(1, 1, 1)]),  # as the predicted label, and as what gold should have been
        ({"label": "VP"}, [(1, 1, 1)]),
        ({"kind": "unary"}, [(3, 1, 0)]),
        ({"kind": Kind.ATTACHMENT}, [(1, 1, 1)]),
        ({"kind": "coordination"}, []),
        ({"max_length": 5}, [(3, 1, 0)]),
        ({"min_length": 6}, [(1, 2, 2)]),
    ],
)
def test_filters(interest: dict[str, object], found: list[tuple[int, int, int]]) -> None:
    result = diff(GOLD_TREES, PRED_TREES, **interest)  # type: ignore[arg-type]
    shown = [(one.score.number, len(one.missing), len(one.extra)) for one in result.sentences]
    assert shown == found


def test_an_unknown_kind() -> None:
    with pytest.raises(EvaluationError, match="choose one of attachment, unary"):
        diff(GOLD_TREES, PRED_TREES, kind="spelling")


@given(trees(), trees())
def test_as_many_errors_as_the_evaluation_counts(gold: Tree, pred: Tree) -> None:
    pred = (
        Tree.build(gold.tokens, ["S"], [-1], [0] * len(gold))
        if len(gold) != len(pred)
        else pred.replace(tokens=gold.tokens)
    )
    score = evaluate([gold], [pred], "spmrl")
    found = diff([gold], [pred], "spmrl")
    assert found.errors == score.totals.gold + score.totals.pred - 2 * score.totals.matched
    assert found.totals == score.totals


def write(folder: Path = Path()) -> None:
    (folder / "gold.ptb").write_text("\n".join(GOLD) + "\n")
    (folder / "pred.ptb").write_text("\n".join(PRED) + "\n")


def test_text(spindle: Spindle) -> None:
    write()
    outcome = spindle("diff", "gold.ptb", "pred.ptb", "--limit", "1")
    assert outcome.code == 0
    assert (
        outcome.out
        == """\
sentence 1   F1 60.00   2 missing, 2 extra   6 words
gold
        S
   ┌────┴─────┐
   │         −VP
   │      ┌───┴───┐
   │      │       PP
   │      │    ┌──┴──┐
  −NP     │    │     NP
 ┌─┴─┐    │    │   ┌─┴─┐
 DT  NN  VBZ   IN  DT  NN
the cat sleeps on the mat
parsed
"""
        + outcome.out.partition("parsed\n")[2]
    )
    assert outcome.out.endswith(
        "−NP  label, parsed as NX: the cat\n"
        "−VP  attachment: sleeps on the mat\n"
        "+NX  label, NP in gold: the cat\n"
        "+VP  attachment: sleeps\n"
    )
    assert "1 of 2 sentences with such errors" in outcome.err


def test_both_trees_have_one_layout(spindle: Spindle, monkeypatch: pytest.MonkeyPatch) -> None:
    write()
    monkeypatch.setenv("COLUMNS", "24")
    out = spindle("diff", "gold.ptb", "pred.ptb", "--limit", "1").out
    assert out.count("1 S─┬") == 2


def test_a_wrong_tag_on_punctuation_leaves_nothing_out() -> None:
    gold, pred = tree("(S (NP (NN cat)) (. .))"), tree("(S (NN cat) (NN .))")
    assert len(diff([gold], [pred]).sentences) == 1
    assert diff([gold], [pred], "evalb").sentences == ()


def test_json(spindle: Spindle) -> None:
    write()
    found = json.loads(spindle("diff", "gold.ptb", "pred.ptb", "--json", "--label", "NX").out)
    (sentence,) = found["differences"]
    assert sentence["missing"] == [
        {"node": 1, "label": "NP", "kind": "label", "text": "the cat", "other": "NX"}
    ]
    assert Tree.from_dict(sentence["gold"]) == GOLD_TREES[0]
    assert found["scored"] == 3
    assert found["signature"].startswith("evalb-gold|")


def test_discontinuous_trees(spindle: Spindle) -> None:
    Path("gold.dbr").write_text("(S (NP (PPER 0=Es) (PIAT 2=nichts) (NN 3=Neues)) (VVFIN 1=kam))\n")
    Path("pred.dbr").write_text("(S (PPER 0=Es) (VVFIN 1=kam) (NP (PIAT 2=nichts) (NN 3=Neues)))\n")
    outcome = spindle("diff", "gold.dbr", "pred.dbr")
    assert "−NP  attachment: Es nichts Neues" in outcome.out
    assert "discodop" in json.loads(spindle("diff", "gold.dbr", "pred.dbr", "--json").out)["signature"]
    spindle("diff", "gold.dbr", "pred.dbr", "-o", "x.svg")
    assert "+NP" in "".join(ET.fromstring(Path("x.svg").read_text()).itertext())


def test_no_drawing_covers_a_title() -> None:
    name = "{http://www.w3.org/2000/svg}"
    for picture in ET.fromstring(diff(GOLD_TREES, PRED_TREES).to_svg()).iter(f"{name}svg"):
        titles = {one.text: float(one.get("y", 0)) for one in picture.findall(f"{name}text")}
        trees = [float(one.get("y", 0)) for one in picture.findall(f"{name}svg")]
        if "gold" in titles:
            assert titles["gold"] < trees[0] < titles["parsed"] < trees[1]


def test_a_sentence_without_a_parse(spindle: Spindle) -> None:
    write()
    Path("pred.ptb").write_text("\n\n".join(PRED[1:]) + "\n")
    outcome = spindle("diff", "gold.ptb", "pred.ptb", "--limit", "1")
    assert "(not in the prediction)" in outcome.out or "(no parse)" in outcome.out
    for ending in ("svg", "html", "json"):
        assert spindle("diff", "gold.ptb", "pred.ptb", "-o", f"x.{ending}").code == 0
        assert Path(f"x.{ending}").stat().st_size


def test_nothing_to_show(spindle: Spindle) -> None:
    write()
    outcome = spindle("diff", "gold.ptb", "gold.ptb")
    assert (outcome.code, outcome.out) == (0, "")
    assert "no sentence has such an error" in outcome.err
    spindle("diff", "gold.ptb", "gold.ptb", "-o", "x.html")
    assert "No sentence has such an error." in Path("x.html").read_text()


class Page(HTMLParser):
    """Collects what a page could load, and the elements that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [
            value or "" for name, value in attrs if name in ("src", "href", "srcset", "xlink:href", "data")
        ]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_needs_no_other_file() -> None:
    text = diff(GOLD_TREES, PRED_TREES).to_html("GUM & co.")
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.loads == []
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert "prefers-color-scheme:dark" in text
    assert "default-src 'none'" in text
    assert "GUM & co." in page.texts


def test_everything_on_the_page_is_escaped() -> None:
    evil = "<script>alert('\"&')</script>"
    gold = Tree.build(GOLD_TREES[1].tokens, [evil], [-1], [0, 0], id=evil)
    gold = gold.replace(tokens=tuple(token._replace(form=evil, tag=evil) for token in gold.tokens))
    pred = gold.replace(labels=("S",))
    found = diff([gold], [pred], "spmrl")
    for text in (found.to_html(evil), found.to_svg()):
        assert evil not in text
        assert text.count("<script") <= 1
    page = Page()
    page.feed(found.to_html(evil))
    assert page.open == []
    ET.fromstring(found.to_svg())


def test_usage_errors(spindle: Spindle) -> None:
    write()
    assert spindle("diff", "-", "-").code == 2
    assert spindle("diff", "gold.ptb", "pred.ptb", "-o", "gold.ptb").code == 2
    assert spindle("diff", "gold.ptb", "nothing.ptb").code == 1
    assert spindle("diff", "gold.ptb", "pred.ptb", "--kind", "spelling").code == 2
