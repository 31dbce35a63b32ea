"""A parser as Python programs use it: called with a text, given wrong types, pickled, in threads."""

import io
import json
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import spindle
from spindle.errors import ModelError, ParserError, SpindleError, WrongType
from spindle.parsers import PARSERS, name_of
from spindle.pipeline import Input, KBest, Parser, load
from spindle.training import train
from spindle.trees import Token
from support.demo_treebank import demo_trees
from support.notation import tree
from support.stand_ins import SlowLearner

TEXT = 'The "cat" slept.  She didn\'t\nfind a map!'
SENTENCES: list[Input] = [
    ["The", "cat", "slept", "."],
    "She found a map .",
    "We know the long road home .",
    "Go !",
] * 5


@pytest.fixture(scope="module")
def fast() -> Parser:
    return load("light")


# ── documents ────────────────────────────────────────────────────────────────────────────────────────


def test_a_text_becomes_a_document_with_offsets(fast: Parser) -> None:
    document = fast(TEXT)
    assert document.text == TEXT
    assert [one.text for one in document] == ['The "cat" slept.', "She didn't\nfind a map!"]
    first, second = document
    assert (document[1], document[:1], len(document)) == (second, (first,), 2)
    assert (second.start_char, second.end_char) == (18, len(TEXT))
    assert document.trees == (first.tree, second.tree)
    for found in document.trees:
        for vertex in found.preorder():
            assert TEXT[vertex.start_char : vertex.end_char] == vertex.text
    words = ["The", '"', "cat", '"', "slept", ".", "She", "did", "n't", "find", "a", "map", "!"]
    assert [token.text for token in document.tokens] == words
    assert document.tokens[0].label == "DT"
    assert first.tokens[0] == Token("The", "DT")


def test_a_document_prints_and_shows_its_trees(fast: Parser) -> None:
    document = fast(TEXT)
    assert str(document).splitlines() == [str(one.tree) for one in document]
    assert repr(document) == "<Document: 2 sentences, 13 tokens>"
    assert document._repr_html_().count("<svg ") == 2
    assert document[0]._repr_html_().count("<svg ") == 1
    assert repr(document[0]) == f"<Analysis of {document.trees[0]!r}, 1 candidates>"
    record = json.loads(json.dumps(document.to_dict()))
    assert record["text"] == TEXT
    token = record["sentences"][1]["tokens"][0]
    assert TEXT[token["start"] : token["end"]] == token["form"] == "She"


def test_an_empty_document(fast: Parser) -> None:
    empty = fast(" \n")
    assert (list(empty), empty.trees, empty.tokens, str(empty), empty._repr_html_()) == ([], (), (), "", "")
    (nothing,) = fast.analyse([""])
    assert (str(nothing), nothing.text, nothing.start_char, nothing.end_char) == ("", "", None, None)
    assert (nothing.tokens, nothing._repr_html_()) == ((), "")


def test_words_have_no_text(fast: Parser) -> None:
    found = fast.parse(["The", "cat", "slept"]).root
    assert (found.text, found.start_char, found.end_char) == ("The cat slept", None, None)
    assert fast.parse(" The  cat slept").root.start_char == 1


def test_long_sentences_keep_their_text(fast: Parser) -> None:
    text = "The cat slept and the dog ran ."
    (analysis,) = fast.analyse([text], longest=4)
    assert analysis.pieces == 2
    assert analysis.text == text


def test_the_document_takes_the_options_of_analyse(fast: Parser) -> None:
    (sentence,) = fast("A letter came from the teacher.", k=3, confidences=True)
    assert len(sentence.candidates) == 3
    assert sentence.candidates[2].confidences is not None


# ── k-best lists ─────────────────────────────────────────────────────────────────────────────────────


def test_a_k_best_list_is_a_tuple_with_pictures(fast: Parser) -> None:
    found = fast.k_best("A letter came from the teacher.", 3)
    assert isinstance(found, tuple)
    assert found.trees[0] == fast.parse("A letter came from the teacher.")
    assert found[0].tree == found.trees[0]
    assert isinstance(found[:2], KBest)
    assert found[:2] == tuple(found)[:2]
    assert str(found).splitlines() == [str(one) for one in found.trees]
    assert found.draw() == "\n\n".join(one.draw() for one in found.trees)
    assert found._repr_html_().count("<svg ") == 3
    assert f"2. score {found[1].score:.3f}" in found._repr_html_()
    assert "score" not in found[:1]._repr_html_()
    assert repr(found).startswith("<KBest: 3 trees of <Tree 'A letter came")
    assert repr(KBest()) == "<KBest: no trees>"
    with pytest.raises(ParserError, match="no word"):
        fast.k_best("", 2)


# ── many sentences ───────────────────────────────────────────────────────────────────────────────────


def test_contexts_stay_with_their_sentences(fast: Parser) -> None:
    contexts: list[Any] = [object() for _ in SENTENCES]
    pairs = zip(SENTENCES, contexts, strict=True)
    found = list(fast.parse_many(pairs, as_tuples=True, batch=3))
    assert [context for _, context in found] == contexts
    assert [one for one, _ in found] == list(fast.parse_many(SENTENCES))
    assert list(fast.parse_many([("", 7)], as_tuples=True)) == [(None, 7)]
    with pytest.raises(WrongType, match=r"write \(sentence, context\)"):
        list(fast.parse_many(["no pair"], as_tuples=True))  # type: ignore[call-overload]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_only(fast: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = {}
    for kind in (Terminal, io.StringIO):
        stream = kind()
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(list(fast.parse_many(SENTENCES, progress=True))) == len(SENTENCES)
        shown[kind] = stream.getvalue()
    assert "20/20" in shown[Terminal]
    assert "sentences" in shown[Terminal]
    assert shown[io.StringIO] == ""


# ── wrong types ──────────────────────────────────────────────────────────────────────────────────────

Call = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda parser: parser.parse_many("The cat"), "one str was given, but several .*`parser\\(text\\)`"),
        (lambda parser: parser.analyse("The cat"), "one str was given"),
        (lambda parser: parser.parse_many(tree("(A a)")), "one Tree was given"),
        (lambda parser: parser.parse_many(b"The cat"), "expected, not bytes"),
        (lambda parser: parser.parse_many(None), "expected, not NoneType"),
        (lambda parser: list(parser.parse_many([None])), "a tree, not NoneType"),
        (lambda parser: parser.parse(b"The cat"), r"not bytes; decode bytes first"),
        (lambda parser: parser.parse(None), "not NoneType"),
        (lambda parser: parser.parse(3.5), "not float"),
        (lambda parser: parser.parse({"The": "DT"}), "not dict"),
        (lambda parser: parser.parse(["The", 3]), "word 2 of a sentence is int"),
        (lambda parser: parser.parse([["The"], ["cat"]]), "word 1 .* list.*`parse_many` takes several"),
        (lambda parser: parser(None), "a text is expected, not NoneType"),
        (lambda parser: parser(["The", "cat"]), "a text is expected, not list; `parse` takes"),
        (lambda parser: load(3), "not int"),  # type: ignore[call-overload]
    ],
)
def test_wrong_types_are_refused(fast: Parser, call: Call, message: str) -> None:
    with pytest.raises(WrongType, match=message) as raised:
        call(fast)
    assert isinstance(raised.value, TypeError)
    assert isinstance(raised.value, SpindleError)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda parser: parser.analyse(["a"], k=0), "`k` is 0"),
        (lambda parser: parser.parse("a", threads=-1), "`threads` is -1"),
        (lambda parser: parser.parse_many(["a"], batch=1.5), "`batch` is 1.5"),
        (lambda parser: parser.parse_many(["a"], longest=0), "`longest` is 0"),
        (lambda parser: parser.parse(["a", ""]), "token 2 has no form"),
        (lambda parser: parser.parse(["a\tb"]), "a tab or a line break"),
    ],
)
def test_wrong_values_are_refused(fast: Parser, call: Call, message: str) -> None:
    with pytest.raises(SpindleError, match=message):
        call(fast)


# ── models ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_bundled_models_are_listed() -> None:
    default, *others = spindle.models()
    [fast] = [model for model in others if model.name == "fast"]
    assert (default.name, default.is_default, fast.is_default) == ("english", True, False)
    assert [model.name for model in others] == sorted(model.name for model in others)
    assert default.path == load().path
    assert fast.path.stat().st_size / 1e6 == fast.megabytes
    assert fast.f1 == pytest.approx(load("fast").card.scores["f1"])
    assert (fast.licence, bool(fast.description)) == (load("fast").card.licence, True)
    assert repr(fast).startswith("<fast: English, ")
    assert "default" in repr(default)


def test_an_unknown_name_lists_the_models() -> None:
    with pytest.raises(
        ModelError, match=r"'fats'; set the model to .* one of .*english, fast, .* `spindle train`"
    ):
        load("fats")
    with pytest.raises(ModelError, match=r"my.model: there is no such model file"):
        load("my.model")


# ── processes and threads ────────────────────────────────────────────────────────────────────────────


def brackets(parser: Parser, sentence: Any) -> str:
    return str(parser.parse(sentence, threads=1))


def test_a_parser_is_pickled_as_a_reference(fast: Parser, tmp_path: Path) -> None:
    assert len(pickle.dumps(fast)) < 500
    assert pickle.loads(pickle.dumps(fast)).parse("It works.") == fast.parse("It works.")
    assert fast.path is not None
    assert str(fast.path.parent) not in str(pickle.dumps(fast))  # the name, wherever it is installed
    trained = train(demo_trees("train"), parser="oracle")
    assert "not saved" in repr(trained)
    with pytest.raises(ParserError, match=r"without a model file cannot be pickled; save it first"):
        pickle.dumps(trained)
    trained.save(tmp_path / "saved.model")
    assert repr(trained) == f"<Parser saved.model: oracle, {trained.settings.mode} trees>"
    assert pickle.loads(pickle.dumps(trained)).path == (tmp_path / "saved.model").resolve()
    assert replace(trained, card=trained.card).path is None  # a changed copy is not what the file holds


def test_a_backend_that_is_not_built_in_is_pickled_with_its_class(tmp_path: Path) -> None:
    trained = train(demo_trees("train"), parser=SlowLearner, epochs=1)
    assert name_of(SlowLearner) not in PARSERS
    trained.save(tmp_path / "slow.model")
    assert pickle.loads(pickle.dumps(trained)).parse(["a", "b"]) == trained.parse(["a", "b"])


def test_other_processes_parse_the_same(fast: Parser) -> None:
    """With `spawn`, which starts from nothing and pickles everything."""
    expected = [brackets(fast, sentence) for sentence in SENTENCES]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.starmap(brackets, [(fast, sentence) for sentence in SENTENCES], 5) == expected


@pytest.mark.parametrize("name", ["fast", "light", "english"])
def test_several_threads_parse_the_same(name: str) -> None:
    parser = load(name)
    expected = [brackets(parser, sentence) for sentence in SENTENCES]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            assert list(pool.map(lambda sentence: brackets(parser, sentence), SENTENCES)) == expected


def test_a_script_ends_without_complaints() -> None:
    code = "import spindle; parser = spindle.load('light'); print(parser.parse('It works.'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
