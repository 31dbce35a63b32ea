"""The tagger: accuracy, exact decoding, unusual input, and jackknifing."""

from itertools import product
from pathlib import Path

import numpy
import pytest

from spindle import _core
from spindle.errors import ParserError
from spindle.parsers.linear.tagger import Tagger
from spindle.trees import Token
from support.stage_parts import damaged, same, through_a_file
from support.tagging_toy import toy_sentences

BITS = 14


def tags(sentences: list[list[Token]]) -> list[list[str]]:
    return [[token.tag for token in tokens] for tokens in sentences]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train(toy_sentences(60, with_morph=True), seed=1, bits=BITS)


def test_tags_and_morphology_are_learnt(tagger: Tagger) -> None:
    unseen = toy_sentences(100, seed=2, with_morph=True)
    bare = [[token._replace(tag="", morph="") for token in tokens] for tokens in unseen]
    # tagging keeps the lemma and the function
    assert tagger.tag(bare) == unseen


def test_given_tags_are_replaced(tagger: Tagger) -> None:
    unseen = toy_sentences(20, seed=2, with_morph=True)
    wrong = [[token._replace(tag="VERB", morph="x") for token in tokens] for tokens in unseen]
    assert tagger.tag(wrong) == unseen


def test_a_treebank_without_morphology() -> None:
    tagger = Tagger.train(toy_sentences(60), seed=1, bits=BITS)
    assert tagger.tag(toy_sentences(20, seed=3, with_morph=True)) == toy_sentences(20, seed=3)
    # morphology of a few tokens only is ignored
    glossed = toy_sentences(60)
    glossed[0] = [token._replace(morph="gloss") for token in glossed[0]]
    assert {token.morph for tokens in Tagger.train(glossed, seed=1).tag(glossed) for token in tokens} == {""}


def test_any_sentence_gets_tags(tagger: Tagger) -> None:
    odd = ["", "\0", "ß\u0301", "日本語", "🧵", "x" * 5000, "\udc80", "(", " ", "the\u2028can", "İ"]
    sentences = [[], [Token("can")], [Token(form) for form in odd], [Token("lun")] * 3000]
    tagged = tagger.tag(sentences)
    known = {token.tag for tokens in toy_sentences(60) for token in tokens}
    assert [len(tokens) for tokens in tagged] == [0, 1, len(odd), 3000]
    assert {token.tag for tokens in tagged for token in tokens} <= known
    assert tagger.tag([]) == []
    assert tagger.tag([[]]) == [[]]


def test_a_single_tag_and_no_tag() -> None:
    tokens = [Token("a", ""), Token("b", "")]
    assert Tagger.train([tokens], seed=1, bits=8).tag([tokens]) == [tokens]
    with pytest.raises(ParserError, match="no words"):
        Tagger.train([[], []], seed=1)


@pytest.mark.parametrize("with_morph", [True, False])
def test_the_seed_changes_the_model_and_threads_do_not(with_morph: bool) -> None:
    sentences = toy_sentences(40, with_morph=with_morph)
    one = Tagger.train(sentences, seed=3, bits=BITS, epochs=3)
    assert same(one.to_part(), Tagger.train(sentences, seed=3, bits=BITS, epochs=3, threads=2).to_part())
    assert not same(one.to_part(), Tagger.train(sentences, seed=4, bits=BITS, epochs=3).to_part())
    many = toy_sentences(300, seed=5)
    assert one.tag(many, threads=1) == one.tag(many, threads=2)


def test_a_model_file_stores_everything(tagger: Tagger, tmp_path: Path) -> None:
    part = through_a_file(tagger.to_part(), tmp_path / "tagger")
    again = Tagger.from_part(part)
    assert same(again.to_part(), tagger.to_part())
    unseen = toy_sentences(50, seed=6)
    assert again.tag(unseen) == tagger.tag(unseen)
    assert not any(array.flags.owndata for array in again.to_part().arrays.values())  # memory-mapped


def test_damaged_arrays_are_refused_or_harmless(tagger: Tagger) -> None:
    sentences = [*toy_sentences(3, seed=7), [Token("new")]]
    noticed = set()
    for what, part in damaged(tagger.to_part()):
        try:
            found = Tagger.from_part(part).tag(sentences)
        except (KeyError, TypeError, ValueError):
            noticed.add(what)
        else:
            assert [len(tokens) for tokens in found] == [len(tokens) for tokens in sentences]
    for stage in ("tag", "morph"):
        assert {f"{stage}_words missing", f"{stage}_weights cut off", f"{stage}_known extreme"} <= noticed
        assert {f"{stage}_words cut off", f"{stage}_open empty", f"{stage}_weights empty"} <= noticed


# ── decoding ─────────────────────────────────────────────────────────────────────────────────────────


def noise(labels: int, above: list[str], seed: int) -> _core.SequenceModel:
    """Return a model with random weights and a lexicon in which some words are frequent."""
    chance = numpy.random.default_rng(seed)
    sentences, gold = [], []
    for _ in range(120):
        forms = [f"{chr(97 + chance.integers(4))}" for _ in range(3)]
        gold.append([int(chance.integers(labels)) for _ in forms])
        sentence = _core.Sentence(forms)
        sentence.set_tags([above[label] for label in gold[-1]] if above else [""] * 3)
        sentences.append(sentence)
    rare = _core.Sentence(["rare"] * labels)
    lexicon = _core.Lexicon.learn([*sentences, rare], [*gold, list(range(labels))], labels, above)
    return _core.SequenceModel(lexicon, (chance.normal(size=1 << 12) * 3000).astype(numpy.int16))


@pytest.mark.parametrize("above", [[], ["X", "X", "Y", "Y", "Y", "Z"]])
def test_decoding_equals_brute_force(above: list[str]) -> None:
    chance = numpy.random.default_rng(1)
    for seed in range(30):
        model = noise(6, above, seed)
        size = int(chance.integers(1, 5))
        sentence = _core.Sentence([["a", "b", "c", "new"][chance.integers(4)] for _ in range(size)])
        sentence.set_tags(["XYZQ"[chance.integers(4)] if above else "" for _ in range(size)])
        candidates = model.candidates(sentence)
        assert all(candidates)
        scores = {labels: model.score(sentence, labels) for labels in product(*candidates)}
        best = max(scores, key=lambda labels: scores[labels])
        assert scores[tuple(model.decode([sentence], 1)[0])] == scores[best]


def test_candidates_are_restricted_by_the_tag_above() -> None:
    model = noise(6, ["X", "X", "Y", "Y", "Y", "Z"], 1)
    sentence = _core.Sentence(["a", "new", "new", "new"])
    sentence.set_tags(["Y", "X", "Z", "never seen"])
    first, *others = model.candidates(sentence)
    assert set(first) == {2, 3, 4}
    assert list(map(set, others)) == [{0, 1}, {5}, {0, 1, 2, 3, 4, 5}]


def test_the_empty_tag_of_a_label_is_the_empty_tag_of_a_word() -> None:
    model = noise(4, ["", "", "X", "X"], 1)
    sentence = _core.Sentence(["a", "new", "new"])
    sentence.set_tags(["", "", "X"])
    assert list(map(set, model.candidates(sentence))) == [{0, 1}, {0, 1}, {2, 3}]


def test_of_many_candidates_the_best_are_kept() -> None:
    model = noise(40, [], 2)
    sentence = _core.Sentence(["new", "new"])
    assert list(map(len, model.candidates(sentence))) == [8, 8]


def test_invalid_labels_and_length_mismatches_are_errors() -> None:
    model = noise(6, [], 3)
    sentence = _core.Sentence(["a", "b"])
    with pytest.raises(ValueError, match="length mismatch: 2 words, 1 labels"):
        model.score(sentence, [1])
    with pytest.raises(ValueError, match="no label 6"):
        model.score(sentence, [1, 6])
    with pytest.raises(ValueError, match="length mismatch: 1 sentences, 0 lists of labels"):
        _core.Lexicon.learn([sentence], [], 6, [])
    with pytest.raises(ValueError, match="1 to 65534 labels"):
        _core.Lexicon.learn([sentence], [[0, 0]], 70_000, [])
    with pytest.raises(ValueError, match="tag above every label"):
        _core.Lexicon.learn([sentence], [[0, 0]], 6, ["X"])


# ── jackknifing ──────────────────────────────────────────────────────────────────────────────────────


def test_jackknifing_leaves_the_own_fold_out() -> None:
    """The tagger of a fold does not know a word that occurs in this fold only."""
    sentences = [
        [Token(f"{chr(97 + at)}{chr(97 + at)}", f"T{at}"), Token("x", "X"), Token("y", "Y")]
        for at in range(20)
        for _ in range(5)
    ]
    own = Tagger.train(sentences, seed=1).tag(sentences)
    assert own == sentences
    out = Tagger.jackknife(sentences, folds=10, seed=1)
    assert [[token.form for token in tokens] for tokens in out] == [
        [token.form for token in tokens] for tokens in sentences
    ]
    assert [tokens[1:] for tokens in out] == [tokens[1:] for tokens in sentences]
    assert all(found[0].tag != gold[0].tag for found, gold in zip(out, sentences, strict=True))


def test_jackknifing_with_threads_and_few_sentences() -> None:
    sentences = toy_sentences(7)
    heard: list[tuple[int, int]] = []
    one = Tagger.jackknife(sentences, folds=10, seed=1, progress=lambda *done: heard.append(done))
    assert heard[-1] == (10, 10)
    assert one == Tagger.jackknife(sentences, folds=10, seed=1, threads=2)
    assert Tagger.jackknife(sentences[:1], folds=10, seed=1) == sentences[:1]
    assert Tagger.jackknife([[], *sentences[:2]], folds=2, seed=1)[0] == []
