"""Where treebanks are read from and written to: files (compressed or not), pipes, standard streams, text."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from spindle.errors import Hint, Setting, TreebankError, UnreadableFile
from spindle.outputs import replacing
from spindle.treebanks.arriving import ArrivingLines
from spindle.treebanks.compression import compressing, decompressed

SAMPLE_BYTES = 1 << 16
"""How many bytes at the start of a file are used to guess its format and text encoding."""
LONGEST_NAME = 200
"""A file with a longer name is written in place: there may be no room for the name of a temporary file."""
# The decoder replaces each byte that it cannot decode by one of these (errors="surrogateescape").
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass
class Source:
    """A file, pipe or text to read a treebank from. Error messages show its `name`; `-` is standard input.

    `text_encoding=None` means UTF-8, or UTF-16 if the file starts with a byte-order mark. Formats with a
    Latin-1 tradition are read as Latin-1 if the start of the file is not valid UTF-8.
    """

    name: str
    text_encoding: str | None = None
    start: int = 0
    """The offset of `_data` in the file that it was cut from; `pieces` end at the same places."""
    _data: bytes | None = field(default=None, repr=False)
    _file: BinaryIO | None = field(default=None, repr=False)
    _size_read: int = field(default=0, repr=False)
    _arriving: ArrivingLines | None = field(default=None, repr=False)

    @classmethod
    def from_text(cls, text: str, name: str = "<text>") -> Source:
        """Return a source that reads from a string."""
        return cls.from_bytes(text.encode("utf-8", "surrogatepass"), name, "utf-8")

    @classmethod
    def from_bytes(cls, data: bytes, name: str, text_encoding: str | None = None, start: int = 0) -> Source:
        """Return a source that reads a part of a file, cut out at `start`."""
        return cls(name, text_encoding, start, data)

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Open the source as a stream of decompressed bytes."""
        if self._data is not None:
            yield io.BytesIO(self._data)
            return
        with _opened(self.name, peek_only=False) as stream:
            self._file = stream if self.name != "-" and stream.seekable() else None
            try:
                yield decompressed(stream)
            finally:
                self._size_read, self._file = self.position, None

    @property
    def position(self) -> int:
        """The number of stored (compressed) bytes read so far, for progress bars."""
        return self._size_read if self._file is None or self._file.closed else self._file.tell()

    def head(self) -> bytes:
        """Return the first decompressed bytes, for guessing. This does not consume a pipe."""
        if self._data is not None:
            return self._data[:SAMPLE_BYTES]
        with _opened(self.name, peek_only=True) as stream, self._reporting_failures():
            start = decompressed(
                io.BufferedReader(cast("io.RawIOBase", io.BytesIO(stream.peek(SAMPLE_BYTES))))
            )
            pieces: list[bytes] = []
            while sum(map(len, pieces)) < SAMPLE_BYTES:
                try:
                    piece = start.read1(SAMPLE_BYTES)
                except OSError:
                    if pieces:
                        break  # the sample ends inside the archive; a later read tells if the file does too
                    raise
                if not piece:
                    break
                pieces.append(piece)
        return b"".join(pieces)

    def sample(self) -> str:
        """Return the first characters, for guessing the format. Undecodable bytes are replaced."""
        return self.head().decode(self.detected_encoding("latin-1"), "replace").removeprefix("\ufeff")

    def lines(
        self, fallback: str | None = None, keep_undecoded: bool = False, keep_ends: bool = False
    ) -> Iterator[str]:
        """Yield the lines without a byte-order mark, with `\\n` as line end, or with `keep_ends` as they are.

        `fallback` is the text encoding of files that do not start as valid UTF-8, if none was given. An
        undecodable line raises a `TreebankError`. With `keep_undecoded` it is yielded instead: readers call
        `undecoded` on each sentence, so a bad byte costs one sentence and not the rest of the file.
        """
        encoding = self.detected_encoding(fallback)
        number = 0
        with (
            self._reporting_failures() as failure,
            self.binary() as stream,
            self._text(stream, encoding, keep_ends) as text,
        ):
            for line in text:
                number += 1
                failure.line = number + 1
                if number == 1 and self.start == 0:
                    line = line.removeprefix("\ufeff")
                if not keep_undecoded and (error := self.undecoded(line, number)):
                    raise error
                yield line

    def pieces(self) -> Iterator[str]:
        """Yield the text as it is, line ends included, in pieces of bounded size, without a byte-order mark.

        Lines of a pipe are yielded as they arrive. Undecodable bytes become surrogates.
        """
        encoding = self.detected_encoding()
        is_first = self.start == 0
        with self._reporting_failures(), self.binary() as stream, self._raw_text(stream, encoding) as text:
            for piece in text:
                yield piece.removeprefix("\ufeff") if is_first else piece
                is_first = False

    @contextmanager
    def _raw_text(self, stream: BinaryIO, encoding: str) -> Iterator[Iterable[str]]:
        """Decode a stream and keep line ends as they are."""
        if self._is_pipe(stream):
            self._arriving = ArrivingLines(
                cast("io.BufferedReader", stream), encoding, keeps_ends=True, in_parts=True
            )
            yield self._arriving
            self._arriving = None
            return
        decoder = codecs.getincrementaldecoder(encoding)(errors="surrogateescape")
        first = stream.read(SAMPLE_BYTES - self.start % SAMPLE_BYTES)
        chunks = chain([first], iter(lambda: stream.read(SAMPLE_BYTES), b""))
        yield filter(None, chain(map(decoder.decode, chunks), map(decoder.decode, (b"",), (True,))))

    def _is_pipe(self, stream: BinaryIO) -> bool:
        return self._data is None and self._file is None and isinstance(stream, io.BufferedReader)

    @contextmanager
    def _text(self, stream: BinaryIO, encoding: str, keep_ends: bool) -> Iterator[Iterable[str]]:
        """Decode a stream. Only \\n, \\r\\n and \\r end a line; U+2028 and \\x0b do not."""
        if self._is_pipe(stream):
            self._arriving = ArrivingLines(cast("io.BufferedReader", stream), encoding, keeps_ends=keep_ends)
            yield self._arriving
            self._arriving = None
            return
        text = io.TextIOWrapper(stream, encoding, errors="surrogateescape", newline="" if keep_ends else None)
        try:
            yield text
        finally:
            if not stream.closed:
                text.detach()  # otherwise it closes the stream

    @property
    def is_arriving(self) -> bool:
        """Whether lines come from a pipe, one by one."""
        return self._arriving is not None

    def is_ready(self) -> bool:
        """Return whether the next line of `lines` is there without waiting; of a file it always is."""
        return self._arriving is None or self._arriving.is_ready()

    def undecoded(self, text: str, line: int) -> TreebankError | None:
        """Return the error for `text`, which starts on this line, if it contains undecodable bytes."""
        if text.isascii() or not (bad := _UNDECODED.search(text)):
            return None
        return TreebankError(
            f"byte 0x{ord(bad[0]) - 0xDC00:02x} is not {self.text_encoding or 'utf-8'}",
            file=self.name,
            line=line + text.count("\n", 0, bad.start()),
            hint=Hint("set {}, e.g. to latin-1", Setting.TEXT_ENCODING),
        )

    def chunks(self) -> Iterator[bytes]:
        """Yield the decompressed bytes in chunks, for formats that declare their own encoding."""
        with self._reporting_failures(), self.binary() as stream:
            while chunk := stream.read(SAMPLE_BYTES):
                yield chunk

    def detected_encoding(self, fallback: str | None = None) -> str:
        """Return the text encoding that `lines(fallback)` decodes with."""
        if self.text_encoding is not None:
            return check_encoding(self.text_encoding)
        start = self.head()
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        try:
            # Whole lines only: the sample may end in the middle of a character.
            start[: start.rfind(b"\n") + 1 or None].decode("utf-8")
        except UnicodeDecodeError:
            return fallback or "utf-8"
        return "utf-8"

    @contextmanager
    def _reporting_failures(self) -> Iterator[UnreadableFile]:
        """Turn errors of the system, an archive or a decoder into an `UnreadableFile` with its place."""
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
    """Return the standard name of a text encoding. Raises a `TreebankError` if it does not exist."""
    try:
        "".encode(name)  # some codecs that can be looked up are not for text
        return codecs.lookup(name).name
    except (LookupError, UnicodeError):
        raise TreebankError(f"there is no text encoding {name!r}") from None


@contextmanager
def open_output(name: str, text_encoding: str = "utf-8", *, in_place: bool = False) -> Iterator[TextIO]:
    """Open a text stream to write to, compressed according to the file's ending; `-` is standard output.

    A file appears under its name when it is complete; after Ctrl-C or SIGTERM it has what was finished. After
    an error, the old file stays. With `in_place` a file grows under its name, so that it can be continued.
    """
    with _reporting_unwritable(name):
        if name == "-":
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding=text_encoding, errors="strict", newline="\n")
            yield sys.stdout
            sys.stdout.flush()
        elif in_place or not _can_be_replaced(Path(name)):
            with open(name, "wb") as file, _text(file, name, text_encoding) as stream:
                yield stream
        else:
            with _replaced(name, text_encoding) as stream:
                yield stream


@contextmanager
def open_binary_output(name: str) -> Iterator[IO[bytes]]:
    """Open a stream of bytes to write to; `-` is standard output. A file appears when it is complete."""
    with _reporting_unwritable(name):
        if name == "-":
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif _can_be_replaced(Path(name)):
            with replacing(Path(name).resolve()) as file:
                yield file
        else:
            with open(name, "wb") as file:
                yield file


@contextmanager
def _reporting_unwritable(name: str) -> Iterator[None]:
    """Turn errors of the system into a `TreebankError` with the name of the output."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reading process has closed the pipe, which is not an error
    except OSError as error:
        shown = "<stdout>" if name == "-" else name
        raise TreebankError(f"cannot be written: {error.strerror or error}", file=shown) from None


@contextmanager
def _text(file: IO[bytes], name: str, text_encoding: str) -> Iterator[TextIO]:
    with compressing(file, name) as binary:
        stream = io.TextIOWrapper(binary, encoding=text_encoding, newline="\n")
        try:
            yield stream
        finally:
            stream.flush()
            stream.detach()


def _can_be_replaced(path: Path) -> bool:
    """Return whether another file can take the place of this one: not that of a device or a pipe."""
    if len(path.name) > LONGEST_NAME or not os.access(path.resolve().parent, os.W_OK):
        return False
    return not path.exists() or (path.is_file() and os.access(path, os.W_OK))


@contextmanager
def _replaced(name: str, text_encoding: str) -> Iterator[TextIO]:
    """A file that takes the place of `name`, or of the file that this links to, at the end."""
    path = Path(name).resolve()
    stop: BaseException | None = None
    with replacing(path) as file:
        if path.exists():
            os.chmod(file.fileno(), path.stat().st_mode & 0o777)  # noqa: PTH101 - a new file has no name yet
        with _text(file, name, text_encoding) as stream:
            try:
                yield stream
            except (KeyboardInterrupt, SystemExit) as error:
                stream.flush()
                if not file.tell():
                    raise
                stop = error
    if stop is not None:
        raise stop


# ── opening ──────────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Pipe:
    """An input that can be read only once: standard input, a named pipe, `<(…)` of a shell."""

    stream: io.BufferedReader
    is_used: bool = False


_PIPES: dict[str, _Pipe] = {}
"""The pipes that have been opened, by name. They stay open until `Source.binary` has ended."""


@contextmanager
def _opened(name: str, peek_only: bool) -> Iterator[io.BufferedReader]:
    """Open a file or pipe at its start, with a buffer that is large enough to peek at a whole sample."""
    pipe = _PIPES.get(name)
    if name == "-":
        # A buffer on a buffer would wait until it is full, even if a line has arrived.
        unbuffered = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        if pipe is None or pipe.stream.raw is not unbuffered:
            pipe = _PIPES[name] = _Pipe(_buffered(unbuffered))
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
    pipe.is_used = not peek_only
    try:
        yield pipe.stream
    finally:
        if pipe.is_used and name != "-":
            pipe.stream.close()


def _buffered(stream: BinaryIO) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", stream), SAMPLE_BYTES)
