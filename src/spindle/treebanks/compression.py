"""Compressed files: recognised by their first bytes when read, by the file's ending when written."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, cast

import zstandard

# Small, so that the output stays small even at the highest compression ratios.
_COMPRESSED_CHUNK_BYTES = 1024
MAX_LINE_BYTES = 100_000_000
"""The longest line of a compressed file. A few kilobytes can be decompressed to gigabytes."""
_BROKEN = (zlib.error, lzma.LZMAError, zstandard.ZstdError)


class _Decompressor(Protocol):
    """Decompresses one archive; zlib, lzma and zstandard all provide this interface."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Kind(NamedTuple):
    signatures: tuple[bytes, ...]
    decompressor: Callable[[], _Decompressor]
    create: Callable[[BinaryIO], object]


_KINDS = {
    ".gz": _Kind((b"\x1f\x8b",), lambda: zlib.decompressobj(31), lambda file: gzip.open(file, "wb", 6)),
    ".xz": _Kind((b"\xfd7zXZ\x00",), lzma.LZMADecompressor, lambda file: lzma.open(file, "wb")),
    ".zst": _Kind(
        # The second signature starts a skippable frame, as pzstd writes it.
        (b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"),
        lambda: zstandard.ZstdDecompressor().decompressobj(),
        lambda file: zstandard.open(file, "wb", zstandard.ZstdCompressor(write_checksum=True)),
    ),
}
COMPRESSIONS = tuple(_KINDS)


def decompressed(stream: io.BufferedReader) -> io.BufferedReader:
    """Return the content of a stream, decompressed if it is compressed."""
    start = stream.peek(8)
    for ending, kind in _KINDS.items():
        if start.startswith(kind.signatures):
            return io.BufferedReader(_Decompressed(stream, ending))
    return stream


@contextmanager
def compressing(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """A stream to write to `file` through, which compresses if the name ends like that of an archive."""
    kind = _KINDS.get(Path(name).suffix.lower())
    if kind is None:
        yield file
        return
    with cast("BinaryIO", kind.create(cast("BinaryIO", file))) as stream:
        yield stream


class _Decompressed(io.RawIOBase):
    """The content of all archives in a stream; `cat a.gz b.gz` makes such a stream.

    Raises an OSError if an archive is damaged or truncated. The streams of the libraries do not: zstandard
    accepts a truncated file, lzma ignores garbage after an archive. Either would lose trees silently.
    """

    def __init__(self, stream: BinaryIO, ending: str) -> None:
        self._stream, self._ending = stream, ending
        self._decompressor: _Decompressor | None = None  # None between archives
        self._compressed = b""
        self._ready = memoryview(b"")
        self._in_line = 0

    def _check_line(self, piece: bytes) -> None:
        """Raise an OSError for a line that is too long, because a line is read into memory as a whole."""
        end = piece.rfind(b"\n")
        self._in_line = len(piece) - end - 1 if end >= 0 else self._in_line + len(piece)
        if self._in_line > MAX_LINE_BYTES:
            raise OSError(
                f"a line of the {self._ending} file has more than {MAX_LINE_BYTES:,} bytes; decompress the "
                "file yourself if that is right"
            )

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Copy the bytes that are ready into `buffer` and return their number; 0 at the end."""
        while not self._ready:
            self._compressed = self._compressed or self._stream.read(_COMPRESSED_CHUNK_BYTES)
            if not self._compressed:
                if self._decompressor is not None:
                    raise OSError(f"the {self._ending} file is cut off")
                return 0
            if self._decompressor is None:
                self._compressed = self._compressed.lstrip(b"\0")  # padding between archives is legal
                if not self._compressed:
                    continue
                self._decompressor = _KINDS[self._ending].decompressor()
            try:
                piece = self._decompressor.decompress(self._compressed)
            except _BROKEN as error:
                raise OSError(f"the {self._ending} file is damaged ({error})") from None
            self._check_line(piece)
            self._ready = memoryview(piece)
            self._compressed = self._decompressor.unused_data
            if self._decompressor.eof:
                self._decompressor = None
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
