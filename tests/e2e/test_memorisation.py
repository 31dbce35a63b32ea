"""The whole pipeline memorises a few sentences."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from spindle.evaluation import evaluate
from spindle.heads import HeadFinder, load_rules
from spindle.pipeline import load
from spindle.pipeline.conventions import learn_conventions
from spindle.reduction import Mode, decode
from spindle.training import train
from spindle.training.treebank import reduce
from spindle.trees import Tree
from support.demo_treebank import demo_trees

FIFTY = (*demo_trees("train"), *demo_trees("dev"))[:50]


def made_continuous(trees: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return the trees without discontinuities, as a continuous treebank would annotate them."""
    conventions = learn_conventions(trees, None)
    bare = [conventions.prepare(tree) for tree in trees]
    reduced = reduce(bare, HeadFinder(load_rules("collins")), Mode.CONTINUOUS)
    return tuple(conventions.restore(decode(one)).replace(heads=None) for _, one in reduced)


@pytest.mark.parametrize("order", ["basic", "standard", "full"])
@pytest.mark.parametrize("mode", list(Mode))
def test_fifty_sentences_are_memorised(order: str, mode: Mode, tmp_path: Path) -> None:
    trees = FIFTY if mode is Mode.DISCONTINUOUS else made_continuous(FIFTY)
    assert any(not tree.is_continuous for tree in trees) == (mode is Mode.DISCONTINUOUS)
    options = {"bits": "18"}
    train(trees, trees, tmp_path / "m", order=order, epochs=20, tags="predicted", parser_options=options)
    parser = load(tmp_path / "m")
    assert (parser.settings.mode, len(trees)) == (mode, 50)
    # parse the words without tags
    found = list(parser.parse_many([[token.form for token in tree.tokens] for tree in trees]))
    score = evaluate(trees, [tree for tree in found if tree is not None], "discodop")
    assert (score.f1, score.exact, score.tags) == (100, 100, 100)
    assert parser.card.scores["f1"] == 100
