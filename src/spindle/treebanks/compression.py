"""Compressed files, both ways: told by their first bytes when read, by the name's ending when written."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, cast

import zstandard

# Read so few bytes at a time that even what was compressed ten thousand to one stays small when unpacked.
_PIECE = 1024
_BROKEN = (zlib.error, lzma.LZMAError, zstandard.ZstdError)


class _Unpacker(Protocol):
    """What unpacks one archive; all three libraries have it in this form."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Kind(NamedTuple):
    starts: tuple[bytes, ...]
    unpacker: Callable[[], _Unpacker]
    create: Callable[[str], object]


_KINDS = {
    ".gz": _Kind((b"\x1f\x8b",), lambda: zlib.decompressobj(31), lambda name: gzip.open(name, "wb", 6)),
    ".xz": _Kind((b"\xfd7zXZ\x00",), lzma.LZMADecompressor, lambda name: lzma.open(name, "wb")),
    ".zst": _Kind(
        (
            b"\x28\xb5\x2f\xfd",
            b"\x50\x2a\x4d\x18",
        ),  # the second starts a frame to be skipped, as pzstd writes
        lambda: zstandard.ZstdDecompressor().decompressobj(),
        lambda name: zstandard.open(name, "wb", zstandard.ZstdCompressor(write_checksum=True)),
    ),
}
COMPRESSIONS = tuple(_KINDS)


def unpacked(stream: io.BufferedReader) -> io.BufferedReader:
    """What is in a stream, whether it is compressed or not."""
    start = stream.peek(8)
    for ending, kind in _KINDS.items():
        if start.startswith(kind.starts):
            return io.BufferedReader(_Unpacked(stream, ending))
    return stream


def create_packed(name: str) -> BinaryIO:
    """A new file that is compressed as its name says."""
    kind = _KINDS.get(Path(name).suffix.lower())
    return cast("BinaryIO", kind.create(name)) if kind else open(name, "wb")


class _Unpacked(io.RawIOBase):
    """The content of all archives in a stream: they may be strung together, as by `cat`.

    Raises an OSError for whatever is wrong with them. The libraries' own streams take the end of a file for
    the end of an archive (zst), or what follows it for nothing (xz): a treebank could lose its second half
    without a word.
    """

    def __init__(self, stream: BinaryIO, ending: str) -> None:
        self._stream, self._ending = stream, ending
        self._unpacker: _Unpacker | None = None  # None between archives
        self._packed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Give as much as is ready; 0 at the end."""
        while not self._ready:
            self._packed = self._packed or self._stream.read(_PIECE)
            if not self._packed:
                if self._unpacker is not None:
                    raise OSError(f"the {self._ending} file is cut off")
                return 0
            if self._unpacker is None:
                self._packed = self._packed.lstrip(b"\0")  # padding, which archives may have between them
                if not self._packed:
                    continue
                self._unpacker = _KINDS[self._ending].unpacker()
            try:
                self._ready = memoryview(self._unpacker.decompress(self._packed))
            except _BROKEN as error:
                raise OSError(f"the {self._ending} file is damaged ({error})") from None
            self._packed = self._unpacker.unused_data
            if self._unpacker.eof:
                self._unpacker = None
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
