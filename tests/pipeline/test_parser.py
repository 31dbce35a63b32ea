"""Parsing: all kinds of input, and the analyses that come out."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.parsers import Backend, Prediction
from spindle.pipeline import Parser, Sentence
from spindle.pipeline.sentence import Input
from spindle.pipeline.stages import Stages
from spindle.reduction import Encoding, Mode, Place
from spindle.training import train
from spindle.treebanks import read_trees
from spindle.trees import Token, Tree
from support.notation import notation, tree
from support.stand_ins import SlowLearner
from support.strategies import labels, tokens, trees

Trees = tuple[Tree, ...]
# labels without co-indices and functions, and no empty tokens: such trees are restored exactly
PLAIN = labels().filter(lambda label: not set(label) & set("-="))
WORDS = tokens(tags=st.sampled_from(("NN", "VB", "$,", ".", "#", "_", "PRP$")))


@pytest.fixture(scope="module")
def toy(demo_train: Trees) -> Parser:
    with pytest.MonkeyPatch.context() as patch:
        from support import stand_ins

        stand_ins.plug_in(patch)
        return train(demo_train, parser=SlowLearner, epochs=5)


@given(st.lists(trees(labels=PLAIN, tokens=WORDS, wrappers=()), min_size=1, max_size=4), st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_oracle_gives_every_tree_back(given_trees: list[Tree], discontinuous: bool) -> None:
    """With every encoding."""
    wrapped = tuple(one for one in given_trees if discontinuous or one.is_continuous)
    if not wrapped:
        return
    mode = "discontinuous" if discontinuous else "continuous"
    for encoding in ("direct", "delta", "hn"):
        parser = train(wrapped, wrapped, parser="oracle", mode=mode, encoding=encoding, punct="leave")
        restored = list(parser.parse_many([Sentence.of(one) for one in wrapped]))
        conventions = parser.settings.conventions
        assert restored == [conventions.restore(conventions.prepare(one)) for one in wrapped]
        assert parser.card.scores.get("f1", 100) == 100


def test_the_oracle_on_real_trees(treebanks: Path) -> None:
    for name in ("english-gum/dev.ptb", "dutch-alpino/dev.export", "german-pcc/dev.export"):
        trees = tuple(one for one, _ in zip(read_trees(treebanks / name), range(150), strict=False))
        parser = train(trees, trees, parser="oracle")
        assert parser.card.scores["f1"] == 100
        assert parser.card.scores.get("disc_f1", 100) == 100


@pytest.mark.parametrize(
    "sentence",
    [
        "The cat slept.",
        ["The", "cat", "slept", "."],
        [Token("The", "DT"), Token("cat", "NN"), Token("slept", "VBD"), Token(".", ".")],
        tree("(X (DT The) (NN cat) (VBD slept) (. .) (-NONE- *))"),
        Sentence((Token("The"), Token("cat"), Token("slept"), Token("."))),
    ],
)
def test_every_kind_of_input(toy: Parser, sentence: Input) -> None:
    found = toy.parse(sentence)
    assert [token.form for token in found.tokens] == ["The", "cat", "slept", "."]
    assert [token.tag for token in found.tokens] == ["DT", "NN", "VBD", "."]
    assert found.labels[0] == "ROOT"


def test_given_tags_are_kept_if_all_words_have_them(toy: Parser) -> None:
    found = toy.parse([Token("The", "XX"), Token("cat", "YY")])
    assert [token.tag for token in found.tokens] == ["XX", "YY"]
    found = toy.parse([Token("The", "XX"), Token("cat")])
    assert [token.tag for token in found.tokens] == ["DT", "NN"]


def test_many_sentences_are_parsed_lazily_and_in_order(toy: Parser, demo_train: Trees) -> None:
    asked = 0

    def endless() -> Iterator[list[str]]:
        nonlocal asked
        while True:
            asked += 1
            yield ["word", str(asked)]

    found = toy.parse_many(endless(), batch=4)
    first = [found_tree.tokens[1].form for found_tree in islice(found, 6) if found_tree is not None]
    assert first == list("123456")
    assert asked == 8
    mixed = list(toy.parse_many([demo_train[0], [], "", demo_train[1]], batch=3))
    assert mixed[1:3] == [None, None]
    assert [mixed[0], mixed[3]] == list(toy.parse_many(demo_train[:2]))
    assert list(toy.parse_many([])) == []


def test_text_is_split_into_sentences(toy: Parser) -> None:
    found = list(toy.parse_text("The cat slept. She found a map!"))
    assert [one.tokens[-1].form for one in found] == [".", "!"]
    with pytest.raises(ParserError, match="no word"):
        toy.parse("  ")


def test_ids_and_comments_are_kept(toy: Parser) -> None:
    found = toy.parse(tree("(S (NN a) (NN b))").replace(id="57", comments=("origin = here",)))
    assert (found.id, found.comments) == ("57", ("origin = here",))


def test_the_wrapper_is_never_doubled(demo_train: Trees) -> None:
    branching = (tree("(ROOT (NP (NN a)) (S (NN b) (VB c)))"), *demo_train)
    parser = train(branching, parser="oracle")
    assert notation(parser.parse(["a", "b", "c"])) == "(ROOT (NP (NN a)) (S (NN b) (VB c)))"
    assert all(one is not None and one.labels.count("ROOT") == 1 for one in parser.parse_many(demo_train))


def test_long_sentences_are_parsed_in_pieces(toy: Parser) -> None:
    words = [*"abcdefgh", ",", *"ijklmnopqrst"]
    (analysis,) = toy.analyse([words], longest=10)
    assert analysis.pieces == 3
    assert analysis.tree is not None
    assert [token.form for token in analysis.tree.tokens] == words
    assert analysis.tree.labels.count("ROOT") == 1
    assert [max(child.positions) for child in analysis.tree.root.children][-1] == len(words) - 1
    (analysis,) = toy.analyse([words], longest=100)
    assert analysis.pieces == 1


@given(st.lists(st.text(st.characters(exclude_characters="\t\n\r"), min_size=1), max_size=30))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_can_be_parsed(toy: Parser, words: list[str]) -> None:
    (found,) = toy.parse_many([words], longest=12)
    if words:
        assert found is not None
        assert [token.form for token in found.tokens] == words
    else:
        assert found is None


def test_confidences(toy: Parser, demo_train: Trees) -> None:
    (analysis,) = toy.analyse(["A cat slept under the table ."])
    assert analysis.candidates[0].confidences is None  # they are computed only on request
    (analysis,) = toy.analyse(["A cat slept under the table ."], confidences=True)
    best = analysis.candidates[0]
    assert best.confidences is not None
    assert len(best.confidences) == len(best.tree.labels)
    assert best.confidences[0] == 1.0  # the wrapper is certain
    assert all(0 < confidence <= 1 for confidence in best.confidences)


def test_k_best(toy: Parser, demo_train: Trees) -> None:
    (analysis,) = toy.analyse([demo_train[0]], k=2)
    assert len(analysis.candidates) == 2
    assert analysis.tree == toy.parse(demo_train[0])
    assert analysis.candidates[1].tree != analysis.tree
    assert analysis.candidates[1].score == -1.0
    oracle = train(demo_train, parser="oracle")
    with pytest.raises(ParserError, match="only its best"):
        next(oracle.analyse([demo_train[0]], k=2))


class FixedAnswer(Backend):
    """A backend that returns the predictions in `answer`."""

    answer: list[Prediction] = []  # noqa: RUF012

    def fit(self, *_: object, **__: object) -> None:
        pass

    def parse(self, sentences: object, threads: int) -> list[Prediction]:
        return self.answer

    def to_part(self) -> ModelPart:
        return ModelPart()

    @classmethod
    def from_part(cls, part: ModelPart) -> "FixedAnswer":
        return cls()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([], "gave 0 analyses of 1 sentences"),
        ([Prediction([-1])], "gave 1 heads for the 2 words of sentence 1"),
        ([Prediction([-1, 0])], "declares that it predicts labels, but a prediction has none"),
    ],
)
def test_incomplete_predictions_are_errors(
    toy: Parser, answer: list[Prediction], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FixedAnswer, "answer", answer)
    parser = Parser(
        FixedAnswer(),
        replace(toy.settings, encoding=Encoding.DIRECT, mode=Mode.CONTINUOUS),
        Stages(toy.stages.tagger),
    )
    with pytest.raises(ParserError, match=said):
        parser.parse(["a", "b"])


@pytest.mark.parametrize("heads", [[1, 0, 7], [-1, -1, -1], [0, 1, 2], [-5, 0, 0], [2, 0, 1]])
def test_heads_that_form_no_tree_are_repaired_and_counted(
    toy: Parser, heads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    chains = {Place(7, 1): ("X",), Place(0, 9): ("X",)}
    monkeypatch.setattr(FixedAnswer, "answer", [Prediction(heads, ["", "NP#1", "VP#-2"], chains=chains)])
    parser = Parser(
        FixedAnswer(),
        replace(toy.settings, encoding=Encoding.DIRECT, mode=Mode.CONTINUOUS),
        Stages(toy.stages.tagger),
    )
    (analysis,) = parser.analyse([["a", "b", "c"]])
    assert analysis.tree is not None
    assert analysis.tree.is_continuous
    assert analysis.candidates[0].repairs.tokens
