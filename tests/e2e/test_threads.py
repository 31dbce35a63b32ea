"""One result for any number of threads, also when threads share a parser. ThreadSanitizer runs this, too."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from spindle.parsers.linear import Labeler
from spindle.pipeline import Parser, load
from spindle.training import train
from support.demo_treebank import arc_labels, demo_reduced, demo_trees

SMALL: dict[str, Any] = {"epochs": 1, "parser_options": {"bits": 10}}
KINDS: dict[str, dict[str, Any]] = {
    "basic": {"order": "basic"},
    "standard": {"mode": "continuous"},
    "full": {"order": "full", "functions": "predict"},
    "one-shot": {"one_shot": True},
}


@pytest.fixture(scope="module", params=KINDS)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Models of one kind that 1, 2 and 8 threads have trained."""
    folder = tmp_path_factory.mktemp("models")
    found = {threads: folder / f"{threads}.model" for threads in (1, 2, 8)}
    for threads, path in found.items():
        train(demo_trees("train"), output=path, threads=threads, **SMALL, **KINDS[request.param])
    return found


def analyses(parser: Parser, threads: int) -> list[str]:
    k = 3 if parser.gives_k_best else 1
    confident = parser.gives_confidences
    found = parser.analyse(sentences(), threads=threads, k=k, confidences=confident)
    return [str(one.to_dict()) for one in found]


def sentences() -> Iterator[list[str]]:
    for number in range(60):
        tokens = list(demo_trees("dev")[number % 10].tokens)
        yield [token.form for token in tokens[number % 3 :] * (1 + number % 4)]


def test_threads_train_and_parse_alike(files: dict[int, Path]) -> None:
    assert len({path.read_bytes() for path in files.values()}) == 1
    parser = load(files[1])
    expected = analyses(parser, 1)
    for threads in (2, 8):
        assert analyses(parser, threads) == expected


def test_sixteen_threads_share_a_parser(files: dict[int, Path]) -> None:
    parser = load(files[1])
    expected = analyses(parser, 1)
    with ThreadPoolExecutor(16) as pool:
        for found in pool.map(lambda number: analyses(parser, 1 + number % 3), range(16)):
            assert found == expected


def test_threads_label_alike() -> None:
    reduced = demo_reduced("train")
    words, heads = [one.dtree.tokens for one in reduced], [one.dtree.heads for one in reduced]

    def trained(threads: int) -> Labeler:
        return Labeler.train(words, heads, arc_labels(reduced), bits=12, epochs=2, threads=threads)

    expected = trained(1).label(words, heads)
    for threads in (2, 8):
        assert trained(threads).label(words, heads, threads) == expected
