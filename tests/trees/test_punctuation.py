import pytest

from spindle.trees import Token
from spindle.trees.punctuation import is_punctuation


@pytest.mark.parametrize(
    ("form", "tag"),
    [
        (",", ","),
        ("--", ":"),
        ("-LRB-", "-LRB-"),
        ("``", "``"),
        ("(", "$("),
        (".", "$."),
        ("-", "let"),
        (".", "LET()"),
        ("»", "PONCT"),
        ("&brl;", "Z"),
        ("<dash/>", ","),
        ("„", '"'),
        ("!", "PUNCT"),
    ],
)
def test_by_tag(form: str, tag: str) -> None:
    assert is_punctuation(Token(form, tag))


@pytest.mark.parametrize("form", [".", "...", "``", "''", "-LRB-", "¿", "。", "—", "«"])
def test_by_form_where_there_is_no_tag(form: str) -> None:
    assert is_punctuation(Token(form))
    assert not is_punctuation(Token(form, "NN"))


@pytest.mark.parametrize(
    ("form", "tag"),
    [("-", "HYPH"), ("$", "$"), ("%", "NN"), ("'", "POS"), ("*", "-NONE-"), ("0", "-NONE-"), ("{x}", "CODE")],
)
def test_what_is_not_punctuation(form: str, tag: str) -> None:
    assert not is_punctuation(Token(form, tag))


@pytest.mark.parametrize("form", ["a.", "1", "$", "+", "-x-"])
def test_untagged_words(form: str) -> None:
    assert not is_punctuation(Token(form))
