"""The core checks its arguments: wrong ones raise an error and never access invalid memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spindle import _core
from spindle.models import ModelPart
from spindle.parsers import FitSettings
from spindle.parsers.linear import LinearParser
from spindle.parsers.linear.parser import LinearOptions
from spindle.parsers.linear.parser_training import ORDERS
from spindle.parsers.order import Order
from spindle.trees import Token
from support.brute_force import all_trees
from support.examples import example
from support.watching import Diary

SIZE = 4


def options(order: str = "basic", projective: bool = True) -> _core.ArcOptions:
    return _core.ArcOptions(order=ORDERS[order], projective=projective, candidates=10, starts=4, seed=1)


def sentence(size: int = SIZE) -> _core.Sentence:
    found = _core.Sentence([f"w{at}" for at in range(size)])
    found.set_tags(["ABCD"[at % 4] for at in range(size)])
    return found


def parser(
    order: str, projective: bool, arcs_scale: float, parts_scale: float = 1.0, **labels: Any
) -> _core.ArcParser:
    weights = (np.random.default_rng(3).normal(size=1 << 10) * 3000).astype(np.int16)
    return _core.ArcParser(
        options(order, projective),
        keys=np.zeros(0, np.uint64),
        distances=np.zeros(0, np.int32),
        arcs=weights,
        arcs_scale=arcs_scale,
        parts=weights,
        parts_scale=parts_scale,
        **labels,
    )


# ── scales of the weights ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), float("-inf"), 1e7, 3e38, -1.0])
def test_impossible_scales_are_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="scale of a table of weights must be between 0 and 1e6"):
        parser("basic", True, scale)
    with pytest.raises(ValueError, match="scale of a table of weights must be between 0 and 1e6"):
        parser("standard", True, 1.0, scale)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("scale", [1e6, 1.0, 1e-30, 0.0])
def test_extreme_scales_give_trees(order: str, projective: bool, scale: float) -> None:
    trees = all_trees(SIZE, projective).tolist()
    extreme = parser(order, projective, scale, scale)
    [heads] = extreme.parse([sentence()], 1)
    assert heads in trees
    [found] = extreme.parse_k_best([sentence()], 5, 1)
    assert found[0][0] == heads
    assert all(one in trees for one, _ in found)
    [chances] = extreme.head_probabilities([sentence()], 0.5, 1)
    np.testing.assert_allclose(chances.sum(axis=0), 1, atol=1e-6)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), float("inf")])
def test_invalid_temperatures_are_refused(temperature: float) -> None:
    with pytest.raises(ValueError, match="temperature must be a number above 0"):
        parser("basic", True, 1.0).head_probabilities([sentence()], temperature, 1)


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), 1e38])
def test_a_damaged_scale_in_a_model(scale: float) -> None:
    tokens = tuple(Token(form, tag) for form, tag in zip("abc", "XYZ", strict=True))
    linear = LinearParser()
    linear.fit(
        [example(tokens, (-1, 0, 1), ("a", "b", "c"))],
        [],
        FitSettings(options=LinearOptions(Order.BASIC, bits=10, epochs=1)),
        Diary(),
    )
    part = linear.to_part()
    [[found]] = LinearParser.from_part(part).parse_k_best([tokens], 3, 1)
    assert list(found.heads) == [-1, 0, 1]
    with pytest.raises(ValueError, match="between 0 and 1e6"):
        LinearParser.from_part(ModelPart({**part.settings, "arcs_scale": scale}, part.arrays))


# ── heads, folds and options of the linear parser ────────────────────────────────────────────────────

BAD_HEADS = pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([-1, 0, 1], "3 heads for 4 words"),
        ([-1, 0, 1, 4], "token 4 cannot have token 5 as its head"),
        ([-1, 0, 1, -2], "token 4 cannot have token -1 as its head"),
        ([0, -1, 1, 2], "token 1 cannot have token 1 as its head"),
    ],
)


@BAD_HEADS
def test_heads_that_do_not_exist_are_refused(heads: list[int], message: str) -> None:
    labels = {
        "keys": np.zeros(0, np.uint64),
        "starts": np.zeros(1, np.int32),
        "classes": np.zeros(0, np.int32),
    }
    labelling = parser("basic", True, 1.0, labels=labels, label_count=1)
    assert labelling.label([sentence()], [[-1, 0, 1, 2]], 1) == [[-1, -1, -1, -1]]
    with pytest.raises(ValueError, match=message):
        labelling.label([sentence()], [heads], 1)
    with pytest.raises(ValueError, match=message):
        labelling.score(sentence(), heads)
    with pytest.raises(ValueError, match=message):
        _core.ArcTrainer(options(), bits=8, sentences=[sentence()], heads=[heads])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"folds": [1]}, "there is no fold 1"),
        ({"folds": [-1]}, "there is no fold -1"),
        ({"folds": []}, "length mismatch: 1 sentences, 0 folds"),
        ({"scales": []}, "length mismatch: 1 tables, 0 scales"),
        ({"tables": [], "scales": [], "folds": []}, "need finished tables of arcs"),
        ({"heads": []}, "length mismatch: 1 sentences, 0 lists of heads"),
        ({"labels": [[0, 0]], "label_count": 1}, "length mismatch: 4 heads, 2 labels"),
        ({"labels": [[0, 0, 0, 5]], "label_count": 2}, "no class 5"),
        ({"bits": 0}, "2\\^1 to 2\\^30 weights"),
        ({"bits": 31}, "2\\^1 to 2\\^30 weights"),
    ],
)
def test_trainers_check_their_arguments(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "bits": 8,
        "sentences": [sentence()],
        "heads": [[-1, 0, 1, 2]],
        "tables": [np.zeros(8, np.int16)],
        "scales": [1.0],
        "folds": [0],
    }
    _core.ArcTrainer(options("standard"), **given).train_epoch(1, 1)
    with pytest.raises(ValueError, match=message):
        _core.ArcTrainer(options("standard"), **{**given, **changed})


def test_options_out_of_range_are_refused() -> None:
    given: dict[str, Any] = {"order": 1, "projective": True, "candidates": 10, "starts": 4, "seed": 1}
    for name, value in (("order", 3), ("order", -1), ("candidates", -1), ("starts", -1)):
        with pytest.raises(ValueError, match=name):
            _core.ArcOptions(**{**given, name: value})


def test_a_labeler_without_labels_for_some_arcs() -> None:
    """Training never produces such a table, but a damaged file may contain one."""
    trainer = _core.LabelerTrainer(
        [sentence()], [[-1, 0, 0, 0]], [[0, 1, 2, 1]], label_count=3, bits=8, epochs=1, seed=1
    )
    trainer.run_epoch(1)
    arrays = trainer.arrays()
    for missing in range(len(arrays["keys"])):
        starts, classes = arrays["starts"], arrays["classes"]
        count = starts[missing + 1] - starts[missing]
        cut = {
            **arrays,
            "keys": np.delete(arrays["keys"], missing),
            "starts": np.concatenate([starts[:missing], starts[missing + 1 :] - count]),
            "classes": np.delete(classes, np.s_[starts[missing] : starts[missing + 1]]),
        }
        two = {**cut, "classes": np.concatenate([cut["classes"], [0, 1]]).astype(np.int32)}
        two["starts"] = np.concatenate([cut["starts"][:-1], cut["starts"][-1:] + 2]).astype(np.int32)
        for table in (cut, two):
            labels, _ = _core.Labeler(table, 3).label([sentence()], [[-1, 0, 0, 0]], True, 1)
            assert set(labels[0]) <= {-1, 0, 1, 2}


# ── columns of trees ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _core.encode_tree([-1, 5], [0, 1], [0, 0]), "does not stand after its parent"),
        (lambda: _core.encode_tree([-1], [0, 3], [0]), "hangs under node 3"),
        (lambda: _core.encode_tree([-1], [0, 0], [2]), "a node's head is word 2 of 2"),
        (lambda: _core.encode_tree([-1], [0, 0], []), "length mismatch: 0 heads, 1 parents"),
        (lambda: _core.decode_tree([-1, 2], [0, 1], [], [], []), "token 2 cannot have token 3"),
        (lambda: _core.decode_tree([-1, 0], [0, 0], [], [], []), "events start at 1"),
        (lambda: _core.decode_tree([-1, 0], [0], [], [], []), "length mismatch: 2 heads, 1 events"),
        (lambda: _core.decode_tree([-1, 0], [0, 1], [0], [], [1]), "length mismatch: 1 chain tokens"),
        (lambda: _core.decode_tree([-1, 0], [0, 1], [2], [0], [1]), "which has none"),
        (lambda: _core.check_dtree([-1, 0], [0]), "length mismatch: 2 heads, 1 events"),
        (lambda: _core.dtree_properties([-1, 7], [0, 0], [0, 1]), "token 2 cannot have token 8"),
        (lambda: _core.dtree_properties([-1, 0], [0], [0, 1]), "length mismatch: 2 heads, 1 symbols"),
        (lambda: _core.tree_children([-1, 9], [1, 1]), "does not stand after its parent"),
        (lambda: _core.check_heads([-1], [4], [0]), "hangs under node 4"),
    ],
)
def test_inconsistent_columns_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_events_beyond_the_modifiers_are_refused() -> None:
    heads = np.array([-1, 0], np.int32)
    for event in (0, 2, 1_000_000_000):
        events = np.array([0, event], np.int32)
        with pytest.raises(ValueError, match="between 1 and its number of modifiers"):
            _core.node_context(heads, heads, events, [2], [0], 2)


def test_the_scorer_checks_its_columns() -> None:
    scorer = _core.TreeScorer(
        lambda label: {"S": 0}.get(label, -5),
        lambda tag: (0, False, True, False, False),
        {},
        set(),
        set(),
        False,
        False,
        None,
    )
    tree = (["a"], ["A"], ["S"], [-1], [0])
    assert scorer.score_columns(tree, tree) is not None
    for wrong, message in (
        ((["a"], [], ["S"], [-1], [0]), "length mismatch: 1 forms, 0 tags"),
        ((["a"], ["A"], ["S"], [-1], [7]), "hangs under node 7"),
        ((["a"], ["A"], ["S"], [3], [0]), "does not stand after its parent"),
        ((["a"], ["A"], ["S"], [], [0]), "length mismatch: 1 labels, 0 parents"),
        ((["a"], ["A"], ["X"], [-1], [0]), "a label has the code -5"),
    ):
        with pytest.raises(ValueError, match=message):
            scorer.score_columns(tree, wrong)


def test_tokens_must_be_tuples() -> None:
    with pytest.raises(TypeError, match="named tuples"):
        _core.parse_brackets("(S (A a))", False, int)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="named tuples"):
        _core.parse_discbrackets("(A 0=a)", int)  # type: ignore[arg-type]
