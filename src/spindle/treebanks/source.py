"""Where a treebank comes from and goes to: a file (compressed or not), a pipe, a standard stream, text."""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO, cast

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.compression import create_packed, unpacked

SNIFFED = 1 << 16
"""How many bytes from the start of a file are looked at to guess its format and encoding."""
# Bytes that cannot be decoded come out of the decoder like this.
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass
class Source:
    """Something to read a treebank from; `name` is what messages call it.

    `encoding=None` means UTF-8, or UTF-16 where the file starts with its mark, or Latin-1 where a format's
    own tradition says so and the start of the file is not UTF-8.
    """

    name: str
    encoding: str | None = None
    _data: bytes | None = field(default=None, repr=False)
    _file: BinaryIO | None = field(default=None, repr=False)
    _size_read: int = field(default=0, repr=False)

    @classmethod
    def from_text(cls, text: str, name: str = "<text>") -> Source:
        """A source that is a string, for tests and for text that is in memory already."""
        return cls(name, "utf-8", text.encode("utf-8", "surrogatepass"))

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """The decompressed bytes."""
        if self._data is not None:
            yield io.BytesIO(self._data)
            return
        with _opened(self.name, only_to_look=False) as stream:
            self._file = stream if self.name != "-" and stream.seekable() else None
            try:
                yield unpacked(stream)
            finally:
                self._size_read, self._file = self.position, None

    @property
    def position(self) -> int:
        """How many bytes of a file (as it is stored) have been read: what a progress bar shows."""
        return self._size_read if self._file is None else self._file.tell()

    def head(self) -> bytes:
        """The first bytes, decompressed, for guessing; a pipe is not used up by it."""
        if self._data is not None:
            return self._data[:SNIFFED]
        with _opened(self.name, only_to_look=True) as stream, self._failing():
            start = unpacked(io.BufferedReader(cast("io.RawIOBase", io.BytesIO(stream.peek(SNIFFED)))))
            pieces: list[bytes] = []
            while sum(map(len, pieces)) < SNIFFED:
                try:
                    piece = start.read1(SNIFFED)
                except OSError:
                    if pieces:
                        break  # the sample is cut off, and whoever reads on will see if the file is
                    raise
                if not piece:
                    break
                pieces.append(piece)
        return b"".join(pieces)

    def sample(self) -> str:
        """The first characters, for guessing the format: what cannot be decoded does not matter there."""
        return self.head().decode(self.encoding_read("latin-1"), "replace").removeprefix("\ufeff")

    def lines(self, fallback: str | None = None, keep_undecoded: bool = False) -> Iterator[str]:
        """The lines with their line ends as `\\n`, without a byte-order mark.

        `fallback` is the encoding to use where none was given and the file does not start as UTF-8. A line
        that cannot be decoded raises a `TreebankError`, unless they are kept for `undecoded` to find, so
        that one bad byte costs one sentence and not the rest of the file.
        """
        encoding = self.encoding_read(fallback)
        number = 0
        with self._failing() as failure, self.binary() as stream:
            # Only \n, \r\n and \r end a line (never U+2028 or \x0b).
            text = io.TextIOWrapper(stream, encoding, errors="surrogateescape", newline=None)
            try:
                for line in text:
                    number += 1
                    failure.line = number + 1
                    if number == 1:
                        line = line.removeprefix("\ufeff")
                    if not keep_undecoded and (error := self.undecoded(line, number)):
                        raise error
                    yield line
            finally:
                if not stream.closed:
                    text.detach()  # or it would close the stream, which may be standard input

    def undecoded(self, text: str, line: int) -> TreebankError | None:
        """What is wrong with a text that starts on this line, if part of it could not be decoded."""
        if text.isascii() or not (bad := _UNDECODED.search(text)):
            return None
        return TreebankError(
            f"byte 0x{ord(bad[0]) - 0xDC00:02x} is not {self.encoding or 'utf-8'}",
            file=self.name,
            line=line + text.count("\n", 0, bad.start()),
            hint="name the file's encoding with --text-encoding, e.g. latin-1",
        )

    def chunks(self) -> Iterator[bytes]:
        """The decompressed bytes in pieces, for formats that say their own encoding."""
        with self._failing(), self.binary() as stream:
            while piece := stream.read(SNIFFED):
                yield piece

    def encoding_read(self, fallback: str | None = None) -> str:
        """The encoding that `lines(fallback)` decodes with."""
        if self.encoding is not None:
            return check_encoding(self.encoding)
        start = self.head()
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        try:
            # a character cut in two at the end of the sample is no evidence
            start[: start.rfind(b"\n") + 1 or None].decode("utf-8")
        except UnicodeDecodeError:
            return fallback or "utf-8"
        return "utf-8"

    @contextmanager
    def _failing(self) -> Iterator[UnreadableFile]:
        """Say where what the system, an archive or a decoder says of a file that cannot be read on."""
        failure = UnreadableFile("", file=self.name)
        try:
            yield failure
        except UnicodeError as error:
            failure.cause = f"cannot be decoded from here on: {error}"
            raise failure from None
        except OSError as error:
            failure.cause = f"cannot be read from here on: {error.strerror or error}"
            raise failure from None


def check_encoding(name: str) -> str:
    """The usual name of a text encoding; a `TreebankError` for what is none."""
    try:
        "".encode(name)  # some that can be looked up are for other things than text
        return codecs.lookup(name).name
    except (LookupError, UnicodeError):
        raise TreebankError(f"there is no text encoding {name!r}") from None


@contextmanager
def open_output(name: str, encoding: str = "utf-8") -> Iterator[TextIO]:
    """A text stream to write a treebank to; the name's ending says how it is compressed, `-` is stdout."""
    try:
        if name == "-":
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding=encoding, errors="strict", newline="\n")
            yield sys.stdout
            sys.stdout.flush()
        else:
            with io.TextIOWrapper(create_packed(name), encoding=encoding, newline="\n") as stream:
                yield stream
    except BrokenPipeError:
        raise  # nobody reads it any more, which is no error
    except OSError as error:
        shown = "<stdout>" if name == "-" else name
        raise TreebankError(f"cannot be written: {error.strerror or error}", file=shown) from None


# ── opening ──────────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Pipe:
    """What can be read only once: standard input, a named pipe, `<(…)` of a shell."""

    stream: io.BufferedReader
    is_used: bool = False


_PIPES: dict[str, _Pipe] = {}
"""The pipes that have been opened. They stay open from the first look at them until they are read."""


@contextmanager
def _opened(name: str, only_to_look: bool) -> Iterator[io.BufferedReader]:
    """A file or pipe at its start, with a buffer of which a whole sample can be looked at."""
    pipe = _PIPES.get(name)
    if name == "-" and (pipe is None or pipe.stream.raw is not sys.stdin.buffer):
        pipe = _PIPES[name] = _Pipe(_buffered(sys.stdin.buffer))
    if pipe is None:
        try:
            stream = _buffered(open(name, "rb"))
        except OSError as error:
            raise UnreadableFile(error.strerror or str(error), file=name) from None
        if stream.seekable():
            with stream:
                yield stream
            return
        pipe = _PIPES[name] = _Pipe(stream)
    if pipe.is_used:
        what = "standard input" if name == "-" else "a pipe"
        raise UnreadableFile(f"{what} can be read only once", file=name, hint="save it to a file first")
    pipe.is_used = not only_to_look
    yield pipe.stream


def _buffered(stream: BinaryIO) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", stream), SNIFFED)
