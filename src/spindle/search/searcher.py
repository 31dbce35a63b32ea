"""Searching trees for a pattern: trees go to the core in batches, results come back in order."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from spindle.errors import UnusableIndex, WrongType
from spindle.heads import SAMPLE_TREES, HeadRules, guess_rules
from spindle.search.compiled import CompiledPattern, compile_pattern
from spindle.search.index import TreebankIndex, usable_index
from spindle.search.loaded import LoadedTrees
from spindle.search.matches import Match, TreeMatches
from spindle.search.reading import Item, as_trees, has_dependencies, headed, read_dtrees, read_items
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.files import sources
from spindle.trees import DTree, Tree

Selected = TypeVar("Selected")
Prepare = Callable[[Iterator[Tree]], Iterable[Item]]
"""A change of trees that keeps their number, such as finding heads."""

_logger = logging.getLogger(__name__)


def search_trees(
    pattern: str,
    trees: str | Path | Iterable[Tree | DTree],
    *,
    heads: HeadRules | str | None = None,
    threads: int | None = None,
    use_index: bool = True,
) -> Iterator[Match]:
    """Yield all matches of a pattern in trees, d-trees, or a treebank file, in order.

    `docs/search.md` defines the language of patterns. Patterns that use heads find them with the rules
    `heads`, which are guessed unless they are given; trees with heads keep theirs. A file that has an index
    (`spindle.search.write_index`) is searched with it, unless `use_index` is false.

        >>> from spindle.trees import Tree
        >>> tree = Tree.from_string("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
        >>> [(match.vertex.label, match.vertex.words) for match in search_trees("NP < NN $. VP", [tree])]
        [('NP', ('the', 'cat'))]
        >>> [match.names["w"][0].label for match in search_trees("__ < NN|VBZ=w", [tree])]
        ['NN', 'VBZ']
    """
    searcher = Searcher(compile_pattern(pattern), collects_names=True, threads=threads)
    for found in _find(searcher, trees, heads, use_index):
        yield from found.matches


def select(
    pattern: str, items: Iterable[Selected], tree_of: Callable[[Selected], Tree | DTree]
) -> Iterator[Selected]:
    """Yield the items whose tree has a match; heads are guessed if the pattern uses them."""
    searcher = Searcher(pattern)
    waiting: deque[Selected] = deque()  # those of the current batch and later
    dropped = 0

    def trees() -> Iterator[Tree | DTree]:
        nonlocal dropped
        for item in items:
            while dropped < searcher.trees:
                waiting.popleft()
                dropped += 1
            waiting.append(item)
            yield tree_of(item)

    for found in searcher.find(headed(as_trees(trees())) if searcher.pattern.uses_heads else trees()):
        yield waiting[found.number - 1 - dropped]


def _find(
    searcher: Searcher,
    trees: str | Path | Iterable[Tree | DTree],
    heads: HeadRules | str | None,
    use_index: bool,
) -> Iterator[TreeMatches]:
    uses_heads = searcher.pattern.uses_heads
    if isinstance(trees, Tree | DTree):
        raise WrongType("a search needs several trees", hint="put the tree into a list")
    if not isinstance(trees, str | Path):
        yield from searcher.find(headed(as_trees(trees), heads) if uses_heads else trees)
        return
    for source in sources(trees):
        index = usable_index(source, None, "stop", _logger.warning) if use_index else None
        found = None
        if index is not None:
            try:
                found = searcher.find_in(index, _finding_heads(index, heads) if uses_heads else None)
            except UnusableIndex as error:
                _logger.warning("%s; searching without it", error)
        yield from found or searcher.find(_items(source, uses_heads, heads))


def _items(source: Source, uses_heads: bool, heads: HeadRules | str | None) -> Iterable[Item]:
    report = ReadingReport()
    items: Iterable[Item]
    if has_dependencies(source, None):
        items = read_dtrees(source, None, "stop", report)
    else:
        items = read_items(source, None, "stop", report)
    return headed(as_trees(items), heads) if uses_heads else items


def _finding_heads(index: TreebankIndex, heads: HeadRules | str | None) -> Prepare:
    """Return the function that finds heads; rules are guessed from the first trees, as without an index."""

    def prepare(trees: Iterator[Tree]) -> Iterator[Tree]:
        return headed(trees, heads or guess_rules(list(as_trees(islice(index.trees(), SAMPLE_TREES)))).name)

    return prepare


class Searcher:
    """Searches any number of files for one pattern.

    With `collects_names`, every match has the vertices of its names; without, the search stops earlier.
    `trees` counts the trees that have been searched.
    """

    def __init__(
        self, pattern: CompiledPattern | str, *, collects_names: bool = False, threads: int | None = None
    ) -> None:
        self.pattern = compile_pattern(pattern) if isinstance(pattern, str) else pattern
        self.trees = 0
        self._collects_names = collects_names
        self._loaded = LoadedTrees(threads=threads)
        self._core = self.pattern.searcher(self._loaded.store, collects_names)

    def find(self, items: Iterable[Item]) -> Iterator[TreeMatches]:
        """Yield the trees with matches, in order; numbers count from 1 in every call.

        An error of the input is raised after the matches before it.
        """
        number = 0
        for _ in self._loaded.batches(items):
            yield from self._loaded.find(self.pattern, self._core, number)
            number += len(self._loaded)
            self.trees += len(self._loaded)

    def find_in(
        self, index: TreebankIndex, prepare: Prepare | None = None, *, as_dtrees: bool = False
    ) -> Iterator[TreeMatches]:
        """Return an iterator over the trees of an index with matches, in order; numbers count from 1.

        `prepare` changes the trees before they are searched; with `as_dtrees`, into d-trees. Raises an
        `UnusableIndex`, before there is any match, if what the search needs is damaged.
        """
        query = index.query(self.pattern, collects_names=self._collects_names, as_dtrees=as_dtrees)
        if prepare is None:
            return self._counted(query.find(self._loaded.threads), len(index))
        candidates = query.candidates
        prepared = prepare(as_trees(map(index.tree, candidates)))
        found = (replace(one, number=candidates[one.number - 1] + 1) for one in self.find(prepared))
        return self._counted(found, len(index) - len(candidates))

    def _counted(self, found: Iterator[TreeMatches], more: int) -> Iterator[TreeMatches]:
        """Yield what was found in an index, and count more trees as searched."""
        yield from found
        self.trees += more
