"""Queries over trees in the language of tgrep2 and Tregex, which `docs/search.md` defines.

`spindle.search` is this package, and `spindle.search(pattern, trees)` calls `search_trees`.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from spindle.heads import HeadRules
from spindle.search.compiled import CompiledPattern, compile_pattern
from spindle.search.index import TreebankIndex, write_index
from spindle.search.loaded import LoadedTrees
from spindle.search.matches import Match, TreeMatches, Vertex
from spindle.search.searcher import Searcher, search_trees, select
from spindle.trees import DTree, Tree

__all__ = [
    "CompiledPattern",
    "LoadedTrees",
    "Match",
    "Searcher",
    "TreeMatches",
    "TreebankIndex",
    "Vertex",
    "compile_pattern",
    "search_trees",
    "select",
    "write_index",
]


class _CallableModule(ModuleType):
    """The type of this module: importing it sets `spindle.search`, which users call as a function."""

    def __call__(
        self,
        pattern: str,
        trees: str | Path | Iterable[Tree | DTree],
        *,
        heads: HeadRules | str | None = None,
        threads: int | None = None,
        use_index: bool = True,
    ) -> Iterator[Match]:
        """Yield all matches of a pattern in trees, d-trees, or a treebank file; see `search_trees`."""
        return search_trees(pattern, trees, heads=heads, threads=threads, use_index=use_index)


sys.modules[__name__].__class__ = _CallableModule
