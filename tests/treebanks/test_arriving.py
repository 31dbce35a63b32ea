"""Lines of a pipe: those of a file, however the bytes arrive, and whether the next one is there."""

import io
import os
import threading
import time
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from spindle.treebanks.arriving import ArrivingLines


class Pieces(io.RawIOBase):
    """A stream that returns one piece at every read."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = next(self._pieces, b"")
        buffer[: len(piece)] = piece
        return len(piece)


def buffered(pieces: list[bytes]) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", Pieces(pieces)))


TEXT = st.text(st.sampled_from("aß\n\r\u2028\x0b\N{GRINNING FACE}"), max_size=30)


@given(TEXT, st.binary(max_size=3), st.sampled_from(["utf-8", "utf-16", "latin-1"]), st.data())
def test_lines_are_those_of_a_text_file(text: str, more: bytes, encoding: str, data: st.DataObject) -> None:
    content = text.encode(encoding, "replace") + (b"" if encoding == "utf-16" else more)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(content) - 1, 1)), max_size=4)))
    pieces = [content[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True)]
    stream = buffered([piece for piece in pieces if piece])
    expected = io.TextIOWrapper(io.BytesIO(content), encoding, errors="surrogateescape", newline=None)
    assert list(ArrivingLines(stream, encoding)) == list(expected)


def test_a_line_is_ready_when_its_end_has_arrived() -> None:
    inner, outer = os.pipe()
    with open(inner, "rb") as stream, open(outer, "wb", buffering=0) as writer:
        arriving = ArrivingLines(stream, "utf-8")
        lines = iter(arriving)
        assert not arriving.is_ready()
        writer.write(b"one\ntw")
        assert arriving.is_ready()
        assert next(lines) == "one\n"
        assert not arriving.is_ready()
        writer.write(b"o\nthree\nfour")
        assert (arriving.is_ready(), next(lines), next(lines)) == (True, "two\n", "three\n")
        assert not arriving.is_ready()
        writer.close()
        assert (arriving.is_ready(), list(lines), arriving.is_ready()) == (True, ["four"], True)


def test_a_fast_writer_is_given_a_moment() -> None:
    inner, outer = os.pipe()
    with open(inner, "rb") as stream, open(outer, "wb", buffering=0) as writer:
        arriving = ArrivingLines(stream, "utf-8")
        lines = iter(arriving)
        writer.write(b"one\n")
        next(lines)
        start = time.perf_counter()
        assert not arriving.is_ready()  # a slow writer is not waited for
        assert time.perf_counter() - start < 0.01
        writer.write(b"two\nthree\n")
        assert (next(lines), next(lines)) == ("two\n", "three\n")
        threading.Timer(0.005, writer.write, [b"four\n"]).start()
        assert arriving.is_ready()
        assert next(lines) == "four\n"


def test_bytes_in_memory_are_always_ready() -> None:
    arriving = ArrivingLines(buffered([b"one\nt", b"wo\n"]), "utf-8")
    lines = iter(arriving)
    assert next(lines) == "one\n"
    assert (arriving.is_ready(), next(lines)) == (True, "two\n")
