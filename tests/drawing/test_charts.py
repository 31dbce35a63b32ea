"""Charts: well-formed, complete, in the style sheet of all drawings, and robust against odd numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from spindle.drawing import Bar, BarPanel, Lane, LaneBar, bar_chart, learning_curve, svg_tree, timeline
from spindle.drawing.style import STYLE
from spindle.trees import Token, Tree

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def test_bars_have_names_figures_and_notes() -> None:
    panels = [
        BarPanel("By length", [Bar("1–10", 50.0, "3 sentences"), Bar("> 60", None)]),
        BarPanel("By <label>", [Bar("NP", 100.0, "9 in gold")]),
    ]
    drawing = bar_chart("F1", panels, "evalb|…")
    assert texts(drawing) == [
        *("By length", "1–10", "50.00", "3 sentences", "> 60", "–", ""),
        *("By <label>", "NP", "100.00", "9 in gold", "evalb|…"),
    ]
    bars = ElementTree.fromstring(drawing).findall(f".//{SVG}rect[@class='solid c1']")
    half, none, full = (float(bar.attrib["width"]) for bar in bars)
    assert none == 0 < half < full
    assert abs(full - 2 * half) <= 0.1


def test_a_learning_curve_marks_the_best_epoch() -> None:
    epochs = [{"epoch": 1, "loss": 3.0, "f1": 60.0}, {"epoch": 2, "loss": 1.5, "f1": 82.345}]
    drawing = learning_curve([*epochs, {"epoch": 3, "loss": 1.0, "f1": 81.0}])
    root = ElementTree.fromstring(drawing)
    assert "— F1 on dev, best 82.34 in epoch 2" in texts(drawing)
    assert {"epoch", "1", "2", "3", "60", "82.34", "- - loss"} <= set(texts(drawing))
    (mark,) = root.findall(f".//{SVG}circle")
    (line,) = root.findall(f".//{SVG}path[@class='thick c1']")
    points = re.findall(r"([\d.]+) ([\d.]+)", line.attrib["d"])
    assert points[1] == (mark.attrib["cx"], mark.attrib["cy"])
    assert min(float(y) for _, y in points) == float(mark.attrib["cy"])  # y goes down


def test_scores_of_some_epochs_stand_at_those_epochs() -> None:
    epochs = [{"epoch": 1, "loss": 3.0}, {"epoch": 2, "loss": 1.5, "f1": 80.0}, {"epoch": 3, "loss": 1.0}]
    root = ElementTree.fromstring(learning_curve(epochs))
    (mark,) = root.findall(f".//{SVG}circle")
    assert float(mark.attrib["cx"]) == 640 / 2


def test_curves_without_scores_or_without_epochs() -> None:
    assert not any("F1" in text for text in texts(learning_curve([{"epoch": 1, "loss": 0.0}])))
    assert texts(learning_curve([])) == ["epoch"]


def test_many_epochs_have_fewer_ticks() -> None:
    drawing = learning_curve([{"epoch": number, "loss": 1 / number} for number in range(1, 31)])
    assert [text for text in texts(drawing) if text.isdecimal() and int(text) > 1] == [
        *("5", "10", "15", "20", "25", "30")
    ]


def test_a_time_line_has_bars_of_the_length_of_their_time() -> None:
    lanes = [
        Lane("one", [LaneBar(0, 10, "a"), LaneBar(10, 40, "b")]),
        Lane("two", [LaneBar(5, 20, "c"), LaneBar(20, None, "lost")]),
    ]
    drawing = timeline("Two workers", lanes, "in seconds")
    root = ElementTree.fromstring(drawing)
    a, b, c = (float(bar.attrib["width"]) for bar in root.findall(f".//{SVG}rect[@class='solid c1']"))
    assert abs(b - 3 * a) < 2
    assert abs(c - 1.5 * a) < 2
    (mark,) = root.findall(f".//{SVG}path[@class='thick c0']")
    assert mark is not None
    assert {"Two workers", "one", "two", "a", "b", "c", "lost", "in seconds", "0 s"} <= set(texts(drawing))
    assert texts(timeline("Nothing", [])) == ["Nothing", "0 s", "1 s", ""]


def test_all_drawings_share_one_style_sheet() -> None:
    tree = svg_tree(Tree((Token("Yes"),), (), (), (-1,)))
    for drawing in (tree, bar_chart("F1", []), learning_curve([]), timeline("", [])):
        assert drawing.count(STYLE) == drawing.count("<style>") == 1
