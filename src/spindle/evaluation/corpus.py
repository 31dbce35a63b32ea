"""Scoring one file, or any other iterable of trees, against another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path

from spindle.errors import EvaluationError
from spindle.evaluation.entries import read_entries
from spindle.evaluation.pairing import Entry, Pair, pair_entries
from spindle.evaluation.parameters import Parameters, read_parameters
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.evaluation.schemes import find_scheme
from spindle.evaluation.score import Score
from spindle.evaluation.scorer import Scorer
from spindle.evaluation.sentence_score import SentenceScore
from spindle.evaluation.settings import MissingPolicy, Settings
from spindle.trees import Tree

Corpus = str | Path | Iterable[Entry[Tree]]
"""A file name, or an iterable of trees."""


def evaluate(
    gold: Corpus,
    pred: Corpus,
    scheme: str | None = None,
    params: str | Path | Parameters | None = None,
    cutoff: int | None = None,
    disc_only: bool = False,
    missing: MissingPolicy = "count",
) -> Score:
    """Score predicted trees against gold trees.

    Without a `scheme`, discontinuous gold trees are scored like disco-dop does, others like EVALB does.
    `params` replaces the parameters of the scheme. `cutoff` leaves out longer sentences. `disc_only` scores
    discontinuous brackets only. All gold brackets of a sentence without a predicted tree count as missed,
    unless `missing="skip"` leaves such sentences out.

        >>> from spindle.treebanks.bracket import parse_bracket
        >>> gold = parse_bracket("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
        >>> pred = parse_bracket("(S (NP (DT the) (NN cat)) (VBZ sleeps))")
        >>> score = evaluate([gold], [pred])
        >>> score.precision, round(score.recall, 2), score.f1
        (100.0, 66.67, 80.0)
    """
    entries = read_corpus(gold)
    if scheme is None:
        (scheme, _), entries = choose_scheme(entries)
    settings = make_settings(scheme, params, cutoff, disc_only, missing)
    return score_pairs(pair_entries(entries, read_corpus(pred)), settings)


def make_settings(
    scheme: str = "evalb",
    params: str | Path | Parameters | None = None,
    cutoff: int | None = None,
    disc_only: bool = False,
    missing: MissingPolicy | None = None,
    official: bool = False,
) -> Settings:
    """Build the settings from names and paths; the official programs leave missing sentences out."""
    chosen = find_scheme(scheme)
    parameters, name = chosen.parameters, chosen.parameters_name
    if isinstance(params, Parameters):
        parameters, name = params, "given"
    elif params is not None:
        parameters, name = read_parameters(params), Path(params).name
    if disc_only:
        parameters = dataclasses.replace(parameters, disc_only=True)
    if cutoff is not None:
        parameters = dataclasses.replace(parameters, cutoff=cutoff)
    if official and not chosen.program:
        raise EvaluationError(f"there is no official program for scheme {scheme}; choose another scheme")
    return Settings(chosen, parameters, name, cutoff, missing or ("skip" if official else "count"), official)


def score_pairs(
    pairs: Iterable[Pair[Tree]],
    settings: Settings,
    on_problem: Callable[[SentenceScore], None] = lambda _: None,
) -> Score:
    """Score sentence by sentence; `on_problem` is called with every sentence that has a problem."""
    scorer = Scorer(settings)
    sentences = []
    for pair in pairs:
        sentence = scorer.score(pair)
        if settings.cutoff is not None and sentence.length > settings.cutoff:
            continue
        sentences.append(sentence)
        if sentence.problem:
            on_problem(sentence)
    return Score(settings, tuple(sentences), scorer.breakdown)


def read_corpus(corpus: Corpus) -> Iterable[Entry[Tree]]:
    """Return the entries of a file, or the iterable of trees that was given."""
    return read_entries(corpus) if isinstance(corpus, str | Path) else corpus
