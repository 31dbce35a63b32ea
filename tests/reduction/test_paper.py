"""The paper's own examples, as `reduction.md` spells them out."""

from spindle.reduction import Encoding, Reduced, decode, encode, read_labels, write_labels
from spindle.trees import DTree, Token, Tree


def tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(*pair.split("/")) for pair in text.split())


ENGLISH = Tree.build(
    tokens("The/DT public/NN is/VBZ still/RB cautious/JJ ./."),
    labels=["S", "NP", "VP", "ADVP", "ADJP"],
    parents=[-1, 0, 0, 2, 2],
    leaf_parents=[1, 1, 2, 3, 4, 0],
    heads=[2, 1, 2, 3, 4],
)
GERMAN = Tree.build(
    tokens("Es/PPER kam/VVFIN nichts/PIAT Interessantes/NN ./$."),
    labels=["VROOT", "S", "NP", "NP"],
    parents=[-1, 0, 1, 2],
    leaf_parents=[2, 1, 3, 3, 0],
    heads=[1, 1, 3, 3],
)


def arcs(dtree: DTree) -> dict[str, str]:
    labels = write_labels(dtree, Encoding.DIRECT)
    forms = [token.form for token in dtree.tokens]
    return {
        forms[token]: labels[token] + (f" {forms[head]}" if head >= 0 else "")
        for token, head in enumerate(dtree.heads)
    }


def test_figure_1_english() -> None:
    reduced = encode(ENGLISH)
    assert arcs(reduced.dtree) == {
        "The": "NP#1 public",
        "public": "S#2 is",
        "is": "root",
        "still": "VP#1 is",
        "cautious": "VP#1 is",
        ".": "S#2 is",
    }
    assert reduced.chains == {(3, 0): ("ADVP",), (4, 0): ("ADJP",)}
    assert decode(reduced) == ENGLISH


def test_figure_1_german() -> None:
    reduced = encode(GERMAN)
    assert arcs(reduced.dtree) == {
        "Es": "NP#2 Interessantes",
        "nichts": "NP#1 Interessantes",
        "Interessantes": "S#1 kam",
        "kam": "root",
        ".": "VROOT#2 kam",
    }
    assert reduced.wrapper is None  # a wrapper that branches is a constituent
    assert decode(reduced) == GERMAN


def test_three_readings_of_really_needs_caution() -> None:
    words = tokens("really/RB needs/VBZ caution/NN")
    flat = Tree.build(words, ["VP"], [-1], [0, 0, 0], heads=[1])
    right = Tree.build(words, ["VP", "VP"], [-1, 0], [0, 1, 1], heads=[1, 1])
    left = Tree.build(words, ["VP", "VP"], [-1, 0], [1, 1, 0], heads=[1, 1])
    events = {"flat": (1, 0, 1), "right": (2, 0, 1), "left": (1, 0, 2)}
    for name, tree in {"flat": flat, "right": right, "left": left}.items():
        reduced = encode(tree)
        assert reduced.dtree.events == events[name]
        assert reduced.dtree.symbols == ("VP", "", "VP")
        assert decode(reduced) == tree


def test_discontinuity_from_broken_nesting_alone() -> None:
    dtree = DTree(tokens("a/A b/B c/C"), heads=(-1, 0, 0), symbols=("", "Y", "X"), events=(0, 2, 1))
    assert dtree.is_projective
    assert not dtree.is_nested
    tree = decode(Reduced(dtree))
    assert {(node.label, node.positions) for node in tree.nodes()} == {("X", (0, 2)), ("Y", (0, 1, 2))}
    assert encode(tree).dtree == dtree


def test_discontinuity_from_a_crossing_arc() -> None:
    dtree = encode(GERMAN).dtree
    assert not dtree.is_projective
    assert dtree.is_nested
    assert not decode(Reduced(dtree)).is_continuous


def test_delta_example_of_the_footnote() -> None:
    # three modifiers on the left with events 1, 3, 4 going outward, four on the right with 2, 3, 3, 5
    heads = (3, 3, 3, -1, 3, 3, 3, 3)
    events = (4, 3, 1, 0, 2, 3, 3, 5)
    symbols = tuple("" if not event else f"Z{event}" for event in events)
    dtree = DTree(tokens("a/A " * 8), heads, symbols, events)
    labels = write_labels(dtree, Encoding.DELTA)
    assert [label.rpartition("#")[2] for label in labels] == ["1", "2", "1", "root", "2", "1", "0", "2"]
    symbols_read, indices, faults = read_labels(heads, labels, Encoding.DELTA)
    assert (tuple(symbols_read), tuple(indices), faults) == (symbols, events, {})
    assert decode(Reduced(dtree)) is not None


def test_hall_and_nivre_labels() -> None:
    assert write_labels(encode(ENGLISH).dtree, Encoding.HN) == ["#1", "NP#2", "VP|S#0", "#1", "#1", "#2"]
    assert write_labels(encode(GERMAN).dtree, Encoding.HN) == ["#2", "S|VROOT#0", "#1", "NP|NP#1", "#2"]
