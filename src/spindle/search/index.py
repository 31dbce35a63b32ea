"""The index of a treebank: a file beside it, with which rare things are found without reading it all.

An index has the trees themselves in a compact form, and for every label, tag, word, lemma, morphology and
function the numbers of the trees that have it. A search decodes only the trees that have what every match
needs. `core/search/index_format.hpp` describes the file, which is mapped into memory. Every block of it has a
checksum, which is verified before the block is used: a search verifies all that it needs before it
yields its first match.

An index belongs to one state of its treebank. It is used only if the treebank still has the size, the time of
change and the sampled bytes that it had, or the same bytes altogether.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, Self

from spindle import __version__, _core
from spindle.errors import SpindleError, TreebankError, UnusableIndex
from spindle.models.schema import items, nullable, record, table, text, whole
from spindle.search.compiled import CompiledPattern
from spindle.search.loaded import LoadedTrees, tree_matches
from spindle.search.matches import TreeMatches
from spindle.search.reading import Item, has_dependencies, read_dtrees, read_items
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.files import INDEX_SUFFIX, SKIPPED, OnError
from spindle.treebanks.formats import guess_format
from spindle.treebanks.source import open_binary_output
from spindle.trees import DTree, Token, Tree
from spindle.trees.tree import SecondaryEdge

BATCH = 4096
"""The number of trees of an index that are searched before their matches are yielded."""
_SAMPLES, _SAMPLE_BYTES = 64, 4096
_CHUNK = 1 << 20
_AGAIN = "make it again with `spindle index`"
_TEXT = text(1 << 30)
_META = record(
    {
        "source": record({"size": whole(0), "changed": whole(), "samples": _TEXT, "content": _TEXT}),
        "format": _TEXT,
        "text_encoding": nullable(_TEXT),
        "remarks": table(whole(0)),
        "spindle": _TEXT,
    }
)


def _edge(value: Any, place: str) -> None:
    """Check a part of a secondary edge: its label, or the number of a vertex."""
    (_TEXT if isinstance(value, str) else whole(0, 1 << 31))(value, place)


_DETAILS = record(
    {}, {"id": _TEXT, "comments": items(_TEXT), "secondary": items(items(_edge, 3, 3)), "edges": items(_TEXT)}
)


@dataclass(frozen=True)
class Fingerprint:
    """How a file is recognised: its size, its time of change, and checksums of samples and of all bytes."""

    size: int
    changed: int
    samples: str
    content: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read a whole file."""
        status = path.stat()
        digest = hashlib.blake2b(digest_size=16)
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return cls(status.st_size, status.st_mtime_ns, _sampled(path, status.st_size), digest.hexdigest())

    def difference(self, path: Path) -> str:
        """Return how a file differs from the one of this fingerprint; nothing if it is the same."""
        status = path.stat()
        if status.st_size != self.size:
            return f"has {status.st_size:,} bytes instead of {self.size:,}"
        if _sampled(path, status.st_size) != self.samples:
            return "has changed"
        if status.st_mtime_ns != self.changed and Fingerprint.of(path).content != self.content:
            return "has changed"
        return ""


def _sampled(path: Path, size: int) -> str:
    """Return a checksum of bytes from everywhere in a file."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        for number in range(_SAMPLES):
            file.seek(max(0, size - _SAMPLE_BYTES) * number // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


@dataclass(frozen=True)
class IndexMeta:
    """What an index says about itself: the file that it is of, and how that was read."""

    source: Fingerprint
    format: str
    text_encoding: str | None
    remarks: dict[str, int] = field(default_factory=dict)
    """What the reader remarked, with counts."""
    spindle: str = __version__

    def to_bytes(self) -> bytes:
        """Return the JSON of it."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote."""
        found = json.loads(data)
        _META(found, "the description")
        return cls(**{**found, "source": Fingerprint(**found["source"])})


def index_path(name: str | Path) -> Path:
    """Return the path of the index of a file."""
    return Path(f"{name}{INDEX_SUFFIX}")


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


class TreebankIndex:
    """An open index. All functions raise `UnusableIndex` if what they need is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise UnusableIndex(f"{path} cannot be read: {error.strerror or error}") from None
        except ValueError:
            raise UnusableIndex(f"{path} is empty", hint=_AGAIN) from None
        with self.naming_damage():
            self.core = _core.TreeIndex(mapped)
            self.meta = IndexMeta.from_bytes(self.core.meta())
            self.store = _core.TreeStore()
            self.core.fill(self.store)
            self._reader = _core.IndexReader(self.core, self.store)

    def __len__(self) -> int:
        return self.core.trees

    def check_source(self, name: str | Path) -> None:
        """Raise an `UnusableIndex` if the treebank is not in the state that the index was made of."""
        if difference := self.meta.source.difference(Path(name)):
            raise UnusableIndex(f"{self.path} is out of date: {name} {difference}", hint=_AGAIN)

    def verify(self) -> None:
        """Verify all checksums, and read all trees."""
        with self.naming_damage():
            self.core.verify()
        for _ in self.trees():
            pass

    def trees(self) -> Iterator[Tree | DTree]:
        """Yield all trees."""
        return map(self.tree, range(len(self)))

    def tree(self, number: int) -> Tree | DTree:
        """Return a tree; numbers count from 0."""
        with self.naming_damage():
            details, strings, *columns = self._reader.read(number)
            more = json.loads(details) if details else {}
            _DETAILS(more, "the rest of a tree")
            more["comments"] = tuple(more.get("comments", ()))
            if len(columns) == 2:
                heads, events = columns
                *of_tokens, symbols = strings
                functions = more.pop("edges", None) or repeat("")
                tokens = tuple(map(Token, *of_tokens, functions))
                return DTree(tokens, heads, symbols, events, **more)
            labels, parents, leaf_parents, functions, heads = columns
            more["secondary"] = tuple([SecondaryEdge(*edge) for edge in more.get("secondary", ())])
            tokens = tuple(map(Token, *strings))
            return Tree(tokens, labels, parents, leaf_parents, functions, heads=heads, **more)

    def query(
        self, pattern: CompiledPattern, *, collects_names: bool = False, as_dtrees: bool = False
    ) -> IndexQuery:
        """Return the search for a pattern; with `as_dtrees`, in the d-trees of the constituent trees."""
        searcher = pattern.searcher(self.store, collects_names)
        try:
            pattern.evaluate(searcher)
        except UnicodeDecodeError as error:
            raise UnusableIndex(f"{self.path} has a string that is not UTF-8: {error}", hint=_AGAIN) from None
        with self.naming_damage():
            candidates = memoryview(searcher.candidates(self.core, as_dtrees)).cast("I")
        return IndexQuery(self, pattern, searcher, candidates)

    @contextmanager
    def naming_damage(self) -> Iterator[None]:
        """Turn errors of what is damaged into `UnusableIndex`."""
        try:
            yield
        except _core.BadIndex as error:
            raise UnusableIndex(f"{self.path} cannot be used: {error}", hint=_AGAIN) from None
        except UnusableIndex:
            raise
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError, SpindleError) as error:
            # Its checksums are right, so it was not made by `spindle index`.
            raise UnusableIndex(f"{self.path} is not the index of a treebank: {error}", hint=_AGAIN) from None


@dataclass(frozen=True)
class IndexQuery:
    """A search in an index. All that it needs was verified before it was made."""

    index: TreebankIndex
    pattern: CompiledPattern
    searcher: _core.TreeSearcher
    candidates: memoryview
    """The numbers of the trees that may match, from 0."""

    def find(self, threads: int) -> Iterator[TreeMatches]:
        """Yield the trees with matches, in order; their numbers count from 1."""
        for start in range(0, len(self.candidates), BATCH):
            with self.index.naming_damage():
                some = self.candidates[start : start + BATCH]
                found = self.searcher.find_in_index(self.index.core, some, threads)
            for one in found:
                yield tree_matches(self.pattern, one, one[0] + 1, partial(self.index.tree, one[0]))


def usable_index(
    source: Source,
    format: str | None,
    on_error: OnError,
    say: Callable[[str], None],
) -> TreebankIndex | None:
    """Return the index beside a file, unless there is none or it does not fit; `say` is told why not."""
    path = index_path(source.name)
    if source.name == "-" or not path.is_file() or not Path(source.name).is_file():
        return None
    try:
        index = TreebankIndex(path)
        index.check_source(source.name)
    except UnusableIndex as error:
        say(f"{error}; searching without it")
        return None
    meta = index.meta
    if format not in (None, meta.format) or source.text_encoding not in (None, meta.text_encoding):
        say(f"{path} was made with another format or text encoding; searching without it")
        return None
    if meta.remarks.get(SKIPPED) and on_error == "stop":
        say(f"{path} leaves out malformed sentences; searching without it")
        return None
    return index


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_index(
    source: Source,
    format: str | None = None,
    on_error: OnError = "stop",
    *,
    report: ReadingReport | None = None,
    threads: int | None = None,
    progress: Callable[[Iterable[Item], list[Source]], Iterator[Item]] | None = None,
) -> TreebankIndex:
    """Write the index of a file beside it, and return it. It appears when it is complete.

    Malformed sentences raise a `TreebankError`; with `on_error="skip"` they are left out.
    """
    path = Path(source.name)
    if source.name == "-" or not path.is_file():
        hint = "save it to a file first" if source.name == "-" or path.exists() else ""
        raise TreebankError("only a file can have an index", file=source.name, hint=hint)
    if index_path(path).is_symlink():
        raise TreebankError(
            "this is a link, and what it leads to is not overwritten",
            file=str(index_path(path)),
            hint="remove it",
        )
    report = report or ReadingReport()
    format = format or guess_format(source)
    fingerprint = Fingerprint.of(path)
    items: Iterable[Item]
    if has_dependencies(source, format):
        items = read_dtrees(source, format, on_error, report)
    else:
        items = read_items(source, format, on_error, report)
    loaded, writer = LoadedTrees(threads=threads), _core.IndexWriter()
    with open_binary_output(str(index_path(path))) as file:
        for _ in loaded.batches(progress(items, [source]) if progress else items):
            for entry in loaded.entries:
                writer.add(loaded.store, entry.number, _details(entry.tree) if entry.tree else b"")
            file.write(writer.take())
        if Fingerprint.of(path) != fingerprint:
            raise TreebankError("the file has changed while it was read", file=source.name)
        meta = IndexMeta(fingerprint, format, source.text_encoding, dict(report.counts))
        writer.finish(loaded.store, meta.to_bytes())
        file.write(writer.take())
    return TreebankIndex(index_path(path))


def _details(tree: Tree | DTree) -> bytes:
    """Return as JSON what the columns of a tree do not say; nothing if that is all."""
    found: dict[str, Any] = {}
    if tree.id:
        found["id"] = tree.id
    if tree.comments:
        found["comments"] = tree.comments
    if isinstance(tree, Tree) and tree.secondary:
        found["secondary"] = tree.secondary
    if isinstance(tree, DTree) and any(token.function for token in tree.tokens):
        found["edges"] = [token.function for token in tree.tokens]
    return json.dumps(found).encode() if found else b""
