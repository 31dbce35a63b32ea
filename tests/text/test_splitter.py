"""The front end for raw text: places in the text, lines, streams, and text that is hard to split."""

import json
import time
import tracemalloc
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spindle
from spindle.models.model_file import read_manifest
from spindle.text import BoundaryModel, Lines, Region, Span, TextSplitter, model_for
from spindle.text.characters import is_blank
from spindle.text.documents import GoldDocument, read_marked
from spindle.text.splitter import ends_in_line
from spindle.treebanks import read_trees

TRAPS = Path(__file__).parents[1] / "samples" / "raw-text.txt"
UNSEEN = (TRAPS.with_name("raw-text-unseen.txt"), TRAPS.with_name("raw-text-fresh.txt"))
EVERYDAY = TRAPS.with_name("raw-text-everyday.txt")
HOSTILE = st.text() | st.text(
    "aB1.,'’-–—/\"“”()[]!?… \t\r\n$%#@:;=<>`\0\u2028\u00a0n\u0301\u200d\u200b\u00ad\ufeff👩🏽🇩\ud800é"
)
HARD = {
    "quotes": '"' * 500_000,
    "dots": "." * 500_000,
    "digits": "7" * 500_000,
    "numbers": "1,2.3-4/5" * 55_000,
    "combining marks": "a" + "\u0301" * 500_000,
    "slashes": "/" * 500_000,
    "names": "ab.c/d-e" * 60_000,
    "dates": "1/2/3/" * 80_000,
    "paths": '"/ab' * 120_000,
    "addresses": "http://a" * 60_000,
    "mail": "a.a@" * 125_000,
    "brackets": "([" * 250_000,
    "hyphens": "e-" * 250_000,
    "one word": "x" * 5_000_000,
    "empty lines": "\n" * 500_000,
    "pictograms": "👩\u200d" * 250_000,
}


def english() -> BoundaryModel:
    found = model_for(("english-gum (free genres)", "english-craft"))
    assert found is not None
    return found


MODEL = TextSplitter(model=english())
STYLE = TextSplitter()
both = pytest.mark.parametrize("splitter", [MODEL, STYLE], ids=["model", "style"])


def shown(sentences: list[list[Span]]) -> list[str]:
    return [" ".join(word.form for word in sentence) for sentence in sentences]


def test_a_text_model_serves_parsers_of_its_treebanks_and_others() -> None:
    assert model_for(("english-gum (free genres)", "english-craft", "another")) is english()
    assert model_for(("english-craft",)) is None


def check(text: str, sentences: list[list[Span]]) -> None:
    """Nothing but blanks is between the words, and every word is what the text has there."""
    at = 0
    pieces: list[str] = []
    for sentence in sentences:
        assert sentence
        for form, start, end in sentence:
            assert start < end
            assert form == text[start:end]
            assert is_blank(text[at:start])
            pieces += (text[at:start], form)
            at = end
    assert is_blank(text[at:])
    assert "".join([*pieces, text[at:]]) == text


@given(HOSTILE, st.sampled_from([MODEL, STYLE]), st.sampled_from(list(Lines)))
def test_the_text_can_be_put_together_again(text: str, splitter: TextSplitter, lines: Lines) -> None:
    sentences = splitter.sentences(text, lines)
    check(text, sentences)
    check(text, [words] if (words := splitter.words(text)) else [])


@given(st.lists(HOSTILE), st.sampled_from([MODEL, STYLE]), st.sampled_from(list(Lines)))
def test_a_stream_has_the_same_places(pieces: list[str], splitter: TextSplitter, lines: Lines) -> None:
    text = "".join(pieces)
    regions = list(splitter.regions(pieces, lines))
    assert "".join(region.text for region in regions) == text
    placed = [
        [Span(form, region.start + start, region.start + end) for form, start, end in sentence]
        for region in regions
        for sentence in region.sentences
    ]
    check(text, [sentence for sentence in placed if sentence])


LINES = st.lists(
    st.sampled_from(["It was 9.", "We went. No. 3 was", " \t", "", 'He said "', "a" * 40, "é\u2028ß"]),
    max_size=12,
)


@given(
    LINES,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([MODEL, STYLE]),
    st.sampled_from(list(Lines)),
)
def test_a_text_that_is_read_from_the_start_of_a_region_has_the_same_regions(
    lines: list[str], end: str, splitter: TextSplitter, policy: Lines
) -> None:
    """Pieces end at the same places of the file, so the parts of a file are split like the whole."""
    text = end.join(lines)
    size = 16

    def regions(start: int, is_in_line: bool) -> list[tuple[int, str, list[list[Span]]]]:
        ends = [*range(start - start % size + size, len(text), size), len(text)]
        pieces = [text[begin:end] for begin, end in pairwise([start, *ends])]
        found = splitter.regions(pieces, policy, is_in_line)
        return [(start + region.start, region.text, region.sentences) for region in found]

    with mock.patch("spindle.text.splitter.MAX_REGION", 2 * size):
        whole = regions(0, False)
        for number, (start, _, _) in enumerate(whole):
            is_in_line = number > 0 and ends_in_line(whole[number - 1][1])
            assert regions(start, is_in_line) == whole[number:]


@both
def test_a_stream_of_lines_is_split_like_the_whole(splitter: TextSplitter) -> None:
    lines = [f"It was {n}. We went to No. {n}, e.g. by bus.\r\n" + "\r\n" * (n % 3 == 0) for n in range(90)]
    text = "".join(lines)
    for policy in Lines:
        whole = splitter.sentences(text, policy)
        for size in (1, 7, 1000):
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            regions = list(splitter.regions(pieces, policy))
            assert [s for region in regions for s in region.sentences].count([]) == 30
            found = [
                [(region.start + word.start, region.start + word.end) for word in sentence]
                for region in regions
                for sentence in region.sentences
                if sentence
            ]
            assert found == [[(word.start, word.end) for word in sentence] for sentence in whole]


@both
@pytest.mark.parametrize("name", HARD)
def test_hard_text_takes_linear_time(splitter: TextSplitter, name: str) -> None:
    text = HARD[name] if splitter.model else HARD[name][:50_000]  # rules are slower
    start = time.process_time()
    check(text, splitter.sentences(text))
    assert time.process_time() - start < 20


def test_a_long_stream_needs_little_memory() -> None:
    pieces = ["This line never ends, and it has many long words. " * 300] * 36

    def peak(regions: Iterable[Region]) -> int:
        tracemalloc.start()
        count = sum(len(region.sentences) for region in regions)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 300 * len(pieces)
        return found

    text = "".join(pieces)
    whole = peak(Region(text, 0, MODEL.sentences(text)) for _ in range(1))
    assert peak(MODEL.regions(pieces)) < 0.5 * whole


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────

WRAPPED = """The committee met in the old town hall on Tuesday and talked for
three hours about the new bridge. Nobody could say who would pay
for it. A second meeting will be held in May, after the election.

- bring tea
- bring bread and
  some butter
"""


def test_wrapped_lines() -> None:
    expected = [
        "The committee met in the old town hall on Tuesday and talked for three hours about the new bridge .",
        "Nobody could say who would pay for it .",
        "A second meeting will be held in May , after the election .",
    ]
    items = ["- bring tea", "- bring bread and some butter"]
    assert shown(MODEL.sentences(WRAPPED, Lines.WRAPPED)) == [*expected, *items]
    assert shown(MODEL.sentences(WRAPPED))[:3] == expected
    by_line = MODEL.sentences(WRAPPED, Lines.SENTENCE)
    assert [sentence[0].form for sentence in by_line] == ["The", "three", "for", "-", "-", "some"]
    assert len(MODEL.sentences(WRAPPED, Lines.PARAGRAPH)) == 8


@both
@pytest.mark.parametrize(
    "text", ["One line\nAnother line", "milk\neggs\nbread", "- one\n- two\n- three", "A\n\nb"]
)
def test_short_lines_are_not_joined(splitter: TextSplitter, text: str) -> None:
    assert len(splitter.sentences(text)) == len([line for line in text.splitlines() if line])


def test_an_unfinished_sentence_goes_on_in_lower_case() -> None:
    assert shown(MODEL.sentences("She didn't\nfind a map! Yes.\nNo.")) == [
        "She did n't find a map !",
        "Yes .",
        "No .",
    ]


# ── quality ──────────────────────────────────────────────────────────────────────────────────────────


def ranges(sentences: list[list[Span]]) -> list[list[tuple[int, int]]]:
    return [[(start, end) for _, start, end in sentence] for sentence in sentences]


def f1(gold: set[tuple[int, ...]], found: set[tuple[int, ...]]) -> float:
    return 200 * len(gold & found) / (len(gold) + len(found))


def scores(path: Path) -> tuple[float, float]:
    """Return F1 of tokens and of sentences."""
    documents = read_marked(path.read_text(encoding="utf-8"))
    tokens: list[set[tuple[int, ...]]] = [set(), set()]
    sentences: list[set[tuple[int, ...]]] = [set(), set()]
    for number, document in enumerate(documents):
        found = ranges(MODEL.sentences(document.text))
        for which, side in enumerate((document.sentences, found)):
            tokens[which] |= {(number, *word) for sentence in side for word in sentence}
            sentences[which] |= {(number, sentence[0][0], sentence[-1][1]) for sentence in side}
    return f1(*tokens), f1(*sentences)


def test_text_with_traps() -> None:
    """`benchmarks/text.py` measures all splitters on these files."""
    for path in (TRAPS, EVERYDAY):
        tokens, sentences = scores(path)
        assert tokens > 98.5
        assert sentences > 96


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. and Mrs. Jones left.", ["Mr. and Mrs. Jones left ."]),
        ("We met on Jan. 5 in room No. 5.", ["We met on Jan. 5 in room No. 5 ."]),
        (
            "It cost $5. 2019 was worse. iPhone sales fell. eBay too.",
            ["It cost $ 5 .", "2019 was worse .", "iPhone sales fell .", "eBay too ."],
        ),
        ("It fell until 3 p.m. Then it rose.", ["It fell until 3 p.m.", "Then it rose ."]),
        ("I can't, cannot and we're gonna.", ["I ca n't , can not and we 're gon na ."]),
        ("Write to a.b@c.org or see http://c.org/d.", ["Write to a.b@c.org or see http://c.org/d ."]),
        ("So nice 👨‍👩‍👧 and 👍🏽!", ["So nice 👨‍👩‍👧 and 👍🏽 !"]),
        ("Cafe\u0301 Zoe\u0308.", ["Cafe\u0301 Zoe\u0308 ."]),
    ],
)
def test_everyday_text(text: str, sentences: list[str]) -> None:
    assert shown(MODEL.sentences(text)) == sentences


NAMES = [
    "old_copy_2.tar.gz",
    "src/main.py",
    "docs/a-b.html",
    "x.org/a/b?c=1",
    "en.my-site.org/wiki",
    "~/.profile",
    "../run",
    "./run.sh",
    "/usr/bin",
    "/etc/hosts",
    "C:\\notes\\a.txt",
    "03/04/2022",
    "1/2/99",
    "8:15",
    "23:59:59",
    "snake_case",
    "@lena.m",
    "@a.b_c",
]
NO_NAMES = [
    "and/or",
    "his/her",
    "Yes/No",
    "km/h",
    "5/6/",
    "1/2/",
    "U.S./Mexico",
    "a.m./p.m.",
    "_so_",
    "/or",
    "12345/1/2",
    "1:10,000",
    "8:15:2",
    "or/and.Then",
    "a.m/p.m",
    "e.g./i.e.",
    "sold.It/she",
]


@pytest.mark.parametrize("word", NAMES)
def test_names_of_files_and_dates_are_not_split(word: str) -> None:
    for text in (f"See {word}.", f"({word})", word, f"She saw {word}, then left."):
        assert word in [span.form for sentence in MODEL.sentences(text) for span in sentence]


@pytest.mark.parametrize("word", NO_NAMES)
def test_what_only_looks_like_a_name_is_left_to_the_model(word: str) -> None:
    assert word not in [span.form for sentence in MODEL.sentences(f"See {word} now.") for span in sentence]


@both
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Zero\u200bwidth here", ["Zero", "width", "here"]),
        ("\ufeffHello \u200b there\u200b", ["Hello", "there"]),
        ("co\u00adoperate now", ["co\u00adoperate", "now"]),
        ("word\u2060word", ["word\u2060word"]),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
        ),
    ],
)
def test_characters_without_width_are_no_words(splitter: TextSplitter, text: str, words: list[str]) -> None:
    sentences = splitter.sentences(text)
    check(text, sentences)
    assert [span.form for sentence in sentences for span in sentence] == words


def test_marked_text_is_read() -> None:
    (one, two) = read_marked("It|'s⏎ ok|.\nYes|.⏎⏎\nNo\n\nA|b")
    assert one == GoldDocument(
        "It's\nok. Yes.\n\nNo ", (((0, 2), (2, 4), (5, 7), (7, 8)), ((9, 12), (12, 13)), ((15, 17),))
    )
    assert two.text == "Ab "


@pytest.mark.parametrize("name", ["english", "fast", "light"])
def test_the_english_models_have_the_trained_front_end(name: str) -> None:
    assert spindle.load(name).text_model is not None


def test_the_model_is_saved_with_the_parser(tmp_path: Path) -> None:
    parser = spindle.load("light")
    parser.save(tmp_path / "m")
    again = spindle.load(tmp_path / "m")
    assert "text" in read_manifest(tmp_path / "m")["parts"]
    assert again.text_model is not None
    assert parser.text_model is not None
    assert again.text_model.words == parser.text_model.words


def test_the_text_can_be_put_together_from_json() -> None:
    text = "\ufeffShe can't\u00a0come.\r\n\r\n\t“Cafe\u0301,”  he said \n"
    record = json.loads(json.dumps(spindle.load("light")(text).to_dict()))
    assert record["text"].encode() == text.encode()
    pieces, at = [], 0
    for token in (token for sentence in record["sentences"] for token in sentence["tokens"]):
        between = record["text"][at : token["start"]]
        assert not between.strip(" \t\r\n\u00a0\ufeff")
        assert token["form"] == record["text"][token["start"] : token["end"]]
        pieces += [between, token["form"]]
        at = token["end"]
    assert "".join([*pieces, record["text"][at:]]).encode() == text.encode()


@pytest.mark.parametrize("path", UNSEEN)
def test_text_that_the_model_was_not_tuned_on(path: Path) -> None:
    """Written after the lessons, and never looked at when they were; `benchmarks/text.py` has the figures."""
    tokens, sentences = scores(path)
    assert tokens > 97
    assert sentences > 90


TREEBANKS = [
    "english-gum/dev.ptb",
    "english-craft/dev.ptb",
    "dutch-alpino/dev.export",
    "german-pcc/dev.export",
    "french-sequoia/dev.mrg",
    "icelandic-modern/dev",
    "indonesian-icon/dev.ptb",
    "english-mctb/dialogue.ptb",
]


@pytest.mark.parametrize("name", TREEBANKS)
def test_the_text_of_every_treebank(treebanks: Path, name: str) -> None:
    path = treebanks / name
    if not path.exists():
        pytest.skip(f"there is no {name}")
    words = [" ".join(token.form for token in tree.tokens) for tree in read_trees(path, on_error="skip")]
    text = "\n".join(words[:600])
    for splitter in (MODEL, STYLE):
        check(text, splitter.sentences(text))
