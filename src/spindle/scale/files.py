"""The files of a corpus: found by paths, folders, globs and URLs, and read from any byte on."""

from __future__ import annotations

import glob
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from spindle.errors import SpindleError, UnreadableFile
from spindle.treebanks.compression import COMPRESSIONS, decompressed
from spindle.treebanks.files import natural_order, sources
from spindle.treebanks.source import SAMPLE_BYTES, Source

BLOCKS, BLOCK_BYTES = 16, 1 << 12
"""The places of a file that its digest looks at, beside its start and its end."""


def is_url(name: str) -> bool:
    """Return whether a name is a URL such as `s3://bucket/news.txt`, which fsspec opens."""
    return "://" in name


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        import fsspec
    except ImportError:
        hint = "install it with `pip install 'spindle-parser[urls]'`"
        raise SpindleError(f"{url}: fsspec, which opens URLs, is not installed", hint=hint) from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError, OSError) as error:
        raise UnreadableFile(str(error), file=url) from None
    return system, path


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus, by path or URL, with its size in bytes as it is stored."""

    name: str
    size: int

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file as it is stored; errors of the system are an `UnreadableFile`."""
        try:
            if is_url(self.name):
                system, path = file_system(self.name)
                stream: IO[bytes] = system.open(path, "rb")
            else:
                stream = open(self.name, "rb")
        except OSError as error:
            raise UnreadableFile(error.strerror or str(error), file=self.name) from error
        with stream:
            yield stream

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end`, or to the end of the file."""
        with self.opened() as stream:
            stream.seek(start)
            return stream.read(max(min(end, self.size) - start, 0))

    @cached_property
    def is_compressed(self) -> bool:
        """Whether the file starts like an archive, or is named like one."""
        start: io.BufferedReader = io.BufferedReader(cast("io.RawIOBase", io.BytesIO(self.read(0, 64))))
        return self.name.lower().endswith(COMPRESSIONS) or decompressed(start) is not start

    def source(self, text_encoding: str | None) -> Source:
        """Return the source of the whole file."""
        return (
            _RemoteSource(self.name, text_encoding) if is_url(self.name) else Source(self.name, text_encoding)
        )

    def digest(self) -> str:
        """Return a digest of samples of the file: its start, its end, and blocks at even distances.

        A file of terabytes cannot be read as a whole whenever a run is continued.
        """
        found = sha256()
        with self.opened() as stream:
            places = [(0, SAMPLE_BYTES), (max(self.size - SAMPLE_BYTES, 0), SAMPLE_BYTES)]
            if not is_url(self.name):  # every place of a remote file is a request
                places += [(self.size * number // BLOCKS, BLOCK_BYTES) for number in range(BLOCKS)]
            for start, size in places:
                stream.seek(start)
                found.update(stream.read(size))
        return found.hexdigest()


class _RemoteSource(Source):
    """A source that fsspec opens."""

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Open the file as a stream of decompressed bytes."""
        with CorpusFile(self.name, 0).opened() as stream:
            buffered: io.BufferedReader = io.BufferedReader(cast("io.RawIOBase", stream), SAMPLE_BYTES)
            yield decompressed(buffered)

    def head(self) -> bytes:
        """Return the first decompressed bytes."""
        with self.binary() as stream:
            return stream.read(SAMPLE_BYTES)


def find_files(inputs: Sequence[str | Path]) -> list[CorpusFile]:
    """Return the files that paths, folders, globs and URLs name; those of a folder are in natural order."""
    found = [file for given in inputs for file in _files_of(str(given))]
    if not found:
        raise SpindleError("a corpus needs at least one input file")
    return found


def _files_of(name: str) -> list[CorpusFile]:
    if is_url(name):
        return _files_of_url(name)
    path = Path(name)
    if path.is_dir():
        names = [source.name for source in sources(name)]
    elif path.exists() or not glob.has_magic(name):
        names = [name]
    else:
        matches = (Path(match) for match in glob.glob(name, recursive=True))  # noqa: PTH207 - `**` as in a shell
        names = [str(match) for match in sorted(filter(Path.is_file, matches), key=natural_order)]
        if not names:
            raise UnreadableFile("no file has such a name", file=name)
    try:
        return [CorpusFile(one, Path(one).stat().st_size) for one in names]
    except OSError as error:
        raise UnreadableFile(error.strerror or str(error), file=str(error.filename)) from None


def _files_of_url(url: str) -> list[CorpusFile]:
    system, path = file_system(url)
    try:
        if glob.has_magic(path):
            paths = [one for one in system.glob(path) if system.isfile(one)]
        else:
            paths = system.find(path) if system.isdir(path) else [path]
        paths = sorted(paths, key=lambda one: natural_order(Path(one)))
        found = [CorpusFile(system.unstrip_protocol(one), int(system.size(one) or 0)) for one in paths]
    except (OSError, ValueError) as error:
        raise UnreadableFile(str(error) or type(error).__name__, file=url) from None
    if not found:
        raise UnreadableFile("no file has such a name", file=url)
    return found
