"""Searching trees for a pattern: trees go to the core in batches, results come back in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from spindle.errors import WrongType
from spindle.heads import HeadRules
from spindle.search.compiled import CompiledPattern, compile_pattern
from spindle.search.loaded import LoadedTrees
from spindle.search.matches import Match, TreeMatches
from spindle.search.reading import Item, as_trees, headed, read_items
from spindle.treebanks import ReadingReport
from spindle.treebanks.files import sources
from spindle.trees import DTree, Tree

Selected = TypeVar("Selected")

BATCH = 512
"""The number of trees that the core gets together."""


def search_trees(
    pattern: str,
    trees: str | Path | Iterable[Tree | DTree],
    *,
    heads: HeadRules | str | None = None,
    threads: int | None = None,
) -> Iterator[Match]:
    """Yield all matches of a pattern in trees, d-trees, or a treebank file, in order.

    `docs/search.md` defines the language of patterns. Patterns that use heads find them with the rules
    `heads`, which are guessed unless they are given; trees with heads keep theirs.

        >>> from spindle.trees import Tree
        >>> tree = Tree.from_string("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
        >>> [(match.vertex.label, match.vertex.words) for match in search_trees("NP < NN $. VP", [tree])]
        [('NP', ('the', 'cat'))]
        >>> [match.names["w"][0].label for match in search_trees("__ < NN|VBZ=w", [tree])]
        ['NN', 'VBZ']
    """
    searcher = Searcher(compile_pattern(pattern), collects_names=True, threads=threads)
    for found in _all_items(searcher.pattern, trees, heads, searcher.find):
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


def _all_items(
    pattern: CompiledPattern,
    trees: str | Path | Iterable[Tree | DTree],
    heads: HeadRules | str | None,
    find: Callable[[Iterable[Item]], Iterator[TreeMatches]],
) -> Iterator[TreeMatches]:
    if isinstance(trees, str | Path):
        for source in sources(trees):
            items: Iterable[Item] = read_items(source, None, "stop", ReadingReport())
            yield from find(headed(as_trees(items), heads) if pattern.uses_heads else items)
    elif isinstance(trees, Tree | DTree):
        raise WrongType("a search needs several trees", hint="put the tree into a list")
    else:
        yield from find(headed(as_trees(trees), heads) if pattern.uses_heads else trees)


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
        self._loaded = LoadedTrees(threads=threads)
        self._core = self.pattern.searcher(self._loaded.store, collects_names)

    def find(self, items: Iterable[Item]) -> Iterator[TreeMatches]:
        """Yield the trees with matches, in order; numbers count from 1 in every call.

        An error of the input is raised after the matches before it.
        """
        iterator = iter(items)
        number = 0
        failure: Exception | None = None
        while failure is None:
            batch: list[Item] = []
            try:
                for item in iterator:
                    batch.append(item)
                    if len(batch) == BATCH:
                        break
            except Exception as error:
                failure = error
            if not batch:
                break
            failure = self._loaded.add(batch) or failure
            yield from self._loaded.find(self.pattern, self._core, number)
            number += len(self._loaded)
            self.trees += len(self._loaded)
            self._loaded.clear()
        if failure is not None:
            raise failure
