"""Where a treebank comes from: a file, compressed or not, standard input, or a string."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO, cast

import zstandard

from spindle.errors import TreebankError

COMPRESSIONS = (".gz", ".xz", ".zst")
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_UNDECODED = re.compile("[\udc80-\udcff]")
SNIFFED = 1 << 16
"""How many bytes from the start of a file are looked at to guess its format and encoding."""


@dataclass
class Source:
    """Something to read a treebank from; `name` is what messages call it.

    `encoding=None` means UTF-8, or Latin-1 where a format's own tradition says so and the start of the
    file is not UTF-8.
    """

    name: str
    encoding: str | None = None
    _data: bytes | None = field(default=None, repr=False)
    _file: BinaryIO | None = field(default=None, repr=False)

    @classmethod
    def from_text(cls, text: str, name: str = "<text>") -> Source:
        """A source that is a string, for tests and for text that is in memory already."""
        return cls(name, "utf-8", text.encode("utf-8", "surrogatepass"))

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """The decompressed bytes."""
        if self._data is not None:
            yield io.BytesIO(self._data)
        elif self.name == "-":
            yield _decompressed(_buffered(sys.stdin.buffer))
        else:
            try:
                file = open(self.name, "rb")
            except OSError as error:
                raise TreebankError(error.strerror or str(error), file=self.name) from None
            self._file = file
            with file:
                yield _decompressed(_buffered(file))

    @property
    def position(self) -> int:
        """How many bytes of the file (as it is stored) have been read: what a progress bar shows."""
        if self._file is None:
            return 0
        return Path(self.name).stat().st_size if self._file.closed else self._file.tell()

    def head(self) -> bytes:
        """The first bytes, for guessing; standard input is not used up by it."""
        if self.name == "-" and self._data is None:
            return _decompressed_head(_buffered(sys.stdin.buffer).peek(SNIFFED))
        with self.binary() as stream:
            return self._guarded_read(stream)

    def lines(self, fallback: str | None = None) -> Iterator[str]:
        """The lines with their line ends as `\\n`, without a byte-order mark.

        `fallback` is the encoding to use where none was given and the file does not start as UTF-8.
        """
        encoding = self.encoding_read(fallback)
        with self.binary() as stream:
            number = 0
            try:
                # utf-8-sig drops a byte-order mark; only \n, \r\n and \r end a line (never U+2028 or \x0b).
                # Bad bytes are let through as surrogates, to be found in their line: an error from the
                # decoder would take with it thousands of good lines that it has decoded at the same time.
                text = io.TextIOWrapper(
                    stream,
                    encoding="utf-8-sig" if _is_utf8(encoding) else encoding,
                    errors="surrogateescape",
                    newline=None,
                )
                for line in text:
                    number += 1
                    if not line.isascii() and (bad := _UNDECODED.search(line)):
                        raise TreebankError(
                            f"byte 0x{ord(bad[0]) - 0xDC00:02x} is not {encoding}",
                            file=self.name,
                            line=number,
                            hint="name the file's encoding with --encoding, e.g. --encoding latin-1",
                        )
                    yield line
            except LookupError:
                raise TreebankError(f"there is no encoding {encoding!r}", file=self.name) from None
            except UnicodeError as error:
                raise TreebankError(f"not {encoding}: {error}", file=self.name, line=number + 1) from None
            except (EOFError, OSError, lzma.LZMAError, zstandard.ZstdError) as error:
                raise TreebankError(
                    f"cannot be decompressed: {error}", file=self.name, line=number + 1
                ) from None

    def chunks(self) -> Iterator[bytes]:
        """The decompressed bytes in pieces, for formats that say their own encoding."""
        with self.binary() as stream:
            while piece := self._guarded_read(stream):
                yield piece

    def encoding_read(self, fallback: str | None = None) -> str:
        """The encoding that `lines(fallback)` decodes with."""
        return self.encoding or self._guess_encoding(fallback)

    def _guess_encoding(self, fallback: str | None) -> str:
        if fallback is None:
            return "utf-8"
        start = self.head()
        try:
            # a character cut in two at the end of the sample is no evidence
            start[: start.rfind(b"\n") + 1 or None].decode("utf-8")
        except UnicodeDecodeError:
            return fallback
        return "utf-8"

    def _guarded_read(self, stream: BinaryIO) -> bytes:
        try:
            return stream.read(SNIFFED)
        except (EOFError, OSError, lzma.LZMAError, zstandard.ZstdError) as error:
            raise TreebankError(f"cannot be read: {error}", file=self.name) from None


@contextmanager
def open_output(name: str, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A text stream to write a treebank to; the name's ending says how it is compressed, `-` is stdout."""
    if name == "-":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding=encoding, newline="\n")
        yield sys.stdout
        sys.stdout.flush()
        return
    ending = Path(name).suffix
    try:
        raw: BinaryIO
        if ending == ".gz":
            raw = cast("BinaryIO", gzip.open(name, "wb", compresslevel=6))
        elif ending == ".xz":
            raw = cast("BinaryIO", lzma.open(name, "wb"))
        elif ending == ".zst":
            raw = cast("BinaryIO", zstandard.open(name, "wb"))
        else:
            raw = open(name, "wb")
    except OSError as error:
        raise TreebankError(f"cannot be written: {error.strerror or error}", file=name) from None
    with io.TextIOWrapper(raw, encoding=encoding, newline="\n") as stream:
        yield stream


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


_STDIN: list[io.BufferedReader] = []


def _buffered(stream: BinaryIO) -> io.BufferedReader:
    """A reader that can peek a whole sample ahead; standard input keeps one for good."""
    if stream is sys.stdin.buffer:
        if not _STDIN:
            _STDIN.append(io.BufferedReader(cast("io.RawIOBase", stream), SNIFFED))
        return _STDIN[0]
    return io.BufferedReader(cast("io.RawIOBase", stream), SNIFFED)


def _compression(start: bytes) -> str:
    return next((ending for magic, ending in _MAGIC.items() if start.startswith(magic)), "")


def _decompressed(stream: io.BufferedReader) -> BinaryIO:
    """The stream's content; what it is compressed with is told by its first bytes, not by its name."""
    ending = _compression(stream.peek(8))
    if ending == ".gz":
        return cast("BinaryIO", gzip.open(stream))
    if ending == ".xz":
        return cast("BinaryIO", lzma.open(stream))
    if ending == ".zst":
        return cast("BinaryIO", zstandard.open(stream, "rb"))
    return stream


def _decompressed_head(start: bytes) -> bytes:
    """As much as can be decompressed of a sample that may be cut off."""
    try:
        ending = _compression(start)
        if ending == ".gz":
            return gzip.zlib.decompressobj(31).decompress(start)  # type: ignore[attr-defined,no-any-return]
        if ending == ".xz":
            return lzma.LZMADecompressor().decompress(start)
        if ending == ".zst":
            return zstandard.ZstdDecompressor().decompressobj().decompress(start)
    except (OSError, EOFError, lzma.LZMAError, zstandard.ZstdError, ValueError):
        return b""
    return start
