"""Sentences with any content are exchanged with other programs without loss."""

import re
from pathlib import Path

import pytest
from hypothesis import example as tried
from hypothesis import given
from hypothesis import strategies as st

from spindle.errors import ParserError
from spindle.parsers import Example
from spindle.parsers.external.exchange import (
    MAX_WORD_LENGTH,
    Format,
    escape_label,
    features,
    read_answers,
    safe_text,
    unescape_label,
    write_examples,
    write_questions,
)
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.conll import read_conllu, read_conllx, write_conllx
from spindle.trees import Dependencies, Token, Word
from support.examples import example
from support.strategies import HOSTILE

RESERVED = HOSTILE + "|#_%~ \t\n\r\x00\x0b\x1c\x85\u2029\u3000\ufeff\ud800=.:()"
RESERVED_WORDS = (
    "",
    "_",
    "-",
    "#",
    "root",
    "ROOT",
    "-NONE-",
    "-ROOT-",
    "null",
    "<num>",
    "<root>",
    "dep",
    "subtok",
)
anything = (
    st.text(RESERVED, max_size=8)
    | st.text(st.characters(exclude_categories=()), max_size=8)
    | st.sampled_from(RESERVED_WORDS)
    | st.builds(lambda text: text * (10_000 // len(text)), st.text(RESERVED, min_size=1, max_size=8))
)
# A label with a surrogate cannot come from a treebank file, and is not taken from an outside parser.
any_label = anything.map(lambda text: re.sub("[\ud800-\udfff]", "?", text))
READERS = {Format.CONLLX: read_conllx, Format.CONLLU: read_conllu}
EVERYTHING_AT_ONCE = example(
    tuple(
        Token(*[word] * 4)
        for word in ("", " ", "_", "#", "|", "%", "\t", "\n", "\x00", "\u2028", "x" * 10_000)
    ),
    (-1, *range(10)),
    ("", " ", "_", "#", "|", "%", "\t", "\n", "\x00", "\u2028", "x" * 10_000),
)


@st.composite
def hostile_examples(draw: st.DrawFn) -> Example:
    size = draw(st.integers(1, 4))
    words = tuple(Token(*[draw(anything) for _ in range(4)]) for _ in range(size))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place in range(1, size):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    return example(words, heads, [draw(any_label) for _ in words])


@given(any_label)
@tried("=")
@tried("=7c=")
@tried("x" * 10_000 + "|" * 10_000)
def test_escaping_labels_is_reversible(label: str) -> None:
    written = escape_label(label)
    assert unescape_label(written) == label
    assert written.isascii()
    assert set(written) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.=")
    assert written


@given(anything)
def test_any_text_can_be_unescaped(text: str) -> None:
    unescape_label(text)
    unescape_label(f"={text}=")
    unescape_label("=ffffff=")


@given(anything)
def test_words_fit_into_a_column(text: str) -> None:
    for column in (safe_text(text), safe_text(text * 10)):
        assert column not in ("", "_")
        assert column.isprintable()
        assert " " not in column
        assert len(column) < 12 * MAX_WORD_LENGTH
    assert all("=" in value for value in features(text).split("|") if text.strip("|"))


def test_different_words_stay_different() -> None:
    long = "x" * 10_000
    assert len({safe_text(text) for text in ("", "_", " ", "\t", long, long + "y", "=")}) == 7
    assert safe_text("Žižek_is|#fine") == "Žižek_is|#fine"


@pytest.mark.parametrize("format", Format)
@given(examples=st.lists(hostile_examples(), min_size=1, max_size=3))
@tried(examples=[EVERYTHING_AT_ONCE])
def test_hostile_sentences_survive_every_format(
    tmp_path_factory: pytest.TempPathFactory, format: Format, examples: list[Example]
) -> None:
    path = tmp_path_factory.mktemp("exchange") / "file"
    write_examples(path, examples, format, labelled=True)
    # the written file is valid in its format …
    report = ReadingReport()
    rows = list(READERS[format](Source(str(path)), report))
    assert not report.counts
    for one, sentence in zip(examples, rows, strict=True):
        assert isinstance(sentence, Dependencies)
        assert [word.head - 1 for word in sentence.words] == list(one.heads)
    # … and reading it as an answer gives the same arcs and labels
    answers = read_answers(path, [one.tokens for one in examples], "echo", labelled=True)
    for one, answer in zip(examples, answers, strict=True):
        assert tuple(answer.heads) == one.heads
        assert tuple(answer.labels or ()) == one.labels


@pytest.mark.parametrize("heads", [(1, 0, 2), (-1, -1, -1), (1, 2, 0), (0, 1, 2), (2, 8, -1)])
def test_heads_that_form_no_tree_are_read_as_they_are(tmp_path: Path, heads: tuple[int, ...]) -> None:
    rows = (Word(form, "", "", "", "", head + 1, "NP.1") for form, head in zip("abc", heads, strict=True))
    path = tmp_path / "file"
    path.write_text("".join(write_conllx([Dependencies(tuple(rows))])), encoding="utf-8")
    (answer,) = read_answers(path, [[Token(form) for form in "abc"]], "it", labelled=True)
    assert tuple(answer.heads) == heads
    assert answer.labels == ["NP#1"] * 3


@pytest.mark.parametrize("format", Format)
def test_sentences_to_parse_have_a_valid_head_column(tmp_path: Path, format: Format) -> None:
    write_questions(tmp_path / "q", [[Token("It", "P"), Token("_", "_")], [], [Token("x")]], format)
    lines = (tmp_path / "q").read_text(encoding="utf-8").split("\n")
    assert lines[1] == "2\t=5f=\t_\t=5f=\t=5f=\t_\t0\t_\t_\t_"
    assert lines[2] == ""
    assert lines[3].startswith("1\tx\t_\t_\t_\t_\t0\t_")


def test_unlabelled_examples_keep_the_root(tmp_path: Path) -> None:
    pair = example((Token("a"), Token("b")), (1, -1), ("NP#1", "root"))
    write_examples(tmp_path / "file", [pair], Format.CONLLU, labelled=False)
    found = [line.split("\t")[7] for line in (tmp_path / "file").read_text().splitlines() if line]
    assert found == ["arc", "root"]


def test_a_placeholder_may_stand_for_a_word(tmp_path: Path) -> None:
    asked = (Token("in", "P"), Token("1999", "N"))
    other = example((Token("in", "P"), Token("<num>", "N")), (-1, 0), ("root", "NP#1"))
    write_examples(tmp_path / "file", [other], Format.CONLLX, labelled=True)
    (found,) = read_answers(tmp_path / "file", [asked], "mst", labelled=True, placeholder="<num>")
    assert found.heads == [-1, 0]
    with pytest.raises(ParserError, match="changed word 2"):
        read_answers(tmp_path / "file", [asked], "mst", labelled=True)
