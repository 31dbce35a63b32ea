"""SVG drawings: well-formed, complete, and no line or text runs through another text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.drawing.display import arc_label, node_label, visible
from spindle.drawing.elements import text_width
from spindle.drawing.style import BIG, SMALL
from spindle.drawing.svg import svg_dtree, svg_stack, svg_tree
from spindle.trees import DTree, Token, Tree
from support.notation import tree
from support.strategies import deep_tree, dtrees, headed_trees, labels, texts, tokens, trees

GERMAN = "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Interessantes))) (VVFIN 1=kam)) ($. 4=.))"
GERMAN_DTREE = DTree(
    tree(GERMAN).tokens, (3, -1, 3, 1, 1), ("NP", "", "NP", "S", "VROOT"), (2, 0, 1, 1, 2), id="Fig. 1"
)
HOSTILE = trees(
    labels=labels() | texts("\x1b\u202e\ud800\uffff]]>", max_size=20),
    tokens=tokens(forms=texts(" \x07\ud800<!--", max_size=20), functions=texts() | st.just("")),
    functions=texts() | st.just(""),
    max_tokens=10,
)
SVG = "{http://www.w3.org/2000/svg}"


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def text_boxes(drawing: ElementTree.Element) -> list[tuple[str, Box]]:
    found = []
    for element in drawing.iter(f"{SVG}text"):
        classes = element.get("class", "").split()
        text, size = element.text or "", SMALL if "small" in classes else BIG
        x, y, width = float(element.get("x", 0)), float(element.get("y", 0)), text_width(text, size)
        left = x if "start" in classes else x - width / 2
        found.append((text, Box(left, y - 0.75 * size, left + width, y + 0.2 * size)))
    return found


def lines(drawing: ElementTree.Element) -> Iterator[Box]:
    """The segments of all lines, as thin boxes; a rounded corner counts as the two sides that it cuts off."""
    for path in drawing.iter(f"{SVG}path"):
        if "solid" in path.get("class", ""):
            continue
        x = y = 0.0
        for command, numbers in re.findall(r"([A-Z])([^A-Z]*)", path.attrib["d"]):
            ends = list(map(float, numbers.split()))
            points = list(zip(ends[::2], ends[1::2], strict=False))
            corners = {"M": points, "H": [(ends[0], y)], "V": [(x, ends[0])], "Q": points}[command]
            for next_x, next_y in corners:
                if command != "M":
                    yield Box(min(x, next_x), min(y, next_y), max(x, next_x), max(y, next_y))
                x, y = next_x, next_y


def assert_is_clear(drawing: str) -> None:
    root = ElementTree.fromstring(drawing)
    boxes = text_boxes(root)
    for number, (text, box) in enumerate(boxes):
        for other_text, other in boxes[:number]:
            assert not box.meets(other), f"{text!r} is over {other_text!r}"
        for line in lines(root):
            # a line has no area of its own: widen it, so that it meets what it touches
            assert not box.meets(Box(line.left - 0.6, line.top - 0.6, line.right + 0.6, line.bottom + 0.6)), (
                text
            )
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    (group,) = root.findall(f"{SVG}g")
    shift_x, shift_y = map(float, re.findall(r"\d+", group.attrib["transform"]))
    for _, box in boxes:
        assert box.left + shift_x >= 0
        assert box.right + shift_x <= width
        assert box.top + shift_y >= 0
        assert box.bottom + shift_y <= height


@given(HOSTILE | headed_trees(HOSTILE))
def test_a_tree_is_drawn_completely_and_clearly(drawn: Tree) -> None:
    drawing = svg_tree(drawn)
    assert_is_clear(drawing)
    shown = sorted(text for text, _ in text_boxes(ElementTree.fromstring(drawing)))
    expected = list(map(node_label, drawn.labels, drawn.functions))
    for token in drawn.tokens:
        expected += filter(None, map(visible, (token.function, token.tag, token.form)))
    assert shown == sorted(expected)
    assert svg_tree(drawn) == drawing


@given(dtrees(symbols=labels() | texts(max_size=20), max_tokens=10))
def test_a_dtree_is_drawn_completely_and_clearly(drawn: DTree) -> None:
    drawing = svg_dtree(drawn)
    assert_is_clear(drawing)
    shown = sorted(text for text, _ in text_boxes(ElementTree.fromstring(drawing)))
    expected = list(map(arc_label, drawn.heads, drawn.symbols, drawn.events))
    for token in drawn.tokens:
        expected += map(visible, (token.tag, token.form))
    assert shown == sorted(expected)


def test_what_is_discontinuous_has_a_colour_and_heads_are_bold() -> None:
    root = ElementTree.fromstring(svg_tree(tree(GERMAN).replace(heads=(1, 1, 3, 3))))
    kinds = [(element.text, element.get("class")) for element in root.iter(f"{SVG}text")]
    assert kinds[:4] == [("VROOT", None), ("S", "bold"), ("NP", "c0"), ("NP", "bold")]
    assert ("VVFIN", "small bold") in kinds
    assert ("kam", "bold") in kinds
    assert ("Es", None) in kinds


def test_a_line_is_broken_where_another_crosses_it() -> None:
    path = ElementTree.fromstring(svg_tree(tree(GERMAN))).findall(f".//{SVG}path[@class='c0']")[0]
    ((start, y, end), (restart, same_y, _)) = re.findall(r"M(\d+) (\d+)H(\d+)", path.attrib["d"])
    assert y == same_y
    assert int(start) < int(end) < int(restart)


def test_the_sentence_is_the_title_and_its_id_is_shown() -> None:
    root = ElementTree.fromstring(svg_dtree(GERMAN_DTREE))
    assert root.findtext(f"{SVG}title") == "Es kam nichts Interessantes ."
    assert root.findtext(f".//{SVG}text") == "Fig. 1"
    assert "script" not in svg_dtree(GERMAN_DTREE)


def test_one_bare_word() -> None:
    assert_is_clear(svg_tree(Tree((Token("Yes"),), (), (), (-1,))))
    assert_is_clear(svg_dtree(DTree((Token("Yes"),), (-1,), ("",), (0,))))


def test_depth_needs_no_recursion() -> None:
    assert svg_tree(deep_tree(1000)).count(">X<") == 1000


def test_many_drawings_make_one() -> None:
    drawings = [svg_tree(tree(GERMAN).replace(id="a b")), svg_dtree(GERMAN_DTREE)] * 500
    root = ElementTree.fromstring(svg_stack(drawings))
    inner = root.findall(f"{SVG}svg")
    assert len(inner) == 1000
    heights = [int(element.attrib["height"]) for element in inner]
    assert [int(element.attrib["y"]) for element in inner] == [sum(heights[:n]) for n in range(1000)]
    assert int(root.attrib["height"]) == sum(heights)
    assert int(root.attrib["width"]) == max(int(element.attrib["width"]) for element in inner)
    assert len(root.findall(f".//{SVG}style")) == 1


def test_only_our_own_drawings_are_stacked() -> None:
    with pytest.raises(ValueError, match="svg_tree"):
        svg_stack(["<svg/>"])


def test_every_part_of_the_estimate_counts() -> None:
    assert text_width("illi", 14) < text_width("abcd", 14) < text_width("WWMM", 14)
    assert text_width("木構", 14) > text_width("ab", 14)
    assert text_width("e\u0301", 14) == text_width("e", 14)
