"""The networks of Stanza and supar: what Spindle computes with their scores, and models that do not fit."""

from typing import Any

import numpy
import pytest

from spindle.decoding import marginals
from spindle.errors import ModelError
from spindle.models import ModelPart
from spindle.models.schema import SchemaError
from spindle.parsers import Backend, FitSettings, find_parser
from spindle.reduction import Mode
from support.brute_force import all_trees, totals
from support.watching import EXAMPLES, SENTENCES, Diary

NAMES = ("stanza", "supar")
_fitted: dict[str, Any] = {}


@pytest.fixture(params=NAMES)
def parser(request: pytest.FixtureRequest) -> Any:
    """A parser that has hardly learnt anything, so that all trees have similar scores."""
    name = request.param
    backend = find_parser(name)
    if backend.version() is None:
        pytest.skip(f"needs {backend.needs}")
    if name not in _fitted:
        _fitted[name] = fitted(backend)
    return _fitted[name]


def fitted(backend: type[Backend], **others: object) -> Any:
    parser = backend()
    options = backend.Options.read({"epochs": 1, "width": 8, "layers": 1, **others}, backend.name)
    parser.fit(EXAMPLES * 3, [], FitSettings(one_shot=True, options=options), Diary())
    return parser


def test_the_k_best_trees_are_those_with_the_best_scores(parser: Any) -> None:
    lists = parser.parse_k_best(SENTENCES, 5, threads=1)
    for found, best in zip(lists, parser.parse(SENTENCES, threads=1), strict=True):
        table = best.state.arcs
        sums = -numpy.sort(-totals(table, all_trees(table.shape[1], projective=False)))
        assert [one.score for one in found] == pytest.approx(sums[:5].tolist(), abs=1e-4)
        assert (found[0].heads, found[0].labels) == (best.heads, best.labels)
        assert len({tuple(one.heads) for one in found}) == 5


def test_probabilities_of_heads_and_labels(parser: Any) -> None:
    found = parser.parse(SENTENCES, threads=1)
    for table, prediction in zip(parser.head_probabilities(SENTENCES, found, 1), found, strict=True):
        assert table == pytest.approx(marginals(prediction.state.arcs))
    assert all(0 < one <= 1 for row in parser.label_probabilities(found, 1) for one in row)


def test_other_trees_get_labels_of_their_own(parser: Any) -> None:
    found = parser.parse(SENTENCES[:1], threads=1)
    (same,) = parser.reattach(SENTENCES[:1], found, [[found[0].heads]], threads=1)
    assert same == found[0]
    (other,) = parser.reattach(SENTENCES[:1], found, [[[-1, 0, 1]]], threads=1)
    assert (other.heads, len(other.labels)) == ([-1, 0, 1], 3)
    (table,) = parser.arc_scores(SENTENCES[:1], found, 1)
    assert table is found[0].state.arcs


def test_sentences_do_not_depend_on_their_batch(parser: Any) -> None:
    together = parser.parse([*SENTENCES, ()], threads=1)
    for sentence, found in zip(SENTENCES, together, strict=False):
        (alone,) = parser.parse([sentence], threads=1)
        assert alone.state.arcs == pytest.approx(found.state.arcs, abs=1e-5)
    assert together[-1].heads == ()


def test_a_training_is_repeatable(parser: Any) -> None:
    again = fitted(type(parser)).to_part()
    assert all(
        numpy.array_equal(array, again.arrays[name]) for name, array in parser.to_part().arrays.items()
    )


def test_continuous_trees_have_no_crossing_arcs(parser: Any) -> None:
    other = type(parser)()
    options = type(parser).Options.read({"epochs": 1, "width": 8, "layers": 1}, parser.name)
    settings = FitSettings(mode=Mode.CONTINUOUS, one_shot=True, options=options)
    other.fit(EXAMPLES * 3, [], settings, Diary())
    for found, sentence in zip(other.parse_k_best(SENTENCES, 20, 1), SENTENCES, strict=True):
        allowed = set(map(tuple, all_trees(len(sentence), projective=True).tolist()))
        assert {tuple(one.heads) for one in found} <= allowed


@pytest.mark.parametrize("change", ["shape", "type", "missing", "more"])
def test_weights_that_do_not_fit_are_refused(parser: Any, change: str) -> None:
    part = parser.to_part()
    arrays = dict(part.arrays)
    name = next(iter(arrays))
    if change == "shape":
        arrays[name] = numpy.zeros((2, *arrays[name].shape), numpy.float32)
    elif change == "type":
        arrays[name] = arrays[name].astype(numpy.float64)
    elif change == "missing":
        del arrays[name]
    else:
        arrays["more"] = arrays[name]
    with pytest.raises(ModelError, match="the weights"):
        type(parser).from_part(ModelPart(part.settings, arrays))


@pytest.mark.parametrize(
    "change",
    [{"width": 10**6}, {"layers": 0}, {"vocabulary": {}}, {"bert_model": "somebody/model"}, {"one_shot": 1}],
)
def test_settings_that_do_not_fit_are_refused(parser: Any, change: dict[str, Any]) -> None:
    part = parser.to_part()
    type(parser).check_part(part)
    with pytest.raises(SchemaError):
        type(parser).check_part(ModelPart({**part.settings, **change}))


def test_a_vocabulary_without_labels_is_refused(parser: Any) -> None:
    part = parser.to_part()
    without = {**part.settings, "vocabulary": {**part.settings["vocabulary"], "labels": []}}
    with pytest.raises(SchemaError, match="labels has 0 items"):
        type(parser).check_part(ModelPart(without, part.arrays))


def test_weights_that_are_no_numbers_give_trees(parser: Any) -> None:
    part = parser.to_part()
    arrays = {name: numpy.full_like(array, numpy.nan) for name, array in part.arrays.items()}
    broken = type(parser).from_part(ModelPart(part.settings, arrays))
    for found, sentence in zip(broken.parse(SENTENCES, threads=1), SENTENCES, strict=True):
        assert (len(found.heads), sum(head < 0 for head in found.heads)) == (len(sentence), 1)


def test_a_huge_network_is_refused_before_it_is_built(parser: Any) -> None:
    part = parser.to_part()
    huge = {**part.settings, "width": 2048, "layers": 16}  # gigabytes of weights
    with pytest.raises(ModelError, match="the weights"):
        type(parser).from_part(ModelPart(huge, part.arrays))
