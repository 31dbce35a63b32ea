"""The registry, the oracle, and the checks of a prediction."""

from typing import Any

import pytest

from spindle.errors import ParserError
from spindle.parsers import (
    PARSERS,
    PREDICTED,
    FitSettings,
    Prediction,
    find_parser,
    name_of,
)
from spindle.parsers.oracle import Gives, Oracle, OracleOptions
from spindle.reduction import Place
from spindle.trees import Token
from support.examples import example
from support.watching import Diary

WORDS = (Token("It", "PRP"), Token("works", "VBZ"))
FIRST = example(WORDS, (1, -1), ("S#1", "root"), chains={Place(0, 0): ("NP", "X")})
SECOND = example(WORDS, (-1, 0), ("root", "S#1"))
OTHER = example((Token("No", "UH"),), (-1,), ("root",))
ALL = FitSettings(one_shot=True, options=OracleOptions(Gives.EVERYTHING))


def test_registered_names_and_declarations_are_consistent() -> None:
    for name in PARSERS:
        parser = find_parser(name)
        assert name_of(parser) == name
        assert parser.predicts <= PREDICTED
        assert parser.can_shrink == (name == "linear")
    with pytest.raises(ParserError, match="there is no parser 'nobody'; choose from linear, neural, command"):
        find_parser("nobody")


def test_a_parser_that_cannot_be_imported_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARSERS, "broken", "no_such_module:Parser")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        find_parser("broken")
    monkeypatch.setitem(PARSERS, "broken", "spindle.parsers.oracle:NoSuchClass")
    with pytest.raises(AttributeError, match="NoSuchClass"):
        find_parser("broken")


def test_the_oracle_returns_the_trees_it_was_fitted_with() -> None:
    oracle = Oracle()
    oracle.fit([FIRST, OTHER], [SECOND, FIRST], ALL, Diary())
    again = Oracle.from_part(oracle.to_part())
    for one in (oracle, again):
        found = one.parse([WORDS, WORDS, WORDS, OTHER.tokens], threads=1)
        assert [prediction.heads for prediction in found] == [(-1, 0), (1, -1), (-1, 0), (-1,)]
        assert found[1].labels == FIRST.labels
        assert found[1].chains == FIRST.chains
        assert found[3].tokens == OTHER.tokens
    with pytest.raises(ParserError, match="has no tree for 'Never'"):
        oracle.parse([[Token("Never")]], threads=1)


def test_the_oracle_predicts_only_what_is_asked() -> None:
    oracle = Oracle()
    oracle.fit([FIRST], [], FitSettings(options=OracleOptions(Gives.HEADS)), Diary())
    (found,) = oracle.parse([WORDS], threads=1)
    assert found.heads == FIRST.heads
    assert (found.labels, found.tokens, found.chains) == (None, None, None)
    two_stage = FitSettings(one_shot=False, options=ALL.options)
    assert Oracle.will_predict(two_stage) == {"tags", "chains"}


@pytest.mark.parametrize("what", ["labels", "tokens", "confidences"])
def test_incomplete_predictions_are_refused(what: str) -> None:
    short: dict[str, Any] = {what: [1.0]}
    complete: dict[str, Any] = {what: [1.0, 0.5]}
    with pytest.raises(ParserError, match=f"has 2 heads, but 1 {what}"):
        Prediction([-1, 0], **short)
    assert getattr(Prediction([-1, 0], **complete), what) == [1.0, 0.5]
