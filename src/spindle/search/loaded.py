"""Trees in the core, ready to be searched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from spindle import _core
from spindle.errors import PatternError, WrongType
from spindle.search.compiled import CompiledPattern, compile_pattern
from spindle.search.matches import Match, TreeMatches
from spindle.search.reading import BracketText, Item
from spindle.treebanks.bracket import parse_bracket
from spindle.trees import DTree, Tree

BATCH = 512
"""The number of trees that the core gets together."""


@dataclass(frozen=True)
class Entry:
    """A tree: its number in the core; the tree, unless it is still text; and how to get it."""

    number: int
    tree: Tree | DTree | None
    make_tree: Callable[[], Tree | DTree]


class LoadedTrees:
    """Trees that were copied to the core once and can be searched for any number of patterns.

    >>> from spindle.trees import Tree
    >>> loaded = LoadedTrees([Tree.from_string("(S (NP (NN cat)) (VP (VBZ sleeps)))")])
    >>> [match.vertex.label for pattern in ("S < NP", "NN . __") for match in loaded.search(pattern)]
    ['S', 'NN']
    """

    def __init__(self, items: Iterable[Item] = (), *, threads: int | None = None) -> None:
        self.store = _core.TreeStore()
        self.threads = threads or os.cpu_count() or 1
        self.entries: list[Entry] = []
        if (failure := self.add(list(items))) is not None:
            raise failure

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, items: list[Item]) -> Exception | None:
        """Add trees; returns the error of the input that ended it."""
        texts = [item.text for item in items if isinstance(item, BracketText)]
        first = len(self.store)
        is_tree = self.store.add_texts(texts, self.threads) if texts else []
        read = iter(is_tree)
        try:
            for item in items:
                if not isinstance(item, BracketText):
                    self._add_tree(item)
                    continue
                number = first if next(read) else -1
                first += number != -1
                if number != -1 and item.is_plain:
                    item.skip()
                    self.entries.append(Entry(number, None, _tree_of(item)))
                else:
                    for tree in item.trees():
                        self._add_tree(tree)
        except Exception as error:
            return error
        return None

    def batches(self, items: Iterable[Item]) -> Iterator[None]:
        """Load items batch by batch: after every step, the trees are those of the next batch.

        An error of the input is raised after the trees before it.
        """
        iterator = iter(items)
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
            failure = self.add(batch) or failure
            yield
            self.clear()
        if failure is not None:
            raise failure

    def clear(self) -> None:
        """Remove all trees."""
        self.store.clear()
        self.entries.clear()

    def search(self, pattern: str | CompiledPattern) -> Iterator[Match]:
        """Yield all matches of a pattern, in order. Patterns that use heads need trees with heads."""
        compiled = compile_pattern(pattern) if isinstance(pattern, str) else pattern
        for found in self.find(compiled, compiled.searcher(self.store, collects_names=True)):
            yield from found.matches

    def find(
        self, pattern: CompiledPattern, searcher: _core.TreeSearcher, before: int = 0
    ) -> Iterator[TreeMatches]:
        """Yield the trees with matches; their numbers count from `before` + 1."""
        pattern.evaluate(searcher)
        found = {one[0]: one for one in searcher.find(self.threads)}
        if not found:
            return
        for number, entry in enumerate(self.entries, start=before + 1):
            if (one := found.get(entry.number)) is not None:
                yield tree_matches(pattern, one, number, entry.make_tree)

    def _add_tree(self, tree: Tree | DTree) -> None:
        number = len(self.store)
        if isinstance(tree, Tree):
            columns = tree.labels, tree.parents, tree.leaf_parents, tree.functions, tree.heads
            self.store.add_tree(tree.tokens, *columns)
        elif isinstance(tree, DTree):
            self.store.add_dtree(tree.tokens, tree.heads, tree.symbols, tree.events)
        else:
            raise WrongType(f"cannot search {type(tree).__name__}", hint="give trees or d-trees")
        self.entries.append(Entry(number, tree, lambda: tree))


def tree_matches(
    pattern: CompiledPattern, found: _core.FoundInTree, number: int, make_tree: Callable[[], Tree | DTree]
) -> TreeMatches:
    """Return what the core has found in a tree; raises a `PatternError` if that would take too long."""
    _, codes, named = found
    if codes is None:
        name = make_tree().id or str(number)
        hint = "use fewer names, or relations that fewer vertices have"
        raise PatternError(f"the pattern takes too long for sentence {name}", hint=hint)
    return TreeMatches(number, codes, pattern.names, named, make_tree)


def _tree_of(item: BracketText) -> Callable[[], Tree]:
    """Return a function that parses a text that is one tree."""
    return lambda: parse_bracket(item.text)
