"""Random satisfiable constraints are honoured by every engine, and change nothing where nothing is fixed."""

from functools import cache
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import spindle
from spindle.pipeline import Bracket, Constraints, Parser, Sentence
from spindle.reduction import encode
from spindle.trees import Tree
from support.demo_treebank import demo_trees
from support.strategies import headed_trees, tokens, trees

FORMS = ("the", "old", "house", "she", "saw", "it", "and", "quickly", ",", ".", "Berg", "2")
WORDS = tokens(st.sampled_from(FORMS), st.sampled_from(("NN", "VB", "$,", ".")))
LABELS = st.sampled_from(("S", "NP", "VP", "PP", "ZZ"))
SMALL = {"bits": 12, "epochs": 1}
ENGINES: dict[str, dict[str, Any]] = {
    "basic": {"order": "basic", "parser_options": SMALL},
    "standard": {"order": "standard", "parser_options": SMALL, "punct": "restore"},
    "full": {"order": "full", "parser_options": SMALL, "encoding": "delta"},
    "one-shot": {"order": "basic", "parser_options": SMALL, "one_shot": True, "encoding": "hn"},
    "neural": {},
}


@cache
def engine(name: str, mode: str) -> Parser:
    if name == "neural":  # the bundled one: training takes too long here
        if mode == "discontinuous":
            pytest.skip("no bundled network gives discontinuous trees")
        return spindle.load("english")
    train = demo_trees("train")[:60]
    if mode == "continuous":
        train = tuple(one for one in train if one.is_continuous)
    return spindle.train(train, mode=mode, seed=2, threads=1, **ENGINES[name])


# shrinking would parse hundreds of sentences
QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
EVERY_ENGINE = pytest.mark.parametrize("name", list(ENGINES))
MODES = pytest.mark.parametrize("mode", ["continuous", "discontinuous"])


def brackets(tree: Tree) -> list[Bracket]:
    return [
        Bracket([word for word in range(len(tree)) if mask >> word & 1], label)
        for label, mask in zip(tree.labels, tree.masks, strict=True)
    ]


@st.composite
def satisfiable(draw: st.DrawFn, continuous: bool) -> tuple[Tree, Constraints]:
    """A headed tree, and constraints that it satisfies."""
    given_trees = trees(continuous=continuous or None, labels=LABELS, tokens=WORDS, wrappers=())
    tree = draw(headed_trees(given_trees))
    of_tree = brackets(tree)
    some = draw(st.lists(st.sampled_from(of_tree), max_size=4)) if of_tree else []
    required = [one if draw(st.booleans()) else Bracket(one.words) for one in some]
    words = st.integers(0, len(tree) - 1)
    known = {one.words for one in of_tree}
    spans = draw(st.lists(st.sets(words, min_size=1, max_size=max(1, len(tree) - 1)), max_size=3))
    unknown = [span for span in spans if Bracket(span).words not in known and len(span) < len(tree)]
    forbidden = [Bracket(span, draw(st.none() | LABELS)) for span in unknown]
    for one in draw(st.lists(st.sampled_from(of_tree), max_size=2)) if of_tree else []:
        label = draw(LABELS)
        if Bracket(one.words, label) not in of_tree:
            forbidden.append(Bracket(one.words, label))
    heads = dict(enumerate(encode(tree).dtree.heads))
    fixed = {word: heads[word] for word in draw(st.sets(words, max_size=3))}
    tags = {word: draw(st.sampled_from(("NN", "XY"))) for word in draw(st.sets(words, max_size=2))}
    return tree, Constraints(tuple(required), tuple(forbidden), tags, fixed)


@EVERY_ENGINE
@MODES
@settings(max_examples=12, phases=QUICK)
@given(data=st.data())
def test_satisfiable_constraints_are_honoured(name: str, mode: str, data: st.DataObject) -> None:
    """Checked by the test's own reading of the tree."""
    tree, fixed = data.draw(satisfiable(mode == "continuous"))
    parser = engine(name, mode)
    found = next(iter(parser.analyse([Sentence(tree.tokens)], constraints=[fixed]))).candidates[0]
    of_tree = brackets(found.tree)
    words = {one.words for one in of_tree}
    assert all((one in of_tree) if one.label else (one.words in words) for one in fixed.required)
    assert not any((one in of_tree) if one.label else (one.words in words) for one in fixed.forbidden)
    heads = encode(found.tree).dtree.heads
    assert all(heads[word] == head for word, head in fixed.heads.items())
    assert all(found.tree.tokens[word].tag == tag for word, tag in fixed.tags.items())
    assert mode == "discontinuous" or found.tree.is_continuous or name == "standard"


@EVERY_ENGINE
@MODES
@settings(max_examples=5, phases=QUICK)
@given(words=st.lists(st.sampled_from(FORMS), min_size=1, max_size=9), data=st.data())
def test_constraints_from_the_own_output_change_nothing(
    name: str, mode: str, words: list[str], data: st.DataObject
) -> None:
    parser = engine(name, mode)
    (free,) = parser.analyse([words])
    tree = free.candidates[0].tree
    of_tree = brackets(tree)
    required = data.draw(st.lists(st.sampled_from(of_tree), max_size=5)) if of_tree else []
    heads = dict(enumerate(encode(tree).dtree.heads)) if data.draw(st.booleans()) else {}
    tags = {word: token.tag for word, token in enumerate(tree.tokens) if token.tag}
    if not parser.predicts_tags:
        tags = {}
    fixed = Constraints(tuple(required), (), tags, heads)
    (again, unfixed) = parser.analyse([words, words], constraints=[fixed, Constraints()])
    assert again.candidates == free.candidates == unfixed.candidates
