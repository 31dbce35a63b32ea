"""The formats of other tools: what is written is read as the same, and reading never fails."""

import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.errors import TreebankError
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.brat import escape_type, restore_type
from spindle.treebanks.formats import TREE_FORMATS
from spindle.treebanks.jsonstream import JsonValue, json_values
from spindle.trees import Tree
from support.strategies import BRACKETS, labels, texts, tokens, trees

ANYTHING = texts(BRACKETS + " ")
# A tag that looks like TAG##feature=value## is one.
TAGS = st.sampled_from(["", "NN", "-NONE-", "$(", "(", "-RRB-"]) | ANYTHING.filter(
    lambda tag: "##" not in tag or "=" not in tag
)
LABELS = st.just("") | labels() | ANYTHING
LEMMAS = st.just("") | ANYTHING
NOT_MISSING = LEMMAS.filter(lambda text: text != "_")
COMMENTS = st.lists(
    st.sampled_from(["", "a remark", "sent_id = 3", "text = x", "constituency = x", "discbracket=(", " # "]),
    max_size=3,
)
ROUND_TRIPS = {
    "conllu-tree": trees(
        labels=LABELS, tokens=tokens(forms=ANYTHING, tags=TAGS, lemmas=NOT_MISSING, morphs=NOT_MISSING)
    ),
    "stanza": trees(labels=LABELS, tokens=tokens(forms=ANYTHING, tags=TAGS, lemmas=LEMMAS, morphs=LEMMAS)),
    "corenlp-json": trees(
        continuous=True, labels=LABELS, tokens=tokens(forms=ANYTHING, tags=TAGS, lemmas=LEMMAS)
    ),
    "corenlp-xml": trees(
        continuous=True, labels=LABELS, tokens=tokens(forms=ANYTHING, tags=TAGS, lemmas=LEMMAS)
    ),
    "brat": trees(
        labels=LABELS | st.just("child"),
        tokens=tokens(
            forms=ANYTHING, tags=st.just("") | ANYTHING, lemmas=LEMMAS, morphs=LEMMAS, functions=LEMMAS
        ),
        functions=st.sampled_from(["", "SB", "child", "$,"]) | ANYTHING,
    ),
}
KEEPS_IDS = {"conllu-tree", "stanza", "corenlp-json", "brat"}
KEEPS_COMMENTS = {"conllu-tree", "stanza", "brat"}


def read(format: str, text: str) -> list[Tree | TreebankError]:
    return list(TREE_FORMATS[format].read(Source.from_text(text, "file"), ReadingReport()))


def written(format: str, found: list[Tree]) -> str:
    write = TREE_FORMATS[format].write
    assert write is not None
    return "".join(write(found))


@pytest.mark.parametrize("format", ROUND_TRIPS)
@settings(max_examples=60)
@given(st.data())
def test_round_trips(format: str, data: st.DataObject) -> None:
    found = []
    for tree in data.draw(st.lists(ROUND_TRIPS[format], min_size=1, max_size=3)):
        id = data.draw(st.just("") | texts()) if format in KEEPS_IDS else ""
        comments = tuple(data.draw(COMMENTS)) if format in KEEPS_COMMENTS else ()
        # a function of the topmost node is that of no edge
        if tree.labels and tree.functions[0]:
            tree = tree.replace(functions=("", *tree.functions[1:]))
        if not tree.labels and tree.tokens[0].function:
            tree = tree.replace(tokens=(tree.tokens[0]._replace(function=""),))
        found.append(tree.replace(id=id, comments=comments))
    assert read(format, written(format, found)) == found


@given(trees(continuous=True, labels=LABELS, tokens=tokens(forms=ANYTHING, tags=TAGS)), st.data())
def test_places_in_a_text_are_kept(tree: Tree, data: st.DataObject) -> None:
    text, offsets = data.draw(st.sampled_from(["", "before "])), []
    for token in tree.tokens:
        text += data.draw(st.sampled_from(["", " ", "  "]))
        offsets.append((len(text), len(text) + len(token.form)))
        text += token.form
    placed = tree.with_text(text, offsets)
    for format in ("conllu-tree", "stanza"):
        (again,) = read(format, written(format, [placed]))
        assert isinstance(again, Tree)
        assert again == tree
        assert again.text == text[offsets[0][0] :]
        assert [again.text[start:end] for start, end in again.offsets] == [one.form for one in tree.tokens]


@given(st.just("") | texts(BRACKETS + " "))
def test_types_of_brat(text: str) -> None:
    assert restore_type(escape_type(text)) == text
    assert escape_type(text).replace("_", "").replace("-", "").isalnum() or set(escape_type(text)) <= {*"_-"}


# ── text that is nearly right ────────────────────────────────────────────────────────────────────────

PIECES = {
    "json": '{ } [ ] , : " \\ \\" "sentences" "comments" "parse" "(S␣(A␣b))" "tokens" [{}] "text" 1 ¶ é',
    "xml": "<root> <document> <sentences> </sentences> <sentence> </sentence> <parse> </parse> (S␣(A␣b))",
    "corenlp-text": "Sentence␣#1␣(1␣tokens):¶ [Text=a␣Lemma=b]¶ (S␣(A␣b))¶ ( ) ¶ Constituency␣parse:¶ ]",
    "brat": (
        "T1 T2 T3 R1 #1 ¶ \t NP␣0␣1 A␣0␣1;2␣3 child␣Arg1:T1␣Arg2:T2 child␣Arg1:T2␣Arg2:T1 Id␣T1 Word␣T2 x"
    ),
    "conllu-tree": (
        "#␣constituency␣=␣(S␣(A␣b))¶ #␣discbracket␣=␣(A␣0=b)¶ 1\tb\t_\t_\t_\t_\t0\t_\t_\t_¶ ¶ 2 \t ( "
        "#␣text␣=␣b¶"
    ),
}
KINDS = {
    "stanza": "json",
    "corenlp-json": "json",
    "corenlp-xml": "xml",
    "corenlp-text": "corenlp-text",
    "brat": "brat",
    "conllu-tree": "conllu-tree",
}


@pytest.mark.parametrize("format", KINDS)
@settings(max_examples=100)
@given(st.data())
def test_reading_never_fails(format: str, data: st.DataObject) -> None:
    pieces = [piece.replace("␣", " ").replace("¶", "\n") for piece in PIECES[KINDS[format]].split(" ")]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=25)))
    for found in read(format, text):
        assert isinstance(found, Tree | TreebankError)
        if isinstance(found, TreebankError):
            assert str(found).startswith("file")


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | texts('{}[]",:\\\n'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts('{}[]",:\\'), inner, max_size=3),
    max_leaves=8,
)


def in_pieces(text: str, size: int) -> Callable[[], Iterator[str]]:
    return lambda: (text[at : at + size] for at in range(0, len(text), size))


@settings(max_examples=200)
@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "items", 'q"\\']), VALUES, max_size=3), max_size=3),
    st.sampled_from([None, 1]),
    st.integers(1, 9),
    st.booleans(),
)
def test_json_is_read_as_json_reads_it(
    documents: list[dict[str, object]], indent: int | None, size: int, plain: bool
) -> None:
    text = "\n".join(json.dumps(one, indent=indent, ensure_ascii=plain) for one in documents)
    source = Source.from_text(text)
    source.pieces = in_pieces(text, size)  # type: ignore[method-assign]
    expected = []
    for document in documents:
        for name, value in document.items():
            items = value if name == "items" and isinstance(value, list) else [value]
            expected += [(name, item) for item in items]
        expected.append(("", None))
    found = list(json_values(source, frozenset({"items"})))
    assert [(one.name, one.value) if isinstance(one, JsonValue) else str(one) for one in found] == expected


@given(st.text('{}[]",:\\ 1\nae', max_size=30))
def test_malformed_json_gives_errors(text: str) -> None:
    found = list(json_values(Source.from_text(text, "file"), frozenset({"a"})))
    try:
        json.loads(text)
    except ValueError:
        several = any(not one.name and one.value is None for one in found if isinstance(one, JsonValue))
        assert several or not text.strip() or any(isinstance(one, TreebankError) for one in found)
