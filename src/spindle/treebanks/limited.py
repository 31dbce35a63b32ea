"""A limit of what a reader holds: a compressed file of kilobytes can have a sentence of gigabytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from spindle.errors import UnreadableFile

MAX_SENTENCE = 50_000_000
"""The characters, or bytes of XML, of the longest sentence or row."""
Piece = TypeVar("Piece", str, bytes)


class Limited(Generic[Piece]):
    """The pieces of a file, once; an `UnreadableFile` if those after the last `restart` are too long."""

    def __init__(self, pieces: Iterable[Piece], file: str, what: str = "sentence") -> None:
        self._pieces: Iterable[Piece] = pieces
        self._file, self._what = file, what
        self._size = 0

    def __iter__(self) -> Iterator[Piece]:
        # only the loop holds the pieces, so that an error which ends it closes their file
        pieces, self._pieces = self._pieces, ()
        for piece in pieces:
            self._size += len(piece)
            if self._size > MAX_SENTENCE:
                raise UnreadableFile(
                    f"a {self._what} has no end within {MAX_SENTENCE:,} characters",
                    file=self._file,
                    hint="check where it begins; longer ones are not read",
                )
            yield piece

    def restart(self) -> None:
        """Start to count anew: what was read before is not held any more."""
        self._size = 0
