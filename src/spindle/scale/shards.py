"""Sums over the parts of a parsed corpus: scores, matches of a pattern, statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from spindle.errors import SpindleError
from spindle.evaluation.breakdown import Breakdown
from spindle.evaluation.corpus import make_settings, score_pairs
from spindle.evaluation.entries import read_entries
from spindle.evaluation.pairing import Entry, pair_entries
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.evaluation.score import Score
from spindle.evaluation.settings import MissingPolicy
from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.reduction.statistics import Statistics
from spindle.scale.engines import AnyTask, Engine, open_engine
from spindle.scale.jobs import CorpusError, Failure, Summed
from spindle.scale.manifest import Manifest
from spindle.scale.run import Limits, Run
from spindle.search import Searcher, compile_pattern
from spindle.search.reading import Item, as_trees, headed, read_items
from spindle.treebanks import ReadingReport, Source, read_trees
from spindle.treebanks.corpus_folder import corpus_parts
from spindle.trees import Tree


@dataclass(frozen=True)
class Shard:
    """A part to be counted, with all that is needed for it."""

    number: int
    part: Source
    options: dict[str, Any] = field(default_factory=dict)


def _sum(
    work: Callable[..., Any],
    shards: Iterable[Shard],
    engine: str | Engine,
    scheduler: str | None,
    workers: int | None,
) -> list[Any]:
    """Return what `work` finds in every part, in order."""
    found: dict[int, Any] = {}
    with ExitStack() as stack:
        if isinstance(engine, str):
            engine = open_engine(engine, scheduler=scheduler, workers=workers, threads=1)
            stack.callback(engine.close)
        for result in Run(engine, work, _Watcher(), Limits()).results(shards):
            assert isinstance(result, Summed)
            found[result.number] = result.value
    return [found[number] for number in sorted(found)]


class _Watcher:
    """Lets no part be left out of a sum."""

    def started(self, task: AnyTask) -> None:
        """Do nothing."""

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        """Raise an error if a part cannot be counted."""
        if is_given_up:
            raise CorpusError(f"part {failure.number} cannot be counted: {failure.error}")

    def note(self, text: str) -> None:
        """Do nothing."""

    def tick(self) -> None:
        """Do nothing."""


def _attempt(shard: Shard, count: Callable[[Shard], Any]) -> Summed | Failure:
    try:
        return Summed(shard.number, count(shard))
    except SpindleError as error:
        return Failure(shard.number, str(error), is_fatal=True)
    except OSError as error:
        return Failure(shard.number, str(error))


def _parts(folder: str | Path) -> list[Source]:
    parts = corpus_parts(folder)
    if parts is None:
        raise CorpusError(f"{folder}: this is no parsed corpus")
    return parts


def _rules(parts: Iterable[Source], heads: str | None) -> str:
    """Return the name of head rules; those of all parts are guessed from the first trees of the corpus."""
    return heads or guess_rules(tree for part in parts for tree in read_trees([part])).name


# ── search ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Matches:
    """How often a pattern was found; the counts of parts add up."""

    matches: int = 0
    trees: int = 0
    """The trees with a match."""
    searched: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    """The labels of the matching vertices."""

    def __add__(self, other: Matches) -> Matches:
        return Matches(
            self.matches + other.matches,
            self.trees + other.trees,
            self.searched + other.searched,
            self.labels + other.labels,
        )


def search(
    pattern: str,
    folder: str | Path,
    *,
    heads: str | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    workers: int | None = None,
) -> Matches:
    """Count the matches of a pattern in a parsed corpus; `spindle.search` yields those of one part."""
    parts = _parts(folder)
    options = {"pattern": pattern}
    if compile_pattern(pattern).uses_heads:
        options["heads"] = _rules(parts, heads)
    shards = (Shard(number, part, options) for number, part in enumerate(parts))
    return sum(_sum(search_shard, shards, engine, scheduler, workers), Matches())


def search_shard(shard: Shard, on_tokens: object = None) -> Summed | Failure:
    """Count the matches in a part."""
    return _attempt(shard, _matches)


def _matches(shard: Shard) -> Matches:
    searcher = Searcher(shard.options["pattern"], threads=1)
    items: Iterable[Item] = read_items(shard.part, None, "stop", ReadingReport())
    if heads := shard.options.get("heads"):
        items = headed(as_trees(items), heads)
    found = Matches()
    for tree in searcher.find(items):
        found.matches += len(tree.matches)
        found.trees += 1
        found.labels.update(match.vertex.label for match in tree.matches)
    found.searched = searcher.trees
    return found


# ── statistics ───────────────────────────────────────────────────────────────────────────────────────


def stats(
    folder: str | Path,
    *,
    heads: str | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    workers: int | None = None,
) -> Statistics:
    """Return the statistics of a parsed corpus; `Statistics.to_dict` has those of `spindle stats`."""
    parts = _parts(folder)
    options = {"heads": _rules(parts, heads)}
    shards = (Shard(number, part, options) for number, part in enumerate(parts))
    return sum(_sum(count_shard, shards, engine, scheduler, workers), Statistics())


def count_shard(shard: Shard, on_tokens: object = None) -> Summed | Failure:
    """Count the trees of a part."""
    return _attempt(shard, _statistics)


def _statistics(shard: Shard) -> Statistics:
    finder, found = HeadFinder(load_rules(shard.options["heads"])), Statistics()
    for tree in read_trees([shard.part]):
        found.add(finder(tree))
    return found


# ── scores ───────────────────────────────────────────────────────────────────────────────────────────


def evaluate(
    folder: str | Path,
    gold: str | Path | Iterable[Entry[Tree]] | None = None,
    scheme: str | None = None,
    params: str | Path | None = None,
    cutoff: int | None = None,
    disc_only: bool = False,
    missing: MissingPolicy = "count",
    *,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    workers: int | None = None,
) -> Score:
    """Score a parsed corpus. Without `gold`, the treebanks that were parsed are the gold trees.

    `gold` may be another corpus with the same parts, or a treebank. A treebank is read here and handed out
    part by part; the other parameters are those of `spindle.evaluate`.
    """
    parts = _parts(folder)
    golds = _gold_parts(folder, gold, parts)
    if scheme is None:
        first = chain.from_iterable(_entries(one) for one in golds)
        (scheme, _), entries = choose_scheme(first)
        if not isinstance(golds, list):  # the choice has taken some of them
            golds = _slices(folder, entries)
    settings: dict[str, Any] = {
        "scheme": scheme,
        "params": params,
        "cutoff": cutoff,
        "disc_only": disc_only,
        "missing": missing,
    }
    shards = (
        Shard(number, part, {"gold": one, "settings": settings})
        for number, (part, one) in enumerate(zip(parts, golds, strict=True))
    )
    sentences, breakdown, number = [], Breakdown(), 0
    for scored, errors in _sum(score_shard, shards, engine, scheduler, workers):
        sentences += [one._replace(number=number + one.number) for one in scored]
        number += max((one.number for one in scored), default=0)
        breakdown = breakdown + errors
    return Score(make_settings(**settings), tuple(sentences), breakdown)


def _gold_parts(
    folder: str | Path, gold: str | Path | Iterable[Entry[Tree]] | None, parts: list[Source]
) -> Iterable[Any]:
    """Return the gold trees of every part: sources, or lists of entries."""
    if gold is None:
        return _parsed_treebanks(folder)
    if not isinstance(gold, str | Path):
        return _slices(folder, iter(gold))
    others = corpus_parts(gold)
    if others is None:
        return _slices(folder, iter(read_entries(gold)))
    if len(others) != len(parts):
        raise CorpusError(f"{gold} has {len(others)} parts, and {folder} has {len(parts)}")
    return [[one] for one in others]


def _parsed_treebanks(folder: str | Path) -> list[list[Source]]:
    """Return the files that every part was made of, which must be whole treebanks."""
    found = []
    for number, inputs in Manifest.read(folder).inputs.items():
        if not all(isinstance(name, str) and Path(name).is_file() for name, _, _ in inputs):
            raise CorpusError(f"part {number}: its treebank is not there", hint="name the gold trees")
        if any(start != 0 or Path(name).stat().st_size != end for name, start, end in inputs):
            raise CorpusError(f"part {number} was parsed from a part of a file", hint="name the gold trees")
        found.append([Source(name) for name, _, _ in inputs])
    return found


def _slices(folder: str | Path, entries: Iterator[Entry[Tree]]) -> Iterator[list[Entry[Tree]]]:
    """Yield as many gold trees as every part has sentences."""
    records = Manifest.read(folder).records
    for number in sorted(records):
        found = list(islice(entries, records[number].sentences))
        if len(found) < records[number].sentences:
            raise CorpusError(f"there are fewer gold trees than sentences in part {number}")
        yield found
    if next(entries, None) is not None:
        raise CorpusError("there are more gold trees than sentences in the corpus")


def _entries(gold: list[Any]) -> Iterator[Entry[Tree]]:
    return read_entries(gold) if gold and isinstance(gold[0], Source) else iter(gold)


def score_shard(shard: Shard, on_tokens: object = None) -> Summed | Failure:
    """Score a part."""
    return _attempt(shard, _score)


def _score(shard: Shard) -> tuple[Any, Breakdown]:
    pairs = pair_entries(_entries(shard.options["gold"]), read_entries([shard.part]))
    score = score_pairs(pairs, make_settings(**shard.options["settings"]))
    return score.sentences, score.breakdown
