"""Parameter files: every key, and errors in lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.errors import EvaluationError
from spindle.evaluation import Parameters, read_parameters
from spindle.evaluation.parameters import parse_parameters, representatives

ALL_KEYS = """
## every key there is
DEBUG 1
MAX_ERROR 7
CUTOFF_LEN 30
LABELED 0
DELETE_LABEL TOP
DELETE_LABEL ,
DELETE_LABEL_FOR_LENGTH -NONE-
DELETE_WORD «
QUOTE_LABEL ``
EQ_LABEL ADVP PRT
EQ_WORD  -LRB- (
DISC_ONLY 1
LA 0
TED 0
DEP 0
DELETE_ROOT_PRETERMS 0
"""


def test_every_key_is_read() -> None:
    assert parse_parameters(ALL_KEYS) == Parameters(
        debug=1,
        max_error=7,
        cutoff=30,
        labeled=False,
        delete_labels=("TOP", ","),
        delete_labels_for_length=("-NONE-",),
        delete_words=("«",),
        quote_labels=("``",),
        equal_labels=(("ADVP", "PRT"),),
        equal_words=(("-LRB-", "("),),
        disc_only=True,
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CUTOFF 40", "unknown key CUTOFF"),
        ("LABELED", "a key needs a value"),
        ("LABELED yes", "LABELED needs a number, not 'yes'"),
        ("EQ_LABEL ADVP", "EQ_LABEL needs two values"),
        ("DEBUG 0\nDEBUG 1", "DEBUG is set twice"),
        ("LA 1", "LA cannot be used: the leaf-ancestor score is not computed"),
        ("TED 1", "TED cannot be used: the tree-edit distance"),
        ("DEP 1", "DEP cannot be used: for dependencies"),
        ("DELETE_ROOT_PRETERMS 1", "DELETE_ROOT_PRETERMS cannot be used"),
    ],
)
def test_errors_say_where_and_what(line: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=rf"new\.prm:{1 + line.count(chr(10))}: {message}"):
        parse_parameters(line, "new.prm")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="No such file"):
        read_parameters(tmp_path / "absent.prm")
    (tmp_path / "latin.prm").write_bytes("DELETE_WORD «".encode("latin-1"))
    with pytest.raises(EvaluationError, match="not UTF-8"):
        read_parameters(tmp_path / "latin.prm")


def test_equality_passes_on() -> None:
    assert len(set(representatives([("A", "B"), ("C", "D"), ("D", "B")]).values())) == 1
    assert representatives([]) == {}
