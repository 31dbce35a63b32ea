"""Behaviour of the official programs that the golden files do not cover."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spindle.evaluation.corpus import make_settings
from spindle.evaluation.discodop import Stopped, discodop_output
from spindle.evaluation.evalb import TooManyErrors, evalb_output
from spindle.evaluation.pairing import Absent, Entry, Pair, pair_entries
from spindle.evaluation.settings import MissingPolicy
from spindle.trees import Tree
from support.notation import tree

GOLD = tree("(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))")
OTHER = tree("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))")
SHORT = tree("(TOP (S (NN cat)))")


def evalb(
    gold: list[Entry[Tree]], pred: list[Entry[Tree]], scheme: str = "evalb", missing: MissingPolicy = "skip"
) -> tuple[list[str], list[str]]:
    """The rows of the table and the messages."""
    settings = make_settings(scheme, missing=missing, official=True)
    messages: list[str] = []
    text = "".join(
        evalb_output(pair_entries(gold, pred, official=True), settings, "full", "pred", messages.append)
    )
    table = text.split("=" * 76)[1]
    return table.split("\n")[1:-1], messages


def test_evalb_stops_at_the_twelfth_error() -> None:
    settings = make_settings("evalb", official=True)
    messages: list[str] = []
    output: list[str] = []

    def run(errors: int) -> None:
        pairs = (Pair(number, GOLD, OTHER) for number in range(1, errors + 1))
        messages.clear()
        output.clear()
        output.extend(evalb_output(pairs, settings, "full", "pred", messages.append))

    run(11)
    assert "Number of Error sentence  =     11\n" in output[-2]
    with pytest.raises(TooManyErrors):
        run(13)
    assert messages[-1] == "12 : Words unmatch (cat|dog)"


def test_a_ratio_without_a_denominator() -> None:
    settings = make_settings("evalb", official=True)
    text = "".join(evalb_output([Pair(1, GOLD, OTHER)], settings, "full", "pred", print))
    assert "Bracketing FMeasure       =   -nan\n" in text


def test_files_of_different_lengths() -> None:
    rows, messages = evalb([GOLD, GOLD, GOLD], [GOLD])
    assert len(rows) == 1
    assert messages == ["2 : Number of lines unmatch (too many lines in gold file)"]
    rows, messages = evalb([GOLD], [GOLD, GOLD, GOLD])
    assert messages == ["2 : Number of lines unmatch (too many lines in test file)"]


def test_wrappers_count_as_the_parameters_say() -> None:
    root = GOLD.replace(labels=("ROOT", *GOLD.labels[1:]))
    assert evalb([GOLD], [GOLD])[0][0].split()[5:8] == ["3", "3", "3"]
    assert evalb([root], [root])[0][0].split()[5:8] == ["4", "4", "4"]
    assert evalb([root], [GOLD])[0][0].split()[5:8] == ["3", "4", "3"]
    assert evalb([root], [GOLD], "spmrl")[0][0].split()[5:8] == ["3", "3", "3"]


def test_spmrl_keeps_a_sentence_of_the_wrong_length_in_the_score() -> None:
    rows, messages = evalb([GOLD], [SHORT], "spmrl")
    assert rows == ["   1    3    0    0.00   0.00     0      0    0      0      0     0     0.00"]
    assert messages == ["1 : Length unmatch (3|1)"]


def test_spmrl_prints_two_rows_where_gold_has_one_word() -> None:
    rows, messages = evalb([SHORT], [tree("(TOP (S (NN cat) (NN cat)))")], "spmrl")
    assert [row.split()[5:8] for row in rows] == [["0", "0", "0"], ["0", "1", "1"]]
    assert messages == []


def test_spmrl_inflates_what_an_unparsed_sentence_misses() -> None:
    rows, _ = evalb([GOLD], [Absent.UNPARSED], "spmrl", "count")
    # four brackets, five labels to delete, one of which is TOP
    assert rows[0].split()[2:8] == ["3", "0.00", "0.00", "0", str(3 * 6 + 5), "0"]


def test_discodop_stops_at_the_first_difference() -> None:
    settings = make_settings("discodop", official=True)
    with pytest.raises(Stopped, match="sentence 2: word mismatch: 'cat' in gold"):
        list(discodop_output(pair_entries([GOLD, GOLD], [GOLD, OTHER]), settings, print))


def lines(*pairs: tuple[str, str]) -> Iterator[str]:
    settings = make_settings("discodop", official=True)
    entries = (Pair(number, tree(gold), tree(pred)) for number, (gold, pred) in enumerate(pairs, 1))
    return iter("".join(discodop_output(entries, settings, print)).split("\n"))


def test_discodop_undefined_figures() -> None:
    text = list(lines(("(ROOT ($. .))", "(ROOT ($. .))")))
    assert text[3] == "1      1     nan     nan       0      0      0      0     0   0DIV! "
    assert "labeled f-measure:            nan" in text
    assert "exact match:               100.00" in text
    assert "pos accuracy:               0DIV!" in text
