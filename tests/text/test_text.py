"""Raw text: words, sentences, and the tokenization style of a treebank."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.text import ENGLISH, TokenizationStyle, learn_tokenization_style, split_sentences, tokenize

FRENCH = TokenizationStyle(elisions=frozenset({"l'", "d'", "qu'"}), brackets_inside=True)
PENN = TokenizationStyle(clitics=ENGLISH.clitics, penn_quotes=True)
GERMAN = TokenizationStyle(abbreviations=frozenset({"z.b", "prof"}), ordinals=True)


def words(text: str, style: TokenizationStyle = ENGLISH) -> str:
    return " ".join(span.form for span in tokenize(text, style))


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("The public is still cautious.", "The public is still cautious ."),
        ("I can't, won't and cannot!", "I ca n't , wo n't and can not !"),
        ("They’re John’s, the dogs’ too", "They ’re John ’s , the dogs ’ too"),
        ('He said: "Why (not)?"', 'He said : " Why ( not ) ? "'),
        ("It costs $3.50, i.e. 1,000.5% more...", "It costs $ 3.50 , i.e. 1,000.5 % more ..."),
        ("a well-known anti-rabbit e-mail either/or", "a well - known anti-rabbit e-mail either / or"),
        ("In the U.S. Mr. J. Smith left.", "In the U.S. Mr. J. Smith left ."),
        ("an approx. value", "an approx. value"),
        ("See http://a.b/c-d?e=f, or me@b.org.", "See http://a.b/c-d?e=f , or me@b.org ."),
        ("wait—what -- 1990–95 … ok?!", "wait — what -- 1990 – 95 … ok ? !"),
        ("It's 10:30; f(x)=y :)", "It 's 10:30 ; f ( x ) =y :)"),
        ("¿Qué? «Oui» „ja“", "¿ Qué ? « Oui » „ ja “"),
        ("'quoted' the '70s 'tis", "' quoted ' the '70s 'tis"),
        ("state-of-the-art non-self-evident", "state - of - the - art non-self - evident"),
        ("", ""),
        (" \t\n ", ""),
        ("(((", "( ( ("),
        (".", "."),
        ("'", "'"),
        ("nul\0byte", "nul\0byte"),
    ],
)
def test_english(text: str, cut: str) -> None:
    assert words(text) == cut


def test_other_styles() -> None:
    assert words("L'été qu'il l'a vu, aujourd'hui", FRENCH) == "L' été qu' il l' a vu , aujourd'hui"
    assert words("AUTRE(S) (ou non) demi-vie", FRENCH) == "AUTRE(S) ( ou non ) demi-vie"
    assert words('"So," he said, "yes."', PENN) == "`` So , '' he said , `` yes . ''"
    assert words("Am 3. Mai kam z.B. Prof. Rau.", GERMAN) == "Am 3. Mai kam z.B. Prof. Rau ."
    assert words("Es sind 3.", GERMAN) == "Es sind 3 ."


def test_sentences() -> None:
    text = (
        "Dr. Smith left at 5 p.m. The U.S. team didn't. (Really!) “Is it so?” he asked. It rose 3.5 percent. "
        "J. R. R. Tolkien wrote it... and more. Version 2.0 is out! What?! No."
    )
    assert [" ".join(word.form for word in sentence) for sentence in split_sentences(text)] == [
        "Dr. Smith left at 5 p.m.",
        "The U.S. team did n't .",
        "( Really ! )",
        "“ Is it so ? ” he asked .",
        "It rose 3.5 percent .",
        "J. R. R. Tolkien wrote it ... and more .",
        "Version 2.0 is out !",
        "What ? !",
        "No .",
    ]
    assert split_sentences("") == []


def test_styles_are_learned_from_words() -> None:
    text = """Well - known anti-rabbit drugs / food do n't harm Dr. No 's dog - sled team .
              Is n't it ? He 's the one , is n't he - he 's Mr. X / Y ."""
    style = learn_tokenization_style([line.split() for line in text.splitlines()] * 3)
    assert style.clitics == {"n't", "'s"}
    assert style.cuts_hyphens
    assert style.prefixes == {"anti"}
    assert style.cuts_slashes
    assert style.abbreviations == {"dr", "mr"}
    assert style.starters == {"well", "is"}
    assert not style.elisions
    assert not style.penn_quotes
    assert TokenizationStyle.from_dict(style.to_dict()) == style
    assert style.describe() == (
        "contractions split ('s n't); hyphens split, but not after anti; slashes split; brackets split; "
        "quotes as in the text"
    )
    assert FRENCH.describe() == (
        "contractions split (d' l' qu'); hyphens kept; slashes kept; brackets kept inside words; "
        "quotes as in the text"
    )
    assert "quotes written `` and ''" in PENN.describe()


HOSTILE = st.text() | st.text("aB1.,'’-–—/\"“”()[]!?… \t\n$%#@:;=<>`\0\u2028\u00a0n")


@given(HOSTILE, st.sampled_from([ENGLISH, FRENCH, GERMAN, TokenizationStyle()]))
def test_nothing_but_blanks_is_lost(text: str, style: TokenizationStyle) -> None:
    spans = tokenize(text, style)
    assert all(form == text[start:end] and form for form, start, end in spans)
    assert "".join(form for form, _, _ in spans) == re.sub(r"\s", "", text)
    assert [span for sentence in split_sentences(text, style) for span in sentence] == spans


def test_real_words_are_found_again(treebanks: Path) -> None:
    """The tokenizer finds the words of the treebank in detokenized text."""
    lines = (treebanks / "english-gum" / "dev.conllu").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line[:1].isdigit()]
    text = ""
    expected: list[str] = []
    for row in rows[:5000]:
        is_attached = re.fullmatch(r"[,.;:?!)\]%”]|n['’]t|['’](s|re|ve|ll|d|m)", row[1]) or row[4] == "HYPH"
        is_after_hyphen = text.endswith(("(", "[", "“", "$")) or (expected and expected[-1] == "\0")
        text += ("" if is_attached or is_after_hyphen or not text else " ") + row[1]
        if expected and expected[-1] == "\0":
            expected.pop()
        expected.append(row[1])
        if row[4] == "HYPH":
            expected.append("\0")
    found = [span.form for span in tokenize(text)]
    common = len(set(_places(found)) & set(_places(expected)))
    assert 2 * common / (len(found) + len(expected)) > 0.99


def _places(words: list[str]) -> list[tuple[int, str]]:
    places, at = [], 0
    for word in words:
        if word != "\0":
            places.append((at, word))
            at += len(word)
    return places
