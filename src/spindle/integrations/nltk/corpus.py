"""Treebanks in any format as an NLTK corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from nltk.collections import AbstractLazySequence
from nltk.corpus.reader.api import CorpusReader
from nltk.data import FileSystemPathPointer
from nltk.tag import map_tag

from spindle.errors import SpindleError
from spindle.treebanks import ReadingReport, Source, read_trees
from spindle.treebanks.files import OnError
from spindle.trees import Tree


class TreebankReader(CorpusReader):  # type: ignore[misc]
    """Reads treebanks of all formats, compressed or not, with the methods of NLTK's treebank readers.

    `root` is a folder or one file. NLTK reads only below the folders in `nltk.data.path`. `fileids` are the
    names of files below the folder, or a regular expression for them. `format` and `text_encoding` are
    guessed unless they are given. A malformed tree raises an error; with `on_error="skip"` it is counted in
    `report`.

    Sentences and words are lazy sequences: they are read one by one when they are used, and not kept. The
    leaves of discontinuous trees are words with their positions, such as `0=word`; words come in the order of
    the sentence.
    """

    def __init__(
        self,
        root: str | Path | Any,
        fileids: str | Iterable[str] = r"[^.].*",
        format: str | None = None,
        text_encoding: str | None = None,
        *,
        tagset: str | None = None,
        on_error: OnError = "stop",
        report: ReadingReport | None = None,
    ) -> None:
        if isinstance(root, str | Path):
            root = Path(root)
            if root.is_file():
                root, fileids = root.parent, [root.name]
            root = str(root)
        names = fileids if isinstance(fileids, str) else list(fileids)
        try:
            super().__init__(root, names, text_encoding or "utf8", tagset)
        except PermissionError:
            hint = f"allow this folder with `nltk.data.path.append({str(root)!r})`"
            raise SpindleError(f"{root}: NLTK reads only below the folders of its list", hint=hint) from None
        self._format, self._text_encoding = format, text_encoding
        self._on_error, self._report = on_error, report or ReadingReport()

    def trees(self, fileids: str | Iterable[str] | None = None) -> LazyTrees:
        """Return the trees as `spindle.Tree`s."""
        return self._view(fileids, lambda tree: [tree])

    def parsed_sents(self, fileids: str | Iterable[str] | None = None) -> LazyTrees:
        """Return the trees as `nltk.Tree`s."""
        return self._view(fileids, lambda tree: [tree.to_nltk()])

    def sents(self, fileids: str | Iterable[str] | None = None) -> LazyTrees:
        """Return the sentences as lists of words."""
        return self._view(fileids, lambda tree: [[token.form for token in tree.tokens]])

    def tagged_sents(
        self, fileids: str | Iterable[str] | None = None, tagset: str | None = None
    ) -> LazyTrees:
        """Return the sentences as lists of pairs of word and tag."""
        return self._view(fileids, lambda tree: [self._tagged(tree, tagset)])

    def words(self, fileids: str | Iterable[str] | None = None) -> LazyTrees:
        """Return the words."""
        return self._view(fileids, lambda tree: [token.form for token in tree.tokens])

    def tagged_words(
        self, fileids: str | Iterable[str] | None = None, tagset: str | None = None
    ) -> LazyTrees:
        """Return the words as pairs of word and tag."""
        return self._view(fileids, lambda tree: self._tagged(tree, tagset))

    def _tagged(self, tree: Tree, tagset: str | None) -> list[tuple[str, str]]:
        pairs = [(token.form, token.tag) for token in tree.tokens]
        if tagset is None or tagset == self._tagset:
            return pairs
        return [(form, map_tag(self._tagset, tagset, tag)) for form, tag in pairs]

    def _view(self, fileids: str | Iterable[str] | None, items: Callable[[Tree], Iterable[Any]]) -> LazyTrees:
        if fileids is not None and not isinstance(fileids, str):
            fileids = list(fileids)
        paths = self.abspaths(fileids)
        return LazyTrees(lambda: self._read(paths), items)

    def _read(self, paths: Iterable[Any]) -> Iterator[Tree]:
        for path in paths:
            if isinstance(path, FileSystemPathPointer):
                source = Source(str(path), self._text_encoding)
            else:  # a file in an archive
                with path.open() as stream:
                    source = Source.from_bytes(stream.read(), str(path), self._text_encoding)
            yield from read_trees([source], self._format, None, self._on_error, self._report)


class LazyTrees(AbstractLazySequence):  # type: ignore[misc]
    """The items of the trees of files, which are read whenever the sequence is iterated over.

    Access by rising indices reads on where the last access has ended.
    """

    def __init__(self, read: Callable[[], Iterator[Tree]], items: Callable[[Tree], Iterable[Any]]) -> None:
        self._read, self._items = read, items
        self._length: int | None = None
        self._next = 0
        self._rest: Iterator[Any] = iter(())

    def __len__(self) -> int:
        if self._length is None:
            self._length = sum(1 for _ in self.iterate_from(0))
        return self._length

    def iterate_from(self, start: int) -> Iterator[Any]:
        """Return an iterator of the items from this number on."""
        return islice((item for tree in self._read() for item in self._items(tree)), start, None)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice) or index < 0:
            return super().__getitem__(index)
        if not 0 < self._next <= index:
            self._next, self._rest = 0, self.iterate_from(0)
        try:
            item = next(islice(self._rest, index - self._next, None))
        except StopIteration:
            self._next = 0
            raise IndexError("index out of range") from None
        self._next = index + 1
        return item
