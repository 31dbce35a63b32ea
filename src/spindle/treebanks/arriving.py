"""Lines of a pipe, and whether the next one has arrived: a reader can answer before it has to wait."""

from __future__ import annotations

import codecs
import io
import select
from collections import deque
from collections.abc import Iterator

CHUNK_BYTES = 1 << 16
MAX_PART = 1 << 16
"""A line with more characters than this may be yielded in parts."""
PATIENCE_SECONDS = 0.02
"""How long a pipe that delivered several lines at once is waited for: its writer is fast, but had no turn."""


class ArrivingLines:
    """Iterates over the lines of a pipe with `\\n` as line end; undecodable bytes become surrogates.

    With `keeps_ends`, line ends stay as they are. With `in_parts`, a line that is longer than `MAX_PART` is
    yielded in parts.
    """

    def __init__(
        self, stream: io.BufferedReader, encoding: str, *, keeps_ends: bool = False, in_parts: bool = False
    ) -> None:
        self._stream = stream
        decoder = codecs.getincrementaldecoder(encoding)(errors="surrogateescape")
        self._decoder = decoder if keeps_ends else io.IncrementalNewlineDecoder(decoder, translate=True)
        self._in_parts = in_parts
        self._lines: deque[str] = deque()
        self._rest: list[str] = []  # of a line whose end has not arrived
        self._is_at_end = self._is_fast = False

    def __iter__(self) -> Iterator[str]:
        while self._lines or not self._is_at_end:
            if self._lines:
                yield self._lines.popleft()
            else:
                self._read()

    def is_ready(self) -> bool:
        """Return whether the next line, or the end, is there: reads what has arrived, but does not wait."""
        while not self._lines and not self._is_at_end and self._has_bytes():
            self._read()
        return bool(self._lines) or self._is_at_end

    def _has_bytes(self) -> bool:
        try:
            # reading leaves nothing in the stream's buffer, so the system knows of all bytes
            return bool(select.select([self._stream], [], [], PATIENCE_SECONDS * self._is_fast)[0])
        except io.UnsupportedOperation:  # not a pipe of the system, but an archive, or bytes in memory
            return True
        except OSError:  # the system cannot tell (Windows), so that every line is answered at once
            return False

    def _read(self) -> None:
        """Wait for bytes and split them into lines."""
        data = self._stream.read1(CHUNK_BYTES)
        self._is_at_end = not data
        *complete, rest = self._decoder.decode(data, final=self._is_at_end).split("\n")
        self._is_fast = len(complete) > 1
        if complete:
            complete[0] = "".join([*self._rest, complete[0]])
            self._rest.clear()
            self._lines.extend([f"{line}\n" for line in complete])
        self._rest.append(rest)
        if self._in_parts and sum(map(len, self._rest)) >= MAX_PART:
            self._lines.append("".join(self._rest))
            self._rest.clear()
        if self._is_at_end and (last := "".join(self._rest)):
            self._lines.append(last)
