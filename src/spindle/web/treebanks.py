"""The treebanks that are open: files named when the server was started, and those that a page has sent.

What a page sends stays in memory. Searches run in a process of their own, where a regular expression that
takes too long can be stopped.
"""

from __future__ import annotations

import multiprocessing
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from spindle.errors import SpindleError
from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.reduction.statistics import Statistics
from spindle.search import LoadedTrees, compile_pattern
from spindle.search.reading import headed
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.files import read_trees
from spindle.trees import Tree
from spindle.web.reading import Refusal, shown
from spindle.web.worker import start_worker


@dataclass(eq=False)
class OpenTreebank:
    """A treebank in memory, with heads."""

    id: str
    name: str
    trees: list[Tree]
    head_rules: str
    skipped: int = 0
    """The number of malformed sentences that were left out."""
    keeps_open: bool = False
    _lock: Lock = field(default_factory=Lock)

    def to_dict(self) -> dict[str, Any]:
        """Return what clients need to know of the treebank."""
        return {
            "id": self.id,
            "name": self.name,
            "trees": len(self.trees),
            "skipped": self.skipped,
            "head_rules": self.head_rules,
        }

    @cached_property
    def statistics(self) -> dict[str, Any]:
        """The figures of `spindle stats`."""
        found = Statistics()
        for tree in self.trees:
            found.add(tree)
        return found.to_dict()


class Treebanks:
    """The open treebanks by id; of those that pages have sent only the last `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._by_id: OrderedDict[str, OpenTreebank] = OrderedDict()
        self._numbers = count(1)
        self._lock = Lock()
        self._searches: ProcessPoolExecutor | None = None

    def __iter__(self) -> Iterator[OpenTreebank]:
        with self._lock:
            return iter(list(self._by_id.values()))

    def __getitem__(self, id: str) -> OpenTreebank:
        with self._lock:
            if id not in self._by_id:
                raise Refusal(404, f"no treebank {shown(id)} is open; open the file again")
            return self._by_id[id]

    def open_files(self, names: Iterable[str]) -> None:
        """Read files, or folders of files; they stay open."""
        for name in names:
            self._add(Path(name).name, read_trees(name), ReadingReport(), keeps_open=True)

    def open_text(self, name: str, data: bytes) -> OpenTreebank:
        """Read a treebank that was sent; malformed sentences are left out and counted."""
        report = ReadingReport()
        trees = read_trees([Source.from_bytes(data, name)], on_error="skip", report=report)
        return self._add(name, trees, report)

    def add_trees(self, name: str, trees: Iterable[Tree]) -> OpenTreebank:
        """Open trees that were made here."""
        return self._add(name, trees, ReadingReport())

    def _add(
        self, name: str, trees: Iterable[Tree], report: ReadingReport, keeps_open: bool = False
    ) -> OpenTreebank:
        found = list(trees)
        if not found:
            raise SpindleError(f"{shown(name)} has no trees")
        rules = guess_rules(found).name
        finder = HeadFinder(load_rules(rules))
        found = [tree if tree.heads is not None else finder(tree) for tree in found]
        with self._lock:
            skipped = report.counts.total()
            added = OpenTreebank(str(next(self._numbers)), name, found, rules, skipped, keeps_open)
            self._by_id[added.id] = added
            sent = [one for one in self._by_id.values() if not one.keeps_open]
            for old in sent[: max(0, len(sent) - self._limit)]:
                del self._by_id[old.id]
        return added

    def search(self, treebank: OpenTreebank, pattern: str, limit: int) -> dict[str, Any]:
        """Search a treebank; the trees go to the searching process once."""
        with treebank._lock:  # so that trees are sent once
            try:
                found = self._in_process(_search_known, treebank.id, pattern, limit)
                if found is None:
                    found = self._in_process(_search_new, treebank.id, treebank.trees, pattern, limit)
            except BrokenProcessPool:
                with self._lock:
                    self._searches = None
                raise Refusal(503, "the search has failed; try again", {"Retry-After": "1"}) from None
        assert isinstance(found, dict)
        return found

    def search_trees(self, trees: list[Tree], pattern: str, limit: int) -> dict[str, Any]:
        """Search trees that are not kept."""
        found = self._in_process(_search_new, "", trees, pattern, limit)
        assert isinstance(found, dict)
        return found

    def _in_process(self, function: Any, *args: Any) -> Any:
        with self._lock:
            if self._searches is None:
                context = multiprocessing.get_context("spawn")
                self._searches = ProcessPoolExecutor(1, context, initializer=start_worker)
        return self._searches.submit(function, *args).result()

    def close(self) -> None:
        """Stop the searching process."""
        if self._searches is not None:
            self._searches.shutdown(cancel_futures=True)


# ── in the searching process ─────────────────────────────────────────────────────────────────────────

KEPT = 16
"""The number of treebanks that the searching process keeps."""
_loaded: OrderedDict[str, tuple[list[Tree], LoadedTrees]] = OrderedDict()


def _search_known(id: str, pattern: str, limit: int) -> dict[str, Any] | None:
    compile_pattern(pattern)  # an error in the pattern comes before the trees are sent
    if id not in _loaded:
        return None
    _loaded.move_to_end(id)
    return _search(*_loaded[id], pattern, limit)


def _search_new(id: str, trees: list[Tree], pattern: str, limit: int) -> dict[str, Any]:
    loaded = LoadedTrees(headed(trees))
    if id:
        _loaded[id] = trees, loaded
        while len(_loaded) > KEPT:
            _loaded.popitem(last=False)
    return _search(trees, loaded, pattern, limit)


def _search(trees: list[Tree], loaded: LoadedTrees, pattern: str, limit: int) -> dict[str, Any]:
    """Return the numbers of matches and trees, the numbers of all those trees, and the first hits."""
    compiled = compile_pattern(pattern)
    hits: list[dict[str, Any]] = []
    matches = 0
    numbers: list[int] = []
    for found in loaded.find(compiled, compiled.searcher(loaded.store, collects_names=True)):
        matches += len(found.codes)
        numbers.append(found.number)
        for match in found.matches[: max(0, limit - len(hits))]:
            names = {name: [one.to_dict() for one in vertices] for name, vertices in match.names.items()}
            hit = {"number": found.number, "id": found.id, "node": match.vertex.number}
            hits.append({**hit, **match.vertex.to_dict(), "names": names})
    return {
        "pattern": pattern,
        "matches": matches,
        "trees": len(numbers),
        "searched": len(trees),
        "numbers": numbers,
        "hits": hits,
    }
