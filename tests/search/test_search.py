"""Searching trees, d-trees and files."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import spindle
from spindle.errors import PatternError, TreebankError, WrongType
from spindle.search import Searcher, compiled
from spindle.search import search_trees as search
from spindle.search.reading import read_items
from spindle.treebanks import ReadingReport, Source
from spindle.trees import Token, Tree

CAT = Tree.from_string("(S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sees) (NP (PRP it))) (. .))")
NEWS = Tree.from_string("(S (NP (PPER 0=Es) (PIAT 2=nichts) (NN 3=Neues)) (VVFIN 1=kam))")


def texts(pattern: str, *trees: Tree) -> list[str]:
    return [" ".join(match.vertex.words) for match in search(pattern, trees, heads="collins")]


def test_heads_are_found_when_they_are_needed() -> None:
    assert texts("@NP:head=cat", CAT) == ["the cat"]
    assert texts("S <<# VBZ", CAT) == ["the cat sees it ."]
    assert texts("NN >># @NP", CAT) == ["cat"]
    assert texts(":node:headtag=VBZ", CAT) == ["the cat sees it .", "sees it"]


def test_gaps_and_crossing() -> None:
    assert texts("NP:gap", NEWS) == ["Es nichts Neues"]
    assert texts("NP <> VVFIN", NEWS) == ["Es nichts Neues"]
    assert texts("VVFIN >< NP", NEWS) == ["kam"]
    assert texts("VVFIN .. NP", NEWS) == []
    assert texts("VVFIN . PIAT", NEWS) == ["kam"]


def test_functions_are_found_in_labels_and_on_edges() -> None:
    assert texts(":func=SBJ", CAT) == ["the cat"]
    tree = Tree((Token("Es", "PPER", function="SB"), Token("kam", "VVFIN")), ("S",), (-1,), (0, 0))
    assert texts(":func=SB", tree) == ["Es"]


def test_dtrees_have_a_vertex_for_every_word() -> None:
    dtree = spindle.encode(spindle.find_heads(CAT, spindle.load_rules("collins"))).dtree
    found = [match.vertex for match in search("VBZ < (NN < the) < it:func=VP", [dtree])]
    assert [(one.kind, one.label, one.view) for one in found] == [("word", "sees", None)]
    with pytest.raises(PatternError, match="not for d-trees"):
        list(search("VBZ <# NN", [dtree]))


def test_names() -> None:
    (match,) = search("S < NP-SBJ=a < (VP < __=b)", [CAT])
    assert {name: [one.label for one in ones] for name, ones in match.names.items()} == {
        "a": ["NP-SBJ"],
        "b": ["VBZ", "NP"],
    }


def test_a_single_tree_is_not_several() -> None:
    with pytest.raises(WrongType):
        list(search("NP", CAT))  # type: ignore[arg-type]
    with pytest.raises(WrongType):
        list(search("NP", ["(NP (NN cat))"]))  # type: ignore[list-item]


def test_strings_that_are_not_unicode() -> None:
    tree = Tree((Token("a\ud800", "NN"),), ("NP",), (-1,), (0,))
    assert [match.vertex.kind for match in search("/^a/", [tree])] == ["word"]
    with pytest.raises(PatternError):
        list(search("\ud800", [tree]))


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    depth = 20_000
    tree = Tree((Token("x", "T"),), ("A",) * depth, tuple(range(-1, depth - 1)), (depth - 1,))
    assert sum(1 for _ in search("A <<: T", [tree])) == depth


def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    size = 300
    tree = Tree(tuple(Token(f"w{at}", "T") for at in range(size)), ("S",), (-1,), (0,) * size).replace(id="7")
    pattern = "S < T=a < T=b < T=c < (T=d .. =a) < (__ . =d !. =c !, =b !. =a)"
    with pytest.raises(PatternError, match="sentence 7"):
        list(search(pattern, [tree]))


def test_a_regular_expression_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "REGEX_SECONDS", 0.2)
    tree = Tree((Token("a" * 40 + "b", "T"),), ("S",), (-1,), (0,))
    start = time.monotonic()
    with pytest.raises(PatternError, match="takes too long"):
        list(search("/^(a+)+$/", [tree]))
    assert time.monotonic() - start < 5


# ── files ────────────────────────────────────────────────────────────────────────────────────────────

PLAIN = "( (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))\n"
NESTED = "(S (NP (DT (the)) (NN (cat))) (VP (VBZ (sleeps))))\n"
# a tree whose leaves may be of either kind: what it means depends on the trees before
EITHER = "(S (NP (NN dog)) (VP (VBZ barks)))\n"
FILES = {
    "plain": PLAIN * 3,
    "nested": NESTED + EITHER + NESTED,
    "nested later": PLAIN.replace("( (S", "(S").replace("))))", ")))") + EITHER + NESTED + EITHER * 3,
    "several on a line": PLAIN * 4 + PLAIN.strip() + PLAIN + PLAIN,
    "over lines": "(S\n (NP (NN dog))\n (VP (VBZ barks)))\n" + PLAIN,
    "markup": "<S ID=1>\n" + PLAIN + "</S>\n<S ID=2>\n" + PLAIN + "</S>\n",
    "features": "(S (NP (N##lem=chat|g=m## chat)) (V dort))\n",
    "errors": PLAIN * 2 + "(S (NP\n" + PLAIN + "(S (NN))\n" + PLAIN,
    "joined": PLAIN * 5 + "(S (NN one)) (S (NN two))\n" + PLAIN,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("threads", [1, 2])
def test_text_is_searched_like_trees(name: str, threads: int) -> None:
    def results(items: object) -> list[tuple[int, tuple[int, ...], str]]:
        searcher = Searcher("__", threads=threads)
        return [(one.number, one.codes, str(one.tree)) for one in searcher.find(items)]  # type: ignore[arg-type]

    source = Source.from_text(FILES[name])
    trees = list(spindle.read_trees([source], "bracket", on_error="skip"))
    expected, report = results(trees), ReadingReport()
    list(spindle.read_trees([source], "bracket", on_error="skip", report=report))
    report_of_search = ReadingReport()
    assert results(read_items(source, "bracket", "skip", report_of_search)) == expected
    assert report_of_search.counts == report.counts


def test_matches_before_an_error_are_not_lost() -> None:
    items = read_items(Source.from_text(FILES["errors"]), "bracket", "stop", ReadingReport())
    found = Searcher("NN").find(items)
    assert [next(found).number, next(found).number] == [1, 2]
    with pytest.raises(TreebankError):
        next(found)


def test_any_number_of_threads_and_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.ptb"
    path.write_text("".join(re.sub("cat", f"cat{at % 7}", PLAIN) for at in range(1300)))

    def results(threads: int) -> list[tuple[int, ...]]:
        return [one.vertex.positions for one in search("NP < (NN < /[135]$/)", path, threads=threads)]

    expected = results(1)
    assert len(expected) == sum(at % 7 in (1, 3, 5) for at in range(1300))
    assert results(2) == results(5) == expected
    monkeypatch.setattr("spindle.search.loaded.BATCH", 3)
    assert results(2) == expected
