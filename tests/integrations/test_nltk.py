"""Spindle with the real NLTK: the parser, trees in both directions, treebanks as a corpus."""

import itertools
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given

import spindle
from spindle.errors import ParserError, SpindleError, TreebankError, WrongType
from spindle.treebanks import ReadingReport, read_trees, write_trees
from spindle.trees import Token, Tree
from support.strategies import trees

nltk = pytest.importorskip("nltk", reason="needs the extra nltk")

from nltk.parse.api import ParserI  # noqa: E402

from spindle.integrations.nltk import SpindleParser, TreebankReader  # noqa: E402

DEMO = files("spindle.models") / "data"
SAMPLES = Path(__file__).parents[1] / "samples"
SENTENCE = ["The", "public", "is", "still", "cautious", "."]
TREE = "(ROOT (S (NP (DT The) (NN public)) (VP (VBZ is) (ADVP (RB still)) (ADJP (JJ cautious))) (. .)))"


def flat(tree: Any) -> str:
    return str(tree.pformat(margin=10**6))


@pytest.fixture(scope="module")
def parser() -> SpindleParser:
    return SpindleParser("light")


# ── the parser ───────────────────────────────────────────────────────────────────────────────────────


def test_a_sentence_of_words(parser: SpindleParser) -> None:
    assert isinstance(parser, ParserI)
    found = parser.parse(SENTENCE)
    assert iter(found) is found
    (tree,) = found
    assert type(tree) is nltk.Tree
    assert flat(tree) == TREE
    assert tree.leaves() == SENTENCE
    assert [flat(one) for one in parser.parse_all(SENTENCE)] == [TREE]
    assert flat(parser.parse_one(SENTENCE)) == TREE
    assert list(parser.parse([])) == []
    assert parser.parse_one([]) is None
    assert repr(parser) == "<SpindleParser with <Parser light.model: linear, continuous trees>>"


def test_sentences_are_parsed_as_they_arrive(parser: SpindleParser) -> None:
    taken = 0

    def sentences() -> Iterator[list[str]]:
        nonlocal taken
        while True:
            taken += 1
            yield SENTENCE

    found = parser.parse_sents(sentences())
    assert taken == 0
    for one in itertools.islice(found, 5):
        assert [flat(tree) for tree in one] == [TREE]
    assert taken < 20_000
    assert [len(list(one)) for one in parser.parse_sents([SENTENCE, [], ["Yes"]])] == [1, 0, 1]


def test_raw_text(parser: SpindleParser) -> None:
    text = "The public is still cautious."
    assert [flat(tree) for tree in parser.raw_parse(text)] == [TREE]
    many = [[flat(tree) for tree in one] for one in parser.raw_parse_sents([text, "", "It rained."])]
    assert [len(one) for one in many] == [1, 0, 1]
    assert many[0] == [TREE]
    assert [tree.leaves()[0] for tree in parser.parse_text(f"{text} It rained.")] == ["The", "It"]
    assert len(list(parser.parse_text("It rained\nand rained.", lines="wrapped"))) == 1


def test_tags_that_are_given_are_kept(parser: SpindleParser) -> None:
    tagged = [("Fish", "VBP"), ("swim", "NNS")]
    (tree,) = parser.tagged_parse(tagged)
    assert tree.pos() == tagged
    found = parser.tagged_parse_sents([tagged, []])
    assert [[tree.pos() for tree in one] for one in found] == [[tagged], []]


def test_the_best_trees() -> None:
    parser = SpindleParser(spindle.load("light"), k=3, threads=1)
    best, *others = parser.parse(SENTENCE)
    assert flat(best) == TREE
    assert len({flat(tree) for tree in [best, *others]}) == 3
    assert [len(list(one)) for one in parser.raw_parse_sents(["It rained."] * 2)] == [3, 3]


def test_discontinuous_trees_have_indexed_leaves(tmp_path: Path) -> None:
    trees = list(read_trees(str(DEMO / "demo-train.dbr")))
    spindle.train(trees, output=tmp_path / "m", parser="oracle")
    gold = next(tree for tree in trees if not tree.is_continuous)
    words = [token.form for token in gold.tokens]
    (found,) = SpindleParser(tmp_path / "m").parse(words)
    assert flat(found) == gold.to_string("discbracket")
    assert Tree.from_nltk(found) == gold


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: p.parse("The public"), "not a string; `raw_parse` takes a string"),
        (lambda p: list(p.parse_sents(["The", "public"])), "not a string"),
        (lambda p: p.raw_parse(SENTENCE), "`parse` takes a list of words"),
        (lambda p: p.tagged_parse(SENTENCE), "a pair of word and tag is expected, not 'The'"),
        (lambda p: p.tagged_parse([("a", 1)]), "a pair of word and tag"),
        (lambda p: p.parse([1, 2]), "not str or Token"),
    ],
)
def test_wrong_arguments(parser: SpindleParser, call: Any, said: str) -> None:
    with pytest.raises(WrongType, match=said):
        call(parser)


def test_a_model_that_gives_no_list(tmp_path: Path) -> None:
    spindle.train(read_trees(str(DEMO / "demo-train.dbr")), output=tmp_path / "m", parser="oracle")
    with pytest.raises(ParserError, match="only its best"):
        SpindleParser(tmp_path / "m", k=2).parse(SENTENCE)


# ── trees ────────────────────────────────────────────────────────────────────────────────────────────


@given(trees())
def test_conversion_and_back(drawn: Tree) -> None:
    choices: tuple[Literal["indexed"] | None, ...] = (None, "indexed")
    for leaves in choices:
        converted = drawn.to_nltk(leaves)
        assert type(converted) is nltk.Tree
        assert Tree.from_nltk(converted) == drawn
    words = [token.form for token in drawn.tokens]
    assert Tree.from_nltk(drawn.to_nltk("positions"), words) == drawn
    if drawn.is_continuous:
        assert drawn.to_nltk("words").pos() == [(token.form, token.tag) for token in drawn.tokens]


def test_what_nltk_reads_from_discbracket() -> None:
    text = "(S (NP (DT 0=A) (NN 1=man) (SBAR (WP 3=who) (VBD 4=left))) (VBD 2=came))"
    tree = Tree.from_string(text)
    assert flat(tree.to_nltk()) == text
    assert Tree.from_nltk(nltk.Tree.fromstring(text)) == tree
    assert [token.form for token in tree.tokens] == ["A", "man", "came", "who", "left"]
    # not positions: one is missing, or is there twice
    for other in ("(S (A 0=a) (B 2=b))", "(S (A 0=a) (B 0=b))", "(S (A 0=a) (B b))"):
        assert Tree.from_nltk(nltk.Tree.fromstring(other)).tokens[0] == Token("0=a", "A")
    # words that look so
    assert Tree.from_nltk(Tree.from_string("(S (A 1=a) (B 0=b))", "bracket").to_nltk()).is_continuous


# ── treebanks ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(autouse=True)
def _allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NLTK reads below the folders in its list only."""
    monkeypatch.setattr(nltk.data, "path", [*nltk.data.path, str(tmp_path), str(SAMPLES)])


def test_a_folder_that_nltk_does_not_allow() -> None:
    with pytest.raises(
        SpindleError, match=r"allow this folder with `nltk\.data\.path\.append\('/usr/bin'\)`"
    ):
        TreebankReader("/usr/bin")


@pytest.fixture
def corpus(tmp_path: Path) -> TreebankReader:
    trees = list(read_trees(str(DEMO / "demo-train.dbr")))
    continuous = [tree for tree in trees if tree.is_continuous]
    write_trees(trees[:5], tmp_path / "a.export")
    write_trees(continuous[:4], tmp_path / "b.ptb")
    (tmp_path / "more").mkdir()
    write_trees(trees[5:9], tmp_path / "more" / "c.xml.gz", "tigerxml")
    return TreebankReader(tmp_path)


def test_a_folder_of_formats(corpus: TreebankReader, tmp_path: Path) -> None:
    assert corpus.fileids() == ["a.export", "b.ptb", "more/c.xml.gz"]
    expected = [tree for name in corpus.fileids() for tree in read_trees(tmp_path / name)]
    assert len(corpus.parsed_sents()) == len(expected) == 13
    assert list(corpus.trees()) == expected
    assert list(corpus.parsed_sents()) == [tree.to_nltk() for tree in expected]
    sentences = [[token.form for token in tree.tokens] for tree in expected]
    pairs = [[(token.form, token.tag) for token in tree.tokens] for tree in expected]
    assert list(corpus.sents()) == sentences
    assert list(corpus.words()) == [word for words in sentences for word in words]
    assert list(corpus.tagged_sents()) == pairs
    assert list(corpus.tagged_words()) == [pair for one in pairs for pair in one]
    assert list(corpus.sents("b.ptb")) == sentences[5:9]
    assert list(corpus.sents(["b.ptb", "a.export"])) == sentences[5:9] + sentences[:5]
    assert list(TreebankReader(tmp_path, r".*\.ptb").sents()) == sentences[5:9]
    assert list(TreebankReader(str(tmp_path / "b.ptb")).sents()) == sentences[5:9]
    assert corpus.raw("b.ptb").startswith("(")


def test_lazy_sequences(corpus: TreebankReader) -> None:
    words = corpus.words()
    every = list(words)
    assert [words[at] for at in range(len(every))] == every
    assert [words[at] for at in (7, 3, 3, 4, -1)] == [every[at] for at in (7, 3, 3, 4, -1)]
    assert list(words[2:5]) == every[2:5]
    assert list(words[-3:]) == every[-3:]
    assert list(words + words) == every * 2
    assert every[0] in words
    assert words.index(every[4]) == every.index(every[4])
    assert nltk.FreqDist(words).most_common(1)[0][1] == max(map(every.count, every))
    assert repr(words).startswith(f"[{every[0]!r}, ")
    for index in (len(every), -len(every) - 1):
        with pytest.raises(IndexError):
            words[index]
    assert words[len(every) - 1] == every[-1]


def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    tree = "(S (A a) (B b))\n"
    (tmp_path / "t.ptb").write_text(tree * 3 + "(S (A a)\n" + tree * 3, encoding="utf-8")
    corpus = TreebankReader(tmp_path)
    assert list(itertools.islice(corpus.sents(), 3)) == [["a", "b"]] * 3
    with pytest.raises(TreebankError, match=r"t\.ptb:4"):
        len(corpus.sents())
    report = ReadingReport(lambda kind, remark: None)
    assert len(TreebankReader(tmp_path, on_error="skip", report=report).sents()) == 6
    assert report.counts == {"sentence skipped": 1}


@pytest.mark.parametrize(
    "name", sorted(path.name for path in SAMPLES.glob("odd*") if "conll" not in path.name)
)
def test_every_format(name: str) -> None:
    corpus = TreebankReader(SAMPLES / name)
    trees = list(read_trees(SAMPLES / name))
    assert trees
    assert [Tree.from_nltk(tree).labels for tree in corpus.parsed_sents()] == [tree.labels for tree in trees]


def test_a_corpus_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("corpus/t.ptb", "(S (A a) (B b))\n")
    root = nltk.data.ZipFilePathPointer(str(tmp_path / "corpus.zip"), "corpus/")
    assert list(TreebankReader(root, ["t.ptb"]).words()) == ["a", "b"]


def test_a_grammar_of_a_corpus(corpus: TreebankReader) -> None:
    """What users of NLTK do with a treebank."""
    trees = list(corpus.parsed_sents("b.ptb"))
    grammar = nltk.induce_pcfg(
        nltk.Nonterminal(trees[0].label()), [p for t in trees for p in t.productions()]
    )
    found = next(nltk.ViterbiParser(grammar).parse(trees[0].leaves()))
    assert found.leaves() == trees[0].leaves()
    tagger = nltk.UnigramTagger(list(corpus.tagged_sents()))
    assert tagger.tag(trees[0].leaves())[0] == trees[0].pos()[0]
