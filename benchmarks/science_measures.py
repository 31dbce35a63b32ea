"""What science.py measures of a model beside its score."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from labeling import chain_scores
from measuring import run_program, score_trees
from spindle.evaluation.comparison import Bracket, WordMismatch, compare_trees
from spindle.evaluation.corpus import make_settings
from spindle.evaluation.dependencies import score_dependencies
from spindle.heads import HeadFinder
from spindle.parsers import Prediction
from spindle.pipeline import Parser, Sentence
from spindle.pipeline import parser as parsing
from spindle.reduction import Nesting
from spindle.training.treebank import reduce
from spindle.treebanks import read_trees, write_trees
from spindle.trees import Token, Tree
from spindle.trees.nodes import gaps
from table1 import RecordingBackend, compared_arcs

LENGTHS = (10, 25, 50, 100, 200, 400)
WORDS_PER_LENGTH = 800
MOST_GAPS = 3
"""Constituents with more gaps are counted with those that have this many."""


def by_discontinuity(
    gold: Sequence[Tree], found: Sequence[Tree | None], scheme: str
) -> dict[str, dict[str, list[int]]]:
    """Return gold, predicted and matched discontinuous brackets by number of gaps and by label."""
    settings = make_settings(scheme)
    tables: dict[str, dict[str, list[int]]] = {"gaps": {}, "labels": {}}

    def count(column: int, brackets: Counter[Bracket]) -> None:
        for bracket, times in brackets.items():
            if number := gaps(bracket.mask):
                for table, name in (("gaps", str(min(number, MOST_GAPS))), ("labels", bracket.label)):
                    tables[table].setdefault(name, [0, 0, 0])[column] += times

    for one, other in zip(gold, found, strict=True):
        compared = compare_trees(one, one if other is None else other, settings)
        assert not isinstance(compared, WordMismatch)
        count(0, Counter(compared.gold.values()))
        if other is not None:
            count(1, Counter(compared.pred.values()))
            count(2, compared.matched)
    return tables


class Replay(RecordingBackend):
    """Returns the predictions that were recorded."""

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> Sequence[Prediction]:
        """Return them; a sentence that was parsed in other pieces is parsed anew."""
        found = [self.predictions.get(tuple(tokens)) for tokens in sentences]
        return [
            one if one is not None else self.parser.parse([tokens], threads)[0]
            for tokens, one in zip(sentences, found, strict=True)
        ]


def arcs_found(
    parser: Parser,
    recorder: RecordingBackend,
    sentences: Sequence[Sentence],
    dev: Sequence[Tree],
    gold: Sequence[Tree],
    scheme: str,
) -> dict[str, Any]:
    """Return UAS and LAS, and F1 with the other way to restore nesting, from recorded predictions."""
    if parser.stages.tagger is not None:
        tagged = parser.stages.tagger.tag([one.tokens for one in sentences], 1)
        sentences = [
            replace(one, tokens=tuple(tokens)) for one, tokens in zip(sentences, tagged, strict=True)
        ]
    replay = Replay(recorder.parser)
    replay.predictions = recorder.predictions
    with other_nesting():
        found = list(replace(parser, backend=replay).parse_many(sentences, threads=1))
    tokens = [tuple(sentence.tokens) for sentence in sentences]
    figures = score_dependencies(compared_arcs(parser, dev, tokens, recorder.predictions)).to_dict()
    return {
        "uas": figures["uas_no_punctuation"],
        "las": figures["las_no_punctuation"],
        "f1_other_nesting": score_trees(gold, found, scheme).f1,
    }


@contextmanager
def other_nesting() -> Iterator[None]:
    """Repair broken nesting as the authors' program does, not as the paper says."""
    usual = parsing.repair
    parsing.repair = partial(usual, nesting=Nesting.RAISE_FARTHER)  # type: ignore[assignment]
    try:
        yield
    finally:
        parsing.repair = usual


def unaries_found(parser: Parser, trees: Sequence[Tree]) -> dict[str, float]:
    """Return how well unary chains are found on gold unaryless trees; nothing without a classifier."""
    classifier = parser.stages.unaries
    if classifier is None:
        return {}
    finder, conventions = HeadFinder(parser.settings.head_rules), parser.settings.conventions
    prepared = [conventions.prepare(tree) for tree in trees]
    reduced = [found for _, found in reduce(prepared, finder, parser.settings.mode)]
    found = classifier.predict_chains([one.dtree for one in reduced])
    all_nodes, unaries = chain_scores(reduced, found)
    nodes = sum(len(tree.labels) for tree in prepared)
    count = sum(len(chain) for one in reduced for chain in one.chains.values())
    return {"f1": all_nodes, "f1_of_unaries": unaries, "share": 100 * count / nodes}


def costs_by_length(parser: Parser, words: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the CPU seconds per million words of every step, for sentences cut to each of some lengths."""
    costs = {}
    for length in LENGTHS:
        if len(words) < length:
            break
        count = min(max(WORDS_PER_LENGTH // length, 1), len(words) // length)
        sentences = [list(words[at * length : (at + 1) * length]) for at in range(count)]
        parser.seconds.clear()
        for _ in parser.parse_many(sentences, threads=1, longest=length):
            pass
        costs[str(length)] = {
            step: 1e6 * seconds / (count * length) for step, seconds in parser.seconds.items()
        }
    return costs


def run_command(
    command: str, train: Sequence[Tree], gold: Sequence[Tree]
) -> tuple[dict[str, Any], list[Tree | None]]:
    """Train and parse with a program that reads brackets from {train} and {dev} and writes {output}."""
    with TemporaryDirectory() as folder:
        files = {name: str(Path(folder) / name) for name in ("train", "dev", "output")}
        write_trees(train, files["train"], "bracket")
        write_trees(gold, files["dev"], "bracket")
        done = run_program([part.format(**files) for part in shlex.split(command)])
        found: list[Tree | None] = list(read_trees(files["output"]))
    words = sum(len(tree.tokens) for tree in gold)
    return {"words": words, "parse_cpu": done.cpu, "repairs": {}}, found
