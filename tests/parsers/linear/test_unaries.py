"""The unary classifier: accuracy, candidate chains, decoding, and unusual input."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spindle.errors import ReductionError
from spindle.parsers.linear.unaries import UnaryClassifier
from spindle.reduction import Place, Reduced, decode
from spindle.trees import DTree, Token
from support.demo_treebank import demo_reduced
from support.stage_parts import damaged, same, through_a_file

BITS = 15
TRAIN, DEV = demo_reduced("train"), demo_reduced("dev")


def dtrees(reduced: tuple[Reduced, ...]) -> list[DTree]:
    return [one.dtree for one in reduced]


def learn(**options: Any) -> UnaryClassifier:
    return UnaryClassifier.train(dtrees(TRAIN), [one.chains for one in TRAIN], **{"bits": BITS, **options})


@pytest.fixture(scope="module")
def unaries() -> UnaryClassifier:
    return learn(epochs=15)


def symbols(dtree: DTree) -> Iterator[tuple[Place, str]]:
    """Yield every place with its label or its tag; a tag has a space in front to distinguish it."""
    for word, token in enumerate(dtree.tokens):
        yield Place(word, 0), f" {token.tag}"
    for head, symbol, event in zip(dtree.heads, dtree.symbols, dtree.events, strict=True):
        if head >= 0:
            yield Place(head, event), symbol


def test_chains_are_learnt(unaries: UnaryClassifier) -> None:
    assert unaries.predict_chains(dtrees(TRAIN)) == [one.chains for one in TRAIN]
    gold = {(at, *item) for at, one in enumerate(DEV) for item in one.chains.items()}
    found = {
        (at, *item)
        for at, chains in enumerate(unaries.predict_chains(dtrees(DEV)))
        for item in chains.items()
    }
    assert 2 * len(gold & found) / (len(gold) + len(found)) > 0.8


def test_a_label_gets_only_chains_that_it_had_in_training(unaries: UnaryClassifier) -> None:
    seen = defaultdict(set)
    for one in TRAIN:
        for place, symbol in symbols(one.dtree):
            seen[symbol].add(one.chains.get(place, ()))
    for dtree, chains in zip(dtrees(DEV), unaries.predict_chains(dtrees(DEV)), strict=True):
        for place, symbol in symbols(dtree):
            assert chains.get(place, ()) in seen[symbol] | {()}


def test_unknown_labels_and_tags_get_no_chain(unaries: UnaryClassifier) -> None:
    tokens = (Token("x", "NEW"), Token("y", "NEWER"), Token("z", ""))
    dtree = DTree(tokens, (-1, 0, 0), ("", "XX", "YY"), (0, 1, 2))
    assert unaries.predict_chains([dtree]) == [{}]


def test_tags_and_labels_of_the_same_name_are_distinguished() -> None:
    word = DTree((Token("x", "NP"),), (-1,), ("",), (0,))
    pair = DTree((Token("x", "N"), Token("y", "N")), (-1, 0), ("", "NP"), (0, 1))
    unaries = UnaryClassifier.train([word, pair], [{Place(0, 0): ("S",)}, {Place(0, 1): ("Q",)}], bits=8)
    assert unaries.predict_chains([word, pair]) == [{Place(0, 0): ("S",)}, {Place(0, 1): ("Q",)}]


def test_one_word_no_sentence_and_no_chains(unaries: UnaryClassifier) -> None:
    assert unaries.predict_chains([]) == []
    [chains] = unaries.predict_chains([DTree((Token("Perhaps", "RB"),), (-1,), ("",), (0,))])
    assert set(chains) <= {Place(0, 0)}
    none = UnaryClassifier.train(dtrees(TRAIN), [{} for _ in TRAIN], bits=8)
    assert none.predict_chains(dtrees(DEV)) == [{} for _ in DEV]


def test_a_long_sentence(unaries: UnaryClassifier) -> None:
    size = 3000
    tokens = (Token("x", "NN"),) * size
    chain = DTree(tokens, tuple(range(-1, size - 1)), ("", *["NP"] * (size - 1)), (0, *[1] * (size - 1)))
    assert len(unaries.predict_chains([chain])) == 1


def test_decoding_in_one_call_equals_decoding_with_the_chains(unaries: UnaryClassifier) -> None:
    tokens = (Token("Perhaps", "RB"), Token("not", "RB"))
    odd = [
        DTree(tokens[:1], (-1,), ("",), (0,)),
        DTree(tokens, (-1, 0), ("", "never seen"), (0, 1), id="s1", comments=("a comment",)),
    ]
    for given in (dtrees(TRAIN), dtrees(DEV), odd, []):
        chains = unaries.predict_chains(given)
        expected = [decode(Reduced(dtree, found)) for dtree, found in zip(given, chains, strict=True)]
        assert unaries.decode(given) == unaries.decode(given, threads=2) == expected
    assert unaries.decode(dtrees(TRAIN)) == [decode(Reduced(one.dtree, one.chains)) for one in TRAIN]


def test_d_trees_that_are_not_ordered_are_refused(unaries: UnaryClassifier) -> None:
    tokens = (Token("a", "NN"), Token("b", "NN"))
    with pytest.raises(ReductionError, match="sentence s2: the d-tree is not ordered; repair it first"):
        unaries.decode([DTree(tokens, (-1, 0), ("", "NP"), (0, 2), id="s2")])


def test_the_seed_changes_the_model_and_threads_do_not() -> None:
    one = learn(epochs=3)
    assert same(one.to_part(), learn(epochs=3, threads=2).to_part())
    assert not same(one.to_part(), learn(epochs=3, seed=2).to_part())
    assert one.predict_chains(dtrees(TRAIN), threads=2) == one.predict_chains(dtrees(TRAIN))


def test_a_model_file_stores_everything(unaries: UnaryClassifier, tmp_path: Path) -> None:
    again = UnaryClassifier.from_part(through_a_file(unaries.to_part(), tmp_path / "unaries"))
    assert same(again.to_part(), unaries.to_part())
    assert again.predict_chains(dtrees(DEV)) == unaries.predict_chains(dtrees(DEV))


def test_damaged_arrays_are_refused_or_harmless(unaries: UnaryClassifier) -> None:
    noticed = set()
    for what, part in damaged(unaries.to_part()):
        try:
            UnaryClassifier.from_part(part).predict_chains(dtrees(DEV))
        except ValueError:
            noticed.add(what)
    assert {"weights cut off", "keys missing", "classes extreme", "starts cut off", "scale empty"} <= noticed


def test_a_chain_above_a_missing_node_is_an_error() -> None:
    with pytest.raises(ValueError, match="above a node that does not exist"):
        UnaryClassifier.train(dtrees(TRAIN)[:1], [{Place(0, 9): ("X",)}])
