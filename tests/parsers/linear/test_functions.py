"""The function classifier for nodes and for words."""

from pathlib import Path
from typing import Any

import pytest

from spindle.errors import ParserError
from spindle.heads import HeadFinder, load_rules
from spindle.parsers.linear.functions import FunctionClassifier
from spindle.treebanks.transforms import strip_functions
from spindle.trees import Node, Tree
from support.demo_treebank import demo_headed
from support.notation import tree
from support.stage_parts import damaged, same, through_a_file

BITS = 16


def with_functions(one: Tree) -> Tree:
    """Add functions that depend on the label of a node, its parent's label, and its first tag."""
    functions = []
    for node, label in enumerate(one.labels):
        above = one.labels[one.parents[node]] if node else ""
        has_article = one.tokens[min(Node(one, node).positions)].tag == "DT"
        told = {("NP", "S"): "SB", ("NP", "VP"): "OA" if has_article else "OP", ("PP", "VP"): "MO"}
        functions.append(told.get((label, above), ""))
    tokens = [
        token._replace(function="HD" if token.tag.startswith("V") else "--" if token.tag == "." else "")
        for token in one.tokens
    ]
    return one.replace(functions=tuple(functions), tokens=tuple(tokens))


TRAIN = [with_functions(one) for one in demo_headed("train")]
DEV = [with_functions(one) for one in demo_headed("dev")]


def learn(**options: Any) -> FunctionClassifier:
    return FunctionClassifier.train(TRAIN, **{"bits": BITS, **options})


@pytest.fixture(scope="module")
def functions() -> FunctionClassifier:
    return learn(epochs=15)


def test_functions_of_nodes_and_words_are_learnt(functions: FunctionClassifier) -> None:
    assert functions.label([strip_functions(one) for one in TRAIN]) == TRAIN
    found = functions.label([strip_functions(one) for one in DEV])
    assert sum(one == gold for one, gold in zip(found, DEV, strict=True)) >= 0.9 * len(DEV)


def test_given_functions_are_replaced(functions: FunctionClassifier) -> None:
    wrong = [
        one.replace(
            functions=("XX",) * len(one.functions),
            tokens=tuple(token._replace(function="YY") for token in one.tokens),
        )
        for one in TRAIN
    ]
    assert functions.label(wrong) == TRAIN


def test_unknown_labels_and_tags_get_no_function(functions: FunctionClassifier) -> None:
    finder = HeadFinder(load_rules("leftmost"))
    new = finder(tree("(XX (YY (QQ a) (NN b)) (RR c))"))
    [labeled] = functions.label([new])
    assert labeled.functions == ("", "")
    assert [token.function for token in labeled.tokens][::2] == ["", ""]
    # under an unknown parent, only the label of the node counts
    [labeled] = functions.label([finder(tree("(XX (NP (DT a) (NN b)) (VBD c))"))])
    assert labeled.functions[1] in {"SB", "OA", "OP", ""}


def test_one_word_and_no_tree(functions: FunctionClassifier) -> None:
    assert functions.label([]) == []
    bare = HeadFinder(load_rules("leftmost"))(tree("(VB Go)"))
    assert bare.labels == ()
    [labeled] = functions.label([bare])
    assert labeled.tokens[0].function in {"HD", ""}


def test_trees_without_heads_are_refused(functions: FunctionClassifier) -> None:
    with pytest.raises(ParserError, match=r"sentence s7 has no heads: find heads before functions"):
        functions.label([tree("(S (NN a) (VB b))").replace(id="s7")])


def test_the_seed_changes_the_model_and_threads_do_not() -> None:
    one = learn(epochs=3)
    assert same(one.to_part(), learn(epochs=3, threads=2).to_part())
    assert not same(one.to_part(), learn(epochs=3, seed=2).to_part())
    assert one.label(DEV, threads=2) == one.label(DEV)


def test_a_model_file_stores_everything(functions: FunctionClassifier, tmp_path: Path) -> None:
    again = FunctionClassifier.from_part(through_a_file(functions.to_part(), tmp_path / "functions"))
    assert same(again.to_part(), functions.to_part())
    assert again.label(DEV) == functions.label(DEV)


def test_damaged_arrays_are_refused_or_harmless(functions: FunctionClassifier) -> None:
    noticed = set()
    for what, part in damaged(functions.to_part()):
        try:
            FunctionClassifier.from_part(part).label(DEV)
        except ValueError:
            noticed.add(what)
    assert {"weights cut off", "keys missing", "classes extreme", "starts cut off", "scale empty"} <= noticed
