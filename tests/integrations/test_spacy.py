"""The component of spaCy's pipelines, with the real spaCy and a bundled model."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

pytest.importorskip("spacy", reason="needs spaCy: pip install 'spindle-parser[spacy]'")

import spacy

import spindle
from spindle.integrations.spacy import SpindleComponent, render
from spindle.integrations.spacy.stored import record_of, store
from spindle.models.bundled import find_model
from spindle.pipeline import Analysis, Candidate, KBest, Sentence

TEXT = "The time for action is now. It's never too late to do something."


def pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("spindle", config={"model": "light", "threads": 1, **config})
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Any:
    return pipeline()


@pytest.fixture(scope="module")
def doc(nlp: Any) -> Any:
    return nlp(TEXT)


def strings(doc: Any) -> list[str]:
    return [sentence._.parse_string for sentence in doc.sents]


# ── what benepar's documentation shows ───────────────────────────────────────────────────────────────


def test_the_example_of_benepars_documentation(doc: Any) -> None:
    sentence = next(iter(doc.sents))
    assert sentence._.parse_string == (
        "(S (NP (NP (DT The) (NN time)) (PP (IN for) (NP (NN action)))) (VP (VBZ is) (ADVP (RB now))) (. .))"
    )
    assert sentence._.labels == ("S",)
    assert [child.text for child in sentence._.children] == ["The time for action", "is now", "."]
    assert isinstance(sentence._.children, Iterator)


def test_constituents_are_in_preorder_with_words_and_each_span_once(doc: Any) -> None:
    assert [span.text for span in doc[0:4]._.constituents] == [
        *("The time for action", "The time", "The", "time", "for action", "for", "action")
    ]


def test_labels_parents_and_children_of_words_and_unary_chains(doc: Any) -> None:
    assert (doc[0]._.labels, doc[3]._.labels) == ((), ("NP",))
    assert (doc[0:1]._.labels, doc[3:4]._.labels) == ((), ("NP",))
    assert (doc[3]._.parse_string, doc[0]._.parse_string) == ("(NP (NN action))", "(DT The)")
    assert doc[3]._.parent.text == "for action"
    assert list(doc[3:4]._.children) == []
    assert doc[0:7]._.parent is None
    unary = next(span for span in doc[7:16]._.constituents if len(span._.labels) > 1)
    assert unary._.parse_string.startswith(f"({unary._.labels[0]} ({unary._.labels[1]} ")
    for span in doc[0:7]._.constituents:
        assert all(child._.parent == span for child in span._.children)


def test_a_span_that_is_no_constituent_is_an_error(doc: Any, nlp: Any) -> None:
    with pytest.raises(spindle.TreeError, match="'time for' is not a constituent"):
        _ = doc[1:3]._.labels
    with pytest.raises(spindle.TreeError, match="is not a constituent"):
        _ = doc[5:9]._.labels  # in two sentences
    with pytest.raises(spindle.TreeError, match="has not been parsed"):
        _ = nlp.make_doc("Not parsed.")[0:2]._.labels


# ── sentences and tokens ─────────────────────────────────────────────────────────────────────────────


def test_trees_are_those_of_the_parser_for_the_same_words(doc: Any) -> None:
    words = [[token.text for token in sentence] for sentence in doc.sents]
    assert list(doc._.trees) == list(spindle.load("light").parse_many(words))
    assert all(tree.labels[0] == "ROOT" and tree.heads is not None for tree in doc._.trees)


def test_a_blank_pipeline_uses_the_splitter_of_the_model(nlp: Any) -> None:
    text = "Dr. Smith left at 5 p.m. on Monday. He was tired.\n\nThe U.S. team won."
    found = [sentence.text.strip() for sentence in nlp(text).sents]
    assert found == [
        text[one[0].start : one[-1].end] for one in spindle.load("light").splitter.sentences(text)
    ]
    assert len(found) == 3


def test_given_boundaries_are_used() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": ["!"]})
    nlp.add_pipe("spindle", config={"model": "light"})
    doc = nlp("One came. Two left! Three stayed.")
    assert [tree.root.text for tree in doc._.trees] == ["One came. Two left!", "Three stayed."]
    words = spacy.tokens.Doc(nlp.vocab, ["He", "came", "She", "left"], sent_starts=[True, False, True, False])
    assert len(nlp.get_pipe("spindle")(words)._.trees) == 2


@pytest.mark.parametrize("name", ["parser", "senter"])
def test_boundaries_of_trained_components_are_used(name: str) -> None:
    """After a training on one document, the component has an opinion, if not a good one."""
    from spacy.training import Example

    nlp = spacy.blank("en")
    component = nlp.add_pipe(name, config={"min_action_freq": 1} if name == "parser" else {})
    words = ["One", "came", "Two", "left"]
    heads, deps = [1, 1, 3, 3], ["nsubj", "ROOT", "nsubj", "ROOT"]
    gold = spacy.tokens.Doc(nlp.vocab, words, heads=heads, deps=deps)
    example = Example(spacy.tokens.Doc(nlp.vocab, words), gold)
    nlp.initialize(lambda: [example])
    for _ in range(20):
        nlp.update([example])
    expected = [[token.text for token in one] for one in component(nlp.make_doc(" ".join(words))).sents]
    nlp.add_pipe("spindle", config={"model": "light", "threads": 1})
    doc = nlp(" ".join(words))
    assert [[token.form for token in tree.tokens] for tree in doc._.trees] == expected
    assert expected == [["One", "came"], ["Two", "left"]]


def test_white_space_is_no_word(nlp: Any) -> None:
    doc = nlp("  The  old \n man came. \n\n He   left.  \n")
    assert [[token.form for token in tree.tokens] for tree in doc._.trees] == [
        ["The", "old", "man", "came", "."],
        ["He", "left", "."],
    ]
    for sentence in doc.sents:
        assert sentence._.labels == ("S",)
    man = next(token.i for token in doc if token.text == "man")
    assert doc[: man + 1]._.labels == ("NP",)
    assert doc[0].is_space
    assert (doc[0]._.labels, doc[0]._.parent, doc[0]._.parse_string) == ((), None, "")


@pytest.mark.parametrize("text", ["", " ", "\n\n \t"])
def test_documents_without_words(nlp: Any, text: str) -> None:
    doc = nlp(text)
    assert doc._.trees == ()
    assert list(doc._.constituents) == []


def test_a_sentence_that_is_too_long_for_one_tree(nlp: Any) -> None:
    doc = spacy.tokens.Doc(nlp.vocab, ["word"] * 900, sent_starts=[True] + [False] * 899)
    (tree,) = nlp.get_pipe("spindle")(doc)._.trees
    assert len(tree) == 900


def test_the_cost_of_a_long_document_is_that_of_its_sentences(nlp: Any) -> None:
    """Not that of its length times their number, which took 25 seconds."""
    text = " ".join(["The old man saw a dog in the park ."] * 3000)
    begin = process_time()
    doc = nlp(text)
    assert [sentence._.labels for sentence in doc.sents] == [("S",)] * 3000
    assert len(list(doc._.constituents)) == 18_000
    assert process_time() - begin < 10


# ── beyond benepar ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def discontinuous() -> Any:
    """A document with the tree of "Es kam nichts .", where an NP has a gap."""
    tree = spindle.parse_tree("(ROOT (S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam) ($. 3=.)))")
    tree = spindle.find_heads(tree, spindle.load_rules("negra"))
    candidate = Candidate(tree, spindle.encode(tree).dtree, confidences=(1.0, 0.75, 0.5))
    SpindleComponent("light")  # defines the attributes
    doc = spacy.tokens.Doc(spacy.blank("de").vocab, ["Es", "kam", "nichts", "."], sent_starts=[1, 0, 0, 0])
    store(doc, 0, 4, record_of(Analysis(Sentence(tree.tokens), KBest([candidate])), range(4)))
    return doc


def test_a_discontinuous_constituent_has_several_spans(discontinuous: Any) -> None:
    doc = discontinuous
    clause, phrase = doc._.constituents
    assert [part.text for part in phrase.spans] == ["Es", "nichts"]
    assert [token.i for token in phrase.tokens] == [0, 2]
    assert (phrase.text, phrase.span.text, phrase.label) == ("Es nichts", "Es kam nichts", "NP")
    assert (phrase.is_continuous, clause.is_continuous) == (False, True)
    assert (phrase.confidence, clause.confidence) == (0.5, 0.75)
    assert phrase.parent == clause
    assert [child.text for child in clause.children] == ["Es nichts", "kam", "."]
    assert (phrase.head.text, clause.head.text) == ("nichts", "kam")
    assert repr(phrase) == "<Constituent NP 'Es nichts'>"


def test_spans_pass_over_discontinuous_constituents(discontinuous: Any) -> None:
    doc = discontinuous
    assert doc[:]._.parse_string == "(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam) ($. 3=.))"
    assert doc[0]._.parent.text == "Es kam nichts ."
    assert [child.text for child in doc[:]._.children] == ["Es", "kam", "nichts", "."]
    with pytest.raises(spindle.TreeError, match="not a constituent"):
        _ = doc[0:3]._.labels


def test_confidences_k_best_and_heads() -> None:
    doc = pipeline(k=3, confidences=True)(TEXT)
    (sentence, _) = doc.sents
    trees, scores = sentence._.k_best, sentence._.k_best_scores
    assert len(set(trees)) == 3
    assert trees[0] == doc._.trees[0]
    assert list(scores) == sorted(scores, reverse=True)
    assert all(0 < one.confidence <= 1 for one in doc._.constituents)
    assert sentence._.confidence == next(iter(doc._.constituents)).confidence
    assert (doc[0:4]._.constituent_head.text, sentence._.constituent_head.text) == ("time", "is")


def test_without_confidences_they_are_none(doc: Any) -> None:
    assert doc[0:4]._.confidence is None


def test_writing_of_spans_and_tags() -> None:
    doc = pipeline(spans_key="constituents", set_tags=True)(TEXT)
    assert [(span.text, span.label_) for span in doc.spans["constituents"]] == [
        (one.text, one.label) for one in doc._.constituents
    ]
    assert [token.tag_ for token in doc] == [token.tag for tree in doc._.trees for token in tree.tokens]


def test_parts_of_a_constituent_share_an_id(discontinuous: Any) -> None:
    from spindle.integrations.spacy.component import _write_spans

    _write_spans(discontinuous, "constituents")
    spans = discontinuous.spans["constituents"]
    assert [(span.text, span.label_) for span in spans] == [
        *(("Es kam nichts .", "S"), ("Es", "NP"), ("nichts", "NP"))
    ]
    assert spans[1].id == spans[2].id != spans[0].id


def test_given_tags_are_used_on_request() -> None:
    nlp = pipeline(use_tags=True)
    words = ["Time", "flies", "."]
    doc = spacy.tokens.Doc(nlp.vocab, words, tags=["VB", "NNS", "."], sent_starts=[True, False, False])
    (tree,) = nlp.get_pipe("spindle")(doc)._.trees
    assert [token.tag for token in tree.tokens] == ["VB", "NNS", "."]


# ── storing, and many documents ──────────────────────────────────────────────────────────────────────


def test_bytes_doc_bin_and_joined_documents(doc: Any, nlp: Any) -> None:
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.trees == doc._.trees
    assert strings(again) == strings(doc)
    stored = spacy.tokens.DocBin(docs=[doc], store_user_data=True).to_bytes()
    (again,) = spacy.tokens.DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert strings(again) == strings(doc)
    joined = spacy.tokens.Doc.from_docs([doc, doc])
    assert strings(joined) == strings(doc) * 2
    assert strings(doc.copy()) == strings(doc)


def test_a_sentence_as_a_document_has_its_tree(doc: Any, nlp: Any) -> None:
    first, second = doc.sents
    for sentence in (first, second):
        alone = sentence.as_doc(copy_user_data=True)
        assert strings(alone) == [sentence._.parse_string]
        assert [len(tree) for tree in alone._.trees] == [len(sentence)]
    assert doc[0:3].as_doc(copy_user_data=True)._.trees == ()
    assert first.as_doc()._.trees == ()
    assert pickle.loads(pickle.dumps(doc))._.trees == doc._.trees


def test_confidences_survive_storing(discontinuous: Any) -> None:
    again = spacy.tokens.Doc(discontinuous.vocab).from_bytes(discontinuous.to_bytes())
    assert [one.confidence for one in again._.constituents] == [0.75, 0.5]


def test_parsing_again_replaces_the_trees(nlp: Any) -> None:
    doc = nlp(TEXT)
    assert len(nlp.get_pipe("spindle")(doc)._.trees) == 2


def test_tokens_that_change_after_parsing_are_an_error(nlp: Any) -> None:
    doc = nlp(TEXT)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.raises(spindle.TreeError, match="have changed since they were parsed"):
        _ = doc._.trees


def test_pipe_gives_the_same_as_single_calls(nlp: Any) -> None:
    texts = [TEXT, "", "She left.", "A man who came late sat down. He slept."]
    expected = [nlp(text)._.trees for text in texts]
    assert [doc._.trees for doc in nlp.pipe(texts, batch_size=3)] == expected
    assert [number for _, number in nlp.pipe(zip(texts, range(4), strict=True), as_tuples=True)] == [
        0,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_two_processes(start: str, tmp_path: Path) -> None:
    """In a program of its own: processes that have threads should not be forked. The model is a file."""
    own = tmp_path / "own.model"
    own.write_bytes(find_model("light").read_bytes())
    code = (
        "import multiprocessing, spacy\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({start!r})\n"
        f"    nlp = spacy.blank('en'); nlp.add_pipe('spindle', config={{'model': {str(own)!r}}})\n"
        f"    docs = list(nlp.pipe([{TEXT!r}, 'She left.'] * 3, n_process=2, batch_size=2))\n"
        "    print([len(doc._.trees) for doc in docs], docs[1][0:3]._.parse_string)\n"
    )
    program = tmp_path / "program.py"  # processes that are spawned import it
    program.write_text(code)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "[2, 1, 2, 1, 2, 1] (S (NP (PRP She)) (VP (VBD left)) (. .))\n", done.stderr


def test_only_documents_that_cannot_be_parsed_are_lost() -> None:
    class Failing(SpindleComponent):
        def _parse(self, docs: Any) -> None:
            if any("bad" in doc.text for doc in docs):
                raise spindle.ParserError("bad")
            super()._parse(docs)

    nlp = spacy.blank("en")
    component = Failing("light")
    docs = [nlp.make_doc(text) for text in ("good one", "bad one", "another")]
    with pytest.raises(spindle.ParserError):
        list(component.pipe(docs))
    lost = []
    component.set_error_handler(lambda name, pipe, docs, error: lost.extend(docs))
    assert [doc.text for doc in component.pipe(docs)] == ["good one", "another"]
    assert [doc.text for doc in lost] == ["bad one"]


def test_a_pipeline_on_disk(tmp_path: Path, doc: Any) -> None:
    pipeline(k=2).to_disk(tmp_path / "bundled")
    assert not (tmp_path / "bundled" / "spindle" / "model").exists()
    again = spacy.load(tmp_path / "bundled")
    assert again.get_pipe("spindle").k == 2
    assert strings(again(TEXT)) == strings(doc)


def test_a_pipeline_on_disk_holds_a_model_that_is_not_bundled(tmp_path: Path, doc: Any) -> None:
    own = tmp_path / "own.model"
    own.write_bytes(find_model("light").read_bytes())
    nlp = pipeline(model=str(own))
    nlp.to_disk(tmp_path / "pipeline")
    data = nlp.to_bytes()
    own.unlink()
    assert strings(spacy.load(tmp_path / "pipeline")(TEXT)) == strings(doc)
    assert strings(pipeline(model=str(own)).from_bytes(data)(TEXT)) == strings(doc)


def test_a_wrong_model_is_named() -> None:
    with pytest.raises(spindle.ModelError, match="there is no model 'englisch'"):
        pipeline(model="englisch")
    with pytest.raises(spindle.ModelError, match=r"missing\.model"):
        pipeline(model="missing.model")("It works.")


def test_a_parser_without_a_file_cannot_be_stored(tmp_path: Path) -> None:
    parser = spindle.Parser(
        *[getattr(spindle.load("light"), name) for name in ("backend", "settings", "stages")]
    )
    with pytest.raises(spindle.SpindleError, match="has no model file"):
        SpindleComponent(parser).to_disk(tmp_path)


def test_what_the_component_assigns(nlp: Any) -> None:
    assert "span._.parse_string" in nlp.analyze_pipes()["summary"]["spindle"]["assigns"]
    assert not nlp.analyze_pipes()["problems"]["spindle"]


def test_no_import_is_needed_and_none_happens_unused() -> None:
    code = (
        "import sys, spindle; assert 'spacy' not in sys.modules; import spacy; nlp = spacy.blank('en'); "
        "nlp.add_pipe('spindle'); print(nlp.pipe_names, nlp.get_pipe_config('spindle')['model'])"
    )
    shown = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert shown == "['spindle'] english\n"


def test_pictures(doc: Any) -> None:
    assert render(doc).count("<svg ") == 2
    assert render(next(iter(doc.sents))).count("<svg ") == 1
    assert render([doc, doc], page=True).count("<svg ") == 4
    assert render(doc)._repr_html_() == str(render(doc))
    assert render(doc, page=True).startswith("<!doctype html>")
    with pytest.raises(spindle.WrongType, match="a Doc or a Span"):
        render("text")
