"""One tree per line or trees over several lines; empty, malformed, missing and extra sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.errors import EvaluationError, TreebankError
from spindle.evaluation import Score, evaluate
from spindle.evaluation.entries import has_tree_a_line, read_entries
from spindle.evaluation.lines import Line
from spindle.evaluation.pairing import Absent
from spindle.treebanks.source import Source
from spindle.trees import Tree
from support.notation import tree

A, B, C = "(S (N a) (V v))", "(S (N b) (V v))", "(S (N c) (V v))"
LONG_A = "(S\n  (N a)\n  (V v))"


def entries(tmp_path: Path, text: str, name: str = "trees.ptb") -> list[str]:
    """A summary of a file: the first word of every tree, `-` for no tree, `!` for an error."""
    path = tmp_path / name
    path.write_text(text)
    found = []
    for entry in read_entries(path):
        item = entry.read() if isinstance(entry, Line) else entry
        if isinstance(item, Tree):
            found.append(item.tokens[0].form)
        else:
            found.append("!" if isinstance(item, TreebankError) else "-")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{A}\n{B}\n", "ab"),
        (f"{A}\n\n{B}\n", "a-b"),
        (f"{A}\n(())\n{B}", "a-b"),
        (f"\n{A}\n( ( ) )\n   \n{B}", "-a--b"),
        (f"{A}\r\n\r\n{B}\r\n", "a-b"),
        (f"{A}\n(S (N b\n{C}\n", "a!c"),
        (f"{A}\n{B})\n{C}\n", "a!c"),
        (f"{A}\n{B}\n{C}\n(S (N b\n(S (N\n{C}\n", "abc!!c"),
        (f"{A}\nnot a tree\n{C}\n", "a!c"),
        (f"<s id=1>\n{A}\n</s>\n{B}\n", "ab"),
        (f"  {A}\n {B}\n", "ab"),
        (f"{LONG_A}\n\n\n{B}\n", "ab"),
        (f"{B}\n{LONG_A}\n\n(())\n{C}\n", "ba-c"),
        (f"{A} {B}\n\n{C}\n", "abc"),
        (f"{A}\n\n{B} {C}\n", "abc"),
        (f"{A}\n{B}\n{C}\n{A} {B}\n\n{C}\n", "abca-c"),
        (f"{B}\n(S (N a)\n(V v))\n", "ba"),
    ],
)
def test_lines_and_trees(tmp_path: Path, text: str, expected: str) -> None:
    assert entries(tmp_path, text) == list(expected)


def test_discontinuous_lines(tmp_path: Path) -> None:
    assert entries(tmp_path, "(S (N 1=a) (V 0=b))\n\n(S (N 0=c))\n", "trees.dbr") == ["b", "-", "c"]


def test_leaves_in_brackets_of_their_own(tmp_path: Path) -> None:
    text = "(S (NP (NN (cat))) (VP (VB (eats) )))\n\n(NP (NN (dog)))\n"
    assert entries(tmp_path, text) == ["cat", "-", "dog"]


def test_several_trees_on_a_line_have_no_bracket_around_them(tmp_path: Path) -> None:
    path = tmp_path / "trees.ptb"
    path.write_text(f"{A}\n{B}\n{C}\n{A} {B}\n")
    result = evaluate(path, path)
    assert [sentence.gold for sentence in result.sentences] == [1, 1, 1, 2]


def test_errors_say_where(tmp_path: Path) -> None:
    path = tmp_path / "pred.ptb"
    path.write_text(f"{A}\n{B}\n(S (N c) (V v)\n")
    result = evaluate([tree(A), tree(B), tree(C)], path)
    assert result.sentences[2].problem == f'{path}:3: 1 "(" not closed'


def test_a_sample_of_an_undecodable_file(tmp_path: Path) -> None:
    path = tmp_path / "pred.ptb"
    path.write_bytes(f"{A}\n".encode() + b"(S (N \xff) (V v))\n")
    assert has_tree_a_line(Source(str(path)))
    first, second = read_entries(path)
    assert isinstance(first, Line)
    assert isinstance(second, TreebankError)


def compared(gold: list[str], pred: list[str]) -> Score:
    def read(text: str) -> Tree | Absent:
        return tree(text) if text else Absent.UNPARSED

    return evaluate(map(read, gold), map(read, pred))


def test_missing_and_extra_sentences_are_reported() -> None:
    result = compared([A, B], [A])
    assert (result.totals.missing, result.precision, result.recall) == (1, 100.0, 50.0)
    assert [sentence.problem for sentence in result.problems] == ["not in the prediction"]
    result = compared([A], [A, B])
    assert (result.totals.gold_sentences, result.totals.extra, result.f1) == (1, 1, 100.0)
    assert [sentence.problem for sentence in result.problems] == ["not in gold"]


def test_empty_lines_at_the_end_are_no_sentences() -> None:
    assert compared([A], [A, "", ""]).totals.sentences == 1
    assert compared([A, "", ""], [A]).totals.sentences == 1


def test_a_gold_sentence_without_a_tree() -> None:
    result = compared(["", A, ""], [B, A, ""])
    assert [sentence.status.name for sentence in result.sentences] == ["ERROR", "SCORED", "ERROR"]


def test_sentences_with_ids_are_paired_by_id() -> None:
    gold = [tree(A).replace(id="1"), tree(B).replace(id="2"), tree(C).replace(id="3")]
    result = evaluate(gold, [gold[2], gold[0], tree(A).replace(id="9")])
    assert [sentence.status.name for sentence in result.sentences] == [
        "SCORED",
        "UNPARSED",
        "SCORED",
        "EXTRA",
    ]
    assert [sentence.name for sentence in result.sentences] == ["1", "2", "3", "9"]


def test_a_file_without_ids_is_paired_by_position() -> None:
    result = evaluate([tree(A).replace(id="1"), tree(B).replace(id="2")], [tree(A), tree(B)])
    assert result.f1 == 100.0
    assert result.totals.errors == 0


def test_trees_are_not_scored_against_dependencies(tmp_path: Path) -> None:
    (tmp_path / "gold.ptb").write_text(A)
    (tmp_path / "pred.conllu").write_text("1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(EvaluationError, match=r"pred\.conllu: contains dependencies, which cannot"):
        evaluate(tmp_path / "gold.ptb", tmp_path / "pred.conllu")
