"""Predicting and inserting unary chains in one call gives the same as predicting, then decoding."""

import pytest
from hypothesis import given

from spindle import _core
from spindle.reduction import encode, repair
from spindle.trees import DTree, Tree
from support.demo_treebank import demo_reduced
from support.strategies import dtrees, headed_trees

TRAIN = demo_reduced("train")
CHAINS = [(), *sorted({chain for one in TRAIN for chain in one.chains.values()})]
LENGTHS = [len(chain) for chain in CHAINS]

Columns = tuple[tuple[int, ...], tuple[str, ...], tuple[int, ...]]


def sentence(dtree: DTree) -> _core.Sentence:
    found = _core.Sentence([token.form for token in dtree.tokens])
    found.set_tags([token.tag for token in dtree.tokens])
    return found


def columns(dtree: DTree) -> Columns:
    return dtree.heads, dtree.symbols, dtree.events


def make_classifier(examples: list[tuple[DTree, list[tuple[int, int, int]]]]) -> _core.NodeClassifier:
    trainer = _core.NodeClassifierTrainer.of_dtrees(
        [sentence(dtree) for dtree, _ in examples],
        [columns(dtree) for dtree, _ in examples],
        [gold for _, gold in examples],
        class_count=len(CHAINS),
        bits=12,
        epochs=2,
        seed=1,
        threads=1,
    )
    trainer.run_epoch()
    return _core.NodeClassifier(trainer.arrays(), len(CHAINS), by_parent=False)


CLASSIFIER = make_classifier(
    [
        (one.dtree, [(word, event, CHAINS.index(chain)) for (word, event), chain in one.chains.items()])
        for one in TRAIN
    ]
)


def check(classifier: _core.NodeClassifier, trees: list[DTree], threads: int = 1) -> int:
    """Compare one call with two; return the number of chains."""
    sentences = [sentence(dtree) for dtree in trees]
    dtree_columns = [columns(dtree) for dtree in trees]
    decoded = classifier.decode_dtrees(sentences, dtree_columns, LENGTHS, threads)
    predicted = classifier.classify_dtrees(sentences, dtree_columns, threads)
    count = 0
    for dtree, (*tree, chains), expected in zip(trees, decoded, predicted, strict=True):
        assert chains == expected
        words, events, classes = zip(*chains, strict=True) if chains else ((), (), ())
        lengths = [LENGTHS[number] for number in classes]
        assert tuple(tree) == _core.decode_tree(dtree.heads, dtree.events, words, events, lengths)
        assert sum(source < 0 for source in tree[3]) == sum(lengths)
        count += len(chains)
    return count


def test_the_demo_treebank() -> None:
    trees = [one.dtree for one in (*TRAIN, *demo_reduced("dev"))]
    assert check(CLASSIFIER, trees) > 50
    assert check(CLASSIFIER, trees, threads=2) > 50


@given(dtrees())
def test_random_dtrees(tree: DTree) -> None:
    """Chains above every node of a random d-tree, and above every word."""
    tree, _ = repair(tree.tokens, tree.heads, tree.symbols, tree.events)
    places = {(word, 0) for word in range(len(tree))}
    places |= {(head, event) for head, event in zip(tree.heads, tree.events, strict=True) if head >= 0}
    gold = [(*place, 1 + number % (len(CHAINS) - 1)) for number, place in enumerate(sorted(places))]
    classifier = make_classifier([(tree, gold)])
    check(classifier, [tree])
    check(CLASSIFIER, [tree])


@given(headed_trees())
def test_random_trees(tree: Tree) -> None:
    check(CLASSIFIER, [encode(tree).dtree])


def test_invalid_columns_are_errors() -> None:
    dtree = TRAIN[0].dtree
    with pytest.raises(ValueError, match="length mismatch: 0 sentences, 1 trees"):
        CLASSIFIER.decode_dtrees([], [columns(dtree)], LENGTHS, 1)
    trees = [one.dtree for one in TRAIN]
    with pytest.raises(ValueError, match=r"chain \d+ has no length"):
        CLASSIFIER.decode_dtrees([sentence(one) for one in trees], [columns(one) for one in trees], [0], 1)
    heads, symbols, _ = columns(dtree)
    with pytest.raises(ValueError, match="events start at 1"):
        CLASSIFIER.decode_dtrees([sentence(dtree)], [(heads, symbols, (0,) * len(heads))], LENGTHS, 1)
