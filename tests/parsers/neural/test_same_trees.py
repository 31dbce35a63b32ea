"""The trees, tags and confidences of a bundled network do not depend on what is parsed beside a sentence."""

import random
from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

import spindle
from spindle.models.bundled import bundled_models, find_model
from spindle.models.model_file import read_manifest
from spindle.parsers.neural.activation_ranges import ROUNDING
from spindle.pipeline import Parser
from spindle.treebanks import read_trees

EVERYDAY = Path(__file__).resolve().parents[3] / "treebanks" / "everyday" / "dev.ptb"
LENGTHS = (1, 1, 2, 3, 63, 64, 65, 200)
"""The lengths of sentences that onnxruntime computes in other ways than most."""
Sentences = list[list[str]]
Parsed = list[tuple[str, tuple[str, ...], tuple[float, ...]]]
"""Trees, tags, and confidences with all their digits."""


@cache
def sentences() -> Sentences:
    chance = random.Random(7)
    own = [[token.form for token in tree.tokens] for tree in read_trees(EVERYDAY)][:24]
    words = list(chain.from_iterable(own))
    return own + [[chance.choice(words) for _ in range(length)] for length in LENGTHS]


def parsed(
    parser: Parser, given: Sentences, *, batch: int | None = None, threads: int = 1, k: int = 1
) -> Parsed:
    found: Parsed = []
    for analysis in parser.analyse(given, k=k, confidences=True, batch=batch, threads=threads):
        best = analysis.candidates[0]
        assert best.confidences is not None
        tags = tuple(token.tag for token in best.tree.tokens)
        found.append((str(best.tree), tags, tuple(best.confidences)))
    return found


@cache
def network(name: str) -> Parser:
    return spindle.load(name)


@cache
def alone(name: str) -> Parsed:
    """Return what a model finds if it parses every sentence by itself."""
    return [found for sentence in sentences() for found in parsed(network(name), [sentence])]


def is_network(name: str) -> bool:
    return "encoder" in read_manifest(find_model(name))["parts"]["parser"]


NETWORKS = pytest.mark.parametrize("name", [name for name in bundled_models() if is_network(name)])


@NETWORKS
def test_no_scale_is_computed_from_a_batch(name: str) -> None:
    arrays = network(name).backend.to_part().arrays
    assert not any(ROUNDING[0].encode() in array.tobytes() for array in arrays.values())


@NETWORKS
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [2, 7, 64])
def test_batches_and_threads(name: str, batch: int, threads: int) -> None:
    assert parsed(network(name), sentences(), batch=batch, threads=threads) == alone(name)


@NETWORKS
@pytest.mark.parametrize("seed", [1, 2])
def test_other_orders(name: str, seed: int) -> None:
    order = list(range(len(sentences())))
    random.Random(seed).shuffle(order)
    found = parsed(network(name), [sentences()[number] for number in order])
    assert found == [alone(name)[number] for number in order]


@NETWORKS
def test_the_first_of_several_trees(name: str) -> None:
    assert parsed(network(name), sentences(), k=10) == alone(name)


@NETWORKS
@pytest.mark.parametrize("change", [str.upper, lambda form: form * 9], ids=["capitals", "long words"])
def test_odd_neighbours(name: str, change: Callable[[str], str]) -> None:
    odd = [[change(form) for form in forms] for forms in sentences()]
    both = parsed(network(name), [*odd, *sentences()])
    assert both[len(odd) :] == alone(name)
